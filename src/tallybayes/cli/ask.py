"""`tallybayes ask`: the probability of anything, given anything else."""

from __future__ import annotations

from typing import Annotated

import typer

from tallybayes.cli.loading import load_of_classes
from tallybayes.cli.options import ModelFile
from tallybayes.report.characters import clean


def ask(
    model: ModelFile,
    question: Annotated[str, typer.Argument(metavar="QUESTION", help="Conditions, and after a bar those given.")],
    row: Annotated[bool, typer.Option("--row", help="Print the most probable row instead, given QUESTION.")] = False,
) -> None:
    """Ask how probable something is, given something else.

    The question may name any columns and the class; all others are summed out. Separate conditions by commas: a column
    and a level, or bounds of a number. Quote names and levels that contain a comma, a bar or an operator.

    \b
    tallybayes ask tennis.tally "outlook=sunny | play=yes, wind=strong"
    tallybayes ask iris.tally "4.5 < petal_length <= 5 | class=virginica"
    tallybayes ask tennis.tally --row "play=yes"
    """
    found = load_of_classes(model)
    if not row:
        print(f"{found.probability(question):.12g}")
        return
    for column, value in found.most_probable_row(question).items():
        shown = f"{value:.12g}" if isinstance(value, float) else str(value)
        print(clean(f"{column}={shown}"))
