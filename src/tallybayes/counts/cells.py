"""The non-empty cells of a sparse tally, as parallel arrays, and their sums by class."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pyarrow.compute as pc
from numpy.typing import NDArray

from tallybayes import kernels
from tallybayes.counts.exact import Codes, Counts, Exact, Mask
from tallybayes.counts.sums import added_up
from tallybayes.kernels.strings import index_strings

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

    def used(self, words: int) -> Mask:
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


class ClassTotals:
    """Sums over all words, by class: computed when first needed, and kept up to date. They are exact, so updating them
    gives the same as summing again."""

    def __init__(self) -> None:
        self._totals: dict[str, Exact] = {}  # an element for each class so far

    def __bool__(self) -> bool:
        """Whether any total is kept."""
        return bool(self._totals)

    def forget(self) -> None:
        """Drops the totals: the sums changed in another way than by adding."""
        self._totals.clear()

    def of(self, name: str, at: Sequence[int], columns: Callable[[], Codes], sums: Mapping[str, Exact]) -> Exact:
        """The total of a sum for the classes with these indices, −1 for an unknown one; `columns` returns the class
        index of each cell."""
        if name not in self._totals:
            found = columns()
            self._totals[name] = _summed(found, sums[name], int(found.max(initial=-1)) + 1)
        total, chosen = self._totals[name], np.array(at, np.int64)
        known, needed = len(total), int(chosen.max(initial=-1)) + 1
        if needed <= known and chosen.min(initial=0) >= 0:
            return Exact(total.limbs[chosen], total.low)
        room = max(needed, known) + 1  # the last element is for unknown classes
        return Exact(with_room(total.limbs, room)[chosen], total.low)

    def add(self, classes: Sequence[int], columns: Codes, sums: Mapping[str, Exact], sign: int) -> None:
        """Adds more cells: `classes` maps their class indices to those here."""
        for name, total in self._totals.items():
            missing = 1 + max([*classes, -1]) - len(total)
            if missing > 0:
                total.limbs = with_room(total.limbs, len(total) + missing)
            total.add_rows(np.array(classes, np.int64), _summed(columns, sums[name], len(classes)), sign)


SPELLED = "\3"  # marks a character n-gram counted in addition to words
RUNS = 6  # kinds of n-grams: of one to five words, and of characters


def run_of(index: kernels.StringIndex) -> Codes:
    """The kind of every entry of an index, by the spaces in it."""
    names = index_strings(index)
    spaces = np.minimum(pc.count_substring(names, " ").to_numpy(), RUNS - 2)
    spelled = pc.starts_with(names, SPELLED).to_numpy(zero_copy_only=False)
    return np.where(spelled, RUNS - 1, spaces).astype(np.int32)


def by_run(index: kernels.StringIndex, cells: Cells) -> Codes:
    """The class and the kind of run of every cell, as one number."""
    return np.asarray(RUNS * cells.classes + run_of(index)[cells.words], np.int32)


def _summed(columns: Codes, cells: Exact, width: int) -> Exact:
    """Cells by class."""
    if width == 1:  # as when a single text is learned
        return cells.sum()[None]
    return added_up(cells, columns, width)
