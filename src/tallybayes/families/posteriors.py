"""Posterior distributions of parameters, with credible intervals.

Each kind gives the marginal distributions of its parameters (from scipy.stats); means and intervals follow from those.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np

from tallybayes.counts.exact import Floats
from tallybayes.kernels import special

WIDEST = 1e150  # the largest standard deviation whose square is finite
NO_POSTERIOR = "This class has no counts and there is no prior, so there is no posterior."


class Posterior(ABC):
    """A distribution over the parameters of one column in one class."""

    @abstractmethod
    def marginals(self) -> dict[Any, Any]:
        """The marginal distribution of each parameter, from scipy.stats."""

    def draw(self, random: np.random.Generator, size: int) -> dict[Any, Floats]:
        """Draws of the parameters, `size` of them; NaN if nothing is known about them."""
        raise TypeError(f"Parameters cannot be drawn from a {type(self).__name__} distribution.")

    def mean(self) -> dict[Any, float]:
        """The posterior mean of every parameter."""
        return {name: float(marginal.mean()) for name, marginal in self.marginals().items()}

    def interval(self, mass: float = 0.95) -> dict[Any, tuple[float, float]]:
        """The central credible interval of every parameter: it holds the parameter with this probability."""
        if not 0.0 < mass < 1.0:
            raise ValueError(f"mass={mass!r}: give a number between 0 and 1.")
        tail = (1.0 - mass) / 2.0
        with np.errstate(divide="ignore", over="ignore"):  # a bound may be infinite
            return {
                name: (float(marginal.ppf(tail)), float(marginal.ppf(1.0 - tail)))
                for name, marginal in self.marginals().items()
            }


class Certain:
    """A parameter with only one possible value, with the interface of scipy.stats."""

    def __init__(self, value: float) -> None:
        self.value = value

    def mean(self) -> float:
        return self.value

    def ppf(self, q: float) -> float:
        return self.value


def beta(a: float, b: float) -> Any:
    """Beta(a, b) of a probability; certain if one of them is 0."""
    if a + b <= 0:
        raise ValueError(NO_POSTERIOR)
    return special.distribution("beta", a, b) if a > 0 and b > 0 else Certain(float(a > 0))


def gamma(shape: float, rate: float) -> Any:
    if rate <= 0:
        raise ValueError(NO_POSTERIOR)
    return special.distribution("gamma", shape, scale=1.0 / rate) if shape > 0 else Certain(0.0)


@dataclass(frozen=True)
class Dirichlet(Posterior):
    """Probabilities that add up to one; each of them has a Beta distribution.

    >>> Dirichlet({"sunny": 3.0, "rain": 1.0}).mean()
    {'sunny': 0.75, 'rain': 0.25}
    """

    alpha: dict[Any, float]

    def marginals(self) -> dict[Any, Any]:
        total = sum(self.alpha.values())
        return {level: beta(a, total - a) for level, a in self.alpha.items()}


@dataclass(frozen=True)
class Beta(Posterior):
    """One probability, after `alpha` hits and `beta` misses."""

    parameter: str
    alpha: float
    beta: float

    def marginals(self) -> dict[Any, Any]:
        return {self.parameter: beta(self.alpha, self.beta)}

    def draw(self, random: np.random.Generator, size: int) -> dict[Any, Floats]:
        if self.alpha > 0 and self.beta > 0:
            return {self.parameter: random.beta(self.alpha, self.beta, size)}
        with np.errstate(invalid="ignore"):  # without counts or a prior, nothing is known
            return {self.parameter: np.full(size, np.divide(self.alpha, self.alpha + self.beta))}


@dataclass(frozen=True)
class GammaRate(Posterior):
    """A rate, after `shape` events in `rate` units."""

    shape: float
    rate: float

    def marginals(self) -> dict[Any, Any]:
        return {"rate": gamma(self.shape, self.rate)}

    def draw(self, random: np.random.Generator, size: int) -> dict[Any, Floats]:
        with np.errstate(all="ignore"):  # without counts or a prior, nothing is known
            return {"rate": np.divide(random.standard_gamma(self.shape, size), self.rate)}


@dataclass(frozen=True)
class NormalInverseGamma(Posterior):
    """A mean and a variance: the variance inverse Gamma(`shape`, `scale`), and given it the mean normal with variance /
    `kappa`. The marginal distribution of the mean is Student's t with 2·shape degrees of freedom; with one or fewer, it
    has no mean (NaN)."""

    location: float
    kappa: float
    shape: float
    scale: float

    def marginals(self) -> dict[Any, Any]:
        if self.scale == 0:
            return {"mean": Certain(self.location), "variance": Certain(0.0)}
        width = (self.scale / (self.shape * self.kappa)) ** 0.5
        return {
            "mean": special.distribution("t", 2.0 * self.shape, loc=self.location, scale=width),
            "variance": special.distribution("invgamma", self.shape, scale=self.scale),
        }

    def mean(self) -> dict[Any, float]:
        found = super().mean()
        return found if self.shape > 0.5 or self.scale == 0 else {**found, "mean": math.nan}

    def draw(self, random: np.random.Generator, size: int) -> dict[Any, Floats]:
        if not self.kappa > 0:
            return {"mean": np.full(size, np.nan), "variance": np.full(size, np.nan)}
        with np.errstate(divide="ignore"):  # a draw of a tiny shape may be 0
            variance = np.minimum(self.scale / random.standard_gamma(self.shape, size), WIDEST**2)
        return {"mean": random.normal(self.location, np.sqrt(variance / self.kappa)), "variance": variance}
