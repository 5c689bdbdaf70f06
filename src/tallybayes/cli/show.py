"""`tallybayes show`: what is in a model."""

from __future__ import annotations

from typing import Annotated

import typer

import tallybayes
from tallybayes.cli.option_values import class_of
from tallybayes.cli.options import ModelFile, ReportAs
from tallybayes.cli.terminal import print_report

TOP = 10


def show(
    model: ModelFile,
    class_: Annotated[
        str | None, typer.Option("--class", metavar="CLASS", help="Show the evidence for this class.")
    ] = None,
    top: Annotated[int, typer.Option(metavar="N", min=1, help="How many words and values to show.")] = TOP,
    column: Annotated[
        str | None, typer.Option("--column", metavar="COLUMN", help="Show the parameters of this column.")
    ] = None,
    format: ReportAs = "text",
) -> None:
    """Show what is in a model.

    Its classes, its columns, the number of parameters, and the words and values that weigh most. The sha256 is that of
    the model's file: the same for the same counts, whatever their history.

    \b
    tallybayes show spam.tally --class spam --top 30
    """
    found = tallybayes.load(model)
    wanted = None if class_ is None else class_of(found, class_)
    print_report(tallybayes.report_on(found, label=wanted, top=top, column=column), format)
