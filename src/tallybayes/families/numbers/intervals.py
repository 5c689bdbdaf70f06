"""Where to cut a range into intervals, given how often each value occurred in each class.

Intervals of equal length, of equal count, as many as the classes justify (Fayyad and Irani's minimum description
length), or whichever of these make the classes likeliest. A cut lies strictly inside the range; the outer intervals
reach as far as values ever come.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tallybayes import kernels
from tallybayes.counts.exact import Floats
from tallybayes.kernels.special import log_rising

ENOUGH = 1000  # values from which the classes can say where to cut
TRIED = (5, 10, 20, 40, 80)  # intervals of equal count
WORTH = 5.0  # values, of what is assumed of the classes in each


def equal_length(values: Floats, counts: Floats, intervals: int) -> Floats:
    """Cuts that divide the range evenly."""
    if values[0] == values[-1]:
        return np.zeros(0)
    edges = np.linspace(values[0] / 2.0, values[-1] / 2.0, intervals + 1) * 2.0  # in halves: the range may not fit
    return np.unique(edges[1:-1])


def equal_count(values: Floats, counts: Floats, intervals: int) -> Floats:
    """Cuts half-way between neighbouring values, where the cumulated count comes nearest to each share."""
    return kernels.equal_count(values, np.ascontiguousarray(counts), intervals)


def least_description(values: Floats, counts: Floats, intervals: int) -> Floats:
    """Cuts that tell more about the class than they cost to describe; `intervals` is not asked."""
    number, place = np.nonzero(counts.T > 0)
    cuts: list[int] = []
    pending = [CountedValues(place, number, counts[place, number])]
    while pending:
        held = pending.pop()
        at = _best_cut(held)
        if at is not None:
            cuts.append(at)
            pending += [held.where(held.place < at), held.where(held.place >= at)]
    return half_way(values)[np.array(sorted(cuts), int) - 1]


def likeliest(values: Floats, counts: Floats, intervals: int) -> Floats:
    """Cuts of equal count, few or many, or "mdl": those under which the classes are likeliest. Fewer than a thousand
    values cannot say, and are cut into `intervals` of equal count."""
    if counts.sum() < ENOUGH:
        return equal_count(values, counts, intervals)
    tried = [equal_count(values, counts, many) for many in TRIED] + [least_description(values, counts, intervals)]
    return max(tried, key=lambda cuts: _log_likelihood(cuts, values, counts))


METHODS = {"equal length": equal_length, "equal count": equal_count, "mdl": least_description, "fitted": likeliest}


def half_way(values: Floats) -> Floats:
    return values[:-1] / 2.0 + values[1:] / 2.0


def _log_likelihood(cuts: Floats, values: Floats, counts: Floats) -> float:
    """log P(classes | intervals). In every interval the shares of the classes are taken as drawn around those of the
    whole column, from a Dirichlet distribution that is worth a few values."""
    met = counts[:, counts.sum(axis=0) > 0]
    at = np.searchsorted(cuts, values, side="right")
    held = np.stack([np.bincount(at, column, len(cuts) + 1) for column in met.T], axis=1)
    alpha = WORTH * met.sum(axis=0) / met.sum()
    return float(np.sum(log_rising(alpha, held)) - np.sum(log_rising(np.array(WORTH), held.sum(axis=1))))


class CountedValues(NamedTuple):
    """What is not zero of the counts of some neighbouring values: class by class, and in each in the values' order."""

    place: NDArray[np.intp]  # which value
    number: NDArray[np.intp]  # which class
    weight: Floats

    def where(self, kept: NDArray[np.bool_]) -> CountedValues:
        return CountedValues(self.place[kept], self.number[kept], self.weight[kept])


def _best_cut(held: CountedValues) -> int | None:
    """The value before which the cut lies that tells most, or nothing if no cut is worth its cost.

    The entropy H of n values' classes is (φ(n) − Σ φ(count)) / n bits, with φ(k) = k·log₂ k. From one value to the
    next, only the classes that have the value change.
    """
    first = held.place.min()
    at = held.place - first
    size = int(at.max()) + 1
    if size < 2:
        return None
    starts = np.flatnonzero(np.diff(held.number, prepend=-1))
    lengths = np.diff(starts, append=len(at))
    summed = np.cumsum(held.weight)
    on_left = summed - np.repeat(summed[starts] - held.weight[starts], lengths)
    whole = on_left[starts + lengths - 1]
    on_right = np.repeat(whole, lengths) - on_left

    def over_cuts(changes: Floats) -> Floats:
        return np.asarray(np.cumsum(np.bincount(at, changes, size))[:-1], np.float64)

    n, n_left = whole.sum(), over_cuts(held.weight)
    n_right = n - n_left
    bits = _phi(n) - _phi(whole).sum()
    bits_left = _phi(n_left) - over_cuts(_phi(on_left) - _phi(on_left - held.weight))
    bits_right = _phi(n_right) - _phi(whole).sum() - over_cuts(_phi(on_right) - _phi(on_right + held.weight))
    best = int(np.argmin(bits_left + bits_right))
    kinds = np.array([len(starts), *(len(np.unique(held.number[side])) for side in (at <= best, at > best))])
    entropies = np.array([bits / n, bits_left[best] / n_left[best], bits_right[best] / n_right[best]])
    cost = kinds[0] * np.log2(3.0) + np.log2(1.0 - 2.0 * 3.0 ** -float(kinds[0])) - kinds @ (entropies * [1, -1, -1])
    gain = bits - bits_left[best] - bits_right[best]
    return int(first) + best + 1 if gain > np.log2(max(n - 1.0, 1.0)) + cost else None


def _phi(k: Any) -> Any:
    return k * np.log2(np.where(k > 0, k, 1.0))
