"""The densities of a column's intervals, and of what lies beyond them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from tallybayes.counts.exact import Floats
from tallybayes.families.numbers.support import LARGEST
from tallybayes.families.smoothing import Smoothed

LEAST = float(np.finfo(np.float64).smallest_subnormal)


class Ranges(NamedTuple):
    """Where the intervals of a column lie."""

    ends: list[float]  # the smallest and the largest value counted, if any
    cuts: Floats
    edges: Floats  # that new values, which are not rounded, are compared with
    half: float  # the range of the values


class Densities(NamedTuple):
    """The densities of a column's intervals."""

    below: float  # the share of the first interval that lies below all values …
    beyond: float  # … and of the last that lies beyond
    table: Floats  # log density [interval, class]
    reach: Floats  # the same with what lies below the first and beyond the last


def densities_of(ranges: Sequence[Ranges], known: Sequence[Smoothed]) -> list[Densities]:
    """Several columns, computed as one table."""
    sizes = np.array([len(each.counts) for each in known])
    ends = np.cumsum(sizes)
    first, last, empty = ends - sizes, ends - 1, np.array([not each.ends for each in ranges])
    counts, logs = np.concatenate([each.counts for each in known]), np.concatenate([each.logs for each in known])
    below, beyond = (np.where(empty, 0.0, 1.0 / (2.0 + counts[at].sum(axis=1))) for at in (first, last))
    inside = np.ones(len(logs))
    inside[first] -= below
    inside[last] -= beyond
    starts, stops = (
        np.concatenate([each.edges[:-1] for each in ranges]),
        np.concatenate([each.edges[1:] for each in ranges]),
    )
    with np.errstate(over="ignore", divide="ignore"):
        widths = np.clip(stops - starts, LEAST, LARGEST)
        widths[first[empty]] = 1.0
        outside = np.log([below, beyond]) + np.log([each.half for each in ranges]) - np.log(2.0)
    table = logs + (np.log(inside) - np.log(widths))[:, None]
    shift = 2 * np.arange(len(sizes))
    reach = np.empty((len(logs) + 2 * len(sizes), logs.shape[1]))
    reach[np.arange(len(logs)) + np.repeat(shift, sizes) + 1] = table
    reach[first + shift] = logs[first] + outside[0][:, None]
    reach[last + shift + 2] = logs[last] + outside[1][:, None]
    spans = zip(below.tolist(), beyond.tolist(), first.tolist(), ends.tolist(), shift.tolist(), strict=True)
    return [Densities(low, high, table[a:b], reach[a + up : b + up + 2]) for low, high, a, b, up in spans]
