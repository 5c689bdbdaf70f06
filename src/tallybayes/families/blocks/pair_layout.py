"""The layout of counts: the positions of every column's codes, and of every pair and triple of columns."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np

from tallybayes import kernels
from tallybayes.counts.exact import Counts, Exact
from tallybayes.counts.slots import positions
from tallybayes.counts.sums import concatenated
from tallybayes.counts.tally import Rows, Tally
from tallybayes.families.blocks.coding import MISSING, Bytes

FEW = 8  # rows that touch less than an eighth of the positions are counted sparsely


class PairLayout:
    """First the codes of every column, then for every pair of columns i < j a row of j's codes for each of i's, and
    with `threes` a table for every triple. Columns that are `alone` are in no pair.

    >>> layout = PairLayout([2, 3])
    >>> layout.size, layout.places(np.array([[1, 2]], np.uint8)).tolist()
    (11, [[1, 4, 10]])
    """

    def __init__(self, sizes: Sequence[int], alone: Collection[int] = (), threes: bool = False) -> None:
        self.sizes = np.array(sizes, np.int64)
        self.singles = np.concatenate([[0], np.cumsum(self.sizes)])[:-1].astype(np.int64)
        together = [j for j in range(len(sizes)) if j not in set(alone)]
        self.first, self.second = np.array(list(combinations(together, 2)), np.int64).reshape(-1, 2).T
        self.starts, self.pairs_end = self._starts(int(self.sizes.sum()), self.first, self.second)  # of every pair
        self.pairs = np.full((len(sizes), len(sizes)), -1, np.int64)
        self.pairs[self.first, self.second] = self.pairs[self.second, self.first] = self.starts

        self.threes = np.array(list(combinations(together, 3)) if threes else [], np.int64).reshape(-1, 3).T
        self.three_starts, self.size = self._starts(self.pairs_end, *self.threes)
        self.triples = np.full((len(sizes),) * 3, -1, np.int64) if threes else None
        if self.triples is not None:
            self.triples[tuple(self.threes)] = self.three_starts

    def _starts(self, start: int, *columns: Counts) -> tuple[Counts, int]:
        """The starts of consecutive tables, and the end of the last one."""
        lengths = np.prod([self.sizes[some] for some in columns], axis=0, dtype=np.int64)
        ends = start + np.cumsum(lengths)
        return ends - lengths, int(ends[-1]) if len(ends) else start

    @property
    def shape(self) -> tuple[Counts, Counts, Counts, Counts | None]:
        """The layout in the form that kernels take."""
        return self.sizes, self.singles, self.pairs, self.triples

    @cached_property
    def is_paired(self) -> Any:
        return (self.pairs >= 0).any(axis=1)

    def places(self, codes: Bytes) -> Counts:
        """The positions that each row touches: of its columns, pairs and triples."""
        wide, sizes = codes.astype(np.int64), self.sizes
        pairs = self.starts + wide[:, self.first] * sizes[self.second] + wide[:, self.second]
        i, j, last = self.threes
        threes = self.three_starts + (wide[:, i] * sizes[j] + wide[:, j]) * sizes[last] + wide[:, last]
        return np.concatenate([self.singles + wide, pairs, threes], axis=1)

    def tally(self, codes: Bytes, rows: Rows) -> Tally:
        """The count of each position by class; rows in which all cells are missing are not counted."""
        touched = len(self.sizes) + len(self.starts) + len(self.three_starts)
        if len(codes) * touched * FEW < self.size or rows.only is not None:
            return self._few(codes, rows)
        if rows.weights is None:
            counts = kernels.count_pairs(codes, rows.codes, len(rows.classes), *self.shape, self.size)
            return Tally(rows.numbers, positions(self.size), {"n": Exact(counts)})
        there = (codes != MISSING).any(axis=1)
        kept = Rows(rows.classes, np.where(there, rows.codes, -1).astype(np.int32), rows.weights)
        return Tally(rows.numbers, positions(self.size), {"n": self._weighted(codes, kept)})

    def _few(self, codes: Bytes, rows: Rows) -> Tally:
        there = np.flatnonzero((codes != MISSING).any(axis=1))
        places = self.places(codes[there])
        if rows.only is not None:
            return Tally(
                rows.numbers, places.reshape(-1).tolist(), {"n": Exact(np.ones((places.size, 1, 1), np.int64))}
            )
        met, at = np.unique(places, return_inverse=True)
        each = rows.take(np.repeat(there, places.shape[1]))
        return Tally(rows.numbers, met.tolist(), {"n": each.count(at.reshape(-1).astype(np.int32), len(met))})

    def _weighted(self, codes: Bytes, rows: Rows) -> Exact:
        wide, parts = codes.astype(np.int32), []
        for j, size in enumerate(self.sizes.tolist()):
            parts.append(rows.count(np.ascontiguousarray(wide[:, j]), size))
        for i, j in zip(self.first.tolist(), self.second.tolist(), strict=True):
            size = int(self.sizes[j])
            parts.append(rows.count(wide[:, i] * size + wide[:, j], int(self.sizes[i]) * size))
        for i, j, last in self.threes.T.tolist():
            both = (wide[:, i] * int(self.sizes[j]) + wide[:, j]) * int(self.sizes[last]) + wide[:, last]
            parts.append(rows.count(both, int(self.sizes[[i, j, last]].prod())))
        return concatenated(parts)

    def discord(self, columns: Sequence[str], n: Exact) -> str | None:
        """Why n[position, class] cannot come from rows, or None: all columns must have equally many cells, and the
        counts of a level with all levels of another column must add up to its own count."""

        def table(start: int, *some: int) -> Exact:
            sizes = self.sizes[list(some)].tolist()
            limbs = n.limbs[start : start + int(np.prod(sizes))]
            return Exact(limbs.reshape(*sizes, *n.limbs.shape[1:]), n.low)

        singles = [table(int(start), j) for j, start in enumerate(self.singles)]
        for column, single in zip(columns, singles, strict=True):
            if _differ(single.sum(), singles[0].sum()):
                return f"{column!r} would not have as many cells as {columns[0]!r}"
        for i, j, start in zip(self.first.tolist(), self.second.tolist(), self.starts.tolist(), strict=True):
            both = table(start, i, j)
            if _differ(both.sum(axis=1), singles[i]) or _differ(both.sum(axis=0), singles[j]):
                return f"the counts of {columns[i]!r} and {columns[j]!r} would not add up to those of the pair"
        for (i, j, last), start in zip(self.threes.T.tolist(), self.three_starts.tolist(), strict=True):
            three, parts = table(start, i, j, last), ((j, last), (i, last), (i, j))
            for axis, part in enumerate(parts):
                if _differ(three.sum(axis=axis), table(int(self.pairs[part]), *part)):
                    one, other = (columns[j] for j in part)
                    return f"the counts of {one!r} and {other!r} would not add up to those of their triples"
        return None


def _differ(one: Exact, other: Exact) -> bool:
    return bool(one.differs(other, 256).any())
