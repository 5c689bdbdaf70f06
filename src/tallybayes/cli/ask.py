"""`tallybayes ask`: any question to what a model knows."""

from __future__ import annotations

from typing import Annotated

import typer

from tallybayes.cli.loading import load_of_classes
from tallybayes.cli.options import ModelFile
from tallybayes.report.characters import clean


def ask(
    model: ModelFile,
    question: Annotated[str, typer.Argument(metavar="QUESTION", help="What is asked, and behind a bar what is given.")],
    row: Annotated[
        bool, typer.Option("--row", help="Give the most probable row instead, where QUESTION is what is given.")
    ] = False,
) -> None:
    """Ask how probable something is, given something else.

    Of any columns and the class; whatever is not mentioned is summed out. Conditions have commas between them: a column
    and a level, or bounds of a number. Names and levels that have a comma, a bar or a sign in them are put in quotes.

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
