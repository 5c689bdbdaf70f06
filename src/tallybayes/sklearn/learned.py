"""What an estimator has learned: a model, its classes as a numpy array, and a cache until the counts change."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tallybayes.counts.exact import Counts, Floats
from tallybayes.counts.tally import Key
from tallybayes.data.labels import label_keys, label_values
from tallybayes.model import Model
from tallybayes.model.mixture import Mixture, over_classes
from tallybayes.schema import Schema
from tallybayes.sklearn.targets import check_among, check_once


class ExpectedClasses(NamedTuple):
    """Classes that are known before any of their rows is counted."""

    classes: NDArray[Any] | None  # all classes, if announced
    weightless: NDArray[Any]  # of rows that weigh nothing

    def all(self) -> list[Any]:
        return [*([] if self.classes is None else self.classes.tolist()), *self.weightless.tolist()]

    def met(self, rows: Model) -> list[Any]:
        """The labels of rows that were counted, and of those with weight 0."""
        return [*rows.classes, *self.weightless.tolist()]


class Learned:
    """The counts of an estimator. Predicting changes only the cache, so it is thread-safe."""

    def __init__(self, schema: Schema, model: Model, labels: NDArray[Any], expected: ExpectedClasses) -> None:
        if expected.classes is not None:
            check_once(expected.classes)
            check_among(expected.met(model), expected.classes.tolist())
        self.schema = schema  # as chosen, without the estimator's own beliefs
        self.model = model  # under those beliefs
        self.kind = labels.dtype
        self.classes_fixed = False  # whether only announced classes are allowed
        self.declared: list[Any] = []  # classes that were announced, or whose rows had weight 0
        self.weighed = schema  # the same with what `fit` found from left-out rows
        self._settings: tuple[Any, ...] | None = None  # the settings behind the beliefs; None after the counts changed
        self._snapshot: Model | None = None
        self._classes: NDArray[Any] | None = None
        self._declare(expected)

    def weigh(self, found: Schema) -> None:
        """Keeps the weights and the families fitted on left-out rows."""
        before = self.model.schema.columns
        changed = {name: family for name, family in found.columns.items() if family is not before[name]}
        self.weighed = self.schema.believing(changed).believing({"weights": found.weights})

    def learn(self, rows: Model, labels: NDArray[Any], expected: ExpectedClasses) -> None:
        """Adds rows that passed `check`, and announces classes."""
        if rows.rows.filled():
            fresh = not self.model.rows.filled() and not self.declared
            kind = labels.dtype if fresh else _wider(self.kind, labels.dtype)  # forgotten labels leave no type behind
            self.model += rows
            self.kind = kind
            self._changed()
        self._declare(expected)

    def check(self, rows: Model, expected: ExpectedClasses) -> None:
        """Raises an error for labels other than the announced classes."""
        if expected.classes is not None:
            self._check_same(expected.classes)
        if self.declared and rows.rows.filled() and rows.label_type != self.model.label_type:
            kinds = f"of type {rows.label_type}; the classes announced are of type {self.model.label_type}"
            raise TypeError(f"The labels are {kinds}.")
        if expected.classes is not None:
            check_among(expected.met(rows), expected.classes.tolist())
        elif self.classes_fixed:
            check_among(expected.met(rows), self.declared)
        if announced := expected.all():
            kind = rows.label_type if rows.rows.filled() else self.model.label_type
            label_keys(kind, announced)  # an error if they are not of this type

    def _check_same(self, classes: NDArray[Any]) -> None:
        known = self.classes()
        more = len(set(classes.tolist())) == len(classes) and np.isin(known, classes).all()
        if not np.array_equal(classes, known) and (self.classes_fixed or not more):
            raise ValueError(
                f"`classes={classes.tolist()}` is not the same as on last call to partial_fit, was: {known.tolist()}"
            )

    def classes_with(self, rows: Model, expected: ExpectedClasses) -> NDArray[Any]:
        """All classes once these rows are learned."""
        return np.array(sorted({*self.classes().tolist(), *rows.classes, *expected.all()}))

    def forget(self, rows: Model) -> None:
        self.model -= rows
        self.schema, self.weighed = self.schema.without_reasons(), self.weighed.without_reasons()
        self.weighed = self.weighed.of_classes(self.model.classes)
        self._changed()
        if self.kind.kind in "US":  # no wider than the longest remaining label
            self.kind = np.array(self.classes().tolist(), self.kind.kind).dtype
            self._changed()

    def is_believed(self, settings: tuple[Any, ...]) -> bool:
        """Whether the current beliefs are those of these settings."""
        then = self._settings
        return then is not None and all(one is other for one, other in zip(then, settings, strict=True))

    def believe(self, schema: Schema, settings: tuple[Any, ...]) -> None:
        """The same counts under another schema."""
        if schema != self.model.schema:
            read = self.model.believing(schema.columns).believing(prior=schema.prior, weights=schema.weights)
            read.schema.reasons = dict(schema.reasons)
            self.model, self._snapshot = read, None
        self._settings = settings

    def _declare(self, expected: ExpectedClasses) -> None:
        declared = list(dict.fromkeys([*self.declared, *expected.all()]))
        if len(declared) > len(self.declared):
            label_keys(self.model.label_type, declared)  # an error if they are not of this type
            self.declared = declared
            for classes in expected:
                self.kind = self.kind if classes is None else _wider(self.kind, classes.dtype)
            self._changed()
        self.classes_fixed = self.classes_fixed or expected.classes is not None

    def snapshot(self) -> Model:
        """A snapshot of the model, which later learning does not change."""
        if self._snapshot is None:
            self._snapshot = self.model.copy()
        return self._snapshot

    @property
    def asked(self) -> Model | Mixture:
        """The model, or its mixture if classes have several components."""
        return over_classes(self.model)

    def keys(self) -> list[Key]:
        """The keys of all classes, seen or announced."""
        met = self.asked.keys()
        return sorted({*met, *label_keys(self.model.label_type, self.declared)}) if self.declared else met

    def classes(self) -> NDArray[Any]:
        """All classes, seen or announced, as an array of the labels' type."""
        if self._classes is None:
            self._classes = _as_array(label_values(self.asked.label_type, self.keys()), self.kind)
        return self._classes

    def met(self) -> NDArray[Any]:
        """The classes that were seen."""
        if not self.declared:
            return self.classes()
        met = set(self.model.keys())
        return self.classes()[[key in met for key in self.keys()]]

    def labels(self, numbers: Counts) -> NDArray[Any]:
        """The seen classes with these indices. Labels that are their own indices need no lookup."""
        met = self.met()
        itself = met.dtype == numbers.dtype and np.array_equal(met, np.arange(len(met)))
        return numbers if itself else met[numbers]

    def class_counts(self) -> Floats:
        """The number of rows of each class, or their weight."""
        if self.model.schema.components is not None:
            return np.array([*self.asked.rows_by_class().values()])
        return self.model.rows.aligned([""], self.keys()).sums["n"].round()[0]

    def log_prior(self) -> Floats:
        """log P(class)."""
        with np.errstate(divide="ignore"):
            return self.spread(np.log([list(self.asked.prior().values())]), -np.inf)[0]

    def spread(self, scores: Floats, absent: float) -> Floats:
        """Scores of the classes seen → scores of all classes."""
        if scores.shape[1] == len(self.classes()):
            return scores
        result = np.full((len(scores), len(self.classes())), absent)
        result[:, np.isin(self.classes(), self.met())] = scores
        return result

    def _changed(self) -> None:
        self._settings = self._snapshot = self._classes = None


@contextmanager
def as_it_was(estimator: object) -> Iterator[None]:
    """Restores the estimator if the block fails."""
    before = dict(vars(estimator))
    try:
        yield
    except BaseException:
        vars(estimator).clear()
        vars(estimator).update(before)
        raise


def _wider(one: np.dtype[Any], other: np.dtype[Any]) -> np.dtype[Any]:
    """A type for the labels of both. Integers stay integers: all labels are below 2⁶³."""
    both = np.result_type(one, other)
    return np.dtype(np.int64) if both.kind == "f" and {one.kind, other.kind} == {"i", "u"} else both


def _as_array(labels: Sequence[Any], kind: np.dtype[Any]) -> NDArray[Any]:
    result = np.empty(len(labels), kind)
    result[:] = labels
    return result
