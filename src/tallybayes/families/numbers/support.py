"""Which numbers a family takes."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tallybayes import kernels
from tallybayes.counts.exact import Floats, Mask
from tallybayes.data.errors import FINITE_INSTEAD

FURTHEST = 1e150  # of numbers drawn: its square is still finite
LEAST = 1e-300  # of positive numbers drawn
MOST = 2.0**63 - 1024.0  # of whole numbers drawn


class Support(NamedTuple):
    """Which numbers a family takes, in words and as a test."""

    words: str
    lowest: float = -np.inf
    open: bool = False  # the lowest itself is not taken
    whole: bool = False

    def takes_all(self, x: Floats) -> bool:
        """Whether no number is outside the support: in one pass, and without memory for each of them."""
        return kernels.all_inside(x.ravel(), self.lowest, self.open, self.whole)

    def outside(self, x: Floats) -> Mask:
        """Where a number is outside the support; NaN is a missing cell, which is allowed."""
        bad: Mask = np.isinf(x)
        if np.isfinite(self.lowest):
            bad |= x <= self.lowest if self.open else x < self.lowest
        if self.whole:
            bad |= np.floor(x) < x
        return bad

    def refusal(self, x: float, family: object) -> str:
        """Why a family does not take a number outside the support."""
        reason = f"{x!s} is not {self.words}, as {type(family).__name__} expects."
        return f"{reason} {FINITE_INSTEAD}" if np.isinf(x) else reason

    def takes(self, x: float) -> bool:
        """Whether a finite number is in the support."""
        return (x > self.lowest if self.open else x >= self.lowest) and (not self.whole or x.is_integer())

    def nearest(self, x: Floats) -> Floats:
        """Numbers from a long tail, clipped to the range of the arithmetic."""
        if self.whole:
            return np.clip(x, self.lowest, MOST)
        return np.clip(x, LEAST if self.open else max(self.lowest, -FURTHEST), FURTHEST)


LARGEST = float(np.finfo(np.float64).max)
REAL = Support("a finite number")
COUNT = Support("a whole number of at least 0", 0.0, whole=True)
POSITIVE = Support("a number above 0", 0.0, open=True)
NOT_NEGATIVE = Support("a finite number of at least 0", 0.0)
