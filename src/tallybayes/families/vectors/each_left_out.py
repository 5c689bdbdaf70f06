"""Leave-one-out of vectors of numbers: every position by itself, all of them at once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from tallybayes.counts.exact import Exact, Floats
from tallybayes.counts.tally import Rows
from tallybayes.families.numbers.numeric_left_out import NumbersLeftOut
from tallybayes.families.vectors.matrix_cells import Vectors, spelled_out

STEP = 1 << 20  # numbers at a time


class EachLeftOut:
    """The sums of every position. Unless their number is `fixed`, leaving out the only vector with a number in the last
    positions leaves fewer of them."""

    def __init__(self, family: Any, sums: Mapping[str, Exact], fixed: bool) -> None:
        self.numbers, self.fixed = NumbersLeftOut(family, sums), fixed
        self.counted = np.asarray(sums["n"].round().any(axis=1))

    def __call__(self, cells: Vectors, rows: Rows) -> Floats:
        evidence = np.zeros((len(rows), len(rows.classes)))
        step = max(STEP // (len(self.counted) * len(rows.classes)), 1)
        for start in range(0, len(rows), step):
            stop = min(start + step, len(rows))
            matrix = spelled_out(cells[start:stop], len(self.counted))
            evidence[start:stop] = self._evidence(matrix, rows.slice(start, stop))
        return evidence

    def _evidence(self, matrix: Floats, rows: Rows) -> Floats:
        count, size = matrix.shape
        weights = None if rows.weights is None else np.repeat(rows.weights, size)
        every = Rows(rows.classes, np.repeat(rows.codes, size), weights)
        evidence, alone = self.numbers.evidence(matrix.reshape(-1), np.tile(np.arange(size), count), every)
        evidence = evidence.reshape(count, size, -1)
        if not self.fixed:
            held = self.counted & ~alone.reshape(count, size)
            left = np.where(held.any(axis=1), size - np.argmax(held[:, ::-1], axis=1), 1)
            evidence[np.arange(size) >= left[:, None]] = 0.0
        return evidence.sum(axis=1)
