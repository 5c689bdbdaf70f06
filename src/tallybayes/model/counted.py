"""A schema and its tallies: rows in, counts out, and the arithmetic of whole models.

`train` counts; `+=` learns, `-=` forgets, `+` merges, `*` decays, and `believing` changes the beliefs about the same
counts. Questions about the counts are in `model`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any, Self, cast

import numpy as np
import pyarrow as pa

from tallybayes.counts.exact import Floats
from tallybayes.counts.tallies import Additive, AnyTally
from tallybayes.counts.tally import Key, Tally
from tallybayes.data.errors import NoLabelError
from tallybayes.data.labels import label_values
from tallybayes.data.matching import ERROR
from tallybayes.data.processors import limited, processors
from tallybayes.data.row_source import RowSource
from tallybayes.data.soft_labels import SoftLabels
from tallybayes.families.base import Family
from tallybayes.model.batches import MOST_WEIGHT, Batch, Given, check_threads, each_batch, labelled
from tallybayes.model.plausible import AS_TRAINED, too_heavy, why_impossible
from tallybayes.model.prepare import prepared_on
from tallybayes.model.rounding import Rounding
from tallybayes.model.sample import RowSample
from tallybayes.model.tallying import counted_pieces, with_levels
from tallybayes.schema.entries import Name, check_apart
from tallybayes.schema.schema import Schema


class Counted(Additive):
    """The counts, by column, slot and class."""

    def __init__(self, schema: Schema | Mapping[Any, Family], label_type: pa.DataType | None = None) -> None:
        self.schema = schema if isinstance(schema, Schema) else Schema(schema)
        self.label_type = label_type  # unknown until there are labels
        self._shared = False  # another model uses the same tallies: copy before writing

    @cached_property
    def rows(self) -> Tally:
        """How many rows each class has."""
        return Tally.empty(("n",))

    @cached_property
    def columns(self) -> dict[Name, Any]:
        """The tally of every column."""
        return {name: family.empty() for name, family in self.schema.columns.items()}

    @classmethod
    @limited
    def train(
        cls,
        schema: Schema | Mapping[Any, Family],
        data: Any,
        labels: Any = None,
        *,
        weights: Any = None,
        threads: int | None = None,
        absent: str = ERROR,
        label_type: pa.DataType | None = None,
        sample: RowSample | None = None,
        unlabelled: Any = None,
    ) -> Self:
        """Counts the rows of a frame of any kind, a single row, a stream of frames or a source (`open_source`).

        `labels` and `weights` are one value per row or the name of a column; for labels the schema may name it. A
        `pyarrow.scalar` is the label of all rows. A stream takes column names, or yields (frame, labels) pairs. A
        column that the schema has and the data lacks is an error; with `absent="missing"` its cells are missing.
        `label_type` overrides the type of the labels, for example to read 1 as "1". If a `sample` is given, every
        counted row is added to it. Labels may be `SoftLabels`. Rows without a label are an error; with
        `unlabelled=EM()` they are counted in the shares that EM finds."""
        check_threads(threads)
        given = Given(data, labels, weights, None, label_type, absent)
        if unlabelled is not None:
            from tallybayes.model.em.training import train_unlabelled

            return cast(Self, train_unlabelled(schema, given, unlabelled, threads, sample))
        model = cls(prepared_on(given, schema))
        if model.schema.components is not None and not isinstance(labels, SoftLabels):
            raise ValueError(
                "This schema counts components of classes, and labels do not say which component a row belongs to. "
                "Train on all rows again, with Mixture.train; or give SoftLabels, if the shares of rows were kept."
            )
        check_apart(model.schema.by_column, label=labels, weight=weights)
        rounding = Rounding(model.schema)
        count = model._count_source if isinstance(data, RowSource) else model._count_frames
        count(given, threads, sample, rounding)
        rounding.warn()
        return model

    def _count_frames(self, given: Given, threads: int | None, sample: RowSample | None, rounding: Rounding) -> None:
        try:
            for batch in labelled(given, self.schema, plain_row=True, soft=sample is None):
                batch = batch if sample is None else with_levels(self.schema, batch, threads)
                self._count(batch, threads)
                rounding.add(batch)
                if sample is not None:
                    sample.add(batch)
        except NoLabelError as error:
            raise error.in_training() from None

    def _count_source(self, given: Given, threads: int | None, sample: RowSample | None, rounding: Rounding) -> None:
        threads = threads or max(processors() - 1, 1)  # one reads ahead

        def count(batch: pa.RecordBatch, labels: Any) -> Counted:
            part = type(self)(self.schema)
            part._count_frames(given._replace(data=batch, labels=labels, label_type=None), threads, sample, rounding)
            return part

        for part in each_batch(given, self.schema, count):
            self += part

    def __iadd__(self, other: Self) -> Self:
        """Learns what the other model counted, at the cost of the other's size."""
        self._check_mergeable(other)
        other = other.copy() if other is self else other
        if self.label_type != other.label_type and not other.rows.filled():
            return self
        self._own(other.label_type)
        self._merge(other.rows, other.columns, 1)
        if too_heavy(self.rows):
            self._merge(other.rows, other.columns, -1)
            raise ValueError("These models cannot be merged: there would be more than 2⁸⁰⁰ rows.")
        return self

    def __isub__(self, other: Self) -> Self:
        """Forgets what the other model counted. If those rows cannot have been counted, nothing changes."""
        if reason := self._take_away(other):
            raise ValueError(f"These rows cannot be forgotten, because they were never learned: {reason}.")
        self.schema = self.schema.without_reasons()
        if self.schema.weights is not None:
            self.schema = self.schema.of_classes(self.classes)
        return self

    def _take_away(self, other: Self) -> str | None:
        """Subtracts the other model; if it cannot have been counted here, changes nothing and returns the reason."""
        self._check_mergeable(other)
        other = other.copy() if other is self else other
        if self.label_type != other.label_type and not other.rows.filled():
            return None
        before = dict(vars(self))
        self._own(other.label_type)
        self._merge(other.rows, other.columns, -1)
        if reason := why_impossible(self, other):
            self._merge(other.rows, other.columns, 1)  # exact, so the attempt leaves no trace
            vars(self).update(before)
            return reason
        self._drop_traces(other)
        return None

    def leave_out(self, other: Self) -> None:
        """Subtracts rows that must have been counted, which are to be scored by the rest."""
        if reason := self._take_away(other):
            raise ValueError(
                f"The model has not counted these rows, so they cannot be left out: without them, {reason}. "
                + AS_TRAINED
            )

    def without(self, part: Self) -> Self:
        """The counts minus those of a model trained on some of the same rows. That they are the same is not checked."""
        rest = self.copy()
        rest._own(part.label_type or self.label_type)
        rest._merge(part.rows, part.columns, -1)
        rest._drop_traces(part)
        return rest

    def _drop_traces(self, gone: Self) -> None:
        self.rows.drop_traces(gone.rows)
        for name, tally in self.columns.items():
            tally.drop_traces(gone.columns[name])

    def __radd__(self, other: object) -> Self:
        """Makes `sum(models)` merge them all."""
        return self.copy() if other == 0 else NotImplemented

    def __mul__(self, factor: float) -> Self:
        """Every count times a number: exact for whole numbers and powers of two, to 128 bits for others."""
        factor = float(factor) if isinstance(factor, (np.integer, np.floating)) else factor
        if not isinstance(factor, (int, float)) or not 0 <= factor <= MOST_WEIGHT:
            raise ValueError(f"A model times {factor!r}: give a number from 0 to {MOST_WEIGHT:g}.")
        result = self._mapped(lambda tally: tally * float(factor), self.label_type)
        if too_heavy(result.rows):
            raise ValueError(f"A model times {factor!r}: there would be more than 2⁸⁰⁰ rows.")
        return result

    __rmul__ = __mul__

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Counted):
            return NotImplemented
        kinds = self.label_type == other.label_type or not (self.keys() or other.keys())
        return self.schema == other.schema and kinds and self.rows == other.rows and self.columns == other.columns

    def copy(self) -> Self:
        return self._reading(self.schema)

    __copy__ = copy

    def believing(self, families: Mapping[Any, Family] | None = None, /, **changes: Any) -> Self:
        """The same counts under other beliefs: `alpha=0.5` for every family that has an alpha and takes this value,
        `outlook=Categorical(…)` for one column, `prior=…` for the classes; `{("height", "weight"): Correlated(…)}` for
        a block."""
        return self._reading(self.schema.believing({**(families or {}), **changes}))

    def only(self, columns: Sequence[Name]) -> Self:
        """The counts of some of the columns and blocks."""
        kept = {name: self.schema.columns[self.schema.entry(name)] for name in columns}
        return self._reading(Schema(kept, prior=self.schema.prior, label=self.schema.label))

    @property
    def classes(self) -> list[Any]:
        """The labels seen, sorted."""
        return self._labels(self.keys())

    def _labels(self, keys: Sequence[Key]) -> list[Any]:
        return [] if self.label_type is None else label_values(self.label_type, keys)

    def keys(self) -> list[Key]:
        """The classes as they are counted and filed: see `labels.LabelColumn`."""
        known = set(self.rows.filled())
        for tally in self.columns.values():
            if not known.issuperset(tally.classes):
                known.update(tally.filled())
        return sorted(known)

    @property
    def n(self) -> float:
        """The number of rows counted, or the sum of their weights."""
        return float(self._row_counts(self.keys()).sum())

    @classmethod
    def of_batch(cls, schema: Schema, batch: Batch, threads: int | None = 1) -> Self:
        """The counts of some rows."""
        counts = cls(schema)
        counts._count(batch, threads)
        return counts

    def _count(self, batch: Batch, threads: int | None) -> None:
        for rows, columns in counted_pieces(self.schema, batch, threads):
            self._take(batch.label_type, rows, columns)

    def _take(self, label_type: pa.DataType, rows: Tally, columns: dict[Name, AnyTally]) -> None:
        """Adds counts that no other model shares."""
        if self.label_type is None:
            self.label_type, self.rows, self.columns = label_type, rows, columns
            return
        self._check_label_type(label_type)
        self._own(label_type)
        self._merge(rows, columns, 1)

    def _row_counts(self, keys: Sequence[Key]) -> Floats:
        return self.rows.aligned([""], keys).sums["n"].round()[0]

    def _reading(self, schema: Schema) -> Self:
        """A model that shares these counts until one of the two changes."""
        result = type(self)(schema, self.label_type)
        result.rows, result.columns = self.rows, {name: self.columns[name] for name in schema.columns}
        self._shared = result._shared = True
        return result

    def _mapped(self, work: Callable[[Any], Any], label_type: pa.DataType | None) -> Self:
        """A model whose tallies are made from these by `work`, with labels of this type."""
        result = type(self)(self.schema, label_type)
        result.rows, result.columns = work(self.rows), {name: work(tally) for name, tally in self.columns.items()}
        return result

    def _check_label_type(self, label_type: pa.DataType) -> None:
        if self.label_type is not None and label_type != self.label_type and self.rows.filled():
            raise TypeError(
                f"The labels are of type {label_type}; those already counted are of type {self.label_type}."
            )

    def _check_mergeable(self, other: Self) -> None:
        """Raises all possible errors before anything changes."""
        if not isinstance(other, Counted):
            raise TypeError(f"A model can be merged with a model, not with a value of type {type(other).__name__}.")
        self.schema.check_compatible(other.schema)
        if other.label_type != self.label_type and other.rows.filled():
            self._check_label_type(other.label_type)

    def _own(self, label_type: pa.DataType) -> None:
        """Called before the counts change, with the type of the new labels: copies tallies that other models share,
        and drops the empty classes of another label type."""
        if self.label_type != label_type:
            self.label_type = label_type
            self.rows = Tally.empty(("n",))
            self.columns = {name: family.empty() for name, family in self.schema.columns.items()}
            self._shared = False
        if self._shared:
            self.rows = self.rows.copy()
            self.columns = {name: tally.copy() for name, tally in self.columns.items()}
            self._shared = False

    def _merge(self, rows: Tally, columns: Mapping[Name, AnyTally], sign: int) -> None:
        self.rows.add(rows, sign)
        for name, tally in self.columns.items():
            tally.add(columns[name], sign)
