"""Numbers by interval: discretisation chosen after counting."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from tallybayes import kernels
from tallybayes.exact import Floats
from tallybayes.families.base import Belief, Scorer
from tallybayes.families.intervals import METHODS
from tallybayes.families.smoothing import LAPLACE, MEstimate, SmoothedBelief, as_alpha
from tallybayes.families.values import Values, least_of_keys, least_rounded_to, value_keys
from tallybayes.tally import Key, Tally

MOST = 100_000  # intervals
LARGEST = np.finfo(np.float64).max
LEAST = np.finfo(np.float64).smallest_subnormal


@dataclass(frozen=True, kw_only=True, repr=False)
class Histogram(Values):
    """A number, by the interval it falls in; within an interval all values are alike. What lies beyond the values met
    says about the class what the outermost interval says.

    `method` says where the cuts lie: "equal length" (`intervals` of them over the range of all classes), "equal
    count", "mdl" (as many as the classes justify), or "fitted" (whichever of the last two makes the classes likeliest;
    `intervals` of equal count below 1,000 values). `alpha` is added to every interval's count, as for Categorical.

    >>> Histogram(intervals=5, alpha=0.5)
    Histogram(intervals=5, alpha=0.5)
    """

    intervals: int = 10
    method: str = "equal length"
    alpha: float | MEstimate | str = LAPLACE

    def __post_init__(self) -> None:
        super().__post_init__()
        alpha = as_alpha("Histogram", self.alpha)
        if isinstance(alpha, Mapping) or (isinstance(alpha, MEstimate) and isinstance(alpha.p, Mapping)):
            raise ValueError(
                f"Histogram(alpha={self.alpha!r}): intervals have no names; give a number, an MEstimate or 'fitted'."
            )
        object.__setattr__(self, "alpha", alpha)
        self.settle_choice("intervals", int, 1, MOST)
        if self.method not in list(METHODS):
            raise ValueError(f"Histogram(method={self.method!r}): the methods are {', '.join(map(repr, METHODS))}.")

    def believe(self, tally: Tally, classes: Sequence[Key]) -> Belief:
        values, counts = self.counted(tally, classes)
        cuts = METHODS[self.method](values, counts, self.intervals) if len(values) else np.zeros(0)
        return IntervalBelief(self, cuts, values, counts)


class IntervalBelief(SmoothedBelief):
    """P(interval | class), spread evenly over the interval; of the outermost, a share lies beyond all values met.

    An interval is made of whole cells of the rounding, so that what was counted in it is what new values in it are
    compared with. Beyond the range, the density falls off as (1 + distance / range)⁻² in every class: how far out a
    value is tells nothing about the class.
    """

    def __init__(self, family: Histogram, cuts: Floats, values: Floats, counts: Floats) -> None:
        self.family = family
        self.half = _half_range(values)
        self.edges, cuts = _whole_cells(cuts, values, family.bits, self.half)
        at = np.searchsorted(cuts, values, side="right")
        held = np.zeros((len(cuts) + 1, counts.shape[1]))
        for number, column in enumerate(counts.T):
            held[:, number] = np.bincount(at, column, len(held))
        super().__init__(interval_names(np.array([*values[:1], *cuts, *values[-1:]])), held, family.alpha)
        self.below, self.beyond = (1.0 / (2.0 + held[end].sum()) if len(values) else 0.0 for end in (0, -1))
        self.table, self._reach = self._densities()

    def _densities(self) -> tuple[Floats, Floats]:
        """The logarithms of the intervals' densities; and the same with what lies below them and beyond."""
        with np.errstate(over="ignore", divide="ignore"):
            widths = np.clip(np.diff(self.edges), LEAST, LARGEST) if self.counts.any() else np.ones(1)
            ends = np.log([self.below, self.beyond]) + np.log(self.half) - np.log(2.0)
        inside = np.ones(len(widths))
        inside[0] -= self.below
        inside[-1] -= self.beyond
        table = self.table + (np.log(inside) - np.log(widths))[:, None]
        return table, np.vstack([self.table[0] + ends[0], table, self.table[-1] + ends[1]])

    @classmethod
    def together(cls, beliefs: Sequence[Any]) -> Scorer:
        edges, tables = [belief.edges for belief in beliefs], [belief._reach for belief in beliefs]
        halves = np.array([belief.half for belief in beliefs])

        def score(cells: Sequence[Any], scores: Floats) -> None:
            kernels.add_intervals(list(cells), edges, halves, tables, scores)

        return score

    def draw(self, random: np.random.Generator, classes: NDArray[np.intp]) -> pa.Array:
        if not self.counts.any():
            return pa.nulls(len(classes), pa.float64())
        at = self.draw_codes(random, classes).to_numpy()
        share, chance = random.random((2, len(at)))
        drawn = self.edges[at] * (1.0 - share) + self.edges[at + 1] * share
        with np.errstate(over="ignore"):
            distance = self.half * (share / (1.0 - share)) * 2.0
            drawn = np.where((at == 0) & (chance < self.below), self.edges[0] - distance, drawn)
            drawn = np.where(
                (at == len(self.levels) - 1) & (chance > 1.0 - self.beyond), self.edges[-1] + distance, drawn
            )
        return pa.array(np.clip(drawn, -LARGEST, LARGEST))


def _whole_cells(cuts: Floats, values: Floats, bits: int, half: float) -> tuple[Floats, Floats]:
    """The edges of the intervals as new values meet them, and the cuts that leave something on either side."""
    if not len(values):
        return np.array([-np.inf, np.inf]), cuts
    low, high = least_of_keys(value_keys(values[[0, -1]], bits) + np.array([0, 1]), bits)
    with np.errstate(over="ignore"):  # a column of zeros, too, has an interval of some width
        low, high = min(low, values[0] - half * 2.0**-bits), max(high, values[-1] + half * 2.0**-bits)
    starts, first = np.unique(least_rounded_to(cuts, bits), return_index=True)
    within = (starts > low) & (starts < high)
    return np.clip([low, *starts[within], high], -LARGEST, LARGEST), cuts[first[within]]


def _half_range(values: Floats) -> float:
    """Half of how far the values reach; where no two differ, half the value itself."""
    if not len(values):
        return 1.0
    return float(values[-1] / 2.0 - values[0] / 2.0 or abs(values[0]) / 2.0 or 0.5)


def interval_names(edges: Floats) -> list[str]:
    """The intervals as people write them, with as many digits as tell them apart."""
    if not len(edges):
        return ["(-inf, inf)"]
    for digits in range(6, 18):
        written = [f"{edge:.{digits}g}" for edge in edges]
        if len(set(written)) == len(set(edges.tolist())):
            break
    closing = [")"] * (len(edges) - 2) + ["]"]
    return [f"[{a}, {b}{end}" for a, b, end in zip(written, written[1:], closing, strict=False)]
