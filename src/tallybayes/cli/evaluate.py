"""`tallybayes evaluate`: how good a model is on rows whose classes are known."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Annotated, Any

import typer

import tallybayes
from tallybayes.cli.exit_codes import FINE, NO
from tallybayes.cli.option_values import costs_of
from tallybayes.cli.options import (
    Absent,
    ClassPrior,
    Columns,
    Costs,
    Dependence,
    Groups,
    Label,
    LabelAsText,
    Reject,
    ReportAs,
    SchemaFile,
    Seed,
    Threads,
    held_out_option,
    refuse,
)
from tallybayes.cli.progress import watching
from tallybayes.cli.reading import Input
from tallybayes.cli.terminal import print_report, say

if TYPE_CHECKING:
    from tallybayes import Evaluation, Model
    from tallybayes.sources import Source


def evaluate(
    model: Annotated[
        str,
        typer.Argument(
            metavar="MODEL",
            help="The file of the model; or, with --folds or --leave-one-out, the first of the data if there is no "
            "model.",
            show_default=False,
        ),
    ],
    how: Input,
    label: Label = None,
    folds: Annotated[
        int | None, held_out_option(metavar="K", min=2, help="Score every row by a model of the other K − 1 folds.")
    ] = None,
    leave_one_out: Annotated[
        bool, held_out_option("--leave-one-out", help="Score every row by a model of all others.")
    ] = False,
    groups: Groups = None,
    repeats: Annotated[
        int, held_out_option(metavar="N", min=1, help="Repeat with this many different splits into folds.")
    ] = 1,
    seed: Seed = 0,
    schema: SchemaFile = None,
    column: Columns = None,
    prior: ClassPrior = None,
    label_as_text: LabelAsText = False,
    weigh: Annotated[
        bool, held_out_option("--weigh", help="With --folds: weigh the evidence of every training set.")
    ] = False,
    dependence: Dependence = "none",
    costs: Costs = None,
    reject: Reject = None,
    at_least: Annotated[
        float | None, typer.Option("--at-least", metavar="ACCURACY", help="Exit with 1 if the accuracy is lower.")
    ] = None,
    brief: Annotated[bool, typer.Option("--brief", help="Show the first lines only.")] = False,
    format: ReportAs = "text",
    absent: Absent = "error",
    threads: Threads = None,
) -> int:
    """Measure how good a model is on rows whose classes are known.

    Accuracy, log-loss, Brier score and ROC AUC with standard errors, compared with the majority class and the prior
    alone; precision and recall of every class; which classes are mistaken for which; calibration.

    Without a model, --folds cross-validates: rows are counted once, into folds, and every row is scored by the total
    minus its fold. The data is read twice, whatever K. With a model, which must have counted these rows, folds or
    single rows are subtracted from it.

    \b
    tallybayes evaluate spam.tally test.csv
    tallybayes evaluate spam.tally test.csv --at-least 0.95 || echo retrain it
    tallybayes evaluate mails.csv --label class --folds 10
    """
    from tallybayes.cli.held_out import HeldOutOf

    if at_least is not None and math.isnan(at_least):
        raise ValueError("--at-least nan: give an accuracy from 0 to 1.")
    scoring = {"costs": costs, "reject": reject, "threads": threads, "absent": absent}
    training = {"schema": schema, "column": column, "prior": prior, "label_as_text": label_as_text, "weigh": weigh}
    training["dependence"] = None if dependence == "none" else dependence
    if folds is None and not leave_one_out:
        held_out_options = {"groups": groups, "repeats": repeats > 1, "seed": seed, **training}
        refuse(held_out_options, " goes with --folds or --leave-one-out; a model is used as it is.")
        found = _loaded(model)
        measured: Any = _measured(found, how.open(), label, **scoring)
        suspicious = measured.n > 0 and measured.rows_by_class == found.rows_by_class()
    else:
        suspicious = False
        held_out = HeldOutOf(model, how, label, training, scoring)
        measured = held_out.by_folds(folds, groups, repeats, seed) if folds else held_out.one_by_one(groups, repeats)
    report = tallybayes.report_on(measured)
    print_report(report.brief() if brief else report, format)
    if suspicious:
        say(
            "The model has counted as many rows of each class. If it was trained on these rows, the figures are too "
            "good: hold rows out with --folds 10, or test on others."
        )
    if at_least is not None and not measured.accuracy >= at_least:
        say(f"The accuracy is {measured.accuracy:.4f}, below {at_least}.")
        return NO
    return FINE


def _loaded(path: str) -> Model:
    from tallybayes.files import FileError

    try:
        return tallybayes.load(path)
    except FileError as error:
        raise ValueError(f"{error} To evaluate data without a model, give --folds 10 or --leave-one-out.") from None


def _measured(found: Model, source: Source, label: str | None, **how: Any) -> Evaluation:
    from tallybayes.model.mixture import over_classes

    model = over_classes(found)
    how["costs"] = costs_of(model, how["costs"])
    with watching(source, "asking"):
        return tallybayes.evaluate(model, source, label, **how)
