"""Overdispersed counts of events: the negative binomial family, fitted by moments."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from tallybayes.counts.exact import Floats
from tallybayes.counts.sums import Square
from tallybayes.families.numbers.moments import ByMoments, Moments
from tallybayes.families.numbers.poisson import draw_events
from tallybayes.families.numbers.statistics import PowerSums
from tallybayes.families.numbers.support import COUNT, LARGEST, Support
from tallybayes.families.numbers.whole_numbers import WholeBelief
from tallybayes.families.posteriors import Posterior
from tallybayes.families.settings import setting
from tallybayes.kernels import special

LEAST = 1e-15  # dispersion: below it the distribution is Poisson to the last digit of a double


class Dispersed(NamedTuple):
    """The prior's m values and the n counted, together."""

    weight: Any  # how many they are
    mean: Any
    dispersion: Any


@dataclass(frozen=True, kw_only=True, repr=False)
class NegativeBinomial(ByMoments[PowerSums]):
    """A whole number of events whose variance exceeds its mean: mean + dispersion · mean².

    The prior is worth `m` values with this `mean` and `variance`; what is not given is the column's own, over all
    classes. Mean and dispersion are fitted by moments; a dispersion of 0 is the Poisson distribution. For a new value
    the variance is larger by the factor 1 + 1 / (m + n), for the uncertainty of the mean.

    >>> family = NegativeBinomial(m=0.0)
    >>> s = Moments(n=np.array([4.0]), mean=np.array([2.0]), scatter=np.array([40.0]))
    >>> family.estimate(family.updated(s, total=s))
    {'mean': array([2.]), 'dispersion': array([2.])}
    """

    support: ClassVar[Support] = COUNT
    belief: ClassVar[type[Any]] = WholeBelief
    mean: float | None = setting(None, "the mean of the prior's values; by default that of the whole column", above=0)

    def sufficient(self, x: Floats) -> PowerSums:
        return PowerSums(n=1, x=x, xx=Square(x))

    def updated(self, s: Moments, total: Moments) -> Dispersed:
        """Without any events, the prior's values have mean 1 and no dispersion."""
        met = total.mean > 0
        prior = np.where(met, total.mean, 1.0) if self.mean is None else self.mean
        variance = np.where(met, total.scatter / total.n, prior) if self.variance is None else self.variance
        weight, mean, scatter = self.joined(s, prior)
        spread = np.minimum((self.m * variance + scatter) / weight, LARGEST)
        dispersion = np.where(spread > mean, (spread / mean - 1.0) / mean, 0.0)
        return Dispersed(weight, mean, dispersion)

    def estimate(self, s: Any) -> dict[str, Floats]:
        return {"mean": s.mean, "dispersion": s.dispersion}

    def predicted(self, s: Any) -> dict[str, Floats]:
        """The parameters of a new value: the variance is 1 + 1 / weight times as large."""
        return {"mean": s.mean, "dispersion": s.dispersion + (s.dispersion + 1.0 / s.mean) / s.weight}

    def log_predictive(self, s: Any, x: Floats) -> Floats:
        return self.log_density(x, **self.predicted(s))

    def log_density(self, x: Floats, **parameters: Floats) -> Floats:
        mean, size = parameters["mean"], 1.0 / np.maximum(parameters["dispersion"], LEAST)
        ways = special.log_rising(size, x) - special.gammaln(x + 1.0)
        logs = ways - size * np.log1p(mean / size) + x * (np.log(mean) - np.log(size + mean))
        return np.where(mean == 0, np.where(x == 0, 0.0, -np.inf), logs)

    def draw(self, random: np.random.Generator, **parameters: Floats) -> Floats:
        mean, size = parameters["mean"], 1.0 / np.maximum(parameters["dispersion"], LEAST)
        with np.errstate(invalid="ignore"):  # of a mean of 0, the dispersion is infinite
            scale = np.where(mean == 0, 0.0, mean / size)
        return draw_events(random, random.gamma(size, scale))

    def draw_parameters(self, s: Any, random: np.random.Generator, size: int) -> dict[str, Floats]:
        chosen = self.estimate(s) if self.plugin else self.predicted(s)
        return {name: np.full(size, value) for name, value in chosen.items()}

    def posterior(self, s: Any) -> Posterior:
        raise TypeError(
            "NegativeBinomial is fitted by moments: its parameters have estimates, but no posterior distribution."
        )
