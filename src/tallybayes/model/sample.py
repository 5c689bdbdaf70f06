"""A sample of the counted rows that does not depend on their order, to be left out of the counts later."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from tallybayes.counts.exact import Codes, Counts, Floats, Indices, Mask
from tallybayes.counts.rows import places_of
from tallybayes.counts.tally import Key, Rows
from tallybayes.data import frames
from tallybayes.data.fingerprints import Marks, fingerprints
from tallybayes.families.left_out import equal_rows, weights_of
from tallybayes.model.batches import Batch, in_pieces, size_of
from tallybayes.model.sampled_rows import SampledRows, Taken, are_cases, come_as_they_are, numbered, repeated

MOST_BYTES = 10_000_000  # of text, if that leaves …
LEAST = 1000  # … at least this many rows
ENOUGH = 1.25  # of so many rows as wanted, on average, hardly ever too few have low fingerprints
SCARCE = 0.01  # the share of equal rows up to which it does not matter whether they are copies


class RowSample:
    """About `size` rows with the lowest fingerprints, in the order of these; fewer if their `texts` are long, but at
    least a thousand.

    Equal rows have equal fingerprints, so the sample and its order depend on the rows alone. Of equal rows one is kept,
    together with their number, and sampled in proportion to it."""

    def __init__(
        self, columns: Collection[str], size: int, texts: Collection[str] = (), numeric: Collection[str] = ()
    ) -> None:
        self.columns = set(columns)
        self.texts = set(texts)
        self.numeric = set(numeric)
        self.size = size
        self.label_type: pa.DataType | None = None
        self.seen = 0  # rows that were added
        self._keys: dict[Key, int] = {}
        self._taken: list[Taken] = []
        self._held = self._bytes = 0
        self._few = size, MOST_BYTES  # rows and bytes of which twice as many are thinned
        self._highest = np.uint64(2**64 - 1)

    def add(self, batch: Batch, check: Callable[[pa.RecordBatch, Indices], None] | None = None) -> None:
        """Adds the rows of a batch, keeping only those that may be in the sample. `check` sees them and their places in
        the batch before anything changes, and may refuse them by an error."""
        cells = batch.cells if isinstance(batch.cells, pa.RecordBatch) else _as_batch(batch.cells)
        names = [name for name in cells.schema.names if name in self.columns]
        marks = _fingerprints(cells, names, self.numeric)
        at, copies = self._lowest(marks, batch.rows)
        chosen = _plain(cells.select(names).take(pa.array(at)), self.texts)
        if check is not None:
            check(chosen, at)
        self.label_type = batch.label_type
        self.seen += len(marks)
        numbers = np.array([self._keys.setdefault(key, len(self._keys)) for key in batch.rows.classes], np.int32)
        sizes = _text_sizes(chosen, len(at), self.texts)
        weights = weights_of(batch.rows, at)
        self._taken.append(Taken(chosen, marks[at], numbers[batch.rows.codes[at]], weights, sizes, copies))
        self._held += len(at)
        self._bytes += int(sizes.sum())
        few, short = self._few
        if self._held > 2 * few or (self._bytes > 2 * short and self._held > 2 * LEAST):
            self._thin()

    def _lowest(self, marks: Marks, rows: Rows) -> tuple[Indices, Counts]:
        """One of each group of equal rows that may be in the sample, in the order of their fingerprints, and the size
        of the group: those with the `size` lowest distinct fingerprints. A threshold that they are likely to be below
        discards most rows at once."""
        share = ENOUGH * self.size / max(len(marks), 1)
        at, last = self._below(marks, rows, share)
        if len(at) <= 2 * self.size:
            found = at[np.argsort(marks[at])]
            numbers = np.cumsum(np.diff(marks[found], prepend=marks[found[:1]]) != 0)
            if last or (len(at) and numbers[-1] >= self.size):
                wanted = int(numbers.searchsorted(self.size))
                return _grouped(found[:wanted], numbers[:wanted], rows)
        while True:
            different = pc.unique(pa.array(marks[at])).to_numpy()
            if len(different) >= self.size:
                highest = np.partition(different, self.size - 1)[self.size - 1]
                return _different(marks, at[marks[at] <= highest], rows)
            if last:
                return _different(marks, at, rows)
            share *= 8.0
            at, last = self._below(marks, rows, share)

    def _below(self, marks: Marks, rows: Rows, share: float) -> tuple[Indices, bool]:
        """The counted rows in the lowest share of fingerprints, and whether these are all that may be in the sample."""
        limit = self._highest if share >= 1.0 else min(np.uint64(share * (2.0**64 - 2.0**12)), self._highest)
        at = np.flatnonzero(marks <= limit)
        at = at[rows.codes[at] >= 0]
        return at if rows.weights is None else at[rows.weights[at] > 0], bool(limit == self._highest)

    def _thin(self) -> None:
        """Discards rows beyond the sample."""
        taken = self._together()
        wanted = self._wanted(taken)
        if wanted < len(taken.marks):
            self._highest = taken.marks[wanted - 1]
            taken = taken.take(np.arange(wanted))
        self._taken = [taken]
        self._held, self._bytes = len(taken.marks), int(taken.sizes.sum())
        self._few = max(self._held, self.size), max(self._bytes, MOST_BYTES)  # of equal rows, all weights are kept

    def _together(self) -> Taken:
        """All rows taken, in the order of their fingerprints, with equal rows merged."""
        if len(self._taken) == 1:
            (taken,) = self._taken
            order = self._order(taken.marks, taken.labels, taken.weights)
            return taken if _is_all(order, len(order)) else taken.take(order)
        columns = [np.concatenate(part) for part in zip(*(taken[1:] for taken in self._taken), strict=True)]
        marks, numbers, weights, sizes, copies = columns
        order = self._order(marks, numbers, weights)
        same = [np.diff(each[order]) == 0 for each in (marks, numbers, weights)]
        starts = np.flatnonzero(np.append(True, ~np.logical_and.reduce(same))[: len(order)])
        at = order[starts]
        cells = frames.one_batch(_plain(taken.cells, self.columns) for taken in self._taken).take(pa.array(at))
        total = np.add.reduceat(copies[order], starts) if len(starts) else copies
        return Taken(cells, marks[at], numbers[at], weights[at], sizes[at], total)

    def _order(self, marks: Marks, numbers: Codes, weights: Floats) -> Indices:
        """The order by fingerprint, class and weight."""
        if np.all(marks[1:] > marks[:-1]):
            return np.arange(len(marks))
        rank = np.empty(len(self._keys), np.int32)
        rank[[self._keys[key] for key in sorted(self._keys)]] = np.arange(len(rank))
        return np.lexsort((weights, rank[numbers], marks))

    def _wanted(self, taken: Taken) -> int:
        """How many of these sorted rows to keep: whole groups of equal fingerprints."""
        starts = np.flatnonzero(np.append(True, taken.marks[1:] != taken.marks[:-1])[: len(taken.marks)])
        wanted = min(self.size, _short(taken.sizes[starts]))
        return int(starts[wanted]) if wanted < len(starts) else len(taken.marks)

    def rows(self) -> SampledRows:
        """The sample, in the order of its fingerprints. Copies of a row are one row of their total weight; equal rows
        that are independent cases are listed one by one."""
        taken = self._sampled().counted_by_weight()
        alone = self._are_cases(taken)
        kinds = numbered(taken.marks, taken.labels)
        at = repeated(taken.copies, self.size)
        starts = np.flatnonzero(np.append(True, alone[at[1:]] | (np.diff(kinds[at]) != 0))[: len(at)])
        weights = np.add.reduceat(taken.weights[at], starts) if len(at) else taken.weights
        kept = _short(taken.sizes[at[starts]])
        at, weights = at[starts][:kept], weights[:kept]
        own = np.where(alone, taken.weights, taken.held(kinds))[at]
        present = np.isin(np.arange(len(self._keys)), taken.labels[at])
        keys = sorted(key for key, number in self._keys.items() if present[number])
        labels = places_of(list(self._keys), keys)[taken.labels[at]]
        cells = taken.cells if _is_all(at, len(taken.marks)) else taken.cells.take(pa.array(at))
        assert self.label_type is not None
        weights = weights / (weights.sum() / max(len(weights), 1))
        addends = taken.addends(kinds, alone, at)
        return SampledRows(cells, taken.marks[at], keys, labels, weights, own, self.label_type, addends)

    def _sampled(self) -> Taken:
        """The rows of the sample, and no others."""
        taken = self._together()
        wanted = self._wanted(taken)
        return taken if wanted == len(taken.marks) else taken.take(np.arange(wanted))

    def _are_cases(self, taken: Taken) -> Mask:
        """Which of these rows stand for independent cases. Equal rows of several classes do, and of equal texts no
        others."""
        numbers = numbered(taken.marks)
        if not len(numbers):
            return np.zeros(0, bool)
        firsts = np.flatnonzero(np.diff(numbers, prepend=-1))
        several = np.bincount(numbers, np.diff(numbered(taken.marks, taken.labels), prepend=-1)) > 1
        if self.texts:
            return several[numbers]
        number = np.add.reduceat(taken.copies, firsts).astype(np.float64)
        asked = ~several & (number > 1)
        if number[asked].sum() <= SCARCE * number.sum():
            several |= asked  # without weights, which cost time
            return several[numbers]
        cells = taken.cells if len(firsts) == len(numbers) else taken.cells.take(pa.array(firsts))
        sampled = (float(taken.marks[-1]) + 1.0) / 2.0**64 if len(firsts) >= self.size else 1.0
        if come_as_they_are(cells, number, taken.labels[firsts], self.numeric, sampled):
            several |= asked
        else:
            several |= are_cases(cells, number, asked, number.sum() / sampled)
        return several[numbers]


def merged(samples: Sequence[RowSample]) -> RowSample:
    """The sample of all rows together."""
    first = samples[0]
    found = RowSample(first.columns, first.size, first.texts, first.numeric)
    for sample in samples:
        numbers = np.array([found._keys.setdefault(key, len(found._keys)) for key in sample._keys], np.int32)
        found._taken += [taken._replace(labels=numbers[taken.labels]) for taken in sample._taken]
        found.label_type, found.seen = sample.label_type, found.seen + sample.seen
    return found


def _short(sizes: Counts) -> int:
    """How many of these texts fit into `MOST_BYTES` together."""
    return max(int(np.searchsorted(np.cumsum(sizes), MOST_BYTES, side="right")), LEAST)


def _is_all(at: Indices, size: int) -> bool:
    return len(at) == size and bool(np.all(at == np.arange(size)))


def _different(marks: Marks, at: Indices, rows: Rows) -> tuple[Indices, Counts]:
    """One of each group of equal rows, in the order of their fingerprints, and the size of the group."""
    found, copies = _grouped(at, pc.dictionary_encode(pa.array(marks[at])).indices.to_numpy(), rows)
    order = np.argsort(marks[found], kind="stable")
    return found[order], copies[order]


def _grouped(at: Indices, numbers: NDArray[Any], rows: Rows) -> tuple[Indices, Counts]:
    """The same with fingerprints given by number, in the order of the rows. Most are usually alone."""
    copies, rest = np.ones(len(at), np.int64), np.flatnonzero(np.bincount(numbers)[numbers] > 1)
    if len(rest):
        some = at[rest]
        weights = None if rows.weights is None else rows.weights[some]
        firsts, kinds = equal_rows(numbers[rest], Rows(rows.classes, rows.codes[some], weights))
        copies[rest] = 0
        copies[rest[firsts]] = np.bincount(kinds)
    kept = np.flatnonzero(copies)
    return at[kept], copies[kept]


def _fingerprints(cells: pa.RecordBatch, names: list[str], numeric: Collection[str]) -> Marks:
    """The fingerprint of every row, with several threads if that is worthwhile."""

    marks = np.zeros(cells.num_rows, np.uint64)

    def some(start: int, stop: int) -> None:
        fingerprints(cells.slice(start, stop - start), names, marks[start:stop], numeric)

    for _ in in_pieces(cells.num_rows, None, some, size_of(cells)):
        pass
    return marks


def _plain(cells: pa.RecordBatch, names: Collection[str]) -> pa.RecordBatch:
    """Decodes dictionaries in these columns: batches of a stream may have a column in either form."""
    each = zip(cells.schema.names, cells.columns, strict=True)
    columns = [frames.decoded(column) if name in names else column for name, column in each]
    return pa.RecordBatch.from_arrays(columns, cells.schema.names) if columns else cells


def _text_sizes(cells: pa.RecordBatch, rows: int, names: Collection[str]) -> Counts:
    """The size of each row's texts in bytes; there may be rows without columns."""
    sizes = np.zeros(rows, np.int64)
    for name in names:
        column = frames.column(cells, name) if name in cells.schema.names else None
        if column is not None and (frames.is_text(column.type) or pa.types.is_binary(column.type)):
            sizes += pc.fill_null(pc.binary_length(column), 0).to_numpy(zero_copy_only=False).astype(np.int64)
    return sizes


def _as_batch(row: Any) -> pa.RecordBatch:
    """A single row as a batch."""
    return next(iter(frames.batches({name: [value] for name, value in row.items()})))
