"""Where to cut a range into intervals, given how often each value occurred in each class.

Intervals of equal length, of equal count, as many as the classes justify (Fayyad and Irani's minimum description
length), or whichever of these make the classes most likely. A cut lies strictly inside the range; the outer intervals
are unbounded.
"""

from __future__ import annotations

import numpy as np

from tallybayes import kernels
from tallybayes.counts.exact import Floats

ENOUGH = 1000  # values needed to choose cuts by the classes
TRIED = (5, 10, 20, 40, 80)  # intervals of equal count
WORTH = 5.0  # values that the prior of the classes in each interval is worth


def equal_length(values: Floats, counts: Floats, intervals: int) -> Floats:
    """Cuts that divide the range evenly."""
    if values[0] == values[-1]:
        return np.zeros(0)
    edges = np.linspace(values[0] / 2.0, values[-1] / 2.0, intervals + 1) * 2.0  # in halves: the range may not fit
    return np.unique(edges[1:-1])


def equal_count(values: Floats, counts: Floats, intervals: int) -> Floats:
    """Cuts half-way between neighbouring values, where the cumulative count is closest to each share."""
    return kernels.equal_count(values, np.ascontiguousarray(counts), intervals)


def least_description(values: Floats, counts: Floats, intervals: int) -> Floats:
    """Cuts that are more informative about the class than they cost to describe; `intervals` is ignored."""
    return half_way(values)[kernels.least_description(np.ascontiguousarray(counts)) - 1]


def likeliest(values: Floats, counts: Floats, intervals: int) -> Floats:
    """Cuts of equal count, few or many, or "mdl": those under which the classes are most likely. Fewer than a thousand
    values cannot tell, and are cut into `intervals` of equal count."""
    if counts.sum() < ENOUGH:
        return equal_count(values, counts, intervals)
    tried = [equal_count(values, counts, many) for many in TRIED] + [least_description(values, counts, intervals)]
    return max(tried, key=lambda cuts: _log_likelihood(cuts, values, counts))


AUTO = "auto"  # these, or a smooth density if it predicts the classes better (smooth.py)
METHODS = {
    "equal length": equal_length,
    "equal count": equal_count,
    "mdl": least_description,
    "fitted": likeliest,
    AUTO: likeliest,
}


def half_way(values: Floats) -> Floats:
    return values[:-1] / 2.0 + values[1:] / 2.0


def description_of(cuts: Floats, values: Floats, counts: Floats) -> float:
    """The nats it takes to say where cuts are that were chosen by the classes; 0 for cuts of equal count."""
    if counts.sum() < ENOUGH or any(np.array_equal(cuts, equal_count(values, counts, many)) for many in TRIED):
        return 0.0
    return len(cuts) * float(np.log(max(len(values), 2)))


def _log_likelihood(cuts: Floats, values: Floats, counts: Floats) -> float:
    """log P(classes | intervals). In every interval the shares of the classes have a Dirichlet prior around those of
    the whole column, worth a few values."""
    starts = np.searchsorted(values, cuts)
    return kernels.log_likelihood_of_cuts(np.ascontiguousarray(counts), starts, WORTH)
