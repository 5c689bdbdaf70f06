"""Exact sums of whole columns, by class: values, their squares, products with weights; mean and scatter from them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from tallybayes import kernels
from tallybayes.counts.exact import LIMB, Codes, Counts, Exact, Floats, largest, window

MOST_CELLS = 1 << 14  # columns × classes: each takes over a kilobyte while being summed
WHOLE = 1 << 53  # below this, whole numbers and their sums are exact doubles
MOST_VALUES = 1 << 18  # laid out with their weights at a time


class Square(NamedTuple):
    """The exact square of every value, as a statistic to be summed: all 106 bits of it."""

    of: Floats


class ClassSums(NamedTuple):
    """The sums of a matrix's columns: a row for each column, a sum for each class."""

    n: Exact  # how many values, or their weight
    x: Exact
    xx: Exact | None


def sum_columns(values: Floats, groups: kernels.Groups, squares: bool) -> ClassSums:
    """Exact n, Σx and Σx² by class of every column of a matrix. NaN is missing; an infinity raises `InfiniteError`.
    Full windows of limbs are large, so only some columns are summed at a time."""
    step = max(MOST_CELLS // max(groups.classes, 1), 1)
    parts = []
    for start in range(0, values.shape[1], step):
        part = values if step >= values.shape[1] else np.ascontiguousarray(values[:, start : start + step])
        n, x, xx, infinite = kernels.sum_columns(part, groups, squares)
        if infinite >= 0:
            raise InfiniteError(infinite)
        parts.append(ClassSums(Exact(n), Exact(*x), None if xx is None else Exact(*xx)))
    return parts[0] if len(parts) == 1 else joined(parts)


def sum_weighted(values: Floats, weights: Floats, codes: Codes, classes: int, squares: bool) -> ClassSums:
    """The same for weighted rows; rows with a negative code are skipped."""
    step = max(min(MOST_CELLS // max(classes, 1), MOST_VALUES // max(len(values), 1)), 1)
    parts = []
    for start in range(0, values.shape[1], step):
        part = values[:, start : start + step]
        columns = part.shape[1]
        cells = np.where(codes >= 0, codes, -classes * columns)[:, None] + classes * np.arange(columns, dtype=np.int32)
        x, weight = np.ascontiguousarray(part).reshape(-1), np.repeat(weights, columns)
        factors = [[np.where(np.isnan(x), np.nan, 1.0)], [x], [x, x]][: 2 + squares]
        try:
            found = [weighted_table([weight, *each], cells.reshape(-1), columns, classes) for each in factors]
        except InfiniteError as infinite:
            raise InfiniteError(infinite.row // columns) from None
        parts.append(ClassSums(found[0], found[1], found[2] if squares else None))
    return parts[0] if len(parts) == 1 else joined(parts)


def joined(parts: Sequence[ClassSums]) -> ClassSums:
    """Sums of columns, concatenated."""
    squares = [part.xx for part in parts if part.xx is not None]
    return ClassSums(
        concatenated([part.n for part in parts]),
        concatenated([part.x for part in parts]),
        concatenated(squares) if squares else None,
    )


def sums_at(s: Any, index: Any) -> Any:
    """The sums of one column among several."""
    return type(s)(*(value[index] for value in s))


def concatenated(parts: Sequence[Exact]) -> Exact:
    """Arrays, concatenated."""
    low = min(part.low for part in parts)
    high = max(part.low + part.limbs.shape[-1] for part in parts)
    return Exact(np.concatenate([part.widened(low, high - low).limbs for part in parts]), low)


def added_up(parts: Exact, groups: Any, size: int) -> Exact:
    """The sums of numbers by group; there are `size` groups."""
    tidy = parts if largest(parts.limbs) * len(parts) < WHOLE else parts.carried()
    if tidy.limbs.ndim == 2 and largest(tidy.limbs) * len(tidy) < WHOLE:
        by_limb = [np.bincount(groups, limb.astype(np.float64), size) for limb in tidy.limbs.T]
        return Exact(np.stack(by_limb, axis=-1).astype(np.int64), tidy.low)
    limbs = np.zeros((size, *tidy.limbs.shape[1:]), np.int64)
    np.add.at(limbs, groups, tidy.limbs)
    return Exact(limbs, tidy.low)


def cells_of(slots: Any, codes: Codes, size: int, classes: int) -> Codes:
    """The cell of a table of `size` slots by classes that each value goes to; negative: none."""
    if size * classes > np.iinfo(np.int32).max:
        raise OverflowError(f"{size} values × {classes} classes in one batch are more than 2³¹; give smaller batches.")
    return np.where((slots >= 0) & (codes >= 0), slots.astype(np.int64) * classes + codes, -1).astype(np.int32)


def weighted_sums(factors: list[Floats], codes: Codes, groups: int) -> Exact:
    """Exact Σ of the products of up to three columns, by code; rows with a NaN or a negative code are skipped."""
    for factor in factors:
        infinite = np.flatnonzero(np.isinf(factor) & (codes >= 0))
        if infinite.size:
            raise InfiniteError(int(infinite[0]))
    low, size = window(factors)
    limbs = np.zeros((groups, size), np.int64)
    a, b, c = (*factors, None, None)[:3]
    assert a is not None
    kernels.sum_products(a, b, c, codes, limbs, low)
    return Exact(limbs, low).carried()


def weighted_table(factors: list[Floats], cells: Codes, size: int, classes: int) -> Exact:
    """The same as a table of slots by classes, given the cells from `cells_of`."""
    sums = weighted_sums(factors, cells, size * classes)
    return Exact(sums.limbs.reshape(size, classes, sums.limbs.shape[-1]), sums.low)


class InfiniteError(ValueError):
    """A value is infinite; `row` says where."""

    def __init__(self, row: int) -> None:
        super().__init__(f"the value in row {row} is infinite")
        self.row = row


def mean(n: Exact, x: Exact) -> Floats:
    """Σx / n, rounded once. Zero where nothing was counted."""
    n, x = n.carried(), x.carried()
    return kernels.quotients(_limbs(x), _limbs(n), LIMB * (x.low - n.low)).reshape(n.shape)


def scatter(n: Exact, x: Exact, xx: Exact) -> Floats:
    """Σ(x − mean)², from exact sums and rounded once: no digit is lost at any mean. Zero where nothing was counted."""
    return scatter_of_two(n, x, x, xx)


def scatter_of_two(n: Exact, x: Exact, y: Exact, xy: Exact, places: Counts | None = None) -> Floats:
    """Σ(x − mean)(y − mean), likewise; divided by 2 to the power of `places`, if given, to fit a double whatever the
    columns' units."""
    n, x, y, xy = (numbers.carried() for numbers in (n, x, y, xy))
    low = min(n.low + xy.low, x.low + y.low)  # of n·Σxy − Σx·Σy
    up, upper = n.low + xy.low - low, x.low + y.low - low
    sums = (_limbs(n), _limbs(x), _limbs(y), _limbs(xy))
    return kernels.scatters(*sums, up, upper, LIMB * (low - n.low), places).reshape(n.shape)


def _limbs(numbers: Exact) -> Counts:
    """The limbs of all numbers, as a matrix."""
    return np.ascontiguousarray(numbers.limbs).reshape(-1, numbers.limbs.shape[-1])
