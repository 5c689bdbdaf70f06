"""The intervals of columns: as they are cut, or many small ones with a smooth density.

Columns are cut into intervals of equal length or of equal count, into as many as the classes justify (Fayyad and
Irani's minimum description length), or into whichever of the last two, or one for each value, make the classes most
likely (`kernels/cuts`). A cut lies strictly inside the range; the outer intervals are unbounded.

For "auto", the values are also placed on a grid of equal steps, on a scale that is linear among most of them and
logarithmic far out (`kernels/grid`). On the grid, each class has a Gaussian density, one that is Gaussian on the
stretched scale, kernel estimates of three bandwidths, and mixtures of these. All are written as counts: how many values
each cell would have if the class had that density. A value that stands out from its neighbours, like the zeros of many
columns, keeps a cell of its own and is not smoothed. Which density is used, or the intervals as they were cut, is
decided by leaving out one value at a time: the one under which the classes of left-out values are most probable.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from tallybayes.counts.exact import Counts, Floats
from tallybayes.families.numbers.support import LARGEST
from tallybayes.families.numbers.values import ValueCounts

AUTO = "auto"
STEADY = "steady"
FITTED_CUTS, EQUAL_COUNT = "fitted", "equal count"
METHODS = ("equal length", EQUAL_COUNT, "mdl", FITTED_CUTS, AUTO, STEADY)
CUT_AS = {AUTO: FITTED_CUTS, STEADY: EQUAL_COUNT}  # the methods of kernels that stand for these
LEAST = float(np.finfo(np.float64).smallest_subnormal)


class Ranges(NamedTuple):
    """Where the intervals of a column lie."""

    ends: list[float]  # the smallest and the largest value counted, if any
    cuts: Floats
    edges: Floats  # that new values, which are not rounded, are compared with
    half: float  # half the range of the values


class Intervals(NamedTuple):
    """The intervals of a column, with the counts of each in every class and its pseudo-counts."""

    ranges: Ranges
    counts: Floats
    pseudo: Floats


class Joined(NamedTuple):
    """The intervals of several columns, one after another."""

    sizes: Counts  # how many each column has
    cuts: Floats  # one less than intervals for every column
    edges: Floats  # one more
    counts: Floats  # [interval, class]
    pseudo: Floats

    @classmethod
    def of(cls, parts: Sequence[Joined]) -> Joined:
        return cls(*map(np.concatenate, zip(*parts, strict=True)))

    def apart(self, known: ValueCounts, halves: Floats) -> Iterator[Intervals]:
        """The intervals of each column."""
        ends = np.cumsum(self.sizes).tolist()
        columns = zip([0, *ends], ends, known.apart(), halves.tolist(), strict=False)
        for i, (start, end, (values, *_), half) in enumerate(columns):
            cuts, edges = self.cuts[start - i : end - i - 1], self.edges[start + i : end + i + 1]
            ranges = Ranges([values.item(0), values.item(-1)] if len(values) else [], cuts, edges, half)
            yield Intervals(ranges, self.counts[start:end], self.pseudo[start:end])


class ChosenIntervals(NamedTuple):
    """The intervals of several columns."""

    plain: Joined  # as they are cut
    used: Joined
    halves: Floats  # half the range of the values of each column
    densities: Counts  # the smooth density of each column, negative if its intervals are the plain ones

    @classmethod
    def joined(cls, parts: Sequence[ChosenIntervals]) -> ChosenIntervals:
        plain, used, halves, densities = zip(*parts, strict=True)
        return cls(Joined.of(plain), Joined.of(used), np.concatenate(halves), np.concatenate(densities))


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
        """The densities of each column."""
        start = 0
        for i, (size, below, beyond) in enumerate(zip(sizes, self.below.tolist(), self.beyond.tolist(), strict=True)):
            end = start + size
            yield Densities(below, beyond, self.table[start:end], self.reach[start + 2 * i : end + 2 * i + 2])
            start = end


@lru_cache
def edge_texts(edges: tuple[float, ...]) -> tuple[str, ...]:
    """Numbers as text, with enough digits to tell them apart.

    >>> edge_texts((0.5, 1.5)), edge_texts((1000000.25, 1000000.5))
    (('0.5', '1.5'), ('1000000.2', '1000000.5'))
    """
    for digits in range(6, 18):
        written = tuple(f"{edge:.{digits}g}" for edge in edges)
        if len(set(written)) == len(set(edges)):
            break
    return written
