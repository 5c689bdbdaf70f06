"""What an estimator has learned: a model, its classes as numpy has them, and what is kept until the counts change."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallybayes.exact import Counts, Floats
from tallybayes.labels import label_keys, label_values
from tallybayes.model import Model
from tallybayes.schema import Schema
from tallybayes.tally import Key


class Learned:
    """The counts of an estimator. Asking changes nothing but what is kept, so that any number of threads may ask."""

    def __init__(self, schema: Schema, model: Model, kind: np.dtype[Any], announced: NDArray[Any]) -> None:
        self.schema = schema  # as it was chosen, before the estimator's own beliefs
        self.model = model  # under those beliefs
        self.kind = kind  # of the labels
        self.declared: list[Any] = []  # classes that were announced
        self._settings: tuple[Any, ...] | None = None  # what the beliefs came from; none since the counts changed
        self._snapshot: Model | None = None
        self._classes: NDArray[Any] | None = None
        self.declare(announced)

    def learn(self, rows: Model, kind: np.dtype[Any]) -> None:
        if self.declared and rows.kind != self.model.kind:
            raise TypeError(f"The labels are of type {rows.kind}; the classes announced are of type {self.model.kind}.")
        fresh = not self.model.rows.filled() and not self.declared
        self.model += rows
        self.kind = kind if fresh else _wider(self.kind, kind)  # labels that are all forgotten left no type behind
        self._changed()

    def forget(self, rows: Model) -> None:
        self.model -= rows
        self._changed()

    def is_believed(self, settings: tuple[Any, ...]) -> bool:
        """Whether these counts are read under these settings already."""
        then = self._settings
        return then is not None and all(one is other for one, other in zip(then, settings, strict=True))

    def believe(self, schema: Schema, settings: tuple[Any, ...]) -> None:
        """The same counts, read by another schema."""
        if schema != self.model.schema:
            read = self.model.believing(**schema.columns).believing(prior=schema.prior)
            read.schema.reasons = dict(schema.reasons)
            self.model, self._snapshot = read, None
        self._settings = settings

    def declare(self, classes: NDArray[Any]) -> None:
        """Announces classes that may come."""
        declared = list(dict.fromkeys([*self.declared, *classes.tolist()]))
        if len(declared) > len(self.declared):
            label_keys(self.model.kind, declared)  # an error, if these are no such labels, before anything is changed
            self.declared, self.kind = declared, _wider(self.kind, classes.dtype)
            self._changed()

    def snapshot(self) -> Model:
        """The model as it is now: it stays so, whatever the estimator learns afterwards."""
        if self._snapshot is None:
            self._snapshot = self.model.copy()
        return self._snapshot

    def keys(self) -> list[Key]:
        """Of all classes, met or announced."""
        met = self.model.keys()
        return sorted({*met, *label_keys(self.model.kind, self.declared)}) if self.declared else met

    def classes(self) -> NDArray[Any]:
        """All classes, met or announced, as an array like the labels were."""
        if self._classes is None:
            self._classes = _as_array(label_values(self.model.kind, self.keys()), self.kind)
        return self._classes

    def met(self) -> NDArray[Any]:
        """The classes that were met."""
        if not self.declared:
            return self.classes()
        met = set(self.model.keys())
        return self.classes()[[key in met for key in self.keys()]]

    def labels(self, numbers: Counts) -> NDArray[Any]:
        """Classes met, by number. Those that number themselves need not be looked up."""
        met = self.met()
        itself = met.dtype == numbers.dtype and np.array_equal(met, np.arange(len(met)))
        return numbers if itself else met[numbers]

    def class_counts(self) -> Floats:
        """How many rows each class has, or what they weigh."""
        return self.model.rows.aligned([""], self.keys()).sums["n"].round()[0]

    def log_prior(self) -> Floats:
        """log P(class)."""
        with np.errstate(divide="ignore"):
            return self.spread(np.log([list(self.model.prior().values())]), -np.inf)[0]

    def spread(self, scores: Floats, absent: float) -> Floats:
        """Scores of the classes met → scores of all classes."""
        if scores.shape[1] == len(self.classes()):
            return scores
        result = np.full((len(scores), len(self.classes())), absent)
        result[:, np.isin(self.classes(), self.met())] = scores
        return result

    def _changed(self) -> None:
        self._settings = self._snapshot = self._classes = None


def _wider(one: np.dtype[Any], other: np.dtype[Any]) -> np.dtype[Any]:
    """The type that has the labels of both. Whole numbers stay so: all labels are below 2⁶³."""
    both = np.result_type(one, other)
    return np.dtype(np.int64) if both.kind == "f" and {one.kind, other.kind} == {"i", "u"} else both


def _as_array(labels: Sequence[Any], kind: np.dtype[Any]) -> NDArray[Any]:
    result = np.empty(len(labels), kind)
    result[:] = labels
    return result
