"""Numbers of any distribution: a smooth density drawn through the values counted (kernel density estimation)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from tallybayes.exact import Floats
from tallybayes.families import special
from tallybayes.families.base import Belief, by_class
from tallybayes.families.posteriors import Posterior
from tallybayes.families.support import LARGEST
from tallybayes.families.values import Values
from tallybayes.tally import Key, Tally

RULE = "rule"
LEFT_OUT = "leave one out"
FURTHEST = 1e150  # widths away from a value; its square is still a number
CHUNK = 1 << 22  # so many pairs of values are looked at at once


@dataclass(frozen=True, kw_only=True, repr=False)
class Density(Values):
    """A number with a smooth density: a Gaussian bump on every value counted.

    `bandwidth` is the bumps' width: a number, "rule" (Silverman's, from spread and count of each class), or "leave one
    out" (the multiple of the rule under which each value is best foretold by the others). `m` bumps spread over the
    values of all classes are added to each class, so that no class is sure that a value cannot occur. Scoring takes
    time in proportion to the number of distinct values.

    >>> Density(bandwidth=0.5)
    Density(bandwidth=0.5)
    """

    bandwidth: float | str = RULE
    m: float = 1.0

    def __post_init__(self) -> None:
        super().__post_init__()
        self.settle("m")
        if isinstance(self.bandwidth, str):
            if self.bandwidth not in (RULE, LEFT_OUT):
                raise ValueError(f"Density(bandwidth={self.bandwidth!r}): give a number, {RULE!r} or {LEFT_OUT!r}.")
        else:
            self.settle("bandwidth", above=True)

    def believe(self, tally: Tally, classes: Sequence[Key]) -> Belief:
        known = tally.canonical()
        values = self.met(known)
        counts = known.aligned(known.slots, classes).sums["n"].round()
        return DensityBelief(self, values, counts)


class DensityBelief(Belief):
    """Values, their counts by class, and a bandwidth for each class and one for all together."""

    def __init__(self, family: Density, values: Floats, counts: Floats) -> None:
        self.family = family
        self.values = values
        self.counts = counts
        self.overall = counts.sum(axis=1)
        self.pooled = self._width(self.overall, fallback=_default_width(values))
        self.widths = np.array([self._width(column, fallback=self.pooled) for column in counts.T])

    def _width(self, counts: Floats, fallback: float) -> float:
        if isinstance(self.family.bandwidth, (int, float)):
            return float(self.family.bandwidth)
        rule = silverman(self.values, counts) or fallback
        if self.family.bandwidth == RULE or counts.sum() < 2:
            return rule
        tried = [rule * factor for factor in 2.0 ** np.arange(-4.0, 2.5, 0.5)]
        return max(tried, key=lambda width: left_out_score(self.values, counts, width))

    def add_evidence(self, cells: Floats, scores: Floats) -> None:
        missing = np.isnan(cells)
        distinct, back = np.unique(cells[~missing], return_inverse=True)
        if not distinct.size:
            return
        at = np.flatnonzero(~missing)
        total = self.overall.sum()
        assumed = log_bumps(distinct, self.values, self.overall, self.pooled) - np.log(max(total, 1e-300))
        for c, column in enumerate(self.counts.T):
            n, m = column.sum(), self.family.m if total > 0 else 0.0
            if n + m > 0:
                with np.errstate(divide="ignore"):
                    own = log_bumps(distinct, self.values, column, self.widths[c])
                    said = np.logaddexp(own, assumed + np.log(m)) - np.log(n + m)
            else:
                said = np.zeros(len(distinct)) if total <= 0 else np.full(len(distinct), -np.inf)
            scores[c, at] += said[back]

    def estimates(self) -> dict[str, Floats]:
        return {"bandwidth": self.widths}

    def posterior(self, index: int) -> Posterior:
        raise TypeError("Density has no parameters, and so no posterior of them; see Histogram.")

    def draw(self, random: np.random.Generator, classes: NDArray[np.intp]) -> pa.Array:
        """One of the bumps, the class's own or the m pooled ones, and a place under it."""
        total = self.overall.sum()
        assumed = self.overall * (self.family.m / total if total > 0 else 0.0)
        drawn = np.full(len(classes), np.nan)
        for number, rows in by_class(classes):
            heights = np.concatenate([self.counts[:, number], assumed])
            if not heights.any():
                continue
            bump = random.choice(len(heights), len(rows), p=heights / heights.sum())
            width = np.where(bump < len(self.values), self.widths[number], self.pooled)
            drawn[rows] = random.normal(self.values[bump % len(self.values)], width)
        return pa.array(np.clip(drawn, -LARGEST, LARGEST), from_pandas=True)


def log_bumps(x: Floats, values: Floats, counts: Floats, width: float) -> Floats:
    """log Σ count·N(x; value, width²), computed so that no tail is ever lost to underflow."""
    held = counts > 0
    values, logs = values[held], np.log(counts[held])
    if not values.size:
        return np.full(len(x), -np.inf)
    result = np.empty(len(x))
    step = max(CHUNK // len(values), 1)
    for start in range(0, len(x), step):
        with np.errstate(over="ignore"):
            z = np.clip((x[start : start + step, None] - values) / width, -FURTHEST, FURTHEST)
        result[start : start + step] = special.logsumexp(logs - 0.5 * z * z, axis=1)
    return result - log_area(width)


def log_area(width: float) -> float:
    """The logarithm of the area under a bump of height one."""
    return float(np.log(width) + 0.5 * np.log(2.0 * np.pi))


def left_out_score(values: Floats, counts: Floats, width: float) -> float:
    """Σ log density of every value under the others. A value met often stays well foretold when one is left out."""
    held = counts > 0
    values, counts = values[held], counts[held]
    own = np.log(np.minimum(counts, 1.0)) - log_area(width)  # the height of a value's own bump
    both = log_bumps(values, values, counts, width)
    with np.errstate(divide="ignore"):
        others = both + np.log(np.maximum(-np.expm1(np.minimum(own - both, 0.0)), 1e-300))
    return float(np.sum(counts * others))


def silverman(values: Floats, counts: Floats) -> float:
    """0.9·min(sd, interquartile range / 1.34)·n^(−1/5); 0 where the values do not differ."""
    n = counts.sum()
    if n <= 0:
        return 0.0
    unit = float(np.abs(values).max()) or 1.0
    values = values / unit  # so that no square overflows
    mean = np.sum(counts * values) / n
    sd = float(np.sqrt(np.sum(counts * (values - mean) ** 2) / n))
    low, high = values[np.searchsorted(np.cumsum(counts), [n * 0.25, n * 0.75]).clip(0, len(values) - 1)]
    spread = min(sd, (high - low) / 1.34) or sd
    return float(0.9 * spread * n**-0.2 * unit)


def _default_width(values: Floats) -> float:
    """Where no two values differ: as wide as the value itself."""
    return float(abs(values[0]) or 1.0) if len(values) else 1.0
