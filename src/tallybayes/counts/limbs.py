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


def rounded(limbs: Limbs, low: int) -> Floats:
    """Canonical limbs rounded to doubles, if none is near the ends of the doubles' range.

    The three highest limbs decide, and whether anything lies below them. The two highest add up to a double and an
    exact remainder; that and the third are a whole number below 2⁴³; so only the last addition rounds.
    """
    sign = np.where((limbs < 0).any(axis=-1), -1.0, 1.0)
    padded = np.concatenate([np.zeros((*limbs.shape[:-1], 2), np.int64), np.abs(limbs)], axis=-1)
    places = np.arange(padded.shape[-1])
    top = np.maximum(np.where(padded != 0, places, 0).max(axis=-1), 2)
    first, second, third = (np.take_along_axis(padded, (top - k)[..., None], -1)[..., 0] for k in range(3))
    below = np.any((padded != 0) & (places < (top - 2)[..., None]), axis=-1)
    third = third | below  # a sticky bit for everything below
    high, middle = first * 2.0**64, second * 2.0**32
    total = high + middle
    rest = middle - (total - high)
    return np.ldexp(sign * (total + (rest + third)), (LIMB * (low + top - 4)).astype(np.int32))


def largest(limbs: Limbs) -> int:
    """The largest magnitude."""
    if limbs.size <= FEW:
        return max(map(abs, limbs.reshape(-1).tolist()), default=0)
    return max(int(limbs.max()), -int(limbs.min()))
