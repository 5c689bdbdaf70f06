"""What a sum belongs to: a category's or a word's text, or a number."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

Slot = str | int

VECTORS = -1  # the slot in which vectors are counted, rather than what they hold
GAPS = -2  # and, down from here, those that count the vectors in which a position is missing


class Positions(dict[Slot, int]):
    """Slots that are the whole numbers below `size`, and with `vectors` one more for the vectors themselves. There may
    be a hundred thousand: all tallies of such vectors share them, and none changes them.

    >>> Positions(2, vectors=True)
    {0: 0, 1: 1, -1: 2}
    """

    def __init__(self, size: int, vectors: bool = False) -> None:
        super().__init__(zip(range(size), range(size), strict=True))
        if vectors:
            self[VECTORS] = size
        self._made_of = (size, vectors)

    def __reduce__(self) -> tuple[Any, ...]:
        """Copied, or pickled and read again, it is the one that all share."""
        return positions, self._made_of


@lru_cache(maxsize=8)
def positions(size: int, vectors: bool = False) -> Positions:
    """The positions that all vectors of this size have."""
    return Positions(size, vectors)
