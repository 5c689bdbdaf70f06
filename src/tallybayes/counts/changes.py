"""Which cells of a tally changed since it was last read: the beliefs of all others still hold."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


class Changes:
    """The numbers of the cells, as long as there are not too many of them."""

    def __init__(self, most: int) -> None:
        self._cells: list[NDArray[np.int64]] = []
        self._room = most

    def add(self, cells: NDArray[np.int64]) -> None:
        self._room -= len(cells)
        if self._room < 0:
            self._cells.clear()
        else:
            self._cells.append(cells)

    def all(self) -> NDArray[np.int64] | None:
        """Each cell once; None if so many changed that recomputing everything is faster."""
        if self._room < 0:
            return None
        return np.unique(np.concatenate(self._cells)) if self._cells else np.zeros(0, np.int64)
