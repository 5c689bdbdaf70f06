"""Waiting times: the exponential family with a Gamma prior on its rate."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np

from tallybayes.counts.exact import Floats
from tallybayes.families.numbers.numeric import Measured
from tallybayes.families.numbers.support import LARGEST, NOT_NEGATIVE, Support
from tallybayes.families.posteriors import GammaRate, Posterior


class ExponentialSums(NamedTuple):
    n: Any  # how many values
    x: Any  # their total


@dataclass(frozen=True, kw_only=True, repr=False)
class Exponential(Measured[ExponentialSums]):
    """A waiting time, exponential with an unknown rate.

    The rate has a Gamma(`shape`, `rate`) prior: `shape` events already seen in a time of `rate`. Where `rate` is not
    given, it is as if those events had come at the column's own overall pace. Both 0 and `plugin`: maximum likelihood.

    >>> Exponential(shape=0.0, rate=0.0).estimate(ExponentialSums(n=np.array([4.0]), x=np.array([8.0])))
    {'rate': array([0.5])}
    """

    sums: ClassVar[Any] = ExponentialSums
    support: ClassVar[Support] = NOT_NEGATIVE
    shape: float = 1.0
    rate: float | None = None

    def __post_init__(self) -> None:
        self.settle("shape", "rate")
        self.settle_choice("plugin", bool, 0, 1)

    def sufficient(self, x: Floats) -> ExponentialSums:
        return ExponentialSums(n=1, x=x)

    def informed(self, total: Any) -> Self:
        if self.rate is not None:
            return self
        n, x = float(np.sum(total.n)), float(np.sum(total.x))
        return replace(self, rate=min(self.shape * (x / n if n > 0 and x > 0 else 1.0), LARGEST))

    def _updated(self, s: Any) -> tuple[Floats, Floats]:
        """Events and time, those of the prior and those counted."""
        known = self.informed(s)
        assert known.rate is not None
        return known.shape + s.n, np.clip(known.rate + s.x, 0.0, LARGEST)

    def log_predictive(self, s: Any, x: Floats) -> Floats:
        shape, time = self._updated(s)
        said = np.log(shape) - np.log(time) - (shape + 1.0) * np.log1p(x / time)
        return np.where(time > 0, said, np.where((x == 0) & (shape > 0), 0.0, -np.inf))

    def estimate(self, s: Any) -> dict[str, Floats]:
        shape, time = self._updated(s)
        return {"rate": shape / time}

    def log_density(self, x: Floats, **parameters: Floats) -> Floats:
        rate = parameters["rate"]
        return np.where(np.isinf(rate), np.where(x == 0, 0.0, -np.inf), np.log(rate) - rate * x)

    def linear(self, **parameters: Floats) -> tuple[Floats, Floats]:
        rate = parameters["rate"]
        return -rate, np.where(np.isinf(rate), 0.0, np.log(rate))

    def draw(self, random: np.random.Generator, **parameters: Floats) -> Floats:
        return random.exponential(1.0 / parameters["rate"])

    def posterior(self, s: Any) -> Posterior:
        return GammaRate(*map(float, self._updated(s)))
