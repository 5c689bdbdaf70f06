"""Where to cut a range into intervals, given how often each value occurred in each class.

Three ways: intervals of equal length, of equal count, or as many as the classes justify (Fayyad and Irani's minimum
description length). A cut lies strictly inside the range; the outer intervals reach as far as values ever come.
"""

from __future__ import annotations

import numpy as np

from tallybayes.exact import Floats


def equal_length(values: Floats, counts: Floats, intervals: int) -> Floats:
    """Cuts that divide the range evenly."""
    if values[0] == values[-1]:
        return np.zeros(0)
    edges = np.linspace(values[0] / 2.0, values[-1] / 2.0, intervals + 1) * 2.0  # in halves: the range may not fit
    return np.unique(edges[1:-1])


def equal_count(values: Floats, counts: Floats, intervals: int) -> Floats:
    """Cuts half-way between neighbouring values, where the cumulated count comes nearest to each share."""
    below = np.cumsum(counts.sum(axis=1))
    middles = half_way(values)
    shares = below[-1] * np.arange(1, intervals) / intervals
    nearest = np.abs(below[:-1, None] - shares).argmin(axis=0) if len(middles) else np.zeros(0, int)
    return middles[np.unique(nearest)]


def least_description(values: Floats, counts: Floats, intervals: int) -> Floats:
    """Cuts that tell more about the class than they cost to describe; `intervals` is not asked."""
    cuts: list[int] = []
    pending = [(0, len(values))]
    while pending:
        first, stop = pending.pop()
        at = _best_cut(counts[first:stop])
        if at is not None:
            cuts.append(first + at)
            pending += [(first, first + at), (first + at, stop)]
    return half_way(values)[np.array(sorted(cuts), int) - 1]


METHODS = {"equal length": equal_length, "equal count": equal_count, "mdl": least_description}


def half_way(values: Floats) -> Floats:
    return values[:-1] / 2.0 + values[1:] / 2.0


def _entropy(counts: Floats) -> Floats:
    """Of the classes, in bits, for every row of counts."""
    total = counts.sum(axis=-1, keepdims=True)
    p = counts / np.where(total > 0, total, 1.0)
    return -np.sum(p * np.log2(np.where(p > 0, p, 1.0)), axis=-1)


def _best_cut(counts: Floats) -> int | None:
    """How many of these values go to the left of the cut that tells most, or nothing if no cut is worth its cost."""
    if len(counts) < 2:
        return None
    left = np.cumsum(counts, axis=0)[:-1]
    whole = counts.sum(axis=0)
    right = whole - left
    n, n_left, n_right = whole.sum(), left.sum(axis=1), right.sum(axis=1)
    before, on_left, on_right = _entropy(whole), _entropy(left), _entropy(right)
    after = (n_left * on_left + n_right * on_right) / n
    at = int(after.argmin())
    kinds, kinds_left, kinds_right = ((np.asarray(c) > 0).sum() for c in (whole, left[at], right[at]))
    cost = (
        kinds * np.log2(3.0)
        + np.log2(1.0 - 2.0 * 3.0 ** -float(kinds))
        - (kinds * before - kinds_left * on_left[at] - kinds_right * on_right[at])
    )
    return at + 1 if before - after[at] > (np.log2(max(n - 1.0, 1.0)) + cost) / n else None
