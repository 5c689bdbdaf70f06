"""How probabilities rank rows: how often each was given to rows of a class and to others, and the area that makes.

A ROC curve needs every probability that was given. Up to `MOST` different ones are kept as they are; beyond, as many of
their last bits are dropped as it takes to keep no more. How many that is depends on the rows alone, not on their order
or on batches, so that ranks add up as all else in an evaluation does.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tallybayes.counts.exact import Counts, Floats

MOST = 1 << 13  # different probabilities of one class
HALF = np.float64(0.5).view(np.uint64)
ONE = np.uint64(1)

Keys = NDArray[np.uint64]


@dataclass(frozen=True, eq=False)
class Ranks:
    """`keys` stand for probabilities and sort as they do; `n` has the rows of the class, and the others, with each."""

    keys: Keys
    n: Counts
    dropped: int = 0  # bits of every key

    @classmethod
    def of(cls, probability: Floats, true: NDArray[np.bool_]) -> Ranks:
        """Of a class: what it was given in every row, and whether it is the truth there."""
        keys = _keys(probability) << ONE | true  # the last bit goes along while they are sorted
        keys.sort()
        mine = (keys & ONE).astype(np.int64)
        keys >>= ONE
        dropped = _to_drop(keys)
        keys >>= np.uint64(dropped)
        first = _firsts(keys)
        rows = np.diff(first, append=len(keys))
        n = np.add.reduceat(mine, first)
        return cls(keys[first], np.stack([n, rows - n], axis=1), dropped)

    @classmethod
    def never(cls, n: int, others: int) -> Ranks:
        """Of a class that is given no probability in any row."""
        return cls(np.zeros(1, np.uint64), np.array([[n, others]]))

    def mirrored(self) -> Ranks:
        """Of the other one of two classes: all that is left."""
        return Ranks(((HALF + HALF) >> np.uint64(self.dropped)) - self.keys[::-1], self.n[::-1, ::-1], self.dropped)

    def __add__(self, other: Ranks) -> Ranks:
        dropped = max(self.dropped, other.dropped)
        keys = np.concatenate([each.keys >> np.uint64(dropped - each.dropped) for each in (self, other)])
        order = np.argsort(keys, kind="stable")
        keys, n = keys[order], np.concatenate([self.n, other.n])[order]
        more = _to_drop(keys)
        keys >>= np.uint64(more)
        first = _firsts(keys)
        return Ranks(keys[first], np.add.reduceat(n, first), dropped + more)

    @property
    def probabilities(self) -> Floats:
        """Those that the keys stand for, or the least of them where bits were dropped."""
        whole = self.keys << np.uint64(self.dropped)
        low = np.minimum(whole, HALF + HALF - np.minimum(whole, HALF + HALF)).view(np.float64)
        return np.where(whole <= HALF, low, 1.0 - low)

    @property
    def auc(self) -> float:
        """The share of pairs, a row of the class and another, that are ranked rightly; half of those that tie."""
        mine, others = self.n.T.tolist()
        below = np.cumsum([0, *others[:-1]], dtype=float)
        pairs = float(sum(mine)) * sum(others)
        return float(np.dot(mine, below + 0.5 * np.array(others))) / pairs if pairs else np.nan

    @property
    def auc_error(self) -> float:
        """Its standard error, after DeLong: from how the rows of the class are placed among the others, and the others
        among these. NaN where there are fewer than two of either."""
        mine, others = self.n.astype(float).T
        below, above = np.cumsum(others) - 0.5 * others, np.sum(mine) - np.cumsum(mine) + 0.5 * mine
        return float(
            np.sqrt(_variance(below / max(others.sum(), 1.0), mine) + _variance(above / max(mine.sum(), 1.0), others))
        )


def _variance(values: Floats, times: Floats) -> float:
    """Of the mean of values that come so many times each."""
    n = times.sum()
    if n < 2:
        return np.nan
    mean = np.dot(values, times) / n
    return float(np.dot((values - mean) ** 2, times) / (n - 1) / n)


def _keys(probability: Floats) -> Keys:
    """The bits of p, or from one half on, backwards, those of 1 − p, which is exact there: fine at both ends."""
    bits = np.minimum(probability, 1.0 - probability).view(np.uint64)
    return np.where(probability <= 0.5, bits, HALF + HALF - bits)


def _firsts(keys: Keys) -> Counts:
    """Where each of the sorted keys comes first."""
    return np.flatnonzero(np.concatenate([[True], keys[1:] != keys[:-1]]))


def _to_drop(keys: Keys) -> int:
    """How many of their last bits sorted keys must lose, for no more than `MOST` of them to differ: all but so many of
    the bits in which neighbours differ."""
    if len(keys) <= MOST:
        return 0
    apart = keys[1:] ^ keys[:-1]
    return int(np.partition(apart, -MOST)[-MOST]).bit_length()
