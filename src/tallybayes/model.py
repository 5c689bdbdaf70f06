"""A model is its counts.

`Model.train` counts; `+=` learns, `-=` forgets, `+` merges, `*` decays, `believing` reads the same counts under another
prior. What the counts say is worked out when somebody asks, and kept until the counts change.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from functools import reduce
from operator import iadd
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from tallybayes import decide, frames, kernels
from tallybayes.batches import Batch, check_threads, in_pieces, labelled
from tallybayes.evidence import Evidence
from tallybayes.exact import Floats
from tallybayes.families import Belief
from tallybayes.families.base import Scorer
from tallybayes.families.posteriors import Dirichlet, Posterior
from tallybayes.frames import CellError
from tallybayes.schema import Schema
from tallybayes.tally import Key, Tally

BLOCK = 1 << 14  # rows scored at a time: their scores stay in the processor's cache


class Beliefs(NamedTuple):
    """What the counts say, all of it."""

    keys: list[Key]
    labels: list[Any]
    prior: Floats
    columns: dict[str, Belief]
    together: list[tuple[list[str], Scorer]]  # the columns by kind of belief, and how to score those


class Model:
    """A schema and its tallies.

    >>> from tallybayes import Categorical
    >>> frame = {"outlook": ["sunny", "sunny", "rain"]}
    >>> model = Model.train(Schema({"outlook": Categorical()}), frame, ["no", "no", "yes"])
    >>> model.posterior({"outlook": ["rain"]}).round(3)
    array([[0.429, 0.571]])
    """

    def __init__(self, schema: Schema, kind: pa.DataType | None = None) -> None:
        self.schema = schema
        self.kind = kind  # of the labels; unknown until there are some
        self.rows = Tally([], [""], {})
        self.columns = {name: Tally([], [], {}) for name in schema.columns}
        self._beliefs: Beliefs | None = None
        self._shared = False  # another model reads the same tallies: copy them before changing them

    @classmethod
    def train(
        cls, schema: Schema, data: Any, labels: Any = None, *, weights: Any = None, threads: int | None = None
    ) -> Model:
        """Counts rows. `labels` and `weights` are one value per row, or the name of a column; `data` is a frame of any
        make, or a stream of frames (with labels by column name, or in (frame, labels) pairs)."""
        check_threads(threads)
        for given, what in ((labels, "label"), (weights, "weight")):
            if isinstance(given, str) and given in schema.columns:
                raise ValueError(f"Column {given!r} holds the {what}s; drop it from the schema's columns.")
        model = cls(schema)
        for batch in labelled(data, labels, weights):
            model._count(batch, threads)
        return model

    def __iadd__(self, other: Model) -> Model:
        """Learns what the other model counted, at the cost of the other's size."""
        self._prepare(other)
        self._merge(other, Tally.__iadd__)
        return self

    def __isub__(self, other: Model) -> Model:
        """Forgets what the other model counted. If those rows cannot have been counted, nothing changes."""
        self._prepare(other)
        self._merge(other, Tally.__isub__)
        reason = self._refusal(other)
        if reason:
            self._merge(other, Tally.__iadd__)  # exact, so that nothing of the attempt remains
            raise ValueError(f"These rows cannot be forgotten, for they were never learned: {reason}.")
        return self

    def __add__(self, other: Model) -> Model:
        result = self.copy()
        result += other
        return result

    def __sub__(self, other: Model) -> Model:
        result = self.copy()
        result -= other
        return result

    def __mul__(self, factor: float) -> Model:
        """Every count times a number: whole numbers and powers of two exactly, others to 128 bits."""
        if not np.isfinite(factor) or factor < 0:
            raise ValueError(f"A model times {factor!r}: give a finite number of at least 0.")
        result = Model(self.schema, self.kind)
        result.rows = self.rows * factor
        result.columns = {name: tally * factor for name, tally in self.columns.items()}
        return result

    __rmul__ = __mul__

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Model):
            return NotImplemented
        mine, theirs = (model._tallies() for model in (self, other))
        kinds = self.kind == other.kind or not (self.classes or other.classes)
        return self.schema == other.schema and kinds and mine == theirs

    __hash__ = None  # type: ignore[assignment]

    def copy(self) -> Model:
        return self._reading(self.schema)

    def believing(self, **changes: Any) -> Model:
        """The same counts under other beliefs: `alpha=0.5` for every family that has an alpha, `outlook=Categorical(…)`
        for one column, `prior=…` for the classes."""
        return self._reading(self.schema.believing(changes))

    @property
    def classes(self) -> list[Any]:
        """The labels met, sorted."""
        return self._believed().labels

    @property
    def n(self) -> float:
        """How many rows are counted, or what they weigh."""
        return float(sum(self.rows.canonical().sums["n"].round().flat)) if self.rows.classes else 0.0

    def counts(self, column: str | None = None) -> Tally:
        """What was counted of a column, or with no column: how many rows each class has."""
        return (self.rows if column is None else self._tally(column)).canonical()

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

    def parameters(self, column: str | None, label: Any = None) -> Posterior:
        """What is known about a column's parameters in a class; with no column: about the classes' probabilities."""
        known = self._believed()
        if column is None:
            counts = self.rows.aligned([""], known.keys).sums["n"].round()[0] + self.schema.alpha
            return Dirichlet(dict(zip(map(str, known.labels), counts.tolist(), strict=True)))
        self._tally(column)
        if label not in known.labels:
            raise ValueError(f"There is no class {label!r}; the classes are {', '.join(map(repr, known.labels))}.")
        return known.columns[column].posterior(known.labels.index(label))

    def posterior(self, data: Any, *, threads: int | None = None) -> Floats:
        """P(class | row): one row per row, one column per class. A row that no class allows falls to the prior."""
        known = self._believed()
        impossible = 0

        def finish(scores: Floats, out: Floats) -> None:
            nonlocal impossible
            if kernels.normalise(scores, out):
                rows = np.isnan(out).any(axis=1)
                impossible += int(rows.sum())
                out[rows] = np.exp(known.prior)

        result = self._score(data, finish, threads)
        if impossible:
            warnings.warn(
                f"{impossible} rows are impossible in every class and were given the classes' prior probabilities. "
                "Smoothing (alpha above 0) avoids this.",
                stacklevel=2,
            )
        return result

    def log_joint(self, data: Any, *, threads: int | None = None) -> Floats:
        """log P(class, row): the evidence of all columns and the prior, added up."""

        def finish(scores: Floats, out: Floats) -> None:
            out[:] = scores[:, : len(out)].T

        return self._score(data, finish, threads)

    def evidence(self, data: Any) -> Evidence:
        """What each column says about each class."""
        known = self._believed()
        said: dict[str, list[Floats]] = {name: [] for name in self.schema.columns}
        rows = 0
        for batch in frames.batches(data):
            for name, cells in self.schema.encode(batch, rows).items():
                scores = np.zeros((len(known.keys), batch.num_rows))
                self._add_evidence(name, cells, scores, rows)
                said[name].append(scores.T)
            rows += batch.num_rows
        none = np.zeros((0, len(known.keys)))
        columns = {name: np.concatenate([none, *parts]) for name, parts in said.items()}
        return Evidence(known.labels, known.prior, columns, rows)

    def log_likelihood(self, data: Any, labels: Any) -> float:
        """The complete log-likelihood: Σ log P(label, row). A label never met makes it −∞."""
        known = self._believed()
        total, met = 0.0, {key: i for i, key in enumerate(known.keys)}
        for batch in labelled(data, labels, None):
            self._check_kind(batch.kind)
            at = np.array([met.get(key, -1) for key in batch.rows.classes])[batch.rows.codes]
            joint = self.log_joint(batch.cells)
            total += float(np.where(at >= 0, joint[np.arange(len(joint)), at], -np.inf).sum())
        return total

    def decide(self, data: Any, *, costs: Any = None, reject: float | None = None) -> list[Any]:
        """Each row's class: the most probable, or of least expected cost; None where even that costs more than
        `reject`. `costs` maps (truth, decision) to a cost; errors not named cost 1."""
        classes = self.classes
        matrix = None if costs is None else decide.cost_matrix(classes, costs)
        chosen = decide.decide(self.posterior(data), matrix, reject)
        return [None if i == decide.REJECTED else classes[i] for i in chosen.tolist()]

    def __repr__(self) -> str:
        if not self.rows.classes or not (known := self._believed()).keys:
            return f"Model of no rows\n{self.schema!r}"
        counts = self.rows.aligned([""], known.keys).sums["n"].round()[0]
        listed = ", ".join(f"{label} {count:.12g}" for label, count in zip(known.labels, counts, strict=True))
        return f"Model of {self.n:.12g} rows in {len(known.keys)} classes: {listed}\n{self.schema!r}"

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_beliefs": None}

    def _count(self, batch: Batch, threads: int | None) -> None:
        self._check_kind(batch.kind)
        encoded = self.schema.encode(batch.cells, batch.start)

        def count(start: int, stop: int) -> Model:
            part = Model(self.schema, batch.kind)
            rows = batch.rows.slice(start, stop)
            everywhere = np.zeros(len(rows), np.int32)
            part.rows = Tally(rows.classes, [""], {"n": rows.count(everywhere, 1)})
            for name, family in self.schema.columns.items():
                try:
                    part.columns[name] = family.tally(encoded[name][start:stop], rows)
                except CellError as error:
                    raise error.located(name, batch.start + start) from None
            return part

        reduce(iadd, in_pieces(len(batch.rows), threads, count), self)

    def _tallies(self) -> list[Tally]:
        return [self.rows, *(self.columns[name] for name in self.schema.columns)]

    def _tally(self, column: str) -> Tally:
        if column not in self.columns:
            has = ", ".join(map(repr, self.columns)) or "none"
            raise ValueError(f"The model has no column {column!r}; it has {has}.")
        return self.columns[column]

    def _reading(self, schema: Schema) -> Model:
        """A model of the same counts, which both keep until one of them changes."""
        result = Model(schema, self.kind)
        result.rows, result.columns = self.rows, {name: self.columns[name] for name in schema.columns}
        self._shared = result._shared = True
        return result

    def _check_kind(self, kind: pa.DataType) -> None:
        if self.kind is not None and kind != self.kind:
            raise TypeError(f"The labels are of type {kind}; those already counted are of type {self.kind}.")
        self.kind = kind

    def _prepare(self, other: Model) -> None:
        """All that may be wrong with the other model is found here, before anything changes."""
        if not isinstance(other, Model):
            raise TypeError(f"A model can be added to a model, not to a {type(other).__name__}.")
        self.schema.check_counts_alike(other.schema)
        if other.kind is not None:
            self._check_kind(other.kind)
        if self._shared:
            self.rows = self.rows.copy()
            self.columns = {name: tally.copy() for name, tally in self.columns.items()}
            self._shared = False
        self._beliefs = None

    def _merge(self, other: Model, operation: Callable[[Tally, Tally], Tally]) -> None:
        operation(self.rows, other.rows)
        for name, tally in self.columns.items():
            operation(tally, other.columns[name])

    def _refusal(self, other: Model) -> str | None:
        if other.rows.classes and self.rows.cells(other.rows)["n"].is_negative().any():
            return "a class would have fewer than no rows"
        for name, family in self.schema.columns.items():
            touched = self.columns[name].cells(other.columns[name])
            if touched and (reason := family.refusal(touched)):
                return f"in column {name!r} {reason}"
        return None

    def _believed(self) -> Beliefs:
        if self._beliefs is None:
            keys = sorted({key for tally in self._tallies() for key in tally.canonical().classes})
            labels = frames.label_values(self.kind, keys) if self.kind is not None else []
            counts = self.rows.aligned([""], keys).sums
            rows = counts["n"].round()[0] if counts else np.zeros(0)
            columns = {
                name: family.believe(self.columns[name], keys) for name, family in self.schema.columns.items()
            } if keys else {}  # fmt: skip
            kinds: dict[type[Belief], list[str]] = {}
            for name, belief in columns.items():
                kinds.setdefault(type(belief), []).append(name)
            together = [(names, kind.together([columns[n] for n in names])) for kind, names in kinds.items()]
            self._beliefs = Beliefs(keys, labels, self.schema.log_prior(rows, labels), columns, together)
        return self._beliefs

    def _add_evidence(self, name: str, cells: Any, scores: Floats, start: int) -> None:
        try:
            self._believed().columns[name].add_evidence(cells, scores)
        except CellError as error:
            raise error.located(name, start) from None

    def _score(self, data: Any, finish: Callable[[Floats, Floats], None], threads: int | None) -> Floats:
        """Scores rows block by block; `finish` turns a block's scores into its rows of the result."""
        check_threads(threads)
        known = self._believed()
        if not known.keys:
            raise ValueError("The model has counted no rows, so there are no classes to tell apart.")
        parts: list[Floats] = []
        start = 0
        for batch in frames.batches(data):
            parts.append(self._score_batch(batch, start, finish, threads))
            start += batch.num_rows
        return parts[0] if len(parts) == 1 else np.concatenate([np.zeros((0, len(known.keys))), *parts])

    def _score_batch(
        self, batch: pa.RecordBatch, start: int, finish: Callable[[Floats, Floats], None], threads: int | None
    ) -> Floats:
        known = self._believed()
        encoded = self.schema.encode(batch, start)
        out = np.empty((batch.num_rows, len(known.keys)))

        def score(first: int, last: int) -> None:
            scores = np.empty((len(known.keys), min(BLOCK, max(last - first, 1))))
            for at in range(first, last, BLOCK):
                stop = min(at + BLOCK, last)
                scores[:] = known.prior[:, None]
                for names, add in known.together:
                    cells = [encoded[name][at:stop] for name in names]
                    try:
                        add(cells, scores)
                    except CellError:
                        for name, column in zip(names, cells, strict=True):  # finds out which column it was
                            self._add_evidence(name, column, scores, start + at)
                finish(scores, out[at:stop])

        for _ in in_pieces(batch.num_rows, threads, score):
            pass
        return out


def merged(models: Sequence[Model]) -> Model:
    """All models added up."""
    first, *rest = models
    return reduce(iadd, rest, first.copy())
