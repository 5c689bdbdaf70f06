"""From counts of columns and pairs to probabilities: of a level by itself, and given a parent's level."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from tallybayes.counts.exact import Counts, Floats
from tallybayes.families.blocks.coding import MISSING
from tallybayes.families.blocks.pair_layout import PairLayout
from tallybayes.families.smoothing import Alpha, MEstimate

MOST_WHOLE = 2.0**52


class Smoothing(NamedTuple):
    """How counts become probabilities. A level has pseudo-counts: `each`, and `shared` times its share of all rows;
    `spread` are divided among the levels of a column. P(level | parent) is shrunk towards P(level) with the weight of
    `m` rows; with m = 0 it has pseudo-counts instead. If missing cells are `ignored`, they do not count as a level."""

    each: float
    spread: float
    shared: float
    m: float
    ignored: bool

    @classmethod
    def of(cls, alpha: Alpha, m: float, ignored: bool) -> Smoothing:
        if isinstance(alpha, MEstimate):
            return cls(0.0, alpha.m, 0.0, m, ignored) if alpha.p == "uniform" else cls(0.0, 0.0, alpha.m, m, ignored)
        assert not isinstance(alpha, (str, dict))
        return cls(float(alpha), 0.0, 0.0, m, ignored)  # type: ignore[arg-type]


class PairCounts:
    """The counts of some classes, and the probabilities of levels that were seen."""

    def __init__(self, layout: PairLayout, n: Floats, smoothing: Smoothing) -> None:
        self.layout, self.n, self.smoothing = layout, n, smoothing
        self.columns, self.width = len(layout.sizes), n.shape[1]

    def single(self, j: int) -> Floats:
        """[level, class]"""
        start = int(self.layout.singles[j])
        return self.n[start : start + int(self.layout.sizes[j])]

    def pair(self, i: int, j: int) -> Floats:
        """[level of i, level of j, class]"""
        if i > j:
            return self.pair(j, i).swapaxes(0, 1)
        start, shape = int(self.layout.pairs[i, j]), (int(self.layout.sizes[i]), int(self.layout.sizes[j]), self.width)
        return self.n[start : start + shape[0] * shape[1]].reshape(shape)

    def three(self, *columns: int) -> Floats:
        """[level of each …, class]"""
        assert self.layout.triples is not None
        order = sorted(columns)
        start, sizes = int(self.layout.triples[tuple(order)]), self.layout.sizes[order].tolist()
        table = self.n[start : start + int(np.prod(sizes))].reshape(*sizes, self.width)
        return table.transpose(*(order.index(column) for column in columns), 3)

    @cached_property
    def totals(self) -> Floats:
        """The number of rows of each class."""
        return self.single(0).sum(axis=0)

    @cached_property
    def met(self) -> list[Any]:
        """For every column, which levels were seen and are not ignored."""
        found = [np.asarray(self.single(j).any(axis=1)) for j in range(self.columns)]
        for met in found:
            met[MISSING] &= not self.smoothing.ignored
        return found

    @cached_property
    def levels(self) -> Counts:
        """The number of such levels of each column."""
        return np.array([met.sum() for met in self.met], np.int64)

    @cached_property
    def wholes(self) -> Floats:
        """The number of rows with such a level, [column, class]."""
        return np.array([self.single(j)[int(self.smoothing.ignored) :].sum(axis=0) for j in range(self.columns)])

    @cached_property
    def is_whole(self) -> bool:
        """Whether all counts are whole numbers, which doubles hold without rounding."""
        return bool(np.array_equal(self.n, np.floor(self.n)) and self.n.max(initial=0.0) < MOST_WHOLE)

    def probability(self, j: int) -> Floats:
        """P(level | class), [level, class]; meaningless for unseen levels."""
        n = np.where(self.met[j][:, None], self.single(j), 0.0)
        raised = n + self._pseudo(j)[:, None]
        whole = raised[self.met[j]].sum(axis=0)
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.where(whole > 0, raised / whole, 1.0 / max(int(self.levels[j]), 1))

    def given(self, j: int, p: int) -> Floats:
        """P(level of j | class, level of p), [level of p, level of j, class]; meaningless for unseen levels."""
        return self._shrunk(j, self.pair(p, j), self.probability(j))

    def _shrunk(self, j: int, counts: Floats, alone: Floats) -> Floats:
        """P(level of j | …) from counts[…, level of j, class], shrunk towards `alone`."""
        n = np.where(self.met[j][:, None], counts, 0.0)
        m = self.smoothing.m
        if m > 0:
            return (n + m * alone) / (n.sum(axis=-2, keepdims=True) + m)
        raised = n + self._pseudo(j)[:, None]
        whole = raised[..., self.met[j], :].sum(axis=-2, keepdims=True)
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.where(whole > 0, raised / whole, alone)

    def conditional(self, j: int, parents: Sequence[int], even: bool = False) -> Floats:
        """P(level | class, levels of up to two parents), [parents' levels …, level, class]: shrunk towards P given the
        first parent, or if `even`, given each."""
        if len(parents) < 2:
            return self.given(j, parents[0]) if parents else self.probability(j)
        p, q = parents
        one = self.given(j, p)[:, None]
        return self._shrunk(j, self.three(p, q, j), (one + self.given(j, q)) / 2.0 if even else one)

    def _pseudo(self, j: int) -> Floats:
        """The pseudo-counts of every level."""
        n = np.where(self.met[j], self.single(j).sum(axis=1), 0.0)
        total = n.sum()
        return np.asarray(self.each[j] + self.smoothing.shared * (n / total if total > 0 else n))

    @cached_property
    def each(self) -> Floats:
        """The pseudo-counts that all levels of a column share, for every column."""
        return self.smoothing.each + self.smoothing.spread / np.maximum(self.levels, 1)
