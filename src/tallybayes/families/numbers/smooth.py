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

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tallybayes import kernels
from tallybayes.counts.exact import Floats
from tallybayes.families.numbers.gaussian import Gaussian
from tallybayes.families.numbers.interval_densities import Ranges, whole_cells
from tallybayes.families.numbers.intervals import description_of
from tallybayes.families.numbers.moments import Moments
from tallybayes.families.numbers.stretched import Stretched
from tallybayes.families.numbers.values import value_keys, values_of_keys

CELLS = 128
FURTHEST = 5.0  # on the stretched scale; what lies beyond is in the outermost cells
FACTORS = (0.5, 1.0, 2.0)  # of Silverman's bandwidth
NARROWEST = 0.5  # bandwidth, in cells
FEWEST = 10  # different values
STANDS_OUT = 0.05  # the share of all values that one value must have to be kept apart …
AS_OFTEN = 3.0  # … and how many times as often as its neighbours it must occur
MIXED = ((0, 2), (0, 3), (1, 2), (1, 3))  # of which densities there are mixtures, half and half
NORMAL = Gaussian()
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
    counts: Floats  # [cell, class]
    apart: Floats  # values that are not smoothed
    apart_counts: Floats  # [value, class]

    @classmethod
    def of(cls, values: Floats, counts: Floats) -> Grid | None:
        """None if there are too few different values to smooth."""
        apart = stands_out(counts.sum(axis=1))
        own, n = values[~apart], counts[~apart]
        if len(own) < FEWEST:
            return None
        scale = Stretched.of(own, n.sum(axis=1))
        places = np.clip(scale.stretched(own), -FURTHEST, FURTHEST)
        low, high = places[0], places[-1]
        if not low < high:
            return None
        edges = np.linspace(low, high, CELLS + 1)
        at = np.minimum((places - low) * (CELLS / (high - low)), CELLS - 1).astype(np.intp)
        width = n.shape[1]
        cells = at[:, None] * width + np.arange(width)
        summed = np.bincount(cells.reshape(-1), n.reshape(-1), CELLS * width).astype(np.float64)
        return cls(scale, edges, summed.reshape(CELLS, width), values[apart], counts[apart])

    def cuts(self, bits: int) -> Floats:
        """Where intervals are cut: at the edges of the cells, and on both sides of the values kept apart."""
        keys = value_keys(self.apart, bits)
        bounds = [self.scale.back(self.edges[1:-1]), values_of_keys(keys, bits), values_of_keys(keys + 1, bits)]
        return np.unique(np.concatenate(bounds))

    def spread_over(self, smoothed: Floats, ranges: Ranges) -> Floats:
        """Counts of the grid's cells as counts of these intervals: [interval, class]."""
        below = np.vstack([np.zeros(smoothed.shape[1]), np.cumsum(smoothed, axis=0)])
        inner = np.clip(self.scale.stretched(ranges.edges[1:-1]), self.edges[0], self.edges[-1])
        at = (inner - self.edges[0]) * (CELLS / (self.edges[-1] - self.edges[0]))
        cell = np.minimum(at.astype(np.intp), CELLS - 1)
        reached = below[cell] + (at - cell)[:, None] * smoothed[cell]
        counts = np.diff(np.vstack([below[:1], np.maximum.accumulate(reached), below[-1:]]), axis=0)
        counts[self.intervals_apart(ranges)] += self.apart_counts
        return np.maximum(counts, 0.0)

    def intervals_apart(self, ranges: Ranges) -> NDArray[np.intp]:
        """The intervals of the values that are kept apart."""
        return ranges.cuts.searchsorted(self.apart, "right")

    def cells_of(self, ranges: Ranges) -> NDArray[np.intp]:
        """The cell in which each interval begins."""
        inner = self.scale.stretched(np.append(ranges.edges[0], ranges.edges[1:-1]))
        at = (inner - self.edges[0]) * (CELLS / (self.edges[-1] - self.edges[0])) + 1e-9
        return np.clip(at, 0, CELLS - 1).astype(np.intp)


def stands_out(counts: Floats) -> NDArray[np.bool_]:
    """Which of the sorted values, that occurred this often, are kept apart."""
    neighbours = np.zeros(len(counts))
    neighbours[:-1] = counts[1:]
    np.maximum(neighbours[1:], counts[:-1], out=neighbours[1:])
    return (counts >= STANDS_OUT * counts.sum()) & (counts > AS_OFTEN * neighbours)


class Densities(NamedTuple):
    """The counts that a grid would have under several densities: [density, cell, class]."""

    full: Floats
    left: Floats  # in the cell and class of a value that is left out


def densities(grid: Grid, weight: float = 1.0) -> Densities:
    """All densities; for each cell and class also without one of its values, which has this weight."""
    n, middles = grid.counts, (grid.edges[:-1] + grid.edges[1:]) / 2.0
    found = [_student(np.sinh(middles), np.cosh(middles), n, weight), _student(middles, 1.0, n, weight)]
    widths = _bandwidths(middles, n) / (grid.edges[1] - grid.edges[0])
    for factor in FACTORS:
        sums, own = kernels.smooth_counts(n, np.maximum(widths * factor, NARROWEST))
        found.append(Densities(sums, np.maximum(sums - weight * own, 0.0)))
    full, left = (np.array([each[i] for each in found]) for i in range(2))
    pairs = np.array(MIXED)
    full, left = (np.concatenate([each, each[pairs].mean(axis=1)]) for each in (full, left))
    return Densities(full, left)


def _student(x: Floats, slope: Floats | float, n: Floats, weight: float) -> Densities:
    """Student's distribution, the predictive of a Gaussian, at the middles of the cells."""
    whole, own = _moments(x, n.sum(axis=1, keepdims=True)), _moments(x, n)
    total = Moments(*(each[0] for each in whole))
    rest = np.maximum(own.n - weight, 0.0)
    some = rest > 0
    off, at = x[:, None] - own.mean, np.where(some, rest, 1.0)
    mean = np.where(some, own.mean - off * (weight / at), 0.0)
    scatter = np.where(some, np.maximum(own.scatter - off**2 * weight * (own.n / at), 0.0), 0.0)
    without = Moments(np.broadcast_to(rest, mean.shape), mean, scatter)
    with np.errstate(under="ignore"):
        heights, left = (
            np.exp(NORMAL.log_predictive(NORMAL.updated(s, total), x[:, None])) * np.reshape(slope, (-1, 1))
            for s in (own, without)
        )
    share = np.maximum(heights.sum(axis=0), LEAST)
    return Densities(own.n * (heights / share), rest * (left / share))


def _moments(x: Floats, n: Floats) -> Moments:
    total = n.sum(axis=0)
    mean = (x @ n) / np.where(total > 0, total, 1.0)
    return Moments(total, mean, (n * (x[:, None] - mean) ** 2).sum(axis=0))


def _bandwidths(x: Floats, n: Floats) -> Floats:
    """Silverman's bandwidth for every class; that of all together for a class whose values are equal."""
    both = np.column_stack([n, n.sum(axis=1)])
    total, _, scatter = _moments(x, both)
    some = np.where(total > 0, total, 1.0)
    sd = np.sqrt(scatter / some)
    below = np.cumsum(both, axis=0)
    low, high = (x[(below >= share * total).argmax(axis=0)] for share in (0.25, 0.75))
    quartiles = (high - low) / 1.34
    found = 0.9 * np.where((quartiles > 0) & (quartiles < sd), quartiles, sd) * some**-0.2
    return np.where(found[:-1] > 0, found[:-1], found[-1])


def loss_of(full: Floats, left: Floats, pseudo: Floats, n: Floats, worth: float) -> Floats:
    """Σ −log P(class | cell) of values n[cell, class], each left out, for every density: full[…, cell, class] are the
    counts of all values, and `left` those in a value's own cell and class without it. `pseudo` are the pseudo-counts of
    each cell, `worth` in all."""
    totals = n.sum(axis=0)
    likely = (full + pseudo[..., None]) * (totals / np.maximum(totals + worth, LEAST))
    without = (left + pseudo[..., None]) * (totals / np.maximum(np.maximum(totals - 1.0, 0.0) + worth, LEAST))
    whole = likely.sum(axis=-1, keepdims=True) - likely + without
    with np.errstate(divide="ignore", invalid="ignore"):
        lost = np.where(n > 0, n * (np.log(whole) - np.log(without)), 0.0)
    found = lost.sum(axis=(-1, -2))
    return np.asarray(np.where(np.isnan(found), np.inf, found))


def pooled(counts: Floats) -> Floats:
    """One pseudo-value, spread over the cells as all classes together: [..., cell]."""
    summed = counts.sum(axis=-1)
    return np.asarray(summed / np.maximum(summed.sum(axis=-1, keepdims=True), LEAST))


def best_density(grid: Grid) -> tuple[int, float]:
    """The density under which the classes of left-out values are most probable, and the loss."""
    full, left = densities(grid)
    alone = np.broadcast_to(grid.apart_counts, (len(full), *grid.apart_counts.shape))
    n = np.concatenate([grid.counts, grid.apart_counts])
    full = np.concatenate([full, alone], axis=1)
    left = np.concatenate([left, np.maximum(alone - 1.0, 0.0)], axis=1)
    filled = n.any(axis=1)
    losses = loss_of(full[:, filled], left[:, filled], pooled(full)[:, filled], n[filled], 1.0)
    best = int(losses.argmin())
    return best, float(losses[best])


class Smooth(NamedTuple):
    """A column with a smooth density."""

    grid: Grid
    density: int
    intervals: Intervals


def smoother(values: Floats, counts: Floats, plain: Intervals, bits: int) -> Smooth | None:
    """The best smooth density of a column; None if the `plain` intervals predict the classes as well."""
    grid = Grid.of(values, counts)
    if grid is None:
        return None
    density, loss = best_density(grid)
    n, pseudo = plain.counts, plain.pseudo
    cost = float(loss_of(n, np.maximum(n - 1.0, 0.0), pseudo, n, float(pseudo.sum())))
    if not loss < cost + description_of(plain.ranges.cuts, values, counts):
        return None
    (ranges,) = whole_cells([values], [grid.cuts(bits)], bits)
    spread = grid.spread_over(densities(grid).full[density], ranges)
    return Smooth(grid, density, Intervals(ranges, spread, pooled(spread)))
