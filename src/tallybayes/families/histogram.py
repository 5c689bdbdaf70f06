"""Numbers by interval: discretisation chosen after counting."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tallybayes import kernels
from tallybayes.exact import Floats
from tallybayes.families.base import Belief
from tallybayes.families.intervals import METHODS
from tallybayes.families.posteriors import Dirichlet, Posterior
from tallybayes.families.smoothing import LAPLACE, MEstimate, check_alpha, pseudocounts, smoothed
from tallybayes.families.values import Values
from tallybayes.tally import Key, Tally


@dataclass(frozen=True, kw_only=True, repr=False)
class Histogram(Values):
    """A number, by the interval it falls in; within an interval all values are alike.

    `method` says where the cuts lie: "equal length" (`intervals` of them over the range of all classes), "equal
    count", or "mdl" (as many as the classes justify). `alpha` is added to every interval's count.

    >>> Histogram(intervals=5, alpha=0.5)
    Histogram(intervals=5, alpha=0.5)
    """

    intervals: int = 10
    method: str = "equal length"
    alpha: float | MEstimate = LAPLACE

    def __post_init__(self) -> None:
        super().__post_init__()
        check_alpha("Histogram", self.alpha)
        if not isinstance(self.intervals, int) or self.intervals < 1:
            raise ValueError(f"Histogram(intervals={self.intervals!r}): give a whole number of at least 1.")
        if self.method not in METHODS:
            raise ValueError(f"Histogram(method={self.method!r}): the methods are {', '.join(map(repr, METHODS))}.")

    def believe(self, tally: Tally, classes: Sequence[Key]) -> Belief:
        known = tally.canonical()
        values = self.met(known)
        counts = known.aligned(known.slots, classes).sums["n"].round()
        cuts = METHODS[self.method](values, counts, self.intervals) if len(values) else np.zeros(0)
        return IntervalBelief(self, cuts, values, counts)


class IntervalBelief(Belief):
    """P(interval | class), spread evenly over the interval."""

    def __init__(self, family: Histogram, cuts: Floats, values: Floats, counts: Floats) -> None:
        self.family = family
        self.cuts = cuts
        self.ends = (float(values[0]), float(values[-1])) if len(values) else (0.0, 0.0)
        held = np.searchsorted(cuts, values, side="right")
        self.counts = np.zeros((len(cuts) + 1, counts.shape[1]))
        np.add.at(self.counts, held, counts)
        self.pseudo = pseudocounts(family.alpha, self.names(), self.counts.sum(axis=1))
        self.probability = smoothed(self.counts, self.pseudo)
        widths = np.diff([self.ends[0], *cuts, self.ends[1]])
        density = self.probability / np.where(widths > 0, widths, 1.0)[:, None]
        with np.errstate(divide="ignore"):
            self.table = np.ascontiguousarray(np.log(density))

    def names(self) -> list[str]:
        edges = [f"{edge:.6g}" for edge in (self.ends[0], *self.cuts, self.ends[1])]
        closing = [")"] * len(self.cuts) + ["]"]
        return [f"[{a}, {b}{end}" for a, b, end in zip(edges, edges[1:], closing, strict=False)]

    def add_evidence(self, cells: Floats, scores: Floats) -> None:
        held = np.searchsorted(self.cuts, self.family.rounded(cells), side="right").astype(np.int32)
        held[np.isnan(cells)] = -1
        kernels.add_table(held, self.table, scores)

    def estimates(self) -> dict[str, Floats]:
        return dict(zip(self.names(), self.probability, strict=True))

    def posterior(self, row: int) -> Posterior:
        alpha = (self.counts[:, row] + self.pseudo).tolist()
        return Dirichlet(dict(zip(self.names(), alpha, strict=True)))
