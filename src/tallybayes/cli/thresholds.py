"""`tallybayes thresholds`: the scores for spam and ham, chosen by how much mail may be misjudged."""

from __future__ import annotations

import json
import os
from contextlib import nullcontext
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tallybayes.cli.loading import load_of_classes
from tallybayes.cli.options import Label
from tallybayes.cli.progress import watching
from tallybayes.cli.reading import Input
from tallybayes.cli.terminal import say

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from tallybayes import Model, Store
    from tallybayes.filtering.thresholds import Choice


def thresholds(
    model: Annotated[str, typer.Argument(metavar="MODEL", help="A model file or a store.", show_default=False)],
    how: Input,
    label: Label = None,
    max_false_positives: Annotated[
        float, typer.Option(metavar="SHARE", min=0, max=1, help="How much of the good mail may be mistaken for spam.")
    ] = 0.001,
    max_false_negatives: Annotated[
        float, typer.Option(metavar="SHARE", min=0, max=1, help="How much of the spam may be mistaken for ham.")
    ] = 0.01,
    leave_one_out: Annotated[
        bool,
        typer.Option(
            "--leave-one-out", help="The model has learned this mail: score each mail by the model without it."
        ),
    ] = False,
    spam_class: Annotated[
        str | None, typer.Option(metavar="CLASS", help="Which class is spam; by default the one called spam.")
    ] = None,
    keep: Annotated[
        bool, typer.Option("--keep", help="Keep the thresholds in the store, for everyone who filters with it.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Choose the score thresholds of spam and ham.

    DATA is mail whose class is known. The spam threshold is the lowest score that mistakes no more than
    --max-false-positives of the good mail for spam; the ham threshold is the highest that mistakes no more than
    --max-false-negatives of the spam for ham. In between, mail is unsure. Mail that the model has
    learned scores too well: give other mail, or --leave-one-out.

    \b
    tallybayes thresholds spam.tally later --max-false-positives 0.001
    tallybayes thresholds store/ mail --leave-one-out --keep
    """
    from tallybayes.filtering.classes import Names
    from tallybayes.filtering.scores import scored
    from tallybayes.filtering.thresholds import SETTING, choose_thresholds

    with _store(model) as store:
        if keep and store is None:
            raise ValueError(
                f"--keep: {model} is a model file, which keeps no thresholds. Give them to `filter` as options."
            )
        found: Model = load_of_classes(model) if store is None else store.model()
        source = how.open()
        with watching(source, "asking"):
            mails = scored(found, source, label, Names(spam_class), counted=leave_one_out)
        choice = choose_thresholds(*mails, max_false_positives, max_false_negatives)
        if keep and store is not None:
            store.set(SETTING, choice.thresholds._asdict())
    print(json.dumps(facts(choice)) if as_json else "\n".join(lines(choice)))
    if keep:
        say(f"{model}: kept these thresholds.")


def _store(path: str) -> AbstractContextManager[Store | None]:
    if not os.path.isdir(path):
        return nullcontext()
    from tallybayes.filtering.in_store import open_patiently

    return open_patiently(path)


def lines(choice: Choice) -> list[str]:
    """The choice as text."""
    (spam, ham), lost = choice.thresholds, f"{choice.lost} of {choice.ham} good mails lost"
    return [
        f"spam from {spam:.4g} up: {lost}; {bound(choice.lost, choice.ham):.2%} of all good mail at most (95%)",
        f"ham below {ham:.4g}: {choice.missed} of {choice.spam} spams missed",
        f"unsure in between: {choice.unsure} of {choice.ham + choice.spam}",
        f"tallybayes filter --spam-score {spam!r} --ham-score {ham!r} …",
    ]


def facts(choice: Choice) -> dict[str, Any]:
    return {**choice._asdict(), "thresholds": choice.thresholds._asdict(), "bound": bound(choice.lost, choice.ham)}


def bound(lost: int, n: int) -> float:
    """The upper 95% confidence bound of the share of good mail lost, by Clopper and Pearson.

    >>> round(bound(0, 100), 4)
    0.0295
    """
    from scipy.special import betaincinv

    return 1.0 if lost >= n else float(betaincinv(lost + 1, n - lost, 0.95))
