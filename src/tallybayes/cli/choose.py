"""`tallybayes choose`: the settings with the lowest held-out log-loss, for the same counts."""

from __future__ import annotations

import csv
from typing import TYPE_CHECKING, Annotated, Any

import typer

import tallybayes
from tallybayes.cli.loading import load_of_classes
from tallybayes.cli.options import (
    Absent,
    Groups,
    Label,
    ModelFile,
    ReportAs,
    Seed,
    Threads,
    held_out_option,
    keep_apart,
    model_file,
)
from tallybayes.cli.progress import watching_passes
from tallybayes.cli.reading import Input
from tallybayes.cli.terminal import print_report, say, waiting_for

if TYPE_CHECKING:
    from tallybayes import Schema


def choose(
    model: ModelFile,
    how: Input,
    candidates: Annotated[
        list[str] | None,
        typer.Option(
            "--try",
            metavar="SETTING=VALUE",
            help="What to try: alpha=0.5, reading=bernoulli, prior=uniform, or a family like 'age=Density()'. "
            "Can be repeated; by default some values of alpha.",
        ),
    ] = None,
    label: Label = None,
    output: Annotated[
        str | None,
        typer.Option(
            "--output", "-o", metavar="FILE", callback=model_file, help="Where to save the model; by default in MODEL."
        ),
    ] = None,
    folds: Annotated[int, held_out_option(metavar="K", min=2, help="How many folds.")] = 10,
    groups: Groups = None,
    seed: Seed = 0,
    format: ReportAs = "text",
    absent: Absent = "error",
    threads: Threads = None,
) -> None:
    """Choose priors and other beliefs by held-out log-loss.

    DATA are rows that the model has counted, all or some of them. They are split into folds, and every row is scored by
    the model minus its fold, under each belief. Nothing is counted again, and no count changes; the data is read once
    for every setting.

    \b
    tallybayes choose spam.tally mails.csv --try reading=multinomial --try reading=bernoulli
    """
    keep_apart(output, *how.files())
    found = load_of_classes(model)
    tried = _candidates(found.schema, candidates)
    settings: dict[str, Any] = {"k": folds, "groups": groups, "seed": seed, "threads": threads, "absent": absent}
    with watching_passes(how.open_again) as opened:
        chosen = tallybayes.choose(found, opened, label, tried, **settings)
    _keep(chosen, model, output)
    print_report(tallybayes.report_on(chosen), format)


def _keep(chosen: tallybayes.Chosen, model: str, output: str | None) -> None:
    """Writes only the beliefs to the model's file: another process may have learned into it meanwhile."""
    if output is not None:
        tallybayes.save(chosen.model, output)
    elif chosen.beliefs:
        with tallybayes.changing(model, waiting_for(model)) as old:
            for setting, value in chosen.beliefs.items():
                old.schema = old.schema.believing({setting: value})
    say(f"{output or model}: {'changed' if chosen.beliefs else 'unchanged'}")


def _candidates(schema: Schema, given: list[str] | None) -> dict[Any, list[Any]] | None:
    """The values to try by setting, in the order given."""
    if not given:
        return None
    found: dict[Any, list[Any]] = {}
    for text in given:
        name, value = _setting(schema, text)
        found.setdefault(name, []).append(value)
    return found


def _setting(schema: Schema, given: str) -> tuple[Any, Any]:
    from tallybayes.schema.entries import found
    from tallybayes.schema.family_text import family_from_text, prior_from_text, setting_from_text

    parts = given.split("=")
    for end in range(len(parts) - 1, 0, -1):  # column names may contain an =
        name, value = "=".join(parts[:end]), "=".join(parts[end:])
        several = tuple(next(csv.reader([name], skipinitialspace=True), ()))
        entry = found(name, schema.columns) or (found(several, schema.columns) if len(several) > 1 else None)
        if entry is not None:
            return entry, family_from_text(value)
    name, equal, value = given.partition("=")
    if not equal or not name or not value:
        raise ValueError(f"--try {given!r}: write SETTING=VALUE, like alpha=0.5.")
    return name, prior_from_text(value) if name == "prior" else setting_from_text(value)
