"""Smooth densities of a column, in many small intervals, and whether they predict the classes better than a few.

The values are placed on a grid of equal steps on a scale that is linear among most of them and logarithmic far out
(`stretched`). On the grid, each class has a Gaussian density, one that is Gaussian on the stretched scale, kernel
estimates of three bandwidths, and mixtures of these. All are written as counts: how many values each cell would have if
the class had that density. A value that stands out from its neighbours, like the zeros of many columns, keeps a cell
of its own and is not smoothed.

Which density is used is decided by leaving out one value at a time: the one under which the classes of left-out values
are most probable.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tallybayes import kernels
from tallybayes.counts.exact import Floats
from tallybayes.families.numbers.interval_densities import Ranges, whole_cells
from tallybayes.families.numbers.intervals import description_of
from tallybayes.families.numbers.stretched import Stretched

CELLS = 128
FEWER = 64  # cells, for fewer than MANY different values
MANY = 200
FURTHEST = 5.0  # on the stretched scale; what lies beyond is in the outermost cells
FEWEST = 10  # different values
STANDS_OUT = 0.05  # the share of all values that one value must have to be kept apart …
AS_OFTEN = 3.0  # … and how many times as often as its neighbours it must occur
PRICE = 0.25  # nats of left-out loss that a parameter must gain
RAREST = 1e-9  # pseudo-count: an interval between two steps of the rounding has no share of the density
LEAST = float(np.finfo(np.float64).tiny)


class Intervals(NamedTuple):
    """Intervals of a column, with the counts of each in every class and its pseudo-counts."""

    ranges: Ranges
    counts: Floats
    pseudo: Floats


class Grid(NamedTuple):
    """The values of a column on a grid."""

    scale: Stretched
    edges: Floats  # on the stretched scale
    inner: Floats  # the edges between cells, as numbers
    counts: Floats  # [cell, class]
    apart: Floats  # values that are not smoothed
    apart_counts: Floats  # [value, class]
    bounds: Floats  # of the intervals of these values: half-way to their neighbours, [2, value]

    @classmethod
    def of(cls, values: Floats, counts: Floats) -> Grid | None:
        """None if there are too few different values to smooth."""
        together = counts.sum(axis=1)
        apart = np.flatnonzero(stands_out(together))
        own, n, often = values, counts, together
        if len(apart):
            own, n, often = (np.delete(each, apart, axis=0) for each in (values, counts, together))
        if len(own) < FEWEST:
            return None
        scale = Stretched.of(own, often)
        low, high = np.clip(scale.stretched(own[[0, -1]]), -FURTHEST, FURTHEST)
        if not low < high:
            return None
        edges = np.linspace(low, high, (CELLS if len(own) >= MANY else FEWER) + 1)
        inner = scale.back(edges[1:-1])
        ends = np.concatenate([[0], own.searchsorted(inner), [len(own)]])
        cells = np.add.reduceat(n, np.minimum(ends[:-1], len(own) - 1), axis=0)
        cells[ends[:-1] == ends[1:]] = 0.0
        return cls(scale, edges, inner, cells, values[apart], counts[apart], _bounds(values, apart))

    @property
    def step(self) -> float:
        return float(self.edges[-1] - self.edges[0]) / len(self.counts)

    def cuts(self) -> Floats:
        """Where intervals are cut: at the edges of the cells, and on both sides of the values kept apart."""
        if not len(self.apart):
            return self.inner
        within = ((self.inner[:, None] > self.bounds[0]) & (self.inner[:, None] < self.bounds[1])).any(axis=1)
        found = np.unique(np.concatenate([self.inner[~within], *self.bounds]))
        return found[np.isfinite(found)]

    def spread_over(self, smoothed: Floats, ranges: Ranges) -> Floats:
        """Counts of the grid's cells as counts of these intervals: [interval, class]."""
        below = np.vstack([np.zeros(smoothed.shape[1]), np.cumsum(smoothed, axis=0)])
        at = self._places(ranges.edges[1:-1])
        cell = np.minimum(at.astype(np.intp), len(smoothed) - 1)
        reached = below[cell] + (at - cell)[:, None] * smoothed[cell]
        counts = np.diff(np.vstack([below[:1], np.maximum.accumulate(reached), below[-1:]]), axis=0)
        counts[self.intervals_apart(ranges)] += self.apart_counts
        return np.maximum(counts, 0.0)

    def intervals_apart(self, ranges: Ranges) -> NDArray[np.intp]:
        """The intervals of the values that are kept apart."""
        return ranges.cuts.searchsorted(self.apart, "right")

    def cells_of(self, ranges: Ranges) -> NDArray[np.intp]:
        """The cell that the middle of each interval is in."""
        places = self._places(ranges.edges)
        return np.minimum((places[:-1] + places[1:]) / 2.0, len(self.counts) - 1).astype(np.intp)

    def _places(self, x: Floats) -> Floats:
        """Where numbers are on the grid, in cells."""
        return np.asarray(np.clip((self.scale.stretched(x) - self.edges[0]) / self.step, 0.0, len(self.counts)))


def stands_out(counts: Floats) -> NDArray[np.bool_]:
    """Which of the sorted values, that occurred this often, are kept apart."""
    neighbours = np.zeros(len(counts))
    neighbours[:-1] = counts[1:]
    np.maximum(neighbours[1:], counts[:-1], out=neighbours[1:])
    return (counts >= STANDS_OUT * counts.sum()) & (counts > AS_OFTEN * neighbours)


def _bounds(values: Floats, apart: NDArray[np.intp]) -> Floats:
    """Half-way from these values to their neighbours; infinite where there is none."""
    if not len(apart):
        return np.zeros((2, 0))
    last = len(values) - 1
    low, high = (values[np.clip(apart + step, 0, last)] / 2.0 + values[apart] / 2.0 for step in (-1, 1))
    return np.stack([np.where(apart > 0, low, -np.inf), np.where(apart < last, high, np.inf)])


class Densities(NamedTuple):
    """The counts that a grid would have under several densities: [density, cell, class]."""

    full: Floats
    left: Floats  # in the cell and class of a value that is left out
    parameters: Floats  # that each density has: for kernels, how many widths fit into the range


def densities(grid: Grid, weight: float = 1.0) -> Densities:
    """All densities; for each cell and class also without one of its values, which has this weight."""
    middles = (grid.edges[:-1] + grid.edges[1:]) / 2.0
    return Densities(*kernels.smooth_densities(grid.counts, middles, grid.step, weight))


def pooled(counts: Floats) -> Floats:
    """One pseudo-value, spread over the cells as all classes together: [..., cell]."""
    summed = counts.sum(axis=-1)
    return np.asarray(summed / np.maximum(summed.sum(axis=-1, keepdims=True), LEAST))


def best_density(grid: Grid) -> tuple[int, float, Floats]:
    """The density under which the classes of left-out values are most probable, with a preference for few parameters;
    the lowest loss of all; and the counts of the grid under that density."""
    smoothed, left, parameters = densities(grid)
    n, full = grid.counts, smoothed
    if len(grid.apart):
        alone = np.broadcast_to(grid.apart_counts, (len(full), *grid.apart_counts.shape))
        n = np.concatenate([n, grid.apart_counts])
        full = np.concatenate([full, alone], axis=1)
        left = np.concatenate([left, np.maximum(alone - 1.0, 0.0)], axis=1)
    losses = kernels.left_out_losses(full, left, pooled(full), n, 1.0)
    best = int((losses + PRICE * parameters).argmin())
    return best, float(losses.min()), smoothed[best]


class Smooth(NamedTuple):
    """A column with a smooth density."""

    grid: Grid
    density: int
    counts: Floats  # of the grid's cells under that density

    def over(self, ranges: Ranges) -> Intervals:
        """The same as counts of intervals."""
        counts = self.grid.spread_over(self.counts, ranges)
        return Intervals(ranges, counts, np.maximum(pooled(counts), RAREST))


def smoother(values: Floats, counts: Floats, plain: Intervals) -> Smooth | None:
    """The best smooth density of a column; None if the `plain` intervals predict the classes as well."""
    grid = Grid.of(values, counts)
    if grid is None:
        return None
    density, loss, smoothed = best_density(grid)
    n, pseudo = plain.counts, plain.pseudo
    (cost,) = kernels.left_out_losses(n[None], np.maximum(n - 1.0, 0.0)[None], pseudo[None], n, float(pseudo.sum()))
    if loss < cost or loss < cost + description_of(plain.ranges.cuts, values, counts):
        return Smooth(grid, density, smoothed)
    return None


def in_intervals(smooth: Sequence[Smooth], values: Sequence[Floats], bits: int) -> list[Intervals]:
    """The intervals of several columns."""
    ranges = whole_cells(values, [each.grid.cuts() for each in smooth], bits)
    return [each.over(own) for each, own in zip(smooth, ranges, strict=True)]
