"""`tallybayes thresholds`: from which score on mail is spam, by the good mail that may be lost."""

from __future__ import annotations

import json
import os
from contextlib import nullcontext
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tallybayes.cli.loading import load_of_classes
from tallybayes.cli.options import Data, Label
from tallybayes.cli.reading import Input
from tallybayes.cli.terminal import say
from tallybayes.cli.watch import watching

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from tallybayes import Model, Store
    from tallybayes.filtering.thresholds import Choice


def thresholds(
    model: Annotated[str, typer.Argument(metavar="MODEL", help="The file of a model, or a store.", show_default=False)],
    how: Input,
    data: Data = None,
    label: Label = None,
    max_false_positives: Annotated[
        float,
        typer.Option(metavar="SHARE", min=0, max=1, help="The share of good mail that may be taken for spam."),
    ] = 0.001,
    max_false_negatives: Annotated[
        float, typer.Option(metavar="SHARE", min=0, max=1, help="The share of spam that may be taken for ham.")
    ] = 0.01,
    leave_one_out: Annotated[
        bool,
        typer.Option("--leave-one-out", help="The model has counted these mails: score each by the model without it."),
    ] = False,
    spam_class: Annotated[
        str | None, typer.Option(metavar="CLASS", help="The class that is spam; spam by default.")
    ] = None,
    keep: Annotated[
        bool, typer.Option("--keep", help="Keep them in the store: whoever filters by it decides by them.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Write them as JSON.")] = False,
) -> None:
    """Choose from which score on mail is spam, and below which it is ham.

    The data is mail whose class is known. The threshold of spam is the lowest that takes no more than the given
    share of the good mail for spam, and that of ham the highest that takes no more than the given share of the spam
    for ham; in between, mail is unsure. Both are found by counting. Of mail that it has learned, a model knows too
    much: give other mail, or --leave-one-out.

    \b
    tallybayes thresholds spam.tally later --max-false-positives 0.001
    tallybayes thresholds store/ mail --leave-one-out --keep
    """
    from tallybayes.filtering.classes import Names
    from tallybayes.filtering.scores import scored
    from tallybayes.filtering.thresholds import SETTING, choose_thresholds

    with _store(model) as store:
        if keep and store is None:
            raise ValueError(f"--keep: {model} is a file, which keeps no thresholds. Give them to `filter` as options.")
        found: Model = load_of_classes(model) if store is None else store.model()
        source = how.open(data)
        with watching(source, "asking"):
            mails = scored(found, source, label, Names(spam_class), counted=leave_one_out)
        choice = choose_thresholds(*mails, max_false_positives, max_false_negatives)
        if keep and store is not None:
            store.set(SETTING, choice.thresholds._asdict())
    print(json.dumps(facts(choice)) if as_json else "\n".join(lines(choice)))
    if keep:
        say(f"{model}: keeps these thresholds.")


def _store(path: str) -> AbstractContextManager[Store | None]:
    if not os.path.isdir(path):
        return nullcontext()
    from tallybayes.filtering.in_store import open_patiently

    return open_patiently(path)


def lines(choice: Choice) -> list[str]:
    """What is told of it."""
    (spam, ham), lost = choice.thresholds, f"{choice.lost} of {choice.ham} good mails lost"
    return [
        f"spam from {spam:.4g} on: {lost}, of all good mail {bound(choice.lost, choice.ham):.2%} at most (95%)",
        f"ham below {ham:.4g}: {choice.missed} of {choice.spam} spams missed",
        f"unsure in between: {choice.unsure} of {choice.ham + choice.spam}",
        f"tallybayes filter --spam-score {spam!r} --ham-score {ham!r} …",
    ]


def facts(choice: Choice) -> dict[str, Any]:
    return {**choice._asdict(), "thresholds": choice.thresholds._asdict(), "bound": bound(choice.lost, choice.ham)}


def bound(lost: int, n: int) -> float:
    """The share of good mail that is lost at most, with a confidence of 95%: Clopper and Pearson's.

    >>> round(bound(0, 100), 4)
    0.0295
    """
    from scipy.special import betaincinv

    return 1.0 if lost >= n else float(betaincinv(lost + 1, n - lost, 0.95))
