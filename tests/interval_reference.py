"""Slow twins of the kernels that make intervals of a column: cut by the classes, or smoothed on a grid."""

import math
from typing import Any, NamedTuple

import numpy as np
from scipy.special import gammaln

from reference import equal_count, left_out_losses, smooth_densities
from tallybayes.families.numbers.stretched import Stretched
from tallybayes.families.numbers.values import least_of_keys, value_keys, values_of_keys

TRIED = (5, 10, 20, 40, 80)  # intervals of equal count
ENOUGH = 1000  # values needed to choose cuts by the classes
GAIN_APART = 3.0  # nats by which the classes must be likelier if every value is an interval
LARGEST, LEAST = np.finfo(np.float64).max, np.finfo(np.float64).tiny


def entropy(counts):
    """n·H of the classes, in nats."""
    n = counts.sum(axis=-1)
    return _phi(n) - _phi(counts).sum(axis=-1)


def _phi(k):
    return k * np.log(np.where(k > 0, k, 1.0))


def worth(counts, at):
    """By how much a cut before this value gains more than it costs to describe (Fayyad and Irani)."""
    sides = [counts.sum(axis=0), counts[:at].sum(axis=0), counts[at:].sum(axis=0)]
    whole, left, right = ((entropy(n), np.sum(n > 0) * entropy(n) / max(n.sum(), LEAST), np.sum(n > 0)) for n in sides)
    cost = math.log(3.0 ** whole[2] - 2.0) - (whole[1] - left[1] - right[1])
    return whole[0] - left[0] - right[0] - math.log(max(counts.sum() - 1.0, 1.0)) - cost


def check_description(counts, cuts, near=1e-7):
    """Asserts that these cuts are the most informative ones, in turn, as long as they are worth it; which of equals is
    chosen does not matter."""
    if len(counts) < 2 or not counts.any():
        assert not len(cuts)
        return
    below = np.cumsum(counts, axis=0)[:-1]
    left = entropy(below) + entropy(counts.sum(axis=0) - below)
    best = np.flatnonzero(left <= left.min() + near) + 1
    if not len(cuts):
        assert any(worth(counts, at) <= near for at in best)
        return
    first = min(cuts, key=lambda at: left[at - 1])
    assert first in best
    assert worth(counts, first) > -near
    check_description(counts[:first], [at for at in cuts if at < first])
    check_description(counts[first:], [at - first for at in cuts if at > first])


def log_likelihood(values, counts, cuts):
    """log P(classes | intervals): the shares of the classes in each are Dirichlet around those of all, worth five."""
    alpha = counts.sum(axis=0) / counts.sum() * 5.0
    at = np.searchsorted(cuts, values, side="right")
    held = np.array([counts[at == i].sum(axis=0) for i in range(len(cuts) + 1)])
    known = alpha > 0
    of_classes = (gammaln(held + alpha) - gammaln(np.where(known, alpha, 1.0)))[:, known].sum()
    return of_classes - (gammaln(held.sum(axis=1) + 5.0) - gammaln(5.0)).sum()


def keys_from(bounds, bits):
    """For each bound the key of the smallest rounded value that is not below it."""
    keys = value_keys(bounds, bits)
    return keys + (values_of_keys(keys, bits) < bounds)


def whole_cells(values, cuts, bits):
    """The cuts that have values on both sides, and the edges that new values are compared with."""
    inner = least_of_keys(keys_from(cuts, bits), bits)
    values = [float(values[0]), float(values[-1])]  # Python's floats overflow silently
    alone = max(abs(values[0]) / 2.0, 5e-324) if values[0] else 0.5
    half = values[-1] / 2.0 - values[0] / 2.0 or alone
    top = least_of_keys(keys_from(np.array(values[-1:]), bits) + 1, bits).item()
    low = min(least_of_keys(keys_from(np.array(values[:1]), bits), bits).item(), values[0] - half * 2.0**-bits)
    high = max(top, values[-1] + half * 2.0**-bits)
    within = (np.diff(inner, prepend=-np.inf) > 0) & (low < inner) & (inner < high)
    return cuts[within], np.array([max(low, -LARGEST), *inner[within], min(high, LARGEST)])


class Grid(NamedTuple):
    """The values of a column on a grid."""

    scale: Stretched
    edges: Any  # on the stretched scale
    inner: Any  # the edges between cells, as numbers
    counts: Any  # [cell, class]
    apart: Any  # values that are not smoothed
    apart_counts: Any  # [value, class]
    bounds: Any  # of the intervals of these values: half-way to their neighbours, [2, value]

    @classmethod
    def of(cls, values, counts):
        """None if there are too few different values to smooth."""
        apart = np.flatnonzero(stands_out(counts.sum(axis=1)))
        own, n = np.delete(values, apart), np.delete(counts, apart, axis=0)
        if len(own) < 10:
            return None
        scale = Stretched.of(own, n.sum(axis=1))
        low, high = np.clip(scale.stretched(own[[0, -1]]), -5.0, 5.0)
        if not low < high:
            return None
        edges = np.linspace(low, high, (128 if len(own) >= 200 else 64) + 1)
        inner = scale.back(edges[1:-1])
        cell = inner.searchsorted(own, "right")
        cells = np.stack([np.bincount(cell, of_class, len(edges) - 1) for of_class in n.T], axis=1)
        further = np.array([-np.inf, *values, np.inf])
        bounds = np.stack([further[apart] / 2.0 + values[apart] / 2.0, further[apart + 2] / 2.0 + values[apart] / 2.0])
        return cls(scale, edges, inner, cells, values[apart], counts[apart], bounds)

    @property
    def step(self):
        return (self.edges[-1] - self.edges[0]) / len(self.counts)

    def cuts(self):
        """Where intervals are cut: at the edges of the cells, and on both sides of the values kept apart."""
        within = ((self.inner[:, None] > self.bounds[0]) & (self.inner[:, None] < self.bounds[1])).any(axis=1)
        found = np.unique(np.concatenate([self.inner[~within], *self.bounds]))
        return found[np.isfinite(found)]

    def places(self, x):
        """Where numbers are on the grid, in cells."""
        return np.clip((self.scale.stretched(x) - self.edges[0]) / self.step, 0.0, len(self.counts))

    def densities(self, weight=1.0):
        middles = (self.edges[:-1] + self.edges[1:]) / 2.0
        return smooth_densities(self.counts, middles, self.step, weight)

    def spread_over(self, smoothed, cuts, edges):
        """Counts of the cells as counts of these intervals: [interval, class]."""
        below = np.vstack([np.zeros(smoothed.shape[1]), np.cumsum(smoothed, axis=0)])
        at = self.places(edges[1:-1])
        reached = np.array([np.interp(at, np.arange(len(below)), of_class) for of_class in below.T]).T
        counts = np.diff(np.vstack([below[:1], np.maximum.accumulate(reached), below[-1:]]), axis=0)
        np.add.at(counts, cuts.searchsorted(self.apart, "right"), self.apart_counts)
        return np.maximum(counts, 0.0)

    def losses(self):
        """Of every density, without and with the price of its parameters."""
        full, left, parameters = self.densities()
        alone = np.broadcast_to(self.apart_counts, (len(full), *self.apart_counts.shape))
        n = np.concatenate([self.counts, self.apart_counts])
        full = np.concatenate([full, alone], axis=1)
        left = np.concatenate([left, np.maximum(alone - 1.0, 0.0)], axis=1)
        found = left_out_losses(full, left, pooled(full), n, 1.0)
        return found, found + 0.25 * parameters

    def left_out(self, density, weight, cuts, edges, counts):
        """The counts of intervals without a value of this weight in each of them, and where there is one."""
        full, left = (each[density] for each in self.densities(weight)[:2])
        places = self.places(edges)
        cells = np.minimum((places[:-1] + places[1:]) / 2.0, len(full) - 1).astype(int)
        rest = counts * np.divide(left, full, out=np.zeros_like(full), where=full > 0)[cells]
        apart = cuts.searchsorted(self.apart, "right")
        rest[apart] = np.maximum(counts[apart] - weight, 0.0)
        return rest, self.counts[cells] > 0


def stands_out(counts):
    """Which of the sorted values, that occurred this often, are kept apart."""
    neighbours = np.maximum(np.append(counts[1:], 0.0), np.insert(counts[:-1], 0, 0.0))
    return (counts >= 0.05 * counts.sum()) & (counts > 3.0 * neighbours)


def pooled(counts):
    """One pseudo-value, spread over the cells as all classes together: [..., cell]."""
    summed = counts.sum(axis=-1)
    return summed / np.maximum(summed.sum(axis=-1, keepdims=True), LEAST)


def can_be_apart(counts):
    """Whether every value may be an interval of its own."""
    return len(counts) <= 1000 and counts.sum() >= 3.0 * len(counts)


def plain_loss(counts, pseudo):
    """The left-out loss of intervals as they were cut."""
    (loss,) = left_out_losses(counts[None], np.maximum(counts - 1.0, 0.0)[None], pseudo[None], counts, pseudo.sum())
    return loss


def halves(values, counts, intervals):
    """Cuts of equal count."""
    return np.array(equal_count(values.tolist(), counts.tolist(), intervals))
