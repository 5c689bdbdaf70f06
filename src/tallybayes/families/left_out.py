"""Cells that were counted, scored by the sums without them: one by one, or fold by fold for several columns at once.

`Family.left_out` returns a `LeftOut`, which scores many cells. The default, here, subtracts each cell from the sums,
believes the rest and scores the cell: exact for every family, but slow. Equal cells are scored once.
`LeftOutFolds` is for families with a faster way to leave out folds, `Family.evidence_without`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from tallybayes import kernels
from tallybayes.counts.decay import without_traces
from tallybayes.counts.exact import Codes, Exact, Floats, Indices, Mask
from tallybayes.counts.tally import Key, Rows
from tallybayes.families.belief import Belief
from tallybayes.families.centring import centred

# Encoded cells that were counted, with the class index and weight of each → the evidence of each cell for every class,
# by the sums without it: [row, class].
LeftOut = Callable[[Any, Rows], Floats]
FOLDS = 10
FAR = 1 << 12  # the widest range of whole numbers that is tabled rather than sorted
SHORT = 16  # classes


def one_by_one(family: Any, tally: Any, classes: Sequence[Key]) -> LeftOut:
    """Subtracts each cell, recomputes the belief, and scores the cell."""

    def score(cells: Any, rows: Rows) -> Floats:
        firsts, back = equal_rows(_numbered(cells), rows)
        evidence = np.zeros((len(firsts), len(classes)))
        for place, row in enumerate(firsts.tolist()):
            weight = None if rows.weights is None else rows.weights[row : row + 1]
            own = Rows([rows.classes[rows.codes[row]]], np.zeros(1, np.int32), weight)
            evidence[place] = _scored_without(family, tally, classes, cells[row : row + 1], own)
        return evidence[back]

    return score


def fold_by_fold(family: Any, tally: Any, classes: Sequence[Key], cells: Any, rows: Rows) -> Floats:
    """The evidence of each row by the sums without its fold: [row, class]. The rows of a class are dealt in turn."""
    fold, evidence = np.empty(len(rows), np.intp), np.zeros((len(rows), len(classes)))
    for code in range(len(rows.classes)):
        mine = np.flatnonzero(rows.codes == code)
        fold[mine] = (np.arange(len(mine)) + code) % FOLDS
    for at in (np.flatnonzero(fold == number) for number in np.unique(fold)):
        evidence[at] = _scored_without(family, tally, classes, cells[at], rows.take(at))
    return evidence


def _scored_without(family: Any, tally: Any, classes: Sequence[Key], cells: Any, rows: Rows) -> Floats:
    """The evidence of cells by the sums without all of them: [row, class]."""
    own = family.tally(cells, rows)
    rest = tally - own
    rest.drop_traces(own)
    found: Floats = family.believe(rest, classes).evidence_for(cells, len(classes))
    return found.T


def equal_rows(cells: NDArray[Any], rows: Rows) -> tuple[Indices, Indices]:
    """Groups rows that have the same cell (by its number), class and weight: the first row of each group, and the group
    of every row."""
    firsts, kinds = distinct(cells)
    for key in (rows.codes, rows.weights):
        if key is not None and len(key):
            different, at = distinct(key)
            firsts, kinds = distinct(kinds * len(different) + at)
    return firsts, kinds


def distinct(numbers: NDArray[Any]) -> tuple[Indices, Indices]:
    """The first index of each distinct number, and for every index, which of these it has. Whole numbers of a small
    range need no sorting."""
    whole = numbers.dtype.kind == "i" and len(numbers) > 0
    low, high = (int(numbers.min()), int(numbers.max())) if whole else (0, 0)
    if not whole or high - low >= max(FAR, len(numbers)):
        _, firsts, kinds = np.unique(numbers, return_index=True, return_inverse=True)
        return firsts, kinds.reshape(-1)
    first = np.full(high - low + 1, -1)
    first[numbers[::-1] - low] = np.arange(len(numbers))[::-1]  # on repeated indices the last assignment wins
    met = first >= 0
    return first[met], (np.cumsum(met) - 1)[numbers - low]


def _numbered(cells: Any) -> NDArray[Any]:
    """A number for every cell; equal cells get equal numbers if that is cheap to find out."""
    if isinstance(cells, np.ndarray):
        if cells.ndim == 1:
            return cells
        rows = np.ascontiguousarray(cells)
        width = rows.itemsize * rows.shape[1]  # strides[0] may be anything if there is only one row
        whole = rows.view(np.dtype((np.void, width))).reshape(-1)
        return np.unique(whole, return_inverse=True)[1].reshape(-1)
    if isinstance(cells, pa.Array) and not pa.types.is_nested(cells.type):
        return cells.dictionary_encode().indices.fill_null(-1).to_numpy(zero_copy_only=False)
    return np.arange(len(cells))


def weights_of(rows: Rows, at: Indices | None = None) -> Floats:
    """The weight of each row, or of those at these places."""
    if rows.weights is None:
        return np.ones(len(rows) if at is None else len(at))
    return rows.weights if at is None else rows.weights[at]


def taken(sums: Exact, at: Any, own: Exact) -> Exact:
    """The sums at these places, each minus what one row added to it."""
    return Exact(sums.limbs[at], sums.low) - own


def totals_without(sums: Exact, own: Exact, row: Indices, codes: Codes) -> Floats:
    """Sums by class, each row's own class without what the row added: [row, class]. A row may add several numbers,
    which must be consecutive."""
    added = Exact.zeros((len(codes),))
    if len(row):
        tidy, (rows, starts) = own.carried(), np.unique(row, return_index=True)
        added = Exact(np.zeros((len(codes), tidy.limbs.shape[-1]), np.int64), tidy.low)
        added.limbs[rows] = np.add.reduceat(tidy.limbs, starts, axis=0)
    left = without_traces({"n": taken(sums, codes, added)}, {"n": added})["n"]
    table = np.tile(sums.round(), (len(codes), 1))
    table[np.arange(len(codes)), codes] = left.round()
    return table


@dataclass(frozen=True)
class LeftOutFolds:
    """Counted rows, and the fold in which each is left out. Every class has rows outside of every fold."""

    rows: Rows
    at: Sequence[Indices]  # the rows of each fold

    @property
    def width(self) -> int:
        """The number of classes."""
        return len(self.rows.classes)

    @cached_property
    def number(self) -> Codes:
        """The fold of each row."""
        number = np.empty(len(self.rows), np.int32)
        for fold, rows in enumerate(self.at):
            number[rows] = fold
        return number

    @cached_property
    def apart(self) -> Rows:
        """The same rows with (fold, class) as a class."""
        return Rows(range(len(self.at) * self.width), self.number * self.width + self.rows.codes, self.rows.weights)

    def without(self, total: Exact, codes: Codes) -> Floats:
        """The counts without each fold, [fold, slot, class], of total[slot, class]; `codes` are the rows' slots."""
        slots, width = total.shape
        counted = self.apart.count(codes, slots)
        limbs = counted.limbs.reshape(slots, len(self.at), width, counted.limbs.shape[-1])
        rest = (total[:, None] - Exact(limbs, counted.low)).round()
        return np.ascontiguousarray(rest.transpose(1, 0, 2))

    @staticmethod
    def filled(counts: Floats) -> Mask:
        """Which slots hold anything, [fold, slot]; numpy is slow at reducing a short axis."""
        if counts.shape[-1] > SHORT:
            return np.asarray(counts.any(axis=-1))
        return reduce(np.logical_or, np.moveaxis(counts, -1, 0), np.zeros(counts.shape[:-1], bool))

    def looked_up(self, codes: Codes, table: Floats, step: int = 0) -> Floats:
        """The evidence of every row, [class, row]: the row of the table that its code says, 0 for negative ones. If the
        table is one of `step` rows for each fold, codes are those of a row's own fold."""
        evidence = np.zeros((self.width, len(self.rows)))
        if step and len(self.at) > 1:
            codes = np.where(codes < 0, -1, codes + step * self.number)
        kernels.add_tables([np.ascontiguousarray(codes, np.int32)], [table], evidence)
        return evidence


def centred_tables(tables: Floats) -> Floats:
    """Tables of evidence, [entry, class], centred over the classes and clipped."""
    return np.ascontiguousarray(centred(np.ascontiguousarray(tables.T), Belief.bound).T)
