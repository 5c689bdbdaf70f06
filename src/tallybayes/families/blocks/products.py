"""Exact sums of the products of two columns, by class.

A product of two doubles is the exact sum of two doubles, so the sum of products is the sum of two columns, which the
kernels add at full speed. Near the ends of the range this does not hold, and weights make three factors: then the bits
of every product are added one by one, with the same result.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tallybayes import kernels
from tallybayes.counts.exact import Exact, Floats
from tallybayes.counts.rows import class_sums
from tallybayes.counts.sums import concatenated, weighted_table
from tallybayes.counts.tally import Rows

AT_ONCE = 1 << 20  # products at a time


Places = NDArray[np.intp]


class PairSums(NamedTuple):
    """For each pair of columns and each class."""

    n: Exact  # how many rows, or their weight
    total: Exact


def sum_products(x: Floats, firsts: Places, seconds: Places, rows: Rows) -> PairSums:
    """Σxy for pairs of columns, over the rows in which both are present."""

    def work(some: slice) -> PairSums:
        return _products(x, firsts[some], seconds[some], rows)

    return _in_steps(work, len(firsts), rows)


def sum_apart(x: Floats, firsts: Places, seconds: Places, rows: Rows) -> PairSums:
    """Σx of the first of two columns, over the rows in which the second is missing."""

    def work(some: slice) -> PairSums:
        alone = np.where(np.isnan(x[:, seconds[some]]), x[:, firsts[some]], np.nan)
        n, total, _ = class_sums(np.ascontiguousarray(alone), rows, False)
        return PairSums(n, total)

    return _in_steps(work, len(firsts), rows)


def _in_steps(work: Callable[[slice], PairSums], pairs: int, rows: Rows) -> PairSums:
    """Some pairs at a time: all rows of all pairs are a large table."""
    step = max(AT_ONCE // max(len(rows), 1), 1)
    parts = [work(slice(at, min(at + step, pairs))) for at in range(0, pairs, step)]
    if not parts:
        return PairSums(*(Exact.zeros((0, len(rows.classes))) for _ in range(2)))
    return PairSums(concatenated([part.n for part in parts]), concatenated([part.total for part in parts]))


def _products(x: Floats, firsts: Places, seconds: Places, rows: Rows) -> PairSums:
    pairs, classes = len(firsts), len(rows.classes)
    if rows.weights is None:
        products, exact = kernels.exact_products(x, firsts.astype(np.int32), seconds.astype(np.int32))
        if exact:
            n, total, _ = class_sums(products, rows, False)
            return PairSums(n[:pairs], total[:pairs] + total[pairs:])
    one, other = x[:, firsts], x[:, seconds]
    n, _, _ = class_sums(np.where(np.isnan(one) | np.isnan(other), np.nan, 1.0), rows, False)
    cells = (
        np.where(rows.codes >= 0, rows.codes, -classes * pairs) + classes * np.arange(pairs, dtype=np.int32)[:, None]
    )
    factors = [one.T.reshape(-1), other.T.reshape(-1)]
    if rows.weights is not None:
        factors.append(np.tile(rows.weights, pairs))
    return PairSums(n, weighted_table(factors, cells.reshape(-1).astype(np.int32), pairs, classes))
