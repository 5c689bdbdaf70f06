"""Some of the rows that were counted, the same whatever their order: to be left out, and looked at again."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from tallybayes.counts.exact import Codes, Counts, Floats
from tallybayes.counts.tally import Key, Rows
from tallybayes.data import frames
from tallybayes.data.fingerprints import Marks, fingerprints
from tallybayes.model.batches import Batch, in_pieces, size_of

Indices = NDArray[np.intp]

MOST_BYTES = 10_000_000  # of texts …
LEAST = 1000  # … unless there were fewer rows than these
MOST_COPIES = 10  # that rows are spelled out as, in the mean


class Taken(NamedTuple):
    """Some rows of a batch, with their labels by number."""

    cells: pa.RecordBatch
    marks: Marks
    labels: Codes
    weights: Floats
    sizes: Counts  # of their texts, in bytes

    def take(self, at: Indices) -> Taken:
        cells = self.cells.take(pa.array(at))
        return Taken(cells, self.marks[at], self.labels[at], self.weights[at], self.sizes[at])


class Sample:
    """The `size` rows of the lowest fingerprints among those that it is shown, in the order of these; or fewer, if
    their `texts` are long, but not fewer than a thousand.

    Rows that are equal have the same fingerprint, so that which are taken, and in what order, depends on nothing but
    the rows."""

    def __init__(self, columns: Collection[str], size: int, texts: Collection[str] = ()) -> None:
        self.columns = set(columns)
        self.texts = set(texts)
        self.size = size
        self.label_type: pa.DataType | None = None
        self.seen = 0  # rows
        self._keys: dict[Key, int] = {}
        self._taken: list[Taken] = []
        self._held = self._bytes = 0
        self._highest = np.uint64(2**64 - 1)

    def add(self, batch: Batch) -> None:
        """Takes what is needed of the batch."""
        cells = batch.cells if isinstance(batch.cells, pa.RecordBatch) else _as_batch(batch.cells)
        names = [name for name in cells.schema.names if name in self.columns]
        marks = _fingerprints(cells, names)
        at = self._low(marks, batch.rows.codes >= 0)
        self.label_type = batch.label_type
        self.seen += len(marks)
        numbers = np.array([self._keys.setdefault(key, len(self._keys)) for key in batch.rows.classes], np.int32)
        chosen = _plain(cells.select(names).take(pa.array(at)))
        sizes = _text_sizes(chosen, len(at), self.texts)
        weights = np.ones(len(at)) if batch.rows.weights is None else batch.rows.weights[at]
        self._taken.append(Taken(chosen, marks[at], numbers[batch.rows.codes[at]], weights, sizes))
        self._held += len(at)
        self._bytes += int(sizes.sum())
        if self._held > 2 * self.size or (self._bytes > 2 * MOST_BYTES and self._held > 2 * LEAST):
            self._thin()

    def _low(self, marks: Marks, known: NDArray[np.bool_]) -> Indices:
        """Rows of known class that can be wanted, whatever else there is: no more than the size, but for equal
        fingerprints. Most rows are above what the lowest are likely to be below, which is soon seen."""
        likely = min(2.0 * self.size / max(len(marks), 1), 1.0)
        at = np.flatnonzero((marks <= min(np.uint64(likely * (2.0**64 - 2.0**12)), self._highest)) & known)
        if len(at) < self.size:
            at = np.flatnonzero((marks <= self._highest) & known)
        if len(at) <= self.size:
            return at
        return at[marks[at] <= np.partition(marks[at], self.size - 1)[self.size - 1]]

    def _thin(self) -> None:
        """Keeps no more than are wanted, but for rows of the same fingerprint as the last."""
        marks, sizes = (np.concatenate([part[i] for part in self._taken]) for i in (1, 4))
        order = np.argsort(marks, kind="stable")
        self._highest = marks[order[self._wanted(sizes[order]) - 1]]
        self._taken = [taken.take(np.flatnonzero(taken.marks <= self._highest)) for taken in self._taken]
        self._held = sum(len(taken.marks) for taken in self._taken)
        self._bytes = sum(int(taken.sizes.sum()) for taken in self._taken)

    def _wanted(self, sizes: Counts) -> int:
        """How many of these, which are in order."""
        short = int(np.searchsorted(np.cumsum(sizes), MOST_BYTES, side="right"))
        return min(self.size, max(short, LEAST), len(sizes))

    def rows(self) -> SampledRows:
        """All that were taken, in order."""
        marks, numbers, weights, sizes = (np.concatenate([part[i] for part in self._taken]) for i in (1, 2, 3, 4))
        met = np.isin(np.arange(len(self._keys)), numbers[weights > 0])
        keys = sorted(key for key, number in self._keys.items() if met[number])
        place = {key: i for i, key in enumerate(keys)}
        labels = np.array([place.get(key, -1) for key in self._keys], np.int32)[numbers]
        order = np.lexsort((weights, labels, marks))
        order, weights = _spelled_out(order[weights[order] > 0], weights)
        order = order[: self._wanted(sizes[order])]
        tables = [pa.Table.from_batches([taken.cells]) for taken in self._taken]
        table = pa.concat_tables(tables, promote_options="permissive").take(pa.array(order))
        cells = pa.RecordBatch.from_arrays([frames.one_array(each) for each in table.columns], table.column_names)
        assert self.label_type is not None
        return SampledRows(cells, marks[order], keys, labels[order], weights[order], self.label_type)


def merged(samples: Sequence[Sample]) -> Sample:
    """As if one had seen the rows of all."""
    found = Sample(samples[0].columns, samples[0].size, samples[0].texts)
    for sample in samples:
        numbers = np.array([found._keys.setdefault(key, len(found._keys)) for key in sample._keys], np.int32)
        found._taken += [taken._replace(labels=numbers[taken.labels]) for taken in sample._taken]
        found.label_type, found.seen = sample.label_type, found.seen + sample.seen
    return found


class SampledRows(NamedTuple):
    """Rows in the order of their fingerprints."""

    cells: pa.RecordBatch
    marks: Marks
    keys: list[Key]
    labels: Codes
    weights: Floats
    label_type: pa.DataType

    def __len__(self) -> int:
        return len(self.marks)

    def rows(self) -> Rows:
        """Their classes and weights."""
        return Rows(self.keys, self.labels, None if np.all(self.weights == 1.0) else self.weights)

    def batch(self, at: Indices) -> Batch:
        """Some of them, to be counted."""
        rows = self.rows()
        weights = None if rows.weights is None else rows.weights[at]
        some = Rows(self.keys, np.ascontiguousarray(self.labels[at]), weights)
        return Batch(self.cells.take(pa.array(at)), self.label_type, some, 0)

    def folds(self, k: int, together: bool) -> list[Indices]:
        """Rows by the fold they belong to: those of a class by turns; equal rows `together`, where these are copies of
        each other and not cases that happen to be alike."""
        fold = np.empty(len(self), np.intp)
        for number in range(len(self.keys)):
            mine = np.flatnonzero(self.labels == number)
            turn = np.cumsum(np.diff(self.marks[mine], prepend=self.marks[mine[:1]]) != 0)
            fold[mine] = ((turn if together else np.arange(len(mine))) + number) % k
        return [at for at in (np.flatnonzero(fold == i) for i in range(k)) if at.size]


def _spelled_out(order: Indices, weights: Floats) -> tuple[Indices, Floats]:
    """Rows that weigh a whole number as that many rows, unless these are very many: weight two is twice."""
    whole = weights[order].astype(np.int64)
    if np.any(whole != weights[order]) or whole.sum() > MOST_COPIES * len(order):
        return order, weights
    return np.repeat(order, whole), np.ones(len(weights))


def _fingerprints(cells: pa.RecordBatch, names: list[str]) -> Marks:
    """Of every row, by as many threads as are worth it."""

    def some(start: int, stop: int) -> Marks:
        return fingerprints(cells.slice(start, stop - start), names)

    parts = list(in_pieces(cells.num_rows, None, some, size_of(cells)))
    return parts[0] if len(parts) == 1 else np.concatenate(parts)


def _plain(cells: pa.RecordBatch) -> pa.RecordBatch:
    """Dictionaries spelled out: batches of a stream may have a column in either form."""
    columns = [frames.decoded(each) if pa.types.is_dictionary(each.type) else each for each in cells.columns]
    return pa.RecordBatch.from_arrays(columns, cells.schema.names)


def _text_sizes(cells: pa.RecordBatch, rows: int, names: Collection[str]) -> Counts:
    """How many bytes the texts of each row have; there may be no columns, and rows all the same."""
    sizes = np.zeros(rows, np.int64)
    for name in names:
        column = frames.column(cells, name) if name in cells.schema.names else None
        if column is not None and (frames.is_text(column.type) or pa.types.is_binary(column.type)):
            sizes += pc.fill_null(pc.binary_length(column), 0).to_numpy(zero_copy_only=False).astype(np.int64)
    return sizes


def _as_batch(row: Any) -> pa.RecordBatch:
    """A row by itself, among others."""
    return next(iter(frames.batches({name: [value] for name, value in row.items()})))
