"""Folds: every row is counted once, into the model of its fold; training sets are the total minus a fold.

While rows are counted, each pair (fold, class) is a class: all folds are one model, counted in one pass like any other,
and split at the end.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from itertools import pairwise
from typing import Any, TypeVar

import numpy as np
import pyarrow as pa

from tallybayes.counts.exact import Codes
from tallybayes.counts.tally import Rows
from tallybayes.data.errors import RowError
from tallybayes.data.matching import ERROR
from tallybayes.data.processors import limited, processors
from tallybayes.data.row_source import RowSource
from tallybayes.families import Family
from tallybayes.model.batches import Batch, Given, check_threads
from tallybayes.model.model import Model
from tallybayes.model.prepare import prepared_on
from tallybayes.model.rounding import Rounding
from tallybayes.model.sample import merged
from tallybayes.model.validation.dealing import Deal, each_dealt
from tallybayes.model.weigh import reweighed, sample_for
from tallybayes.schema import Schema
from tallybayes.schema.entries import Name

T = TypeVar("T", bound="Folds")


class Folds:
    """k models, one for each fold. `total` is their sum, or the model that was given; `without(i)` is the total minus
    fold i, byte for byte the model trained on the other rows.

    >>> from tallybayes import Categorical
    >>> frame = {"outlook": ["sunny", "sunny", "rain", "rain"], "play": ["no", "no", "yes", "yes"]}
    >>> found = folds({"outlook": Categorical()}, frame, "play", k=2)
    >>> [model.rows_by_class() for model in found.models]
    [{'no': 1.0, 'yes': 1.0}, {'no': 1.0, 'yes': 1.0}]
    >>> found.without(0) == found.models[1]
    True
    """

    def __init__(self, schema: Schema | Mapping[Any, Family] | Model, deal: Deal) -> None:
        self.whole = schema if isinstance(schema, Model) else None
        self.how = deal
        self.sizes = np.zeros(deal.k, np.int64)  # numbers of rows, regardless of weight
        self.refused = False  # whether some rows could not be counted, and a source may have skipped them
        self._counted = Model(schema.schema if isinstance(schema, Model) else schema)  # by (fold, class)
        self.rounding = Rounding(self._counted.schema)
        self.samples: FoldSamples | None = None  # the rows that weigh training sets, if wanted

    @property
    def schema(self) -> Schema:
        return self._counted.schema

    @property
    def reading(self) -> Schema:
        """The schema that says how the columns of a source are read."""
        return self.schema

    def __len__(self) -> int:
        return self.how.k

    @cached_property
    def models(self) -> list[Model]:
        """The model of each fold."""
        return [self._fold(fold) for fold in range(len(self))]

    @cached_property
    def total(self) -> Model:
        """The model that folds are subtracted from."""
        if self.whole is not None:
            return self.whole
        total = Model(self._counted.schema)
        for model in self.models:
            total += model
        return total

    @property
    def filled(self) -> list[int]:
        """The folds that have rows: fewer than k if there are few rows, or few groups."""
        return np.flatnonzero(self.sizes).tolist()

    def trained(self, fold: int, schemas: Mapping[Any, Schema]) -> dict[Any, Model]:
        """The total minus a fold under each schema, by name, with its evidence weighed if requested."""
        rest = self.without(fold)
        read = {name: rest._reading(schema) for name, schema in schemas.items()}
        return read if self.samples is None else {name: self.samples.weighed(fold, each) for name, each in read.items()}

    def without(self, fold: int) -> Model:
        """The total minus a fold."""
        if not 0 <= fold < len(self):
            raise IndexError(f"There is no fold {fold}; there are {len(self)}, counted from 0.")
        rest = self.total.copy()
        rest.leave_out(self.models[fold])
        return rest

    def numbers(self, data: Any, labels: Any = None, *, groups: Any = None) -> Codes:
        """The fold of every row, given the rows that were counted in the same order."""
        found = [np.zeros(0, np.int32)]
        each_dealt(Given(data, labels, groups=groups), self.schema, self.how, lambda _, where: found.append(where))
        return np.concatenate(found)

    def count(self, batch: Batch, where: Codes, threads: int | None = None) -> None:
        """Counts rows into the models of their folds."""
        classes = batch.rows.classes
        both = where * np.int64(len(classes)) + batch.rows.codes
        present = np.flatnonzero(np.bincount(both, minlength=len(self) * len(classes)))
        number = np.zeros(len(self) * len(classes), np.int32)
        number[present] = np.arange(len(present))
        pairs: list[Any] = [
            (fold, classes[i])
            for fold, i in zip(*(half.tolist() for half in np.divmod(present, len(classes))), strict=True)
        ]
        apart = batch._replace(rows=Rows(pairs, number[both], batch.rows.weights))
        try:
            self._counted += Model.of_batch(self._counted.schema, apart, threads)
        except RowError:
            self.refused = True
            raise
        self.rounding.add(batch)
        self.sizes += np.bincount(where, minlength=len(self))
        if self.samples is not None:
            self.samples.add(self.split(batch, where))

    def _fold(self, fold: int) -> Model:
        counted = self._counted
        names: dict[Any, Any] = {pair: pair[1] for pair in counted.rows.classes if pair[0] == fold}  # type: ignore[index]
        return counted._mapped(lambda tally: tally.taken(names), counted.label_type)

    def split(self, batch: Batch, where: Codes) -> list[Batch]:
        """The rows of a batch that belong to each fold."""
        order = np.argsort(where.astype(np.uint16), kind="stable")
        cells, rows = batch.cells.take(pa.array(order)), batch.rows.take(order)
        ends = np.cumsum(np.bincount(where, minlength=len(self))).tolist()
        return [
            Batch(cells.slice(start, end - start), batch.label_type, rows.slice(start, end), batch.start)
            for start, end in pairwise([0, *ends])
        ]

    def check(self) -> None:
        """Raises an error if there is nothing to hold out, or nothing to train on."""
        n, used = int(self.sizes.sum()), len(self.filled)
        if not n:
            raise ValueError("The data has no rows, so there is nothing to hold out.")
        if self.whole is not None:
            rest = self.whole.copy()
            for model in self.models:  # each by itself may look as if it had been counted
                rest.leave_out(model)
        if self.whole is None and n < 2:
            raise ValueError("A single row cannot be divided into folds. Give at least 2 rows.")
        if self.whole is None and len(self) > n:
            raise ValueError(
                f"{len(self)} folds of {n} rows: some would be empty. Give {n} folds or fewer (k={n}, or --folds {n})."
            )
        if self.whole is None and used < 2:
            raise ValueError(
                f"All {n} rows fell into one fold, which leaves none to train on. Give more groups, or another seed."
            )


@limited
def folds(
    schema: Schema | Mapping[Any, Family] | Model,
    data: Any,
    labels: Any = None,
    k: int = 10,
    *,
    groups: Any = None,
    stratify: bool = True,
    seed: int = 0,
    weights: Any = None,
    threads: int | None = None,
    absent: str = ERROR,
    label_type: pa.DataType | None = None,
) -> Folds:
    """Counts every row once, into one of k folds. `data`, `labels`, `weights` and the rest are as for `Model.train`: a
    frame, a stream of frames or a source of any length, in the memory that k models take.

    Of every k successive rows of a class, each fold gets one, in an order drawn from the `seed`; with `stratify=False`,
    of every k rows of any class. So a row's fold depends on the order of the rows, but not on batches, threads or
    machines. `groups` are a column's name or one value per row: all rows of a group are in one fold, drawn from the
    seed and the group's text alone, whatever the order. Classes are not stratified then, and folds are only about equal
    in size.

    If a `Model` is given in place of the schema, folds are subtracted from it; it must have counted these rows, and may
    have counted others.

    >>> from tallybayes import Categorical
    >>> found = folds({"sky": Categorical()}, {"sky": ["sun", "rain"] * 10}, ["no", "yes"] * 10, k=4)
    >>> found.total.n, found.without(0).n
    (20.0, 15.0)
    """
    given = Given(data, labels, weights, groups, label_type, absent)
    return counted_folds(schema, given, Deal(k, stratify, seed), threads)


def counted_folds(
    schema: Schema | Mapping[Any, Family] | Model,
    given: Given,
    deal: Deal,
    threads: int | None = None,
    weigh: bool = False,
) -> Folds:
    found = Folds(schema if isinstance(schema, Model) else _prepared(schema, given), deal)
    found.samples = FoldSamples(found.schema, deal.k) if weigh else None
    return read_folds(found, given, threads)


def read_folds(found: T, given: Given, threads: int | None) -> T:
    """The folds with all rows in them."""
    check_threads(threads)
    if isinstance(given.data, RowSource):
        threads = threads or max(processors() - 1, 1)  # one is left to read ahead
        known = found.whole.label_type if found.whole is not None and found.whole.keys() else None
        given = given._replace(label_type=known or given.label_type)
    each_dealt(given, found.reading, found.how, lambda batch, where: found.count(batch, where, threads))
    found.check()
    found.rounding.warn()
    return found


def _prepared(schema: Schema | Mapping[Any, Family], given: Given) -> Schema:
    """The schema prepared on all rows; an error if that would use their labels."""
    schema = schema if isinstance(schema, Schema) else Schema(schema)
    name = looking_at_labels(schema)
    if name is not None:
        raise ValueError(
            f"{name!r}: {schema.columns[name].brief} chooses its questions by the labels, including those of held-out "
            "rows. Choose them on other rows with prepare(schema, rows, labels); or use cross_validate, which chooses "
            "them again for each fold."
        )
    return prepared_on(given, schema)


def looking_at_labels(schema: Schema) -> Name | None:
    """A column or block whose family must still choose by the labels what it counts, if there is one."""
    families = schema.columns.items()
    return next((name for name, family in families if family.looks_at_labels and not family.is_prepared), None)


class FoldSamples:
    """A sample of each fold, taken while rows are counted, as large as any training set may need."""

    def __init__(self, schema: Schema, k: int) -> None:
        self._samples = [sample_for(schema) for _ in range(k)]

    def add(self, parts: Sequence[Batch]) -> None:
        """Rows of each fold."""
        for sample, part in zip(self._samples, parts, strict=True):
            if len(part.rows):
                sample.add(part)

    def weighed(self, fold: int, trained: Model) -> Model:
        """The model of all other folds, with its evidence weighed by their rows."""
        others = [sample for number, sample in enumerate(self._samples) if number != fold and sample.seen]
        return reweighed(trained, merged(others).rows())[0]
