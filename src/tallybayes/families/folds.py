"""Rows left out of the counts fold by fold, for several columns of one family at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, reduce

import numpy as np
from numpy.typing import NDArray

from tallybayes import kernels
from tallybayes.counts.exact import Codes, Exact, Floats
from tallybayes.counts.tally import Rows
from tallybayes.families.belief import Belief
from tallybayes.families.centring import centred

SHORT = 16  # classes


@dataclass(frozen=True)
class LeftOutFolds:
    """Counted rows, and the fold in which each is left out. Every class has rows outside of every fold."""

    rows: Rows
    at: Sequence[NDArray[np.intp]]  # the rows of each fold

    @property
    def width(self) -> int:
        """The number of classes."""
        return len(self.rows.classes)

    @cached_property
    def number(self) -> Codes:
        """The fold of each row."""
        number = np.empty(len(self.rows), np.int32)
        for fold, rows in enumerate(self.at):
            number[rows] = fold
        return number

    @cached_property
    def apart(self) -> Rows:
        """The same rows with (fold, class) as a class."""
        return Rows(range(len(self.at) * self.width), self.number * self.width + self.rows.codes, self.rows.weights)

    def without(self, total: Exact, codes: Codes) -> Floats:
        """The counts without each fold, [fold, slot, class], of total[slot, class]; `codes` are the rows' slots."""
        slots, width = total.shape
        counted = self.apart.count(codes, slots)
        limbs = counted.limbs.reshape(slots, len(self.at), width, counted.limbs.shape[-1])
        rest = (total[:, None] - Exact(limbs, counted.low)).round()
        return np.ascontiguousarray(rest.transpose(1, 0, 2))

    @staticmethod
    def filled(counts: Floats) -> NDArray[np.bool_]:
        """Which slots hold anything, [fold, slot]; numpy is slow at reducing a short axis."""
        if counts.shape[-1] > SHORT:
            return np.asarray(counts.any(axis=-1))
        return reduce(np.logical_or, np.moveaxis(counts, -1, 0), np.zeros(counts.shape[:-1], bool))

    def looked_up(self, codes: Codes, table: Floats, step: int = 0) -> Floats:
        """The evidence of every row, [class, row]: the row of the table that its code says, 0 for negative ones. If the
        table is one of `step` rows for each fold, codes are those of a row's own fold."""
        evidence = np.zeros((self.width, len(self.rows)))
        if step and len(self.at) > 1:
            codes = np.where(codes < 0, -1, codes + step * self.number)
        kernels.add_tables([np.ascontiguousarray(codes, np.int32)], [table], evidence)
        return evidence


def centred_tables(tables: Floats) -> Floats:
    """Tables of evidence, [entry, class], centred over the classes and clipped."""
    return np.ascontiguousarray(centred(np.ascontiguousarray(tables.T), Belief.bound).T)
