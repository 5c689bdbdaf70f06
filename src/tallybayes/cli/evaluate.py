"""`tallybayes evaluate`: how good a model is on rows whose classes are known: given rows, or rows held out of the data,
fold by fold or one by one."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

import typer

import tallybayes
from tallybayes.cli.exit_codes import FINE, NO
from tallybayes.cli.loading import load_of_classes
from tallybayes.cli.option_values import costs_of, parsed_columns
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
from tallybayes.cli.train import counted, schema_for

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeVar

    from tallybayes import CrossValidation, Evaluation, Family, Folds, Model, Schema
    from tallybayes.schema.entries import Name
    from tallybayes.sources import Source

    T = TypeVar("T")


def evaluate(
    model: Annotated[
        str,
        typer.Argument(
            metavar="MODEL",
            help="The model file; or, with --folds or --leave-one-out, the first input if there is no model.",
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

    if at_least is not None and not 0.0 <= at_least <= 1.0:
        raise ValueError(f"--at-least {at_least:g}: give an accuracy from 0 to 1.")
    scoring = {"costs": costs, "reject": reject, "threads": threads, "absent": absent}
    training = {"schema": schema, "column": column, "prior": prior, "label_as_text": label_as_text, "weigh": weigh}
    training["dependence"] = None if dependence == "none" else dependence
    if folds is None and not leave_one_out:
        held_out_options = {"groups": groups, "repeats": repeats > 1, "seed": seed, **training}
        refuse(held_out_options, " goes with --folds or --leave-one-out; a model is used as it is.")
        found = _loaded(model)
        measured: Any = _measured(found, how.open(), label, **scoring)
    else:
        found = None
        held_out = HeldOutOf(model, how, label, training, scoring)
        measured = held_out.by_folds(folds, groups, repeats, seed) if folds else held_out.one_by_one(groups, repeats)
    report = tallybayes.report_on(measured)
    print_report(report.brief() if brief else report, format)
    if found is not None:
        from tallybayes.report.full_report import TOO_GOOD, counted_as_many

        if counted_as_many(found.rows_by_class(), measured):
            say(f"{TOO_GOOD}hold rows out with --folds 10, or test on other rows.")
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


class HeldOutOf:
    """A model and data, or data alone, and how to read, count and score it."""

    def __init__(
        self,
        first: str,
        how: Input,
        label: str | None,
        training: dict[str, Any],
        scoring: dict[str, Any],
    ) -> None:
        from tallybayes.files import is_model

        self.model = load_of_classes(first) if is_model(first) else None
        self.how = how if self.model else replace(how, data=[first, *(how.data or [])])
        self.label, self.training, self.scoring = label, training, scoring
        self.how.check_read_again()
        if self.model is not None:
            refuse(training, f": {first} is a model, which is used as it is. Give the data alone.")

    def by_folds(self, k: int, groups: str | None, repeats: int, seed: int) -> CrossValidation:
        from tallybayes.model.batches import Given
        from tallybayes.model.validation.cross_validate import CrossValidation, evaluated_folds
        from tallybayes.model.validation.dealing import Deal
        from tallybayes.model.validation.retrained import folds_to_hold_out

        given, threads = Given(None, self.label, groups=groups, absent=self.scoring["absent"]), self.scoring["threads"]
        found: list[Evaluation] = []
        if self.model is not None and (chosen := _chosen_by_rows(self.model)):
            say(f"Note: {chosen} of the model were chosen by its rows and stay, so the figures are too good.")
        for repeat in range(repeats):

            def count(schema: Schema | Model, source: Source, repeat: int = repeat) -> Folds:
                rows = given._replace(data=source, label_type=self._label_type())
                return folds_to_hold_out(schema, rows, Deal(k, seed=seed + repeat), threads, self.training["weigh"])

            folds = self._counted(count, groups)
            source = self.how.open()
            with watching(source, "scoring"):
                costs, again = costs_of(folds.total, self.scoring["costs"]), given._replace(data=source)
                found += evaluated_folds(folds, {"": folds.schema}, again, threads, costs, self.scoring["reject"])[""]
        return CrossValidation(tuple(found), k, repeats, seed, groups is not None)

    def one_by_one(self, groups: str | None, repeats: int) -> Evaluation:
        from tallybayes.model.left_out import evaluate_left_out

        given = {"groups": groups, "repeats": repeats > 1}
        given |= {name: self.training[name] for name in ("weigh", "dependence")}
        refuse(given, " goes with --folds: --leave-one-out holds out every row once, by itself.")

        def count(schema: Schema, source: Source) -> Model:
            how = {name: self.scoring[name] for name in ("threads", "absent")}
            return tallybayes.Model.train(schema, source, self.label, label_type=self._label_type(), **how)

        model = self.model or self._counted(count, None)
        if model.schema.weights is not None:
            raise ValueError("--leave-one-out cannot score weighed evidence. Give --folds 10 instead.")
        source = self.how.open_again()
        with watching(source, "scoring"):
            scoring = {**self.scoring, "costs": costs_of(model, self.scoring["costs"])}
            return evaluate_left_out(model, source, self.label, **scoring)

    def _label_type(self) -> Any:
        import pyarrow as pa

        return pa.string() if self.training["label_as_text"] else None

    def _counted(self, count: Callable[[Any, Source], T], groups: str | None) -> T:
        """Counts rows under the schema that is given, inferred or the model's."""
        if self.model is None:
            return counted(self.how, partial(self._schema, groups), count)[1]
        source = self.how.open_again()
        with watching(source, "counting"):
            return count(self.model, source)

    def _schema(self, groups: str | None, source: Source, misled: dict[Name, Family | None]) -> Schema:
        """The schema; a column that holds the groups is not counted unless requested."""
        self.how.check_read_again(source)
        hints = misled | parsed_columns(self.training["column"])
        if groups is not None and self.training["schema"] is None:
            hints = {groups: None, **hints}
        dependence = self.training["dependence"] or "none"
        return schema_for(source, self.label, self.training["schema"], hints, self.training["prior"], dependence)


def _chosen_by_rows(model: Model) -> str:
    """What folds cannot take back, since the labels of all rows have chosen it."""
    questions = any(family.looks_at_labels for family in model.schema.columns.values())
    found = ["the weights"] * (model.schema.weights is not None) + ["the questions"] * questions
    return " and ".join(found)
