"""Sums over all words, by class: added up when first needed, and kept while more is counted.

They are exact, so that adding what is learned gives the same as adding everything up again.
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
        self._totals: dict[str, Exact] = {}  # an element for each class that there was

    def __bool__(self) -> bool:
        """Whether anything was asked for, and is kept."""
        return bool(self._totals)

    def forget(self) -> None:
        """The sums were changed in another way than by adding."""
        self._totals.clear()

    def of(self, name: str, at: Sequence[int], columns: Callable[[], Codes], sums: Mapping[str, Exact]) -> Exact:
        """The total of a sum for the classes of these numbers, −1 for one that never was; `columns` gives the cells'
        numbers."""
        if name not in self._totals:
            found = columns()
            self._totals[name] = summed(found, sums[name], int(found.max(initial=-1)) + 1)
        total = self._totals[name]
        if all(0 <= i < len(total) for i in at):
            return Exact(total.limbs[list(at)], total.low)
        missing = 1 + max([*at, -1]) - len(total)
        nothing = max(missing, 0) + 1  # at the end stands what never was
        return Exact(with_room(total.limbs, len(total) + nothing)[list(at)], total.low)

    def add(self, classes: Sequence[int], columns: Codes, sums: Mapping[str, Exact], sign: int) -> None:
        """More is counted: `classes` are the numbers here of the classes there."""
        for name, total in self._totals.items():
            missing = 1 + max([*classes, -1]) - len(total)
            if missing > 0:
                total.limbs = with_room(total.limbs, len(total) + missing)
            total.add_rows(np.array(classes, np.int64), summed(columns, sums[name], len(classes)), sign)


SPELLED = "\3"  # comes before a run of characters that is counted beside words
RUNS = 6  # what is told apart: runs of one to five words, and of characters


def run_of(index: kernels.StringIndex) -> Codes:
    """Of every word of an index which of these it is, by the spaces that runs of words are written with."""
    names = index_strings(index)
    spaces = np.minimum(pc.count_substring(names, " ").to_numpy(), RUNS - 2)
    spelled = pc.starts_with(names, SPELLED).to_numpy(zero_copy_only=False)
    return np.where(spelled, RUNS - 1, spaces).astype(np.int32)


def by_run(index: kernels.StringIndex, cells: Cells) -> Codes:
    """Of every cell its class and which run it is, as one number."""
    return np.asarray(RUNS * cells.classes + run_of(index)[cells.words], np.int32)


def summed(columns: Codes, cells: Exact, width: int) -> Exact:
    """Cells by class."""
    if width == 1:  # as of a text learned by itself
        return cells.sum()[None]
    return added_up(cells, columns, width)
