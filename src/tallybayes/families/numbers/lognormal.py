"""Positive numbers over many orders of magnitude: Gaussian in their logarithm."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from tallybayes import kernels
from tallybayes.counts.exact import Floats
from tallybayes.counts.sums import Square
from tallybayes.families.events import NoJointError
from tallybayes.families.numbers.gaussian import Gaussian
from tallybayes.families.numbers.statistics import LogPowerSums
from tallybayes.families.numbers.support import POSITIVE, Support


@dataclass(frozen=True, kw_only=True, repr=False)
class LogNormal(Gaussian):
    """A positive number whose logarithm is Gaussian. Settings and parameters are those of the logarithm.

    >>> from tallybayes import Model
    >>> model = Model.train({"rent": LogNormal(m=0, plugin=True)}, {"rent": [1.0, np.exp(2.0)]}, ["a", "a"])
    >>> model.estimates("rent")
    {'mean': {'a': 1.0}, 'variance': {'a': 1.0}}
    """

    sums: ClassVar[Any] = LogPowerSums
    support: ClassVar[Support] = POSITIVE
    of_logs: ClassVar[bool] = True

    def sufficient(self, x: Floats) -> Any:
        logs = kernels.logarithm(x)
        return LogPowerSums(n=1, log_x=logs, log_xx=Square(logs))

    def log_predictive(self, s: Any, x: Floats) -> Floats:
        logs = kernels.logarithm(x)  # the same function as in counting: equal values equal their mean to the last bit
        return super().log_predictive(s, logs) - logs

    def log_density(self, x: Floats, **parameters: Floats) -> Floats:
        logs = kernels.logarithm(x)
        return super().log_density(logs, **parameters) - logs

    def shares(self, s: Any, x: float) -> tuple[Floats, Floats]:
        if x <= 0:
            return np.zeros(np.shape(s.mean)), np.ones(np.shape(s.mean))
        return super().shares(s, float(np.log(x)))

    def peak(self, s: Any) -> Floats:
        """The mode, with mean and variance of the logarithm estimated."""
        if not self.plugin:
            raise NoJointError("LogNormal has no closed form of its most probable number; use plugin=True.")
        return np.asarray(np.exp(s.mean - s.variance))

    def draw(self, random: np.random.Generator, **parameters: Floats) -> Floats:
        return np.exp(super().draw(random, **parameters))
