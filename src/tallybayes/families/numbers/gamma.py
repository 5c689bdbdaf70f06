"""Positive, skewed numbers: the Gamma family, fitted by maximum likelihood."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np

from tallybayes import kernels
from tallybayes.counts.exact import TRACE, Exact, Floats
from tallybayes.counts.sums import mean as exact_mean
from tallybayes.families.numbers.numeric import Measured
from tallybayes.families.numbers.support import LARGEST, POSITIVE, Support
from tallybayes.families.posteriors import Posterior
from tallybayes.kernels import special

LARGEST_SHAPE = 1e9  # values that hardly differ have no finite shape


class GammaSums(NamedTuple):
    n: Any  # how many values
    x: Any  # their total
    log_x: Any  # the total of their logarithms


@dataclass(frozen=True, kw_only=True, repr=False)
class Gamma(Measured[GammaSums]):
    """A positive number, Gamma with shape and scale of maximum likelihood.

    To keep a class of few values from an extreme fit, `m` values are added that look like the whole column: with its
    `mean` and mean logarithm `log_mean`, unless these are given. `m=0` is plain maximum likelihood. The Gamma
    distribution has no closed predictive, so the fitted density scores either way.

    >>> fit = Gamma(m=0.0).estimate(GammaSums(n=np.array([3.0]), x=np.array([6.0]), log_x=np.array([1.5])))
    >>> {name: value.round(3).tolist() for name, value in fit.items()}
    {'shape': [2.744], 'scale': [0.729]}
    """

    sums: ClassVar[Any] = GammaSums
    support: ClassVar[Support] = POSITIVE
    m: float = 1.0
    mean: float | None = None
    log_mean: float | None = None

    def __post_init__(self) -> None:
        self.settle("m")
        self.settle_choice("plugin", bool, 0, 1)
        self.settle("mean", above=True)
        self.settle("log_mean", least=-np.inf)

    def sufficient(self, x: Floats) -> GammaSums:
        return GammaSums(n=1, x=x, log_x=kernels.logarithm(x))

    def refusal(self, cells: Mapping[str, Exact]) -> str | None:
        if reason := super().refusal(cells):
            return reason
        held = cells["n"].round() > TRACE
        with np.errstate(divide="ignore", invalid="ignore"):
            gap = np.log(exact_mean(cells["n"], cells["x"])) - exact_mean(cells["n"], cells["log_x"])
        return "a mean would fall below its geometric mean" if (gap[held] < -1e-9).any() else None

    def informed(self, total: Any) -> Self:
        """Without values to go by: an exponential distribution of mean one."""
        n, x, log_x = (float(np.sum(value)) for value in total)
        mean, log_mean = (x / n, log_x / n) if n > 0 else (1.0, -np.euler_gamma)
        return replace(
            self,
            mean=mean if self.mean is None else self.mean,
            log_mean=log_mean if self.log_mean is None else self.log_mean,
        )

    def estimate(self, s: Any) -> dict[str, Floats]:
        prior = self if None not in (self.mean, self.log_mean) else self.informed(s)
        assert prior.mean is not None
        assert prior.log_mean is not None
        n = s.n + self.m
        mean = np.minimum(s.x / n + self.m / n * prior.mean, LARGEST)
        gap = np.log(mean) - (s.log_x + self.m * prior.log_mean) / n
        shape = shape_of_gap(np.asarray(gap))
        return {"shape": shape, "scale": mean / shape}

    def log_density(self, x: Floats, **parameters: Floats) -> Floats:
        shape, scale = parameters["shape"], parameters["scale"]
        log_z = np.log(x) - np.log(scale)
        return np.asarray((shape - 1.0) * log_z - np.exp(log_z) - special.gammaln(shape) - np.log(scale))

    def log_predictive(self, s: Any, x: Floats) -> Floats:
        return self.log_density(x, **self.estimate(s))

    def draw(self, random: np.random.Generator, **parameters: Floats) -> Floats:
        return random.gamma(parameters["shape"], parameters["scale"])

    def draw_parameters(self, s: Any, random: np.random.Generator, size: int) -> dict[str, Floats]:
        return {name: np.full(size, value) for name, value in self.estimate(s).items()}

    def posterior(self, s: Any) -> Posterior:
        raise TypeError("Gamma is fitted by maximum likelihood: its parameters have estimates, but no posterior.")


def shape_of_gap(gap: Floats) -> Floats:
    """The shape k with log k − ψ(k) = gap, the log of the mean less the mean of the logs, by Newton's method."""
    gap = np.maximum(gap, 0.5 / LARGEST_SHAPE)
    k = (3.0 - gap + np.sqrt((gap - 3.0) ** 2 + 24.0 * gap)) / (12.0 * gap)
    for _ in range(8):
        value = np.log(k) - special.digamma(k) - gap
        slope = 1.0 / k - special.polygamma(1, k)
        k = np.clip(k - value / slope, k / 2.0, k * 2.0)
    return np.asarray(np.minimum(k, LARGEST_SHAPE))
