"""What is known about a parameter after counting: a distribution over it, with credible intervals.

Each kind says its parameters' marginal distributions (from scipy.stats); means and intervals follow from those.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

from tallybayes.families import special


class Posterior(ABC):
    """A distribution over the parameters of one column in one class."""

    @abstractmethod
    def marginals(self) -> dict[str, Any]:
        """Each parameter's own distribution, as scipy.stats has it."""

    def mean(self) -> dict[str, float]:
        return {name: float(marginal.mean()) for name, marginal in self.marginals().items()}

    def interval(self, mass: float = 0.95) -> dict[str, tuple[float, float]]:
        """The central credible interval of every parameter: it holds the parameter with this probability."""
        if not 0.0 < mass < 1.0:
            raise ValueError(f"A credible interval of mass {mass!r} was asked for; give a number between 0 and 1.")
        tail = (1.0 - mass) / 2.0
        return {
            name: (float(marginal.ppf(tail)), float(marginal.ppf(1.0 - tail)))
            for name, marginal in self.marginals().items()
        }


@dataclass(frozen=True)
class Dirichlet(Posterior):
    """Probabilities that add up to one; each by itself has a Beta distribution.

    >>> Dirichlet({"sunny": 3.0, "rain": 1.0}).mean()
    {'sunny': 0.75, 'rain': 0.25}
    """

    alpha: dict[str, float]

    def marginals(self) -> dict[str, Any]:
        total = sum(self.alpha.values())
        return {level: special.distribution("beta", a, total - a) for level, a in self.alpha.items()}


@dataclass(frozen=True)
class Beta(Posterior):
    """One probability, of which `alpha` hits and `beta` misses tell."""

    parameter: str
    alpha: float
    beta: float

    def marginals(self) -> dict[str, Any]:
        return {self.parameter: special.distribution("beta", self.alpha, self.beta)}


@dataclass(frozen=True)
class GammaRate(Posterior):
    """A rate of which `shape` events in `rate` units tell."""

    shape: float
    rate: float

    def marginals(self) -> dict[str, Any]:
        return {"rate": special.distribution("gamma", self.shape, scale=1.0 / self.rate)}


@dataclass(frozen=True)
class NormalInverseGamma(Posterior):
    """A mean and a variance: the variance inverse Gamma(`shape`, `scale`), and given it the mean normal with
    variance / `kappa`. By itself the mean has Student's distribution."""

    location: float
    kappa: float
    shape: float
    scale: float

    def marginals(self) -> dict[str, Any]:
        width = (self.scale / (self.shape * self.kappa)) ** 0.5
        return {
            "mean": special.distribution("t", 2.0 * self.shape, loc=self.location, scale=width),
            "variance": special.distribution("invgamma", self.shape, scale=self.scale),
        }
