"""`tallybayes report`: all there is to tell of a model, as one page with pictures."""

from __future__ import annotations

import os
from typing import Annotated, Any

import typer

import tallybayes
from tallybayes.cli.loading import load_of_classes
from tallybayes.cli.options import Absent, AbsentColumn, Data, Label, ModelFile, ReportAs, ReportFormat, keep_apart
from tallybayes.cli.reading import Input
from tallybayes.cli.terminal import print_report, save_report
from tallybayes.cli.watch import watching


def report(
    model: ModelFile,
    how: Input,
    data: Data = None,
    label: Label = None,
    output: Annotated[
        str | None,
        typer.Option("--output", "-o", metavar="FILE", help="Where the report goes; standard output by default."),
    ] = None,
    format: ReportAs = ReportFormat.html,
    absent: Absent = AbsentColumn.error,
) -> None:
    """Tell all there is to tell, as one page.

    What was counted, how good the model is on the data if any is given, whether its probabilities are what they say,
    what each column tells, what weighs most, and the mistakes it was surest of. The page stands by itself: it needs no
    network and no script, follows light and dark, and can be printed.

    Pictures need matplotlib (pip install 'tallybayes[plot]'); without it there are none, and the page says so.

    \b
    tallybayes report spam.tally test.csv -o report.html
    """
    keep_apart(output, model, *how.files(data))
    found = load_of_classes(model)
    settings: dict[str, Any] = {"absent": absent.value, "title": os.path.basename(model), "pictures": _wanted(format)}
    if data:
        source = how.open(data)
        with watching(source, "asking"):
            told = tallybayes.model_report(found, source, label, **settings)
    else:
        told = tallybayes.model_report(found, **settings)
    if output is None:
        print_report(told, format)
    else:
        save_report(told, format, output)


def _wanted(format: ReportFormat) -> bool | None:
    """Pictures, where they can be shown, and if there is matplotlib."""
    return None if format is ReportFormat.html else False
