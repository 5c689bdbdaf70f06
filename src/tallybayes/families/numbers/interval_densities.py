"""The densities of intervals, and what lies beyond them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from tallybayes.counts.exact import Floats
from tallybayes.families.numbers.intervals import Joined
from tallybayes.families.numbers.support import LARGEST

LEAST = float(np.finfo(np.float64).smallest_subnormal)


class Densities(NamedTuple):
    """The densities of a column's intervals."""

    below: float  # the share of the first interval that lies below all values …
    beyond: float  # … and of the last that lies beyond
    table: Floats  # log density [interval, class]
    reach: Floats  # the same with what lies below the first and beyond the last


def share_inside(n: Floats, at_end: Floats) -> Floats:
    """How much of the probability of an interval with n values lies within the range, if it is at so many ends of it:
    1 / (2 + n) lies beyond each."""
    return (n + (2.0 - at_end)) / (n + 2.0)


class JoinedDensities(NamedTuple):
    """The same of several columns, one after another."""

    below: Floats
    beyond: Floats
    table: Floats
    reach: Floats

    @classmethod
    def of(cls, intervals: Joined, logs: Floats, halves: Floats) -> JoinedDensities:
        """From log P(interval | class) and half the range of each column."""
        sizes, edges = intervals.sizes, intervals.edges
        ends, columns = np.cumsum(sizes), np.arange(len(sizes))
        first, last, empty = ends - sizes, ends - 1, np.isinf(edges[np.cumsum(sizes + 1) - 1])
        n = intervals.counts.sum(axis=1)
        below, beyond = (np.where(empty, 0.0, 1.0 / (2.0 + n[at])) for at in (first, last))
        at_end = np.zeros(len(logs))
        at_end[first[~empty]] += 1.0
        at_end[last[~empty]] += 1.0
        inside = share_inside(n, at_end)
        with np.errstate(over="ignore", divide="ignore"):
            widths = np.clip(np.delete(np.diff(edges), (ends + columns)[:-1]), LEAST, LARGEST)
            widths[first[empty]] = 1.0
            outside = np.log([below, beyond]) + np.log(halves) - np.log(2.0)
        table = logs + (np.log(inside) - np.log(widths))[:, None]
        reach = np.empty((len(logs) + 2 * len(sizes), logs.shape[1]))
        reach[np.arange(len(logs)) + np.repeat(2 * columns, sizes) + 1] = table
        reach[first + 2 * columns] = logs[first] + outside[0][:, None]
        reach[last + 2 * columns + 2] = logs[last] + outside[1][:, None]
        return cls(below, beyond, table, reach)

    def apart(self, sizes: list[int]) -> Iterator[Densities]:
        """Those of each column."""
        start = 0
        for i, (size, below, beyond) in enumerate(zip(sizes, self.below.tolist(), self.beyond.tolist(), strict=True)):
            end = start + size
            yield Densities(below, beyond, self.table[start:end], self.reach[start + 2 * i : end + 2 * i + 2])
            start = end
