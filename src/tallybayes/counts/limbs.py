"""Bare limbs, the digits of `Exact`: how many hold a sum, and the doubles nearest to them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Limbs = NDArray[np.int64]
Floats = NDArray[np.float64]

LIMB = 32  # bits
FEW = 16  # numbers: below this Python is faster than numpy's overhead


def ratio(above: int, below: int, low: int) -> float:
    """above / below · 2^(32·low) as the nearest double, infinite beyond the largest."""
    try:
        return (above << max(LIMB * low, 0)) / (below << max(-LIMB * low, 0))
    except OverflowError:
        return float("-inf") if above < 0 else float("inf")


def window(factors: list[Floats]) -> tuple[int, int]:
    """Lowest limb and number of limbs that hold any sum of products of these columns."""
    low = high = 0
    for factor in factors:
        least, most = exponents(factor)
        low, high = low + least, high + most
    first = low // LIMB
    return first, -(-high // LIMB) - first + 5  # two limbs for 2⁶³ summands, three that one product may span


def exponents(values: Floats) -> tuple[int, int]:
    """The position of the lowest bit that any of these numbers may have, and the one above the highest."""
    magnitudes = np.abs(values[np.isfinite(values) & (values != 0.0)])
    if not magnitudes.size:
        return 0, 0
    return max(int(np.frexp(magnitudes.min())[1]) - 53, -1074), int(np.frexp(magnitudes.max())[1])


def largest(limbs: Limbs) -> int:
    """The largest magnitude."""
    if limbs.size <= FEW:
        return max(map(abs, limbs.reshape(-1).tolist()), default=0)
    return max(int(limbs.max()), -int(limbs.min()))
