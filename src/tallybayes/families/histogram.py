"""Numbers by interval: discretisation chosen after counting."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from tallybayes import kernels
from tallybayes.exact import Codes, Floats
from tallybayes.families.base import Belief
from tallybayes.families.intervals import METHODS
from tallybayes.families.smoothing import LAPLACE, MEstimate, SmoothedBelief, as_alpha
from tallybayes.families.values import Values, least_rounded_to
from tallybayes.tally import Key, Tally

MOST = 100_000  # intervals
HALF_RANGE = np.finfo(np.float64).max / 2.0


@dataclass(frozen=True, kw_only=True, repr=False)
class Histogram(Values):
    """A number, by the interval it falls in; within an interval all values are alike. What lies beyond the values met
    is taken as lying in the outermost interval.

    `method` says where the cuts lie: "equal length" (`intervals` of them over the range of all classes), "equal
    count", or "mdl" (as many as the classes justify). `alpha` is added to every interval's count, as for Categorical.

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
        known = tally.canonical()
        values = self.met(known)
        counts = known.aligned(known.slots, classes).sums["n"].round()
        cuts = METHODS[self.method](values, counts, self.intervals) if len(values) else np.zeros(0)
        return IntervalBelief(self, cuts, values, counts)


class IntervalBelief(SmoothedBelief):
    """P(interval | class), spread evenly over the interval."""

    def __init__(self, family: Histogram, cuts: Floats, values: Floats, counts: Floats) -> None:
        self.family = family
        self.cuts = cuts
        self._starts = least_rounded_to(cuts, family.bits)
        ends = (float(values[0]), float(values[-1])) if len(values) else (0.0, 0.0)
        edges = self.edges = np.array([ends[0], *cuts, ends[1]])
        held = np.zeros((len(cuts) + 1, counts.shape[1]))
        np.add.at(held, np.searchsorted(cuts, values, side="right"), counts)
        super().__init__(interval_names(edges), held, family.alpha)
        # In halves, for a range wider than the largest double.
        widths = np.minimum(np.diff(edges / 2.0), HALF_RANGE) * 2.0
        self.table -= np.log(np.where(widths > 0, widths, 1.0))[:, None]

    def codes(self, cells: Floats) -> Codes:
        return kernels.find_intervals(cells, self._starts)

    def draw(self, random: np.random.Generator, classes: NDArray[np.intp]) -> pa.Array:
        """Within the range of the values met: how far beyond it others lie, nothing says."""
        if not self.counts.any():
            return pa.nulls(len(classes), pa.float64())
        at = self.draw_codes(random, classes).to_numpy()
        share = random.random(len(at))
        return pa.array(self.edges[at] * (1.0 - share) + self.edges[at + 1] * share)


def interval_names(edges: Floats) -> list[str]:
    """The intervals as people write them, with as many digits as tell them apart."""
    for digits in range(6, 18):
        written = [f"{edge:.{digits}g}" for edge in edges]
        if len(set(written)) == len(set(edges.tolist())):
            break
    closing = [")"] * (len(edges) - 2) + ["]"]
    return [f"[{a}, {b}{end}" for a, b, end in zip(written, written[1:], closing, strict=False)]
