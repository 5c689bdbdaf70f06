"""Decimals as numbers and as texts, by value alone: neither the scale of the column nor `decimal`'s context matters."""

from __future__ import annotations

from decimal import Decimal

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

EXACT = 1 << 53  # whole numbers up to here are exact doubles, …
PLACES = 22  # … and so are the powers of ten up to this one


def decimal_numbers(cells: pa.Array) -> NDArray[np.float64]:
    """The double nearest to each decimal, like `float`, NaN if missing. (Arrow's cast multiplies by a rounded power of
    ten, so its last bit depends on the scale.)"""
    if not len(cells):
        return np.zeros(0)
    whole, short = _unscaled(cells)
    scale = cells.type.scale
    if not 0 <= scale <= PLACES:
        short[:] = False
    found = whole / float(10 ** min(max(scale, 0), PLACES))  # both exact, so rounded once
    missing = cells.is_null().to_numpy(zero_copy_only=False)
    found[missing] = np.nan
    long = ~short & ~missing
    if long.any():
        found[long] = [float(value) for value in cells.filter(pa.array(long)).to_pylist()]
    return found


def _unscaled(cells: pa.Array) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Each decimal in units of its last place, and whether that is at most 2⁵³."""
    size = cells.type.byte_width
    part = np.int32 if size == 4 else np.int64
    parts = np.frombuffer(cells.buffers()[1], part).reshape(-1, size // part().itemsize)
    parts = parts[cells.offset : cells.offset + len(cells)]
    low = parts[:, 0].astype(np.int64)  # the upper half only repeats the sign if the number fits
    alone = (parts[:, 1:] == (low >> 63)[:, None]).all(axis=1)
    return low, alone & (low >= -EXACT) & (low <= EXACT)


def decimal_text(value: Decimal) -> str:
    """All digits, and no more zeros than needed: 1.50 and 1.5 are one level, and so are 1.0 and 1."""
    text = format(value, "f")
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return "0" if text == "-0" else text


def shifted(value: Decimal, places: int) -> Decimal:
    """Times a power of ten, exactly."""
    sign, digits, exponent = value.as_tuple()
    return Decimal((sign, digits, int(exponent) + places))
