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
        keys = _keys(probability)
        mine, keys = keys[true], np.sort(keys)
        dropped = _to_drop(keys)
        keys >>= np.uint64(dropped)
        first = _firsts(keys)
        rows, keys = np.diff(first, append=len(keys)), keys[first]
        n = np.bincount(np.searchsorted(keys, mine >> np.uint64(dropped)), minlength=len(keys))
        return cls(keys, np.stack([n, rows - n], axis=1), dropped)

    @classmethod
    def never(cls, n: int, others: int) -> Ranks:
        """Of a class that is given no probability in any row."""
        return cls(np.zeros(1, np.uint64), np.array([[n, others]]))

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
    def auc(self) -> float:
        """The share of pairs, a row of the class and another, that are ranked rightly; half of those that tie."""
        mine, others = self.n.T.tolist()
        below = np.cumsum([0, *others[:-1]], dtype=float)
        pairs = float(sum(mine)) * sum(others)
        return float(np.dot(mine, below + 0.5 * np.array(others))) / pairs if pairs else np.nan


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
