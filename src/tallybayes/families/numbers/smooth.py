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
from tallybayes.families.numbers.intervals import description_of, half_way
from tallybayes.families.numbers.moments import Moments
from tallybayes.families.numbers.stretched import Stretched

CELLS = 128
FURTHEST = 5.0  # on the stretched scale; what lies beyond is in the outermost cells
FACTORS = (0.5, 1.0, 2.0)  # of Silverman's bandwidth
NARROWEST = 0.5  # bandwidth, in cells
FEWEST = 10  # different values
STANDS_OUT = 0.05  # the share of all values that one value must have to be kept apart …
AS_OFTEN = 3.0  # … and how many times as often as its neighbours it must occur
PRICE = 0.25  # nats of left-out loss that a parameter must gain
MIXED = ((0, 2), (0, 3), (1, 2), (1, 3))  # of which densities there are mixtures, half and half
NORMAL = Gaussian()
ROOT = float(np.sqrt(2.0 * np.pi))
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
    bounds: Floats  # of the intervals of these values: half-way to their neighbours, [2, value]

    @classmethod
    def of(cls, values: Floats, counts: Floats) -> Grid | None:
        """None if there are too few different values to smooth."""
        apart = stands_out(counts.sum(axis=1))
        own, n = values[~apart], counts[~apart]
        if len(own) < FEWEST:
            return None
        scale = Stretched.of(own, n.sum(axis=1))
        low, high = np.clip(scale.stretched(own[[0, -1]]), -FURTHEST, FURTHEST)
        if not low < high:
            return None
        edges = np.linspace(low, high, CELLS + 1)
        at, width = scale.back(edges[1:-1]).searchsorted(own, "right"), n.shape[1]
        cells = at[:, None] * width + np.arange(width)
        summed = np.bincount(cells.reshape(-1), n.reshape(-1), CELLS * width).astype(np.float64)
        between = np.concatenate([[-np.inf], half_way(values), [np.inf]])
        bounds = np.stack([between[:-1][apart], between[1:][apart]])
        return cls(scale, edges, summed.reshape(CELLS, width), values[apart], counts[apart], bounds)

    @property
    def step(self) -> float:
        return float(self.edges[-1] - self.edges[0]) / CELLS

    def cuts(self) -> Floats:
        """Where intervals are cut: at the edges of the cells, and on both sides of the values kept apart."""
        inner = self.scale.back(self.edges[1:-1])
        within = ((inner[:, None] > self.bounds[0]) & (inner[:, None] < self.bounds[1])).any(axis=1)
        found = np.unique(np.concatenate([inner[~within], *self.bounds]))
        return found[np.isfinite(found)]

    def spread_over(self, smoothed: Floats, ranges: Ranges) -> Floats:
        """Counts of the grid's cells as counts of these intervals: [interval, class]."""
        below = np.vstack([np.zeros(smoothed.shape[1]), np.cumsum(smoothed, axis=0)])
        at = self._places(ranges.edges[1:-1])
        cell = np.minimum(at.astype(np.intp), CELLS - 1)
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
        return np.minimum((places[:-1] + places[1:]) / 2.0, CELLS - 1).astype(np.intp)

    def _places(self, x: Floats) -> Floats:
        """Where numbers are on the grid, in cells."""
        return np.asarray(np.clip((self.scale.stretched(x) - self.edges[0]) / self.step, 0.0, CELLS))


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
    parameters: Floats  # that each density has: for kernels, how many widths fit into the range


def densities(grid: Grid, weight: float = 1.0) -> Densities:
    """All densities; for each cell and class also without one of its values, which has this weight."""
    n, middles = grid.counts, (grid.edges[:-1] + grid.edges[1:]) / 2.0
    found = [_student(np.sinh(middles), np.cosh(middles), n, weight), _student(middles, np.ones(CELLS), n, weight)]
    parameters = [2.0 * n.shape[1]] * 2
    rule = _bandwidths(middles, n) / grid.step
    for factor in FACTORS:
        widths = np.maximum(rule * factor, NARROWEST)
        sums, own = kernels.smooth_counts(n, widths)
        found.append((sums, np.maximum(sums - weight * own, 0.0)))
        parameters.append(float(np.sum(CELLS / (ROOT * widths))))
    pairs = np.array(MIXED)
    alone = (np.array([full for full, _ in found]), np.array([left for _, left in found]), np.array(parameters))
    return Densities(*(np.concatenate([each, each[pairs].mean(axis=1)]) for each in alone))


def _student(x: Floats, slope: Floats, n: Floats, weight: float) -> tuple[Floats, Floats]:
    """Student's distribution, the predictive of a Gaussian, at the middles of the cells."""
    own, total = _moments(x, n), Moments(*(each[0] for each in _moments(x, n.sum(axis=1, keepdims=True))))
    rest = np.maximum(own.n - weight, 0.0)
    some = rest > 0
    off, at = x[:, None] - own.mean, np.where(some, rest, 1.0)
    mean = np.where(some, own.mean - off * (weight / at), 0.0)
    scatter = np.where(some, np.maximum(own.scatter - off**2 * weight * (own.n / at), 0.0), 0.0)
    without = Moments(np.broadcast_to(rest, mean.shape), mean, scatter)
    heights, left = (
        np.exp(NORMAL.log_predictive(NORMAL.updated(s, total), x[:, None])) * slope[:, None] for s in (own, without)
    )
    share = np.maximum(heights.sum(axis=0), LEAST)
    return own.n * (heights / share), rest * (left / share)


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


def best_density(grid: Grid) -> tuple[int, float, Floats]:
    """The density under which the classes of left-out values are most probable, with a preference for few parameters;
    the lowest loss of all; and the counts of the grid under that density."""
    smoothed, left, parameters = densities(grid)
    alone = np.broadcast_to(grid.apart_counts, (len(smoothed), *grid.apart_counts.shape))
    n = np.concatenate([grid.counts, grid.apart_counts])
    full = np.concatenate([smoothed, alone], axis=1)
    left = np.concatenate([left, np.maximum(alone - 1.0, 0.0)], axis=1)
    filled = n.any(axis=1)
    losses = loss_of(full[:, filled], left[:, filled], pooled(full)[:, filled], n[filled], 1.0)
    best = int((losses + PRICE * parameters).argmin())
    return best, float(losses.min()), smoothed[best]


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
    density, loss, smoothed = best_density(grid)
    n, pseudo = plain.counts, plain.pseudo
    cost = float(loss_of(n, np.maximum(n - 1.0, 0.0), pseudo, n, float(pseudo.sum())))
    if not loss < cost + description_of(plain.ranges.cuts, values, counts):
        return None
    (ranges,) = whole_cells([values], [grid.cuts()], bits)
    spread = grid.spread_over(smoothed, ranges)
    return Smooth(grid, density, Intervals(ranges, spread, pooled(spread)))
