"""The non-empty cells of a sparse tally, as parallel arrays."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tallybayes.counts.exact import Codes, Counts, Exact
from tallybayes.counts.sums import added_up

SOME = 1 << 18  # cells at a time


class Cells(NamedTuple):
    """The word and the class of each cell, by index, and its sums."""

    words: Codes
    classes: Codes
    sums: dict[str, Exact]

    def copy(self) -> Cells:
        sums = {name: Exact(array.limbs.copy(), array.low) for name, array in self.sums.items()}
        return Cells(self.words.copy(), self.classes.copy(), sums)

    def at(self, which: NDArray[Any]) -> Cells:
        """Copies of some of the cells, by their indices or a boolean mask."""
        sums = {name: Exact(array.limbs[which], array.low) for name, array in self.sums.items()}
        return Cells(self.words[which], self.classes[which], sums)

    def used(self, words: int) -> NDArray[np.bool_]:
        """Which of the first `words` words have a cell."""
        used = np.zeros(words, bool)
        used[self.words] = True
        return used

    def numbered(self, words: Codes, classes: Codes) -> Cells:
        """The same cells with other indices for words and classes."""
        return Cells(words[self.words], classes[self.classes], self.sums)

    def merged(self, groups: int) -> Cells:
        """Adds up cells of the same word and class; there are `groups` classes."""
        pairs, at = np.unique(self.words.astype(np.int64) * groups + self.classes, return_inverse=True)
        sums = {name: added_up(array, at.reshape(-1), len(pairs)) for name, array in self.sums.items()}
        words, classes = (half.astype(np.int32) for half in np.divmod(pairs, groups))
        return Cells(words, classes, sums)

    def same(self, other: Cells) -> bool:
        """Whether the other has the same cells in the same order."""
        equal = np.array_equal(self.words, other.words) and np.array_equal(self.classes, other.classes)
        return equal and self.sums == other.sums

    def carried(self) -> Cells:
        return self._replace(sums={name: array.carried() for name, array in self.sums.items()})


def in_stretches(sums: Mapping[str, Exact]) -> Iterator[dict[str, Exact]]:
    """The same sums, some cells at a time: what is worked out from them need not all be in memory at once."""
    for start in range(0, len(sums["n"]), SOME):
        yield {name: array[start : start + SOME] for name, array in sums.items()}


def with_room(array: NDArray[Any], room: int) -> NDArray[Any]:
    """The same with zeros after it, `room` long in all."""
    longer = np.zeros((room, *array.shape[1:]), array.dtype)
    longer[: len(array)] = array
    return longer


class Changes:
    """The numbers of the cells that changed since the tally was last read, as long as there are not too many: the
    beliefs of all others still hold."""

    def __init__(self, most: int) -> None:
        self._cells: list[NDArray[np.int64]] = []
        self._room = most

    def add(self, cells: NDArray[np.int64]) -> None:
        """Adds cells, each once."""
        self._room -= len(cells)
        if self._room < 0:
            self._cells.clear()
        else:
            self._cells.append(cells)

    def all(self) -> NDArray[np.int64] | None:
        """Each cell once; None if so many changed that recomputing everything is faster."""
        if self._room < 0:
            return None
        if len(self._cells) == 1:  # one addition, whose cells are distinct
            return self._cells[0]
        return np.unique(np.concatenate(self._cells)) if self._cells else np.zeros(0, np.int64)


def ranges(starts: Counts, stops: Counts) -> tuple[Counts, Counts]:
    """The whole numbers from each start to its stop, one range after another: the range of each, and the number.

    >>> ranges(np.array([7, 0, 4]), np.array([9, 0, 5]))
    (array([0, 0, 2]), array([7, 8, 4]))
    """
    sizes = stops - starts
    of = np.repeat(np.arange(len(sizes)), sizes)
    return of, np.arange(len(of)) + np.repeat(starts - (np.cumsum(sizes) - sizes), sizes)
