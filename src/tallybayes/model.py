"""A model is its counts.

`Model.train` counts; `+=` learns, `-=` forgets, `+` merges, `*` decays, `believing` reads the same counts under another
prior. What the counts say is worked out when somebody asks (`scoring.Beliefs`), and kept until the counts change.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import reduce
from operator import iadd
from typing import Any

import numpy as np
import pyarrow as pa

from tallybayes import decide
from tallybayes.batches import MOST_WEIGHT, Batch, check_threads, in_pieces, labelled
from tallybayes.evidence import Evidence
from tallybayes.exact import Floats
from tallybayes.families.base import Family
from tallybayes.families.posteriors import Dirichlet, Posterior
from tallybayes.frames import CellError
from tallybayes.labels import label_values
from tallybayes.plausible import why_impossible
from tallybayes.schema import FREQUENCIES, Schema
from tallybayes.scoring import Beliefs
from tallybayes.tally import Key, Tally

SHOWN = 12  # classes that a repr names


class Model:
    """A schema and its tallies.

    >>> from tallybayes import Categorical
    >>> frame = {"outlook": ["sunny", "sunny", "rain"]}
    >>> model = Model.train(Schema({"outlook": Categorical()}), frame, ["no", "no", "yes"])
    >>> model.posterior({"outlook": ["rain"]}).round(3)
    array([[0.429, 0.571]])
    """

    def __init__(self, schema: Schema | Mapping[str, Family], kind: pa.DataType | None = None) -> None:
        self.schema = schema if isinstance(schema, Schema) else Schema(schema)
        self.kind = kind  # of the labels; unknown until there are some
        self.rows = Tally.empty(("n",))
        self.columns = {name: Tally.empty(family.fields()) for name, family in self.schema.columns.items()}
        self._beliefs: Beliefs | None = None
        self._shared = False  # another model reads the same tallies: copy them before changing them

    @classmethod
    def train(
        cls,
        schema: Schema | Mapping[str, Family],
        data: Any,
        labels: Any = None,
        *,
        weights: Any = None,
        threads: int | None = None,
    ) -> Model:
        """Counts rows. `labels` and `weights` are one value per row, or the name of a column; `data` is a frame of any
        make, or a stream of frames (with labels by column name, or in (frame, labels) pairs)."""
        check_threads(threads)
        model = cls(schema)
        for given, what in ((labels, "label"), (weights, "weight")):
            if isinstance(given, str) and given in model.schema.columns:
                raise ValueError(f"Column {given!r} holds the {what}s; drop it from the schema's columns.")
        for batch in labelled(data, labels, weights):
            model._count(batch, threads)
        return model

    def __iadd__(self, other: Model) -> Model:
        """Learns what the other model counted, at the cost of the other's size."""
        self._check_alike(other)
        if self.kind != other.kind and not other.rows.filled():
            return self
        self._own(other.kind)
        self._merge(other, Tally.__iadd__)
        return self

    def __isub__(self, other: Model) -> Model:
        """Forgets what the other model counted. If those rows cannot have been counted, nothing changes."""
        self._check_alike(other)
        if self.kind != other.kind and not other.rows.filled():
            return self
        kind = self.kind
        self._own(other.kind)
        self._merge(other, Tally.__isub__)
        reason = why_impossible(self.schema, self.rows, self.columns, other.rows, other.columns)
        if reason:
            self._merge(other, Tally.__iadd__)  # exact, so that nothing of the attempt remains
            self.kind = kind
            raise ValueError(f"These rows cannot be forgotten, for they were never learned: {reason}.")
        return self

    def __add__(self, other: Model) -> Model:
        result = self.copy()
        result += other
        return result

    def __radd__(self, other: object) -> Model:
        """So that `sum(models)` is all of them merged."""
        return self.copy() if other == 0 else NotImplemented

    def __sub__(self, other: Model) -> Model:
        result = self.copy()
        result -= other
        return result

    def __mul__(self, factor: float) -> Model:
        """Every count times a number: whole numbers and powers of two exactly, others to 128 bits."""
        if not isinstance(factor, (int, float, np.number)) or not 0 <= factor <= MOST_WEIGHT:
            raise ValueError(f"A model times {factor!r}: give a number from 0 to {MOST_WEIGHT:g}.")
        result = Model(self.schema, self.kind)
        result.rows = self.rows * float(factor)
        result.columns = {name: tally * float(factor) for name, tally in self.columns.items()}
        return result

    __rmul__ = __mul__

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Model):
            return NotImplemented
        kinds = self.kind == other.kind or not (self.keys() or other.keys())
        return self.schema == other.schema and kinds and self.rows == other.rows and self.columns == other.columns

    __hash__ = None  # type: ignore[assignment]

    def copy(self) -> Model:
        return self._reading(self.schema)

    __copy__ = copy

    def believing(self, /, **changes: Any) -> Model:
        """The same counts under other beliefs: `alpha=0.5` for every family that has an alpha, `outlook=Categorical(…)`
        for one column, `prior=…` for the classes."""
        return self._reading(self.schema.believing(changes))

    @property
    def classes(self) -> list[Any]:
        """The labels met, sorted."""
        return [] if self.kind is None else label_values(self.kind, self.keys())

    def keys(self) -> list[Key]:
        """The classes as they are counted and filed: see `labels.LabelColumn`."""
        return sorted({key for tally in (self.rows, *self.columns.values()) for key in tally.filled()})

    @property
    def n(self) -> float:
        """How many rows are counted, or what they weigh."""
        return float(self._row_counts().sum())

    def counts(self, column: str | None = None) -> Tally:
        """What was counted of a column, or with no column: how many rows each class has."""
        tally = (self.rows if column is None else self._tally(column)).canonical()
        labels = [] if self.kind is None else label_values(self.kind, tally.classes)
        return Tally(labels, tally.slots, tally.sums)

    def prior(self) -> dict[Any, float]:
        """P(class)."""
        known = self._believed()
        return dict(zip(known.labels, np.exp(known.prior).tolist(), strict=True))

    def estimates(self, column: str) -> dict[str, dict[Any, float]]:
        """The parameters of a column in numbers: for each its value in every class."""
        self._tally(column)
        known = self._believed()
        return {
            name: dict(zip(known.labels, np.asarray(values).tolist(), strict=True))
            for name, values in known.columns[column].estimates().items()
        }

    def parameters(self, column: str | None = None, label: Any = None) -> Posterior:
        """What is known about a column's parameters in a class; with no column: about the classes' probabilities."""
        known = self._believed()
        if column is None:
            if self.schema.prior != FREQUENCIES and not self.schema.alpha:
                raise ValueError(f"The classes' probabilities are given ({self.schema.prior!r}), not counted.")
            counts = self._row_counts() + self.schema.alpha
            return Dirichlet(dict(zip(known.labels, counts.tolist(), strict=True)))
        self._tally(column)
        if label not in known.labels:
            raise ValueError(f"There is no class {label!r}; the classes are {', '.join(map(repr, known.labels))}.")
        return known.columns[column].posterior(known.labels.index(label))

    def posterior(self, data: Any, *, threads: int | None = None) -> Floats:
        """P(class | row): one row per row, one column per class. A row that no class allows falls to the prior."""
        return self._believed().posterior(data, threads)

    def log_joint(self, data: Any, *, threads: int | None = None) -> Floats:
        """log P(class, row): the evidence of all columns and the prior, added up."""
        return self._believed().log_joint(data, threads)

    def evidence(self, data: Any) -> Evidence:
        """What each column says about each class."""
        return self._believed().evidence(data)

    def log_likelihood(self, data: Any, labels: Any) -> float:
        """The complete log-likelihood: Σ log P(label, row). A label never met makes it −∞."""
        known = self._believed()
        total, met = 0.0, {key: i for i, key in enumerate(known.keys)}
        for batch in labelled(data, labels, None):
            self._check_kind(batch.kind)
            at = np.array([met.get(key, -1) for key in batch.rows.classes])[batch.rows.codes]
            joint = known.log_joint(batch.cells, None)
            total += float(np.where(at >= 0, joint[np.arange(len(joint)), at], -np.inf).sum())
        return total

    def decide(self, data: Any, *, costs: Any = None, reject: float | None = None) -> list[Any]:
        """Each row's class: the most probable, or of least expected cost; None where even that costs more than
        `reject`. `costs` maps (truth, decision) to a cost; errors not named cost 1."""
        classes = self.classes
        matrix = None if costs is None else decide.cost_matrix(classes, costs)
        chosen = decide.decide(self._believed().posterior(data, None), matrix, reject)
        return [None if i == decide.REJECTED else classes[i] for i in chosen.tolist()]

    def __repr__(self) -> str:
        classes = self.classes
        if not classes:
            return f"Model of no rows\n{self.schema!r}"
        pairs = list(zip(classes, self._row_counts(), strict=True))
        listed = ", ".join(f"{label} {count:.12g}" for label, count in pairs[:SHOWN]) + ", …" * (len(pairs) > SHOWN)
        plural = "es" * (len(classes) != 1)
        return f"Model of {self.n:.12g} rows in {len(classes)} class{plural}: {listed}\n{self.schema!r}"

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_beliefs": None}

    def _count(self, batch: Batch, threads: int | None) -> None:
        encoded = self.schema.encode(batch.cells, batch.start)

        def count(start: int, stop: int) -> Model:
            part = Model(self.schema, batch.kind)
            rows = batch.rows.slice(start, stop)
            part.rows = rows.tally()
            for name, family in self.schema.columns.items():
                try:
                    part.columns[name] = family.tally(encoded[name][start:stop], rows)
                except CellError as error:
                    raise error.located(name, batch.start + start) from None
            return part

        reduce(iadd, in_pieces(len(batch.rows), threads, count), self)

    def _tally(self, column: str) -> Tally:
        if column not in self.columns:
            has = ", ".join(map(repr, self.columns)) or "none"
            raise ValueError(f"The model has no column {column!r}; it has {has}.")
        return self.columns[column]

    def _row_counts(self) -> Floats:
        return self.rows.aligned([""], self.keys()).sums["n"].round()[0]

    def _reading(self, schema: Schema) -> Model:
        """A model of the same counts, which both keep until one of them changes."""
        result = Model(schema, self.kind)
        result.rows, result.columns = self.rows, {name: self.columns[name] for name in schema.columns}
        self._shared = result._shared = True
        return result

    def _check_kind(self, kind: pa.DataType) -> None:
        if self.kind is not None and kind != self.kind and self.rows.filled():
            raise TypeError(f"The labels are of type {kind}; those already counted are of type {self.kind}.")

    def _check_alike(self, other: Model) -> None:
        """All that may be wrong with the other model is found here, before anything changes."""
        if not isinstance(other, Model):
            raise TypeError(f"A model can be merged with a model, not with a {type(other).__name__}.")
        self.schema.check_counts_alike(other.schema)
        if other.kind != self.kind and other.rows.filled():
            self._check_kind(other.kind)

    def _own(self, kind: pa.DataType) -> None:
        """From here on the counts may change, and labels are of this type: what others read is copied, what was
        believed is forgotten. Labels of another type have left nothing but their names, and these go."""
        if self.kind != kind:
            self.kind = kind
            self.rows = Tally.empty(("n",))
            self.columns = {name: Tally.empty(family.fields()) for name, family in self.schema.columns.items()}
            self._shared = False
        if self._shared:
            self.rows = self.rows.copy()
            self.columns = {name: tally.copy() for name, tally in self.columns.items()}
            self._shared = False
        self._beliefs = None

    def _merge(self, other: Model, operation: Callable[[Tally, Tally], Tally]) -> None:
        operation(self.rows, other.rows)
        for name, tally in self.columns.items():
            operation(tally, other.columns[name])

    def _believed(self) -> Beliefs:
        if self._beliefs is None:
            keys = self.keys()
            if not keys:
                raise ValueError("The model has counted no rows, so there are no classes to tell apart.")
            self._beliefs = Beliefs(self.schema, keys, self.classes, self._row_counts(), self.columns)
        return self._beliefs
