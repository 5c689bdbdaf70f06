"""`tallybayes evaluate`: how good a model is on rows of which the classes are known."""

from __future__ import annotations

import math
from typing import Annotated

import typer

import tallybayes
from tallybayes.cli.codes import FINE, NO
from tallybayes.cli.options import (
    Absent,
    AbsentColumn,
    Costs,
    Data,
    Input,
    Label,
    ModelFile,
    Reject,
    ReportAs,
    ReportFormat,
    Threads,
)
from tallybayes.cli.rows import costs_of
from tallybayes.cli.terminal import print_report, say
from tallybayes.cli.watch import watching


def evaluate(
    model: ModelFile,
    data: Data,
    how: Input,
    label: Label = None,
    costs: Costs = None,
    reject: Reject = None,
    at_least: Annotated[
        float | None, typer.Option("--at-least", metavar="ACCURACY", help="End with 1 if the accuracy is lower.")
    ] = None,
    brief: Annotated[bool, typer.Option("--brief", help="Show the first lines only.")] = False,
    format: ReportAs = ReportFormat.text,
    absent: Absent = AbsentColumn.error,
    threads: Threads = None,
) -> int:
    """Compare answers with classes that are known.

    Accuracy, log-loss and ROC AUC, beside what the commonest class and the prior alone would reach; precision and
    recall of every class; which classes are taken for which; calibration.

    \b
    tallybayes evaluate spam.tally test.csv
    tallybayes evaluate spam.tally test.csv --at-least 0.95 || echo retrain it
    """
    if at_least is not None and math.isnan(at_least):
        raise ValueError("--at-least nan: give an accuracy from 0 to 1.")
    found = tallybayes.load(model)
    source = how.open(data)
    with watching(source, "asking"):
        evaluation = tallybayes.evaluate(
            found,
            source,
            label,
            costs=costs_of(found, costs),
            reject=reject,
            threads=threads,
            absent=absent.value,
        )
    report = tallybayes.report_on(evaluation)
    print_report(report.brief() if brief else report, format)
    if at_least is not None and not evaluation.accuracy >= at_least:
        say(f"The accuracy is {evaluation.accuracy:.4f}, below {at_least}.")
        return NO
    return FINE
