"""Two columns asked about like one, so that a question of a tree can separate pairs of levels.

If two columns matter only together, a tree that asks about one at a time needs many questions, and each of them halves
the rows that are left for the next.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from tallybayes.families.blocks.coding import Bytes, Coding, code_count

CODES = 256
ColumnPairs = NDArray[np.int32]  # by pair: the first column, the second, and how many codes the second has

NO_PAIRS: ColumnPairs = np.zeros((0, 3), np.int32)


def pairs_of(coding: Coding, most: int) -> ColumnPairs:
    """All pairs of columns with at most 256 pairs of codes. None if they are more than `most`, or if a column is in
    none of them: pairs of the other columns would crowd it out."""
    counts = [code_count(code) for code in coding]
    found = [(i, j, counts[j]) for i, j in combinations(range(len(coding)), 2) if counts[i] * counts[j] <= CODES]
    asked = {column for i, j, _ in found for column in (i, j)}
    return np.array(found, np.int32) if 0 < len(found) <= most and len(asked) == len(coding) else NO_PAIRS


def are_pairs(crossed: ColumnPairs, columns: int) -> bool:
    """Whether these are pairs of so many columns."""
    if crossed.ndim != 2 or crossed.shape[1] != 3:
        return False
    first, second, width = crossed.T
    return bool(((first >= 0) & (first < second) & (second < columns) & (width > 0) & (width <= CODES)).all())


def are_coded(crossed: ColumnPairs, coding: Coding) -> bool:
    """Whether these are pairs of columns with these codes."""
    counts = np.array([code_count(code) for code in coding])
    first, second, width = crossed.T
    return bool(((width == counts[second]) & (counts[first] * width <= CODES)).all())


def with_pairs(codes: Bytes, crossed: ColumnPairs) -> Bytes:
    """The codes of every column, and then of every pair."""
    if not len(crossed):
        return codes
    first, second, width = crossed.T
    pairs = codes[:, first] * width.astype(np.uint16) + codes[:, second]
    return np.concatenate([codes, np.minimum(pairs, CODES - 1).astype(np.uint8)], axis=1)
