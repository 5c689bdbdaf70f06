"""Leave-one-out of dependent columns: each row scored by the counts of pairs without it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tallybayes import kernels
from tallybayes.counts.exact import Floats
from tallybayes.counts.tally import Key, Rows, Tally
from tallybayes.families.blocks.coding import MISSING, Bytes
from tallybayes.families.blocks.networks import Parents
from tallybayes.families.blocks.pair_counts import PairCounts
from tallybayes.families.left_out import one_by_one, weights_of

APART = 1e-5  # the share of a count that must be left for a difference of doubles to be precise
STEP = 1 << 20  # positions at a time


class PairsLeftOut:
    """Subtracts rows from the counts and keeps the network. Rows so heavy that doubles would lose digits are subtracted
    exactly, one by one."""

    def __init__(
        self, family: Any, tally: Tally, counts: PairCounts, parents: Parents | None, classes: Sequence[Key]
    ) -> None:
        self.counts = counts
        self.parents = None if parents is None else np.array([[*some, -1, -1][:2] for some in parents], np.int64)
        fixed = family
        if parents is not None:
            named = {family.columns[j]: tuple(family.columns[p] for p in some) for j, some in enumerate(parents)}
            fixed = family.changed({"structure": named}).over(family.columns)
        self.alone = one_by_one(fixed, tally, classes)

    def __call__(self, cells: Bytes, rows: Rows) -> Floats:
        layout, s = self.counts.layout, self.counts.smoothing
        cells = np.ascontiguousarray(cells)
        evidence = kernels.leave_out_pairs(
            cells,
            rows.codes,
            rows.weights,
            self.counts.n,
            self.counts.wholes,
            self.counts.levels,
            *layout.shape,
            self.parents,
            self.counts.each,
            s.shared,
            s.m,
            s.ignored,
        )
        for row in self._heavy(cells, rows).tolist():
            evidence[row] = self.alone(cells[row : row + 1], rows.slice(row, row + 1))[0]
        return evidence

    def _heavy(self, cells: Bytes, rows: Rows) -> Any:
        """The rows that leave little, but not nothing, in some count of their own class."""
        weights = weights_of(rows)
        if self.counts.is_whole and np.array_equal(weights, np.floor(weights)):
            return np.zeros(0, np.intp)
        found = []
        step = max(STEP // max(len(self.counts.layout.sizes) ** 2, 1), 1)
        for start in range(0, len(rows), step):
            part = slice(start, start + step)
            n = self.counts.n[self.counts.layout.places(cells[part]), rows.codes[part, None]]
            left = n - weights[part, None]
            found.append(start + np.flatnonzero(((left != 0) & (left < APART * n)).any(axis=1)))
        heavy = np.concatenate([np.zeros(0, np.intp), *found])
        return heavy[(cells[heavy] != MISSING).any(axis=1)]
