"""Numeric families described by mean and variance, with a prior worth `m` values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from tallybayes.counts.decay import ROUNDING
from tallybayes.counts.exact import TRACE, Exact, Floats
from tallybayes.counts.sums import mean, scatter
from tallybayes.families.numbers.numeric import Numeric, S
from tallybayes.families.settings import setting


class Moments(NamedTuple):
    """Mean and scatter from the sums, computed exactly and rounded once."""

    n: Any
    mean: Any
    scatter: Any  # Σ(x − mean)²


@dataclass(frozen=True, kw_only=True, repr=False)
class ByMoments(Numeric[S]):
    """A number with a mean and a variance; the sums are n, Σx and Σx²."""

    m: float = setting(
        1.0, "how many values the prior is worth; 0 with `plugin` is the fit to the values alone", least=0
    )
    mean: float | None = setting(None, "the mean of the prior's values; by default that of the whole column")
    variance: float | None = setting(
        None, "the variance of the prior's values; by default that of the whole column", above=0
    )

    def read(self, sums: Mapping[str, Exact]) -> Moments:
        n, x, xx = (sums[name] for name in self.sums._fields)
        return Moments(n.round(), mean(n, x), np.maximum(scatter(n, x, xx), 0.0))

    @property
    def takes_total(self) -> bool:
        return self.m > 0 and None in (self.mean, self.variance)

    def refusal(self, cells: Mapping[str, Exact]) -> str | None:
        if reason := super().refusal(cells):
            return reason
        n, x, xx = (cells[name] for name in self.sums._fields)
        squares = xx.round()
        rounded = TRACE * squares if n.low >= 0 else ROUNDING * (1.0 + squares)
        if (scatter(n, x, xx) < -rounded).any():
            return "a variance would be negative"
        return None

    def joined(self, s: Moments, prior: Any) -> tuple[Floats, Floats, Floats]:
        """Weight, mean and scatter of the n values counted together with m values at this mean."""
        weight = self.m + s.n
        joined_mean = s.mean + self.m / weight * (prior - s.mean)
        return weight, joined_mean, s.scatter + self.m * s.n / weight * (s.mean - prior) ** 2
