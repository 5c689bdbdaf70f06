"""Exact sums of floating-point numbers: arrays that add and subtract without rounding.

They are why a model that forgot a row is byte for byte the model that never saw it. A double is an integer times a
power of two, so a sum of doubles is a big fixed-point number. `Exact` holds an array of such numbers as 32-bit limbs in
int64, which add elementwise and carry later. Integer counts are the special case of one limb, so all sums in the
library are of this kind, and nothing depends on the order of adding.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallybayes import kernels

Floats = NDArray[np.float64]
Counts = NDArray[np.int64]
Codes = NDArray[np.int32]
Indices = NDArray[np.intp]
Mask = NDArray[np.bool_]

LIMB = 32  # bits
FEW = 16  # limbs: up to here Python is faster than numpy's overhead
TRACE = 2.0**-100  # decay truncates less than this part of a sum
FULL = 1 << 62  # limbs stay below this, so that any two can be added
NARROW = 8  # limbs in a row


class Exact:
    """An array of exact numbers: element = Σ limbs[..., i] · 2^(32·(low + i)).

    >>> tenths = Exact.of([0.1] * 10).sum()
    >>> tenths.round().item()  # ten times the double nearest to 0.1, rounded once
    1.0
    >>> (tenths - Exact.of([0.1] * 9).sum() - Exact.of(0.1)).is_zero().item()
    True
    """

    __slots__ = ("limbs", "low")

    def __init__(self, limbs: Counts, low: int = 0) -> None:
        self.limbs = limbs
        self.low = low

    @classmethod
    def zeros(cls, shape: tuple[int, ...]) -> Exact:
        return cls(np.zeros((*shape, 1), np.int64))

    @classmethod
    def counts(cls, values: Counts) -> Exact:
        return cls(np.ascontiguousarray(values, np.int64)[..., None]).safe()

    @classmethod
    def of(cls, values: Any) -> Exact:
        """Doubles, converted exactly."""
        x = np.ascontiguousarray(values, np.float64)
        low, size = window([x])
        limbs = np.zeros((x.size, size), np.int64)
        kernels.sum_products(x.reshape(-1), None, None, np.arange(x.size, dtype=np.int32), limbs, low)
        return cls(limbs.reshape(*x.shape, size), low).trimmed()

    @property
    def end(self) -> int:
        """The end of the limbs: carried numbers are below 2^(32·end) in magnitude."""
        return self.low + self.limbs.shape[-1]

    @property
    def shape(self) -> tuple[int, ...]:
        return self.limbs.shape[:-1]

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, index: Any) -> Exact:
        index = index if isinstance(index, tuple) else (index,)
        return Exact(self.limbs[(*index, Ellipsis, slice(None))], self.low)

    def __add__(self, other: Exact) -> Exact:
        a, b = self._alike(other)
        return Exact(a.limbs + b.limbs, a.low).safe()

    def __neg__(self) -> Exact:
        return Exact(-self.limbs, self.low)

    def __sub__(self, other: Exact) -> Exact:
        a, b = self._alike(other)
        return Exact(a.limbs - b.limbs, a.low).safe()

    def _alike(self, other: Exact) -> tuple[Exact, Exact]:
        """Both with limbs at the same places."""
        low, size = union(self, other)
        return self.widened(low, size), other.widened(low, size)

    def __mul__(self, factor: float) -> Exact:
        """Exact for whole numbers and powers of two; truncated to 128 bits for others, so that repeated decay does not
        grow without bound."""
        scale = Fraction(factor)
        places = -(-(scale.denominator.bit_length() - 1) // LIMB)
        whole = scale.numerator * ((1 << (LIMB * places)) // scale.denominator)
        tidy = self.carried()
        product = Exact(_times(tidy.limbs, abs(whole)), tidy.low - places)
        product = (product if whole >= 0 else -product).carried()
        return product if scale.denominator == 1 or abs(scale.numerator) == 1 else product._short()

    __rmul__ = __mul__

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Exact) and self.shape == other.shape and not np.any((self - other).carried().limbs)

    def __repr__(self) -> str:
        return f"Exact({self.round()!r})"

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickled and copied in canonical form: the raw limbs may show what was added and subtracted. The dtype is
        replaced by numpy's own object, since pickle distinguishes equal dtypes that are different objects."""
        tidy = self.carried()
        return Exact, (tidy.limbs.view(np.int64), tidy.low)

    def sum(self, axis: int = 0) -> Exact:
        axis = axis % len(self.shape)
        bounded = self if largest(self.limbs) * max(self.shape[axis], 1) < FULL else self.carried()
        limbs = bounded.limbs
        if axis == 0 and limbs[:1].size <= NARROW < len(limbs):  # numpy is slow at these
            columns = np.ascontiguousarray(limbs.reshape(len(limbs), -1).T)
            return Exact(columns.sum(axis=1).reshape(limbs.shape[1:]), bounded.low).safe()
        return Exact(limbs.sum(axis=axis), bounded.low).safe()

    def widened(self, low: int, size: int) -> Exact:
        """The same numbers with room for limbs `low` … `low + size`."""
        if (low, size) == (self.low, self.limbs.shape[-1]):
            return self
        limbs = np.zeros((*self.shape, size), np.int64)
        start = self.low - low
        limbs[..., start : start + self.limbs.shape[-1]] = self.limbs
        return Exact(limbs, low)

    def safe(self) -> Exact:
        """The same numbers with every limb far enough from overflow for an addition."""
        return self.carried() if largest(self.limbs) >= FULL else self

    def carried(self) -> Exact:
        """The canonical form: limbs below 2³² with the sign of their number, and no all-zero limbs at either end."""
        if self.limbs.shape[-1] == 1 and largest(self.limbs) < 1 << LIMB:
            return self.trimmed()  # counts, mostly
        size = self.limbs.shape[-1]
        limbs, first = kernels.carry(np.ascontiguousarray(self.limbs).reshape(math.prod(self.shape), size))
        width = limbs.shape[-1]
        return Exact(limbs.reshape(*self.shape, width), self.low + first) if width else Exact.zeros(self.shape)

    def is_canonical(self) -> bool:
        """Whether the limbs are those that `carried` gives."""
        limbs, wide = self.limbs, self.limbs.shape[-1] > 1
        if not limbs.any():
            return not wide and self.low == 0
        if largest(limbs) >= 1 << LIMB or not limbs[..., 0].any() or not limbs[..., -1].any():
            return False
        return not (wide and ((limbs > 0).any(axis=-1) & (limbs < 0).any(axis=-1)).any())

    def trimmed(self) -> Exact:
        """Without limbs at either end that are zero in all numbers."""
        used = np.flatnonzero(self.limbs.any(axis=tuple(range(self.limbs.ndim - 1))))
        if not used.size:
            return Exact.zeros(self.shape)
        first, last = int(used[0]), int(used[-1]) + 1
        return Exact(np.ascontiguousarray(self.limbs[..., first:last]), self.low + first)

    def is_zero(self) -> Mask:
        if self.limbs.shape[-1] == 1:
            return np.asarray(self.limbs[..., 0] == 0)
        return np.asarray(~self._signed_limbs().any(axis=-1))

    def _signed_limbs(self) -> Counts:
        """Limbs that all have the sign of their number, like single limbs and positive ones."""
        signed = self.limbs.shape[-1] == 1 or not self.limbs.size or self.limbs.min() >= 0
        return self.limbs if signed else self.carried().limbs

    def is_below(self, bound: Floats | float) -> Mask:
        """Where a number is below −bound: negative by more than decay may have truncated."""
        negative = np.asarray((self._signed_limbs() < 0).any(axis=-1))
        return np.asarray(negative & (self.round() < -np.asarray(bound))) if negative.any() else negative

    def differs(self, other: Exact, traces: int) -> Mask:
        """Where these numbers differ from others by more than so many roundings of decay."""
        rest = self - other
        differs = ~rest.is_zero()
        if differs.any():
            trace = traces * TRACE * (1.0 + np.abs(other.round()))
            differs = rest.is_below(trace) | (-rest).is_below(trace)
        return differs

    def integers(self) -> list[int]:
        """Every number in units of its lowest limb, in C order."""
        rows = self.limbs.reshape(math.prod(self.shape), self.limbs.shape[-1]).tolist()
        return [sum(limb << (LIMB * i) for i, limb in enumerate(row)) for row in rows]

    def fractions(self) -> list[Fraction]:
        """Every number as a fraction, in C order."""
        unit = Fraction(2) ** (LIMB * self.low)
        return [number * unit for number in self.integers()]

    def _short(self) -> Exact:
        """Canonical numbers truncated to their five highest limbs."""
        places = np.arange(self.limbs.shape[-1])
        highest = np.where(self.limbs != 0, places, -1).max(axis=-1, initial=-1)
        return Exact(np.where(places >= highest[..., None] - 4, self.limbs, 0), self.low).trimmed()

    def round(self) -> Floats:
        """Every number as the double nearest to it."""
        if self.limbs.shape[-1] == 1 and self.low == 0:  # counts
            return self.limbs[..., 0].astype(np.float64)
        if self.limbs.shape[-1] <= 2 and -16 <= self.low <= 16 and largest(self.limbs) <= 1 << 53:
            both = self.limbs.astype(np.float64) @ np.ldexp(1.0, LIMB * np.arange(self.limbs.shape[-1]))  # rounds once
            return np.ldexp(both, LIMB * self.low)
        near = self if self._is_near() else self.carried()
        if near._is_near():
            limbs = np.ascontiguousarray(near.limbs).reshape(math.prod(self.shape), near.limbs.shape[-1])
            return kernels.round_limbs(limbs, near.low).reshape(self.shape)
        return np.array([_nearest(number, self.low) for number in self.integers()], np.float64).reshape(self.shape)

    def _is_near(self) -> bool:
        """Whether no number is near the ends of the doubles' range, with two limbs for carries."""
        return self.low >= -30 and self.end <= 28

    def add_at(self, index: Any, other: Exact) -> None:
        """Adds in place, touching only the cells at `index`."""
        wide, other = self._alike(other)
        cells = wide.limbs[index] + other.limbs
        wide.limbs[index] = cells
        if largest(cells) >= FULL:
            wide = wide.carried()
        self.limbs, self.low = wide.limbs, wide.low

    def add_rows(self, rows: Counts, other: Exact, sign: int) -> None:
        """Adds `sign` times `other` in place to the elements at these indices, which must be distinct."""
        if self.low != other.low or self.limbs.shape[-1] != other.limbs.shape[-1]:
            wide, other = self._alike(other)
            self.limbs, self.low = wide.limbs, wide.low
        if kernels.add_rows(self.limbs, rows, np.ascontiguousarray(other.limbs), sign) >= FULL:
            wide = self.carried()
            self.limbs, self.low = wide.limbs, wide.low


def _times(limbs: Counts, factor: int) -> Counts:
    """Canonical limbs times a whole number, in digits of 16 bits so that no product overflows."""
    digits = [factor >> (16 * j) & 0xFFFF for j in range(-(-factor.bit_length() // 16))]
    width = limbs.shape[-1]
    product = np.zeros((*limbs.shape[:-1], width + len(digits) // 2 + 2), np.int64)
    for j, digit in enumerate(digits):
        part = limbs * digit
        at = j // 2
        if j % 2 == 0:
            product[..., at : at + width] += part
        else:  # half a limb up: the lower half of each product stays, the upper half moves on
            product[..., at : at + width] += (part & 0xFFFF) << 16
            product[..., at + 1 : at + 1 + width] += part >> 16
        if j % 64 == 63:
            product = Exact(product).carried().widened(0, product.shape[-1]).limbs
    return product


def union(a: Exact, b: Exact) -> tuple[int, int]:
    low = min(a.low, b.low)
    return low, max(a.low + a.limbs.shape[-1], b.low + b.limbs.shape[-1]) - low


def _nearest(number: int, low: int) -> float:
    """number · 2^(32·low) as the nearest double, infinite beyond the largest."""
    try:
        return (number << max(LIMB * low, 0)) / (1 << max(-LIMB * low, 0))
    except OverflowError:
        return -math.inf if number < 0 else math.inf


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


def largest(limbs: Counts) -> int:
    """The largest magnitude."""
    if limbs.size <= FEW:
        return max(map(abs, limbs.reshape(-1).tolist()), default=0)
    return max(int(limbs.max()), -int(limbs.min()))
