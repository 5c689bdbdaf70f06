"""Positive, skewed numbers: the Gamma family, fitted by maximum likelihood."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from tallybayes import kernels
from tallybayes.counts.exact import TRACE, Exact, Floats
from tallybayes.counts.sums import mean as exact_mean
from tallybayes.families.numbers.numeric import Numeric
from tallybayes.families.numbers.statistics import LogTotals
from tallybayes.families.numbers.support import LARGEST, POSITIVE, Support
from tallybayes.families.posteriors import Posterior
from tallybayes.families.settings import setting
from tallybayes.kernels import special

LARGEST_SHAPE = 1e9  # values that hardly differ would have an infinite shape


class Fit(NamedTuple):
    """The fit to the prior's m values and the n counted, together."""

    shape: Any
    scale: Any


@dataclass(frozen=True, kw_only=True, repr=False)
class Gamma(Numeric[LogTotals]):
    """A positive number, Gamma with shape and scale fitted by maximum likelihood.

    To keep a class of few values from an extreme fit, `m` values are added that look like the whole column: with its
    `mean` and mean logarithm `log_mean`, unless these are given. `m=0` is plain maximum likelihood. The Gamma
    distribution has no closed-form predictive, so the fitted density scores either way.

    >>> s = LogTotals(n=np.array([3.0]), x=np.array([6.0]), log_x=np.array([1.5]))
    >>> fit = Gamma(m=0.0).updated(s, total=s)._asdict()
    >>> {name: value.round(3).tolist() for name, value in fit.items()}
    {'shape': [2.744], 'scale': [0.729]}
    """

    support: ClassVar[Support] = POSITIVE
    m: float = setting(1.0, "how many values the prior is worth; 0 is maximum likelihood", least=0)
    mean: float | None = setting(None, "the mean of the prior's values; by default that of the whole column", above=0)
    log_mean: float | None = setting(
        None, "the mean logarithm of the prior's values; by default that of the whole column"
    )

    def sufficient(self, x: Floats) -> LogTotals:
        return LogTotals(n=1, x=x, log_x=kernels.logarithm(x))

    def refusal(self, cells: Mapping[str, Exact]) -> str | None:
        if reason := super().refusal(cells):
            return reason
        counted = cells["n"].round() > TRACE
        with np.errstate(divide="ignore", invalid="ignore"):
            gap = np.log(exact_mean(cells["n"], cells["x"])) - exact_mean(cells["n"], cells["log_x"])
        return "a mean would be below its geometric mean" if (gap[counted] < -1e-9).any() else None

    def updated(self, s: Any, total: Any) -> Fit:
        """Without any values, the prior's are exponential with mean 1."""
        n, (mean, log_mean) = s.n + self.m, self._prior(total)
        mean = np.minimum(s.x / n + self.m / n * mean, LARGEST)
        shape = shape_of_gap(np.asarray(np.log(mean) - (s.log_x + self.m * log_mean) / n))
        return Fit(shape, mean / shape)

    def _prior(self, total: Any) -> tuple[Any, Any]:
        """Mean and mean logarithm of the prior's values."""
        known = total.n > 0
        mean = np.where(known, total.x / total.n, 1.0) if self.mean is None else self.mean
        log_mean = np.where(known, total.log_x / total.n, -np.euler_gamma) if self.log_mean is None else self.log_mean
        return mean, log_mean

    def log_pseudo(self, total: Any, **parameters: Floats) -> Floats | float:
        (mean, log_mean), shape, scale = self._prior(total), parameters["shape"], parameters["scale"]
        logs = (shape - 1.0) * log_mean - mean / scale - special.gammaln(shape) - shape * np.log(scale)
        return self.m * logs if self.m else 0.0

    def estimate(self, s: Any) -> dict[str, Floats]:
        return {"shape": s.shape, "scale": s.scale}

    def log_density(self, x: Floats, **parameters: Floats) -> Floats:
        shape, scale = parameters["shape"], parameters["scale"]
        log_z = np.log(x) - np.log(scale)
        return np.asarray((shape - 1.0) * log_z - np.exp(log_z) - special.gammaln(shape) - np.log(scale))

    def log_predictive(self, s: Any, x: Floats) -> Floats:
        return self.log_density(x, **self.estimate(s))

    def shares(self, s: Any, x: float) -> tuple[Floats, Floats]:
        z = max(x, 0.0) / s.scale
        return np.asarray(special.gammainc(s.shape, z)), np.asarray(special.gammaincc(s.shape, z))

    def peak(self, s: Any) -> Floats:
        return np.asarray(np.maximum(s.shape - 1.0, 0.0) * s.scale)

    def draw(self, random: np.random.Generator, **parameters: Floats) -> Floats:
        return random.gamma(parameters["shape"], parameters["scale"])

    def draw_parameters(self, s: Any, random: np.random.Generator, size: int) -> dict[str, Floats]:
        return {name: np.full(size, value) for name, value in self.estimate(s).items()}

    def posterior(self, s: Any) -> Posterior:
        raise TypeError("Gamma is fitted by maximum likelihood: its parameters have estimates, but no posterior.")


def shape_of_gap(gap: Floats) -> Floats:
    """The shape k with log k − ψ(k) = gap, the log of the mean minus the mean of the logs, by Newton's method."""
    gap = np.maximum(gap, 0.5 / LARGEST_SHAPE)
    k = (3.0 - gap + np.sqrt((gap - 3.0) ** 2 + 24.0 * gap)) / (12.0 * gap)
    for _ in range(8):
        value = np.log(k) - special.digamma(k) - gap
        slope = 1.0 / k - special.polygamma(1, k)
        k = np.clip(k - value / slope, k / 2.0, k * 2.0)
    return np.asarray(np.minimum(k, LARGEST_SHAPE))
