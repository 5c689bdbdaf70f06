"""Where the intervals of a column end, their densities, and what lies beyond them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import compress
from typing import NamedTuple

import numpy as np

from tallybayes.counts.exact import Floats
from tallybayes.families.numbers.support import LARGEST
from tallybayes.families.numbers.values import keys_from, least_of_keys
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


def whole_cells(columns: Sequence[Floats], cuts: Sequence[Floats], bits: int) -> list[Ranges]:
    """The edges that new values are compared with, for every column; cuts with nothing on one side are dropped."""
    bounds = np.concatenate(
        [part for values, cut in zip(columns, cuts, strict=True) for part in (values[:1], values[-1:], cut)]
    )
    keys = keys_from(bounds, bits)
    stops = np.cumsum([len(cut) + 2 * bool(len(values)) for values, cut in zip(columns, cuts, strict=True)]).tolist()
    tops = [start + 1 for start, values in zip([0, *stops], columns, strict=False) if len(values)]
    keys[tops] += 1
    least = least_of_keys(keys, bits).tolist()
    found = []
    for values, cut, start, stop in zip(columns, cuts, [0, *stops], stops, strict=False):
        if not len(values):
            found.append(Ranges([], cut, np.array([-np.inf, np.inf]), 1.0))
            continue
        ends = [values.item(0), values.item(-1)]
        half = _half_range(*ends)
        room = half * 2.0**-bits  # even a column of zeros has an interval of some width
        low, high = min(least[start], ends[0] - room), max(least[start + 1], ends[1] + room)
        inner = least[start + 2 : stop]
        within = [a < b and low < b < high for a, b in zip([-np.inf, *inner], inner, strict=False)]
        edges = np.array([max(low, -LARGEST), *compress(inner, within), min(high, LARGEST)])
        found.append(Ranges(ends, cut if all(within) else cut[within], edges, half))
    return found


def _half_range(low: float, high: float) -> float:
    """Half the range of the values; half the value itself if all are equal."""
    return high / 2.0 - low / 2.0 or abs(low) / 2.0 or 0.5


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
    alone = first[(first == last) & ~empty]  # 1 − 2/(2 + n) is n/(2 + n), which is not 0 for decayed counts
    inside[alone] = counts[alone].sum(axis=1) / (2.0 + counts[alone].sum(axis=1))
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
