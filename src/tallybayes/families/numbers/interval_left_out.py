"""Leave-one-out of numbers by interval: the intervals stay, and their counts are those without each value."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tallybayes import kernels
from tallybayes.counts.exact import Floats
from tallybayes.counts.tally import Rows
from tallybayes.families.left_out import weights_of
from tallybayes.families.levels_left_out import LevelsLeftOut
from tallybayes.families.numbers.intervals import LEAST, Intervals, share_inside
from tallybayes.families.numbers.support import LARGEST
from tallybayes.families.numbers.values import ValueCounts


@dataclass(frozen=True)
class IntervalsLeftOut:
    """Fixed intervals, and their counts without each value."""

    edges: Floats
    levels: LevelsLeftOut

    def __call__(self, cells: Floats, rows: Rows) -> Floats:
        logs = np.zeros((len(rows), len(rows.classes)))
        codes = np.where(np.isnan(cells), -1, self.edges[1:-1].searchsorted(cells, "right"))
        last = len(self.edges) - 2
        widths = _log_widths(self.edges)
        for at, left, kinds in self.levels.left(codes, rows):
            inside = share_inside(left.counts.sum(axis=1), 1.0 * (left.levels == 0) + (left.levels == last))
            others = np.asarray(left.totals.any(axis=1))
            shape = np.log(np.where(others, inside, 1.0)) - widths[left.levels]
            logs[at] = np.where(others[:, None], self.levels.logs(left) + shape[:, None], 0.0)[kinds]
        return logs


@dataclass(frozen=True)
class SmoothLeftOut:
    """Smoothed intervals: the density of a value's class is estimated again without it."""

    known: ValueCounts
    intervals: Intervals
    density: int

    def __call__(self, cells: Floats, rows: Rows) -> Floats:
        (ranges, counts, _), logs = self.intervals, np.zeros((len(rows), len(rows.classes)))
        there = np.flatnonzero(~np.isnan(cells))
        codes, at = rows.codes[there], ranges.edges[1:-1].searchsorted(cells[there], "right")
        weights = weights_of(rows)[there]
        widths, last = _log_widths(ranges.edges), len(counts) - 1
        inside = share_inside(counts[at].sum(axis=1), 1.0 * (at == 0) + (at == last))
        for weight in np.unique(weights):
            some = np.flatnonzero(weights == weight)
            if counts.sum() <= weight:
                continue
            full, own = self._logs(float(weight))
            found = full[at[some]]
            found[np.arange(len(some)), codes[some]] = own[at[some], codes[some]]
            logs[there[some]] = found + (np.log(inside) - widths[at])[some, None]
        return logs

    def _logs(self, weight: float) -> tuple[Floats, Floats]:
        """log P(interval | class), and the same without a value of this weight in that interval and class."""
        (values, n, _), (ranges, counts, pseudo) = self.known, self.intervals
        rest = kernels.leave_out_smoothed(values, n, self.density, weight, ranges.cuts, ranges.edges, counts)
        totals = counts.sum(axis=0)
        with np.errstate(divide="ignore"):
            return tuple(
                np.log((n + pseudo[:, None]) / (total + 1.0))
                for n, total in ((counts, totals), (rest, np.maximum(totals - weight, 0.0)))
            )


def _log_widths(edges: Floats) -> Floats:
    with np.errstate(over="ignore"):
        return np.asarray(np.log(np.clip(np.diff(edges), LEAST, LARGEST)))
