"""Exact sums of whole columns, by class: values, their squares, and products with weights."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from tallybayes import kernels
from tallybayes.exact import Codes, Exact, Floats, window


@dataclass(frozen=True)
class Square:
    """The exact square of every value, as a statistic to be summed: all 106 bits of it."""

    of: Floats


class ClassSums(NamedTuple):
    """What one column adds up to in each class."""

    n: Exact  # how many values, or their weight
    x: Exact
    xx: Exact | None


def sum_by_class(values: Floats, groups: kernels.Groups, squares: bool) -> ClassSums:
    """Exact n, Σx and Σx² of a column by class. NaN is missing; an infinity raises `InfiniteError`."""
    n, x, xx, infinite = kernels.sum_by_class(values, groups, squares)
    if infinite >= 0:
        raise InfiniteError(infinite)
    squared = None if xx is None else Exact(xx, kernels.FULL_LOW[2]).trimmed()
    return ClassSums(Exact.counts(n), Exact(x, kernels.FULL_LOW[1]).trimmed(), squared)


def weighted_sums(factors: list[Floats], codes: Codes, groups: int) -> Exact:
    """Exact Σ of the products of up to three columns, by code; rows with a NaN or a code below zero drop out."""
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


class InfiniteError(ValueError):
    """A value is infinite; `row` says where."""

    def __init__(self, row: int) -> None:
        super().__init__(f"the value in row {row} is infinite")
        self.row = row
