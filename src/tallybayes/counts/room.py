"""Room for more labels in a tally: its arrays grow by doubling, once most of their slots are in use."""

from __future__ import annotations

import numpy as np

from tallybayes.counts.exact import Exact, union

FEW_SLOTS = 1000  # not worth dropping if they are empty


def enlarged(array: Exact, other: Exact, slots: int, classes: int) -> Exact:
    """The same sums with room for so many slots and classes, and for the limbs of the other sums."""
    height, width = array.shape
    low, size = union(array, other)
    taller = height if slots <= height else max(slots, height * 2)
    if (taller, classes, low, size) == (height, width, array.low, array.limbs.shape[-1]):
        return array
    larger = np.zeros((taller, classes, size), np.int64)
    start = array.low - low
    larger[:height, :width, start : start + array.limbs.shape[-1]] = array.limbs
    return Exact(larger, low)
