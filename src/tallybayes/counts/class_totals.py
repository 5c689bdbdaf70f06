"""Sums over all words, by class: computed when first needed, and kept up to date.

They are exact, so updating them gives the same as summing again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
import pyarrow.compute as pc

from tallybayes import kernels
from tallybayes.counts.cells import Cells, with_room
from tallybayes.counts.exact import Codes, Exact
from tallybayes.counts.sums import added_up
from tallybayes.kernels.strings import index_strings


class ClassTotals:
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
            self._totals[name] = summed(found, sums[name], int(found.max(initial=-1)) + 1)
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
            total.add_rows(np.array(classes, np.int64), summed(columns, sums[name], len(classes)), sign)


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


def summed(columns: Codes, cells: Exact, width: int) -> Exact:
    """Cells by class."""
    if width == 1:  # as when a single text is learned
        return cells.sum()[None]
    return added_up(cells, columns, width)
