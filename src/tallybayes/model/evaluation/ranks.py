"""How a class's probability ranks rows: how often each value occurs in rows of the class and in others, and the area
under the ROC curve.

A ROC curve needs every probability that occurred. Up to `MOST` distinct values are kept exactly; beyond that, just
enough trailing bits are dropped to keep no more. How many depends on the rows alone, not on their order or batches, so
ranks add up like the rest of an evaluation.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tallybayes.counts.exact import Counts, Floats, Mask

MOST = 1 << 13  # different probabilities of one class
HALF = np.float64(0.5).view(np.uint64)
ONE = np.uint64(1)

Keys = NDArray[np.uint64]


@dataclass(frozen=True, eq=False)
class Ranks:
    """`keys` encode probabilities and sort as they do; `n` counts the rows of the class, and the others, for each
    key."""

    keys: Keys
    n: Counts
    dropped: int = 0  # bits of every key

    @classmethod
    def of(cls, probability: Floats, true: Mask) -> Ranks:
        """From the probability of a class in every row, and whether it is the true one there."""
        keys = _keys(probability) << ONE | true  # the truth rides along as the last bit while keys are sorted
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
        """The ranks of a class whose probability is 0 in every row."""
        return cls(np.zeros(1, np.uint64), np.array([[n, others]]))

    def mirrored(self) -> Ranks:
        """The ranks of the other of two classes."""
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
        """The probabilities of the keys, or the least of each group if bits were dropped."""
        whole = self.keys << np.uint64(self.dropped)
        low = np.minimum(whole, HALF + HALF - np.minimum(whole, HALF + HALF)).view(np.float64)
        return np.where(whole <= HALF, low, 1.0 - low)

    @property
    def auc(self) -> float:
        """The share of pairs (a row of the class, another row) that are ranked correctly; ties count half."""
        mine, others = self.n.T.tolist()
        below = np.cumsum([0, *others[:-1]], dtype=float)
        pairs = float(sum(mine)) * sum(others)
        return float(np.dot(mine, below + 0.5 * np.array(others))) / pairs if pairs else np.nan

    @property
    def auc_error(self) -> float:
        """Its standard error by DeLong's method; NaN if there are fewer than two rows of either kind."""
        mine, others = self.n.astype(float).T
        below, above = np.cumsum(others) - 0.5 * others, np.sum(mine) - np.cumsum(mine) + 0.5 * mine
        return float(
            np.sqrt(_variance(below / max(others.sum(), 1.0), mine) + _variance(above / max(mine.sum(), 1.0), others))
        )


def _variance(values: Floats, times: Floats) -> float:
    """The variance of the mean of values with these multiplicities."""
    n = times.sum()
    if n < 2:
        return np.nan
    mean = np.dot(values, times) / n
    return float(np.dot((values - mean) ** 2, times) / (n - 1) / n)


def _keys(probability: Floats) -> Keys:
    """The bits of p below one half, and from there on those of 1 − p (exact there) in reverse: fine resolution at both
    ends."""
    bits = np.minimum(probability, 1.0 - probability).view(np.uint64)
    return np.where(probability <= 0.5, bits, HALF + HALF - bits)


def _firsts(keys: Keys) -> Counts:
    """The index of the first occurrence of each sorted key."""
    return np.flatnonzero(np.concatenate([[True], keys[1:] != keys[:-1]]))


def _to_drop(keys: Keys) -> int:
    """How many trailing bits to drop so that at most `MOST` sorted keys differ: the `MOST`-th largest XOR of neighbours
    tells."""
    if len(keys) <= MOST:
        return 0
    apart = keys[1:] ^ keys[:-1]
    return int(np.partition(apart, -MOST)[-MOST]).bit_length()
