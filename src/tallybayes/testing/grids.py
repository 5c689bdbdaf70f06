"""The values that a family accepts, and the points over which its predictive distribution must add up to one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from hypothesis import strategies as st

from tallybayes.counts.exact import Floats
from tallybayes.families import Family

Points = tuple[Any, Floats]
Grid = Callable[[Sequence[Any]], Points]


def values_of(family: Family) -> st.SearchStrategy[float]:
    """Numbers that a family accepts."""
    if family.support is None:
        raise TypeError(f"{family!r} has no support of numbers; give values for it.")
    if family.support.whole:
        return st.integers(0, 50).map(float)
    least = 1e-3 if family.support.lowest == 0.0 else -1e3
    return st.integers(1, 20).map(float) | st.floats(least, 1e3).map(lambda x: round(x, 6))


def grid_of(family: Family) -> Grid:
    """The points that its predictive distribution is spread over."""
    if family.support is not None and family.support.whole:
        return over_counts
    return over_half_line if family.support is not None and family.support.lowest == 0.0 else over_line


def over_levels(values: Sequence[Any]) -> Points:
    levels = sorted(set(values))
    return levels, np.ones(len(levels))


def over_counts(values: Sequence[Any]) -> Points:
    """0, 1, 2, …, far enough for tails that fall like 1/x²."""
    return np.arange(50_000.0), np.ones(50_000)


def over_line(values: Any) -> Points:
    """All real numbers, in steps that widen away from each value, so that narrow peaks and long tails are covered."""
    steps = np.logspace(-9.0, 18.0, 2_000)
    scale = float(np.ptp(values)) or abs(float(values[0])) or 1.0
    around = np.concatenate([-steps[::-1], [0.0], steps]) * scale
    x = np.unique(np.add.outer(np.unique(values), around))
    return x, np.gradient(x)


def over_half_line(values: Sequence[Any]) -> Points:
    """All positive numbers: the same on a logarithmic scale."""
    t, widths = over_line(np.append(np.log(values), 0.0))
    near = np.abs(t) < 700.0
    return np.exp(t[near]), np.exp(t[near]) * widths[near]
