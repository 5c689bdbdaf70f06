"""Positive numbers over many orders of magnitude: Gaussian in their logarithm."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from tallybayes import kernels
from tallybayes.exact import Floats
from tallybayes.families.base import Belief
from tallybayes.families.gaussian import Gaussian
from tallybayes.families.measured import MeasuredBelief
from tallybayes.families.support import POSITIVE, Support
from tallybayes.sums import Square


class LogNormalSums(NamedTuple):
    n: Any  # how many values
    log_x: Any  # the total of their logarithms
    log_xx: Any  # the total of the exact squares of those


@dataclass(frozen=True, kw_only=True, repr=False)
class LogNormal(Gaussian):
    """A positive number whose logarithm is Gaussian. Settings and parameters speak of the logarithm.

    >>> LogNormal().sufficient(np.array([1.0, np.e])).log_x
    array([0., 1.])
    """

    sums: ClassVar[Any] = LogNormalSums
    support: ClassVar[Support] = POSITIVE
    feature: ClassVar[str] = "log x"

    def sufficient(self, x: Floats) -> Any:
        logs = kernels.logarithm(x)
        return LogNormalSums(n=1, log_x=logs, log_xx=Square(logs))

    def log_predictive(self, s: Any, x: Floats) -> Floats:
        return super().log_predictive(s, np.log(x)) - np.log(x)

    def log_density(self, x: Floats, **parameters: Floats) -> Floats:
        return super().log_density(np.log(x), **parameters) - np.log(x)

    def draw(self, random: np.random.Generator, **parameters: Floats) -> Floats:
        return np.exp(super().draw(random, **parameters))

    def scorer(self, s: Any) -> Belief:
        return LogNormalBelief(self, self.pooled(s))


class LogNormalBelief(MeasuredBelief):
    """What a Gaussian says about the logarithm, less the logarithm: the scale on which it says it."""

    def __init__(self, family: LogNormal, s: Any) -> None:
        super().__init__(family, s)
        self._inner = Gaussian(m=family.m, mean=family.mean, variance=family.variance, plugin=family.plugin).scorer(s)

    def add_evidence(self, cells: Floats, scores: Floats) -> None:
        self.family.outside(cells)
        logs = kernels.logarithm(cells)  # missing where there is none
        self._inner.add_evidence(logs, scores)
        scores[:, : len(logs)] -= np.where(np.isnan(logs), 0.0, logs)
