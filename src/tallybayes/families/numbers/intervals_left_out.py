"""Leave-one-out of numbers by interval."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tallybayes.counts.exact import Floats
from tallybayes.counts.tally import Rows
from tallybayes.families.levels_left_out import LevelsLeftOut
from tallybayes.families.numbers.interval_densities import LEAST
from tallybayes.families.numbers.support import LARGEST


@dataclass(frozen=True)
class IntervalsLeftOut:
    """Fixed intervals, and their counts without each value."""

    edges: Floats
    levels: LevelsLeftOut

    def __call__(self, cells: Floats, rows: Rows) -> Floats:
        said = np.zeros((len(rows), len(rows.classes)))
        codes = np.where(np.isnan(cells), -1, self.edges[1:-1].searchsorted(cells, "right"))
        last = len(self.edges) - 2
        with np.errstate(over="ignore"):
            widths = np.log(np.clip(np.diff(self.edges), LEAST, LARGEST))
        for at, left, kinds in self.levels.left(codes, rows):
            outside = 1.0 / (2.0 + left.counts.sum(axis=1))
            inside = 1.0 - outside * (1.0 * (left.levels == 0) + (left.levels == last))
            others = np.asarray(left.totals.any(axis=1))
            shape = np.log(np.where(others, inside, 1.0)) - widths[left.levels]
            said[at] = np.where(others[:, None], self.levels.logs(left) + shape[:, None], 0.0)[kinds]
        return said
