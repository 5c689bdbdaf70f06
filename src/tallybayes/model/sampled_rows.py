"""The rows of a sample: distinct rows and how often each was met, which of these are copies of one row rather than
independent cases that happen to be equal; and rows that are thinned, dealt into folds, and counted as batches."""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from tallybayes.counts.exact import Codes, Counts, Floats, Indices, Mask
from tallybayes.counts.tally import Key, Rows
from tallybayes.data.fingerprints import Marks, fingerprints
from tallybayes.model.batches import Batch

FEW_COPIES = 4  # of a row, on average: then it is faster to list them all
MOST_ROWS = 2**53  # total weight: doubles represent larger integers with gaps

FEW = 100  # distinct rows
MANY = 20  # rows for each distinct one, on average: then equal rows are common
EXPECTED = 0.5  # rows like a given one, at least, …
LIKELY = 10.0  # … and a tenth of those that are there: columns are seldom independent …
DEPENDENT = 1e6  # … and even less so if equal rows are common
KEY = 0.9  # levels for each distinct row, at least, of a column that tells them apart
AGAIN = 2.0  # times the variance of how often rows come that are drawn with replacement


class Addends(NamedTuple):
    """Weights that add up to what is left out with each row, where their sum is rounded: counts hold it exactly."""

    row: Indices
    weights: Floats

    def of(self, at: Indices, rows: int) -> Addends:
        """The addends of the rows `at`, of so many in all, numbered anew."""
        places = np.full(rows, -1)
        places[at] = np.arange(len(at))
        found = places[self.row]
        return Addends(found[found >= 0], self.weights[found >= 0])


@dataclass(frozen=True, eq=False)
class SampledRows:
    """Rows in the order of their fingerprints. `weights` are relative, one on average; `own` is what is left out with
    each row: its weight, and that of its copies. If any of these is rounded, `addends` are not."""

    cells: pa.RecordBatch
    marks: Marks
    keys: list[Key]
    labels: Codes
    weights: Floats
    own: Floats
    label_type: pa.DataType
    addends: Addends | None = None

    def __len__(self) -> int:
        return len(self.marks)

    def rows(self) -> Rows:
        """Their classes and weights."""
        return self._weighed(self.weights)

    def counted(self) -> Rows:
        """The same with the weights that were counted, of each row with its copies."""
        return self._weighed(self.own)

    def _weighed(self, weights: Floats) -> Rows:
        return Rows(self.keys, self.labels, None if np.all(weights == 1.0) else weights)

    def at_most(self, most: int) -> SampledRows:
        """All of the rows or, if there are more, this many at equal distances."""
        if len(self) <= most:
            return self
        at = spread(len(self), most).astype(np.intp)
        numbers = {name: getattr(self, name)[at] for name in ("marks", "labels", "weights", "own")}
        addends = None if self.addends is None else self.addends.of(at, len(self))
        return replace(self, cells=self.cells.take(pa.array(at)), **numbers, addends=addends)

    def batch(self, at: Indices) -> Batch:
        """Some of the rows, as a batch to count: exactly as they were counted."""
        if self.addends is None:
            cells = self.cells if len(at) == len(self) else self.cells.take(pa.array(at))
            return Batch(cells, self.label_type, self.counted().take(at), 0)
        row, weights = self.addends.of(at, len(self))
        rows = Rows(self.keys, np.ascontiguousarray(self.labels[at[row]]), weights)
        return Batch(self.cells.take(pa.array(at[row])), self.label_type, rows, 0)

    def folds(self, k: int) -> list[Indices]:
        """The rows of each fold, dealt in turn by class."""
        fold = np.empty(len(self), np.intp)
        for number in range(len(self.keys)):
            mine = np.flatnonzero(self.labels == number)
            fold[mine] = (np.arange(len(mine)) + number) % k
        return [at for at in (np.flatnonzero(fold == i) for i in range(k)) if at.size]


def spread(count: int, most: int) -> Floats:
    """As many points at equal distances from 0 to `count`."""
    return np.asarray((np.arange(most) + 0.5) * (count / most), np.float64)


class Taken(NamedTuple):
    """Distinct rows of a batch, the indices of their labels, and their multiplicities."""

    cells: pa.RecordBatch
    marks: Marks
    labels: Codes
    weights: Floats
    sizes: Counts  # of their texts, in bytes
    copies: Counts

    def take(self, at: Indices) -> Taken:
        return Taken._make([self.cells.take(pa.array(at)), *(numbers[at] for numbers in self[1:])])

    @property
    def totals(self) -> Floats:
        """The weight of each with its copies."""
        return np.asarray(self.copies * self.weights, np.float64)

    def are_integers(self) -> bool:
        """Whether the weights, and all their sums, are integers that doubles represent."""
        return bool(np.all(self.weights == np.floor(self.weights)) and self.totals.sum() < MOST_ROWS)

    def counted_by_weight(self) -> Taken:
        """Rows of integer weights as so many rows, since weight two is twice. If many distinct rows all come k times,
        or a multiple of that, every row was repeated: they are rows of weight k."""
        if not self.are_integers():
            return self
        starts = np.flatnonzero(np.diff(numbered(self.marks, self.labels), prepend=-1))
        copies = np.add.reduceat(self.totals.astype(np.int64), starts) if len(starts) else self.copies
        times = np.gcd.reduce(copies) if len(copies) > FEW and copies.min() > 1 else 1
        some = self if len(starts) == len(self.marks) else self.take(starts)
        return some._replace(copies=copies // times, weights=np.full(len(copies), float(times)))

    def held(self, kinds: Indices) -> Floats:
        """The total weight of each row's kind. If it has to be rounded it is less, since no more can be left out than
        was counted."""
        if not len(kinds):
            return self.weights
        totals = np.bincount(kinds, self.totals)
        if not self.are_integers():
            error = (np.bincount(kinds) + 2) * 2.0**-52
            totals *= np.where(np.bincount(kinds, self.copies) > 1, 1.0 - error, 1.0)
        return np.asarray(totals[kinds])

    def addends(self, kinds: Indices, alone: Mask, at: Indices) -> Addends | None:
        """The weights that add up to what is left out with each of the rows `at`: of those that are `alone`, their own;
        of others, those of all rows of their kind. Times a power of two, no weight is rounded. None if no sum is."""
        if self.are_integers() or alone[at].all():
            return None
        ends = np.append(0, np.cumsum(np.bincount(kinds)))
        first = np.where(alone[at], at, ends[kinds[at]])
        sizes = np.where(alone[at], 1, ends[kinds[at] + 1] - first)
        row = np.repeat(np.arange(len(at)), sizes)
        entry = np.arange(len(row)) + np.repeat(first - np.cumsum(sizes) + sizes, sizes)
        copies = np.where(alone[entry], 1, self.copies[entry])
        bits = [np.flatnonzero(copies >> bit & 1) for bit in range(int(copies.max()).bit_length())]
        weights = [np.ldexp(self.weights[entry[some]], bit) for bit, some in enumerate(bits)]
        return Addends(row[np.concatenate(bits)], np.concatenate(weights))


def numbered(*keys: NDArray[Any]) -> Indices:
    """Numbers sorted rows: the same for consecutive ones with the same keys."""
    changes = [np.diff(key) != 0 for key in keys]
    return np.cumsum(np.append(False, np.logical_or.reduce(changes))[: len(keys[0])])


def repeated(copies: Counts, most: int) -> Indices:
    """Repeats rows by their multiplicity. If there are too many, takes some at equal distances. Returns their
    indices."""
    count = int(copies.sum())
    if count <= FEW_COPIES * most:
        at = np.repeat(np.arange(len(copies)), copies)
        return at if count <= most else at[spread(count, most).astype(np.intp)]
    return np.searchsorted(np.cumsum(copies), spread(count, most), side="right")


def are_cases(cells: pa.RecordBatch, number: Floats, asked: Mask, total: float) -> Mask:
    """Whether the rows that are equal to each of these distinct ones are independent cases, of those `asked` about.
    Each of these stands for a `number` of rows, of `total` rows in all.

    They are cases if one is as likely as not, and no more than ten times as many are there as expected. If there are
    twenty rows for each distinct one, columns may depend on each other much more. Few distinct rows are then always
    cases: without all rows that are equal, little would be left."""
    distinct, at = len(number), np.flatnonzero(asked)
    common = number.sum() >= MANY * distinct
    needed = number[at] / DEPENDENT if common else np.maximum(number[at] / LIKELY, EXPECTED)
    expected, itself = np.full(len(at), float(total)), 0 if common else 1
    for name in sorted(cells.schema.names) if not (common and distinct <= FEW) else ():
        if not len(at):
            break
        marks = fingerprints(cells, [name])
        kinds, of_row = np.unique(marks[at], return_inverse=True)
        place = np.minimum(kinds.searchsorted(marks), len(kinds) - 1)
        sizes = np.bincount(place[kinds[place] == marks], minlength=len(kinds))
        expected *= (sizes[of_row] - itself) / max(distinct - itself, 1)
        likely = expected >= needed
        at, needed, expected = at[likely], needed[likely], expected[likely]
    cases = np.zeros(distinct, bool)
    cases[at] = True
    return cases


def come_as_they_are(
    cells: pa.RecordBatch, number: Floats, labels: Codes, numeric: Set[str], sampled: float = 1.0
) -> bool:
    """Whether these distinct rows, of classes `labels`, a share `sampled` of all, list who or what came how often, as
    sales by customer do: no column is `numeric`, a level tells nearly all of them apart, and in a class they come more
    unequally than rows drawn again or weighted at random, by more than the square of their mean."""
    names = cells.schema.names
    means = (np.bincount(labels, number) / np.maximum(np.bincount(labels), 1))[labels]
    usual = max((means**2).sum(), AGAIN * number.sum())
    if not numeric.isdisjoint(names) or ((number - means) ** 2).sum() <= usual:
        return False
    shared = (1.0 - KEY) * len(number) * sampled  # rows of the same level are rarely in one sample
    return any(len(number) - len(np.unique(fingerprints(cells, [name]))) <= shared for name in names)
