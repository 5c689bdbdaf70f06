"""Rows held out of the data, fold by fold or one by one: read once to count and once to score them."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import tallybayes
from tallybayes.cli.loading import load_of_classes
from tallybayes.cli.option_values import costs_of, parsed_columns
from tallybayes.cli.options import refuse
from tallybayes.cli.progress import watching
from tallybayes.cli.terminal import say
from tallybayes.cli.train import counted, schema_for

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeVar

    from tallybayes import CrossValidation, Evaluation, Family, Folds, Model, Schema
    from tallybayes.cli.reading import Input
    from tallybayes.schema.entries import Name
    from tallybayes.sources import Source

    T = TypeVar("T")


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
        source = self.how.open()
        self.how.check_read_again(source)
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
        source = self.how.open()
        self.how.check_read_again(source)
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
