"""Waiting times: the exponential family with a Gamma prior on its rate."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from tallybayes.counts.exact import Floats
from tallybayes.families.numbers.numeric import Numeric
from tallybayes.families.numbers.statistics import Totals
from tallybayes.families.numbers.support import LARGEST, NOT_NEGATIVE, Support
from tallybayes.families.portable import ByFormula, lomax, straight
from tallybayes.families.posteriors import GammaRate, Posterior
from tallybayes.families.settings import setting


@dataclass(frozen=True, kw_only=True, repr=False)
class Exponential(Numeric[Totals]):
    """A waiting time, exponential with an unknown rate.

    The rate has a Gamma(`shape`, `rate`) prior: `shape` events already seen in a time of `rate`. Without `rate`, those
    events came at the column's own overall rate. Both 0 with `plugin`: maximum likelihood.

    >>> s = Totals(n=np.array([4.0]), x=np.array([8.0]))
    >>> Exponential().estimate(Exponential().updated(s, total=s))
    {'rate': array([0.5])}
    """

    support: ClassVar[Support] = NOT_NEGATIVE
    shape: float = setting(1.0, "shape of the rate's Gamma prior, in events already seen", least=0)
    rate: float | None = setting(
        None, "rate of the rate's Gamma prior, in time already observed; by default from the column's own rate", least=0
    )

    def sufficient(self, x: Floats) -> Totals:
        return Totals(n=1, x=x)

    def updated(self, s: Any, total: Any) -> Totals:
        """Events and time, of the prior and the counts together."""
        pace = np.where((total.n > 0) & (total.x > 0), total.x / total.n, 1.0)
        time = np.minimum(self.shape * pace, LARGEST) if self.rate is None else self.rate
        return Totals(n=self.shape + s.n, x=np.clip(time + s.x, 0.0, LARGEST))

    def log_predictive(self, s: Any, x: Floats) -> Floats:
        logs = np.log(s.n) - np.log(s.x) - (s.n + 1.0) * np.log1p(x / s.x)
        return np.where(s.x > 0, logs, np.where((x == 0) & (s.n > 0), 0.0, -np.inf))

    def shares(self, s: Any, x: float) -> tuple[Floats, Floats]:
        with np.errstate(divide="ignore", invalid="ignore"):
            log_beyond = -s.n / s.x * x if self.plugin else -s.n * np.log1p(x / s.x)
        log_beyond = np.where(s.x > 0, log_beyond, -np.inf) if x > 0 else np.zeros(np.shape(s.x))
        return -np.expm1(log_beyond), np.exp(log_beyond)

    def peak(self, s: Any) -> Floats:
        return np.zeros(np.shape(s.x))

    def estimate(self, s: Any) -> dict[str, Floats]:
        return {"rate": s.n / s.x}

    def log_density(self, x: Floats, **parameters: Floats) -> Floats:
        rate = parameters["rate"]
        return np.where(np.isinf(rate), np.where(x == 0, 0.0, -np.inf), np.log(rate) - rate * x)

    def log_pseudo(self, total: Any, **parameters: Floats) -> Floats | float:
        prior = self.updated(Totals(n=0.0, x=0.0), total)
        return prior.n * np.log(parameters["rate"]) - prior.x * parameters["rate"]

    def linear(self, **parameters: Floats) -> tuple[Floats, Floats]:
        rate = parameters["rate"]
        return -rate, np.where(np.isinf(rate), 0.0, np.log(rate))

    def portable(self, s: Any) -> ByFormula:
        if self.plugin:
            rate = self.estimate(s)["rate"]
            return ByFormula(straight, [-rate, np.log(rate)], self.support)
        return ByFormula(lomax, [s.x, s.n + 1.0, np.log(s.n) - np.log(s.x)], self.support)

    def draw(self, random: np.random.Generator, **parameters: Floats) -> Floats:
        return random.exponential(1.0 / parameters["rate"])

    def posterior(self, s: Any) -> Posterior:
        return GammaRate(float(s.n), float(s.x))
