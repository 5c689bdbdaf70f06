"""Leave-one-out of levels: counts and pseudo-counts without each cell."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from tallybayes import kernels
from tallybayes.counts.decay import without_traces
from tallybayes.counts.exact import Codes, Exact, Floats, Indices
from tallybayes.counts.tally import Rows
from tallybayes.families.fitted import class_shares
from tallybayes.families.left_out import equal_rows, taken, weights_of
from tallybayes.families.smoothing import FITTED, Alpha, MEstimate, pseudocounts

STEP = 1 << 18  # numbers computed at a time


class CellsLeft(NamedTuple):
    """The counts without each of some cells."""

    levels: Codes  # of the cells
    classes: Codes
    counts: Floats  # of the cell's level in every class: [cell, class]
    totals: Floats  # of all levels: [cell, class]

    @property
    def own(self) -> tuple[Floats, Floats]:
        """What is left in the cell's own class: the count of its level, and of all levels."""
        rows = np.arange(len(self.levels))
        return self.counts[rows, self.classes], self.totals[rows, self.classes]


class LevelsLeftOut:
    """The counts of each level in every class. A level that no other row has, and that is not `always` known, is
    unknown once its row is left out, and is no evidence."""

    def __init__(self, alpha: Alpha, levels: Sequence[Any], n: Exact, always: Collection[Any] | None = None) -> None:
        self.alpha, self.levels, self.n, self.total = alpha, levels, n.carried(), n.sum().carried()
        self.counts, self.totals = np.ascontiguousarray(self.n.round()), self.total.round()
        self.always = np.array([always is None or level in always for level in levels], bool)

    def __call__(self, codes: Codes, rows: Rows) -> Floats:
        """The evidence of cells, given the index of their level, negative if they are missing."""
        evidence = np.zeros((len(rows), len(rows.classes)))
        for at, left, kinds in self.left(codes, rows):
            evidence[at] = self.logs(left)[kinds]
        return evidence

    def left(self, codes: Codes, rows: Rows) -> Iterator[tuple[Indices, CellsLeft, Indices]]:
        """The rows whose cell is present, and the counts without each: once per group of equal rows, with the group of
        each row; some groups at a time."""
        there = np.flatnonzero(codes >= 0)
        some = rows.take(there)
        firsts, kinds = equal_rows(codes[there], some)
        step = max(STEP // max(len(rows.classes), 1), 1)
        for start in range(0, len(firsts), step):
            part = firsts[start : start + step]
            left = self._left(codes[there[part]], some.codes[part], weights_of(some)[part])
            at = slice(None) if len(firsts) <= step else (kinds >= start) & (kinds < start + step)
            yield there[at], left, kinds[at] - start

    def _left(self, levels: Codes, classes: Codes, weights: Floats) -> CellsLeft:
        own, rows = {"n": Exact.of(weights)}, np.arange(len(levels))
        counts, totals = self.counts[levels], np.tile(self.totals, (len(levels), 1))
        for table, sums, at in ((counts, self.n, (levels, classes)), (totals, self.total, classes)):
            table[rows, classes] = without_traces({"n": taken(sums, at, own["n"])}, own)["n"].round()
        return CellsLeft(levels, classes, counts, totals)

    def logs(self, left: CellsLeft) -> Floats:
        """log P(level | class), and 0 if the level is no longer known."""
        known = np.flatnonzero(self.always[left.levels] | left.counts.any(axis=1))
        evidence = np.zeros(left.counts.shape)
        left = CellsLeft(left.levels[known], left.classes[known], left.counts[known], left.totals[known])
        pseudo, all_pseudo = self._pseudo(left)
        whole = left.totals + all_pseudo
        with np.errstate(divide="ignore", invalid="ignore"):
            even = 1.0 / max(len(self.levels), 1)
            evidence[known] = np.log(np.where(whole > 0, (left.counts + pseudo) / whole, even))
        return evidence

    def _pseudo(self, left: CellsLeft) -> tuple[Floats, Floats]:
        """The pseudo-counts of each cell's level, and of all levels together: [cell, class], or [cell, 1]."""
        of_level, of_all = self._alike(left)
        return of_level[:, None], of_all[:, None]

    def _alike(self, left: CellsLeft) -> tuple[Floats, Floats]:
        """Those that are the same for all classes."""
        if self.alpha == FITTED:
            return self._fitted(left)
        if isinstance(self.alpha, MEstimate) and self.alpha.p == "overall":
            overall, total = left.counts.sum(axis=1), left.totals.sum(axis=1)
            uniform = 1.0 / max(len(self.levels), 1)
            share = np.divide(overall, total, out=np.full(len(total), uniform), where=total > 0)
            return self.alpha.m * share, np.full(len(total), self.alpha.m)
        each = pseudocounts(self.alpha, self.levels, np.zeros(len(self.levels)))
        return each[left.levels], np.full(len(left.levels), each.sum())

    def _fitted(self, left: CellsLeft) -> tuple[Floats, Floats]:
        worth, share = self._without_each(kernels.fit_left_out, left)
        return worth * share, worth

    def _without_each(self, fit: Callable[..., Any], left: CellsLeft) -> Floats:
        """Numbers fitted without each cell, in the order that is fastest."""
        own, total = left.own
        order = np.lexsort((total, left.classes))
        levels, classes = left.levels[order].astype(np.int32), left.classes[order].astype(np.int32)
        found = np.atleast_2d(fit(self.counts, levels, classes, own[order], total[order]))
        return found[:, np.argsort(order)]


class CategoriesLeftOut(LevelsLeftOut):
    """The same of categories, whose fitted pseudo-counts may be as many for every level."""

    def _pseudo(self, left: CellsLeft) -> tuple[Floats, Floats]:
        of_level, of_all = super()._pseudo(left)
        if self.alpha != FITTED:
            return of_level, of_all
        strength = self._without_each(kernels.strengths_left_out, left).T
        even = strength * class_shares(left.totals)
        return np.where(strength, even, of_level), np.where(strength, len(self.levels) * even, of_all)
