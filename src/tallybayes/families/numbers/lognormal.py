"""Positive numbers over many orders of magnitude: Gaussian in their logarithm."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from tallybayes import kernels
from tallybayes.counts.exact import Floats
from tallybayes.counts.sums import Square
from tallybayes.families.numbers.gaussian import Gaussian, NormalBelief, StudentBelief, UpdatedBelief
from tallybayes.families.numbers.numeric_belief import MeasuredBelief
from tallybayes.families.numbers.support import POSITIVE, Support


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

    def scorers(self) -> tuple[type[MeasuredBelief], type[UpdatedBelief], type[UpdatedBelief]]:
        return LogFormulaBelief, LogNormalBelief, LogStudentBelief


class LogNormalBelief(NormalBelief):
    """What a Gaussian says about the logarithm, less the logarithm: the scale on which it says it."""

    logs = True


class LogStudentBelief(StudentBelief):
    """The same with mean and variance integrated out."""

    logs = True


class LogFormulaBelief(MeasuredBelief):
    """The same by the Gaussian's formula."""

    def add_evidence(self, cells: Floats, scores: Floats) -> None:
        if self.silent:
            return
        missing = self.family.outside(cells) | np.isnan(cells)
        logs = np.where(missing, 0.0, kernels.logarithm(cells))
        gaussian = Gaussian(
            **{name: getattr(self.family, name) for name in ("m", "mean", "variance", "plugin", "noise")}
        )
        said = gaussian.log_likelihood(self._columns, logs[None, :]) - logs
        scores[:, : len(cells)] += np.where(missing, 0.0, said)
