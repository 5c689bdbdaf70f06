"""A scale for numbers of any distribution: linear among most of them, logarithmic far out.

With z = (x − median) / spread, where the spread is half the interquartile range, t = arsinh z. On it a log-normal or a
Student's t looks much like a Gaussian, so that bumps of one width suit the middle and the tails. If tails are so heavy
that even their logarithms lie far apart, as Pareto's do, the scale is stretched twice: arsinh (t / arsinh 1). The heavy
tail assumed beyond the values is Cauchy's, with this median and spread.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tallybayes.counts.exact import Floats

SHARES = (0.25, 0.1, 0.05, 0.01, 0.0)  # of the values cut off on either side, until the rest are not all equal
LEAST_SPREAD = 1e-300
FAR = 1e8  # from here on, z² + 1 is z²
UNIT = float(np.arcsinh(1.0))  # where the middle half of the values ends, stretched once


@dataclass(frozen=True)
class Stretched:
    """The scale around a median."""

    median: float
    spread: float
    again: bool = False  # whether the scale is stretched twice

    @classmethod
    def of(cls, values: Floats, counts: Floats) -> Stretched:
        """The scale of sorted values; if all are equal, the spread is the value itself."""
        if not len(values):
            return cls(0.0, 1.0)
        below, n = np.cumsum(counts), counts.sum()
        last = len(values) - 1
        near = [np.searchsorted(below, n / 2.0, side=side).clip(0, last) for side in ("left", "right")]
        for share in SHARES:
            low, high = values[np.searchsorted(below, [n * share, n * (1.0 - share)]).clip(0, last)]
            half = float(high / 2.0 - low / 2.0)
            if half:
                break
        spread = half or abs(float(values[0])) or 1.0
        return cls(float(np.sum(values[near] / 2.0)), max(spread, LEAST_SPREAD))

    def stretched(self, x: Floats) -> Floats:
        once = self._stretched_once(x)
        return np.arcsinh(once / UNIT) if self.again else once

    def back(self, t: Floats) -> Floats:
        with np.errstate(over="ignore"):
            once = UNIT * np.sinh(t) if self.again else t
            return np.asarray(2.0 * (self.median / 2.0 + self.spread / 2.0 * np.sinh(once)))  # the sum may fit

    def log_slope(self, x: Floats) -> Floats:
        """log dt/dx."""
        slope = np.asarray(-self._log_hypotenuse(x) - np.log(self.spread))
        return slope - 0.5 * np.log(UNIT**2 + self._stretched_once(x) ** 2) if self.again else slope

    def log_cauchy(self, x: Floats) -> Floats:
        """The logarithm of Cauchy's density."""
        return np.asarray(-2.0 * self._log_hypotenuse(x) - np.log(self.spread) - np.log(np.pi))

    def _stretched_once(self, x: Floats) -> Floats:
        z, far = self._standard(x)
        return np.where(np.abs(z) < FAR, np.arcsinh(z), np.sign(z) * (far + np.log(2.0)))

    def _standard(self, x: Floats) -> tuple[Floats, Floats]:
        """z, and the logarithm of its magnitude where z itself might overflow."""
        away = x / 2.0 - self.median / 2.0
        with np.errstate(over="ignore"):
            z = away / (self.spread / 2.0)
        return z, np.log(np.maximum(np.abs(away), LEAST_SPREAD)) - np.log(self.spread / 2.0)

    def _log_hypotenuse(self, x: Floats) -> Floats:
        """½·log(1 + z²)."""
        z, far = self._standard(x)
        return np.where(np.abs(z) < FAR, 0.5 * np.log1p(np.clip(z, -FAR, FAR) ** 2), far)
