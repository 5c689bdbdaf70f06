"""Vectors of counts, like bags of words: how often each of many things occurred."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
import pyarrow as pa

from tallybayes import kernels
from tallybayes.counts.exact import TRACE, Exact, Floats, Mask
from tallybayes.counts.rows import class_sums
from tallybayes.counts.slots import GAPS, SPARSE, VECTORS, positions
from tallybayes.counts.sums import cells_of, concatenated, weighted_table
from tallybayes.counts.tally import Key, Rows, Tally
from tallybayes.data.cells import Cells, arrow
from tallybayes.data.errors import CellError
from tallybayes.families.base import Belief, Family
from tallybayes.families.left_out import LeftOut
from tallybayes.families.settings import setting
from tallybayes.families.smoothing import Alpha, named_levels, smoothing
from tallybayes.families.text.multinomial_coefficient import ABOUT_COEFFICIENT
from tallybayes.families.text.readings import LOG_PRIORS
from tallybayes.families.vectors.bag_belief import BY_POSITION, READINGS, BagBelief, PositionSums
from tallybayes.families.vectors.bag_left_out import BagLeftOut
from tallybayes.families.vectors.bag_shares import shares_refused, with_shares
from tallybayes.families.vectors.matrix_cells import (
    Dense,
    Sparse,
    Vectors,
    check_proportion,
    has_gaps,
    met_size,
    read_vectors,
    vector_size,
)

FEW = 8  # a batch with values in less than an eighth of the positions is counted sparsely
MOST_VALUES = 1 << 22  # per step, after which Ctrl-C takes effect
MULTINOMIAL = "multinomial"
AVERAGED = "averaged"


@dataclass(frozen=True, kw_only=True, repr=False)
class Bag(Family):
    """A vector of counts, or of non-negative weights, like a bag of words. Cells are rows of a matrix, dense or sparse,
    or lists of equal length.

    `size` is the number of positions, including those where every vector is zero. With `shares`, which "averaged"
    implies, each position's share of its vector is counted too. What the counts mean can be changed later: `reading` is
    "multinomial", "averaged" over vectors, "poisson", "complement", or "bernoulli", for which a position is above zero
    or not; `alpha` is the smoothing, as for Categorical, by position `{0: 2.0, 1: 0.5}`. With `norm`, complement scores
    of each class are divided by their sum. `coefficient` includes the multinomial coefficient. NaN is a missing number:
    for "bernoulli" neither present nor absent.

    >>> from tallybayes import Model
    >>> model = Model.train({"words": Bag(alpha=0)}, np.array([[2, 0, 2], [0, 3, 0]]), ["ham", "spam"])
    >>> {position: round(p["ham"], 3) for position, p in model.estimates("words").items()}
    {'0': 0.5, '1': 0.0, '2': 0.5}
    """

    takes_vectors: ClassVar[bool] = True
    reads: ClassVar[pa.DataType | None] = None
    size: int | None = vector_size()
    shares: bool = setting(
        False,
        'whether each number is also counted as a share of its vector; "averaged" implies it',
        counting=True,
        later=True,
    )
    reading: str = setting(
        MULTINOMIAL, '"multinomial", "averaged", "bernoulli", "poisson" or "complement"', choices=tuple(READINGS)
    )
    alpha: Alpha = smoothing()
    norm: bool = setting(False, "whether complement scores of each class are divided by their sum")
    coefficient: bool = setting(False, ABOUT_COEFFICIENT, later=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "shares", self.shares or self.reading == AVERAGED)

    def level_named(self, text: str) -> str:
        """A position is named by its number."""
        fits = text.isascii() and text.isdecimal() and str(int(text)) == text
        if not fits or int(text) >= (self.size or 1 << 31):
            end = "" if self.size is None else f" to {self.size - 1}"
            raise ValueError(f"{text!r} is not a position; positions are the numbers from 0{end}.")
        return text

    def fields(self) -> tuple[str, ...]:
        return ("n", "x", "share") if self.shares else ("n", "x")

    def changed(self, settings: Mapping[str, Any]) -> Bag:
        if settings.get("reading") == AVERAGED and not self.shares:
            raise ValueError(
                "Bag(reading='averaged') needs the shares of each vector, which were not counted; count again with "
                "Bag(shares=True)."
            )
        return super().changed(settings)

    def takes(self, slots: Sequence[Any]) -> bool:
        end = self.size or 1 << 31
        return all(type(slot) is int and GAPS - end < slot < end for slot in slots)

    def present(self, tally: Tally, classes: Sequence[Key]) -> Exact:
        return tally.aligned([VECTORS], classes).sums["n"][0]

    def refusal(self, cells: Mapping[str, Exact]) -> str | None:
        if reason := super().refusal(cells):
            return reason
        if cells["x"].is_below(TRACE * (1.0 + np.abs(cells["x"].round()).max(initial=0.0))).any():
            return "a sum of non-negative numbers would be negative"
        return shares_refused(cells) if self.shares else None

    def discord(self, tally: Tally, classes: Sequence[Key]) -> str | None:
        """No position is above zero, or missing, in more vectors than there are."""
        vectors = self.present(tally, classes)
        bound = TRACE * (1.0 + vectors.round())
        numbers = [slot for slot in tally.slots if isinstance(slot, int)]
        own = [slot for slot in numbers if slot < 0]
        sums = tally.aligned(own, classes).sums
        if sums["n"] != sums["x"]:
            return "the two counts of vectors would differ"
        met = tally.aligned([slot for slot in numbers if slot >= 0], classes).sums["n"]
        lacking = [slot for slot in own if slot <= GAPS]
        there = tally.aligned([GAPS - slot for slot in lacking], classes).sums["n"]
        taken = there + tally.aligned(lacking, classes).sums["n"]
        for n in (met, taken):
            if len(n) and (vectors[None] - n).is_below(bound).any():
                return "a position would be in more vectors than there are"
        return None

    def encode(self, cells: Cells) -> Vectors:
        return read_vectors(arrow(cells), self.size)

    def missing(self, cells: Vectors) -> Mask:
        return cells.missing

    def table_size(self, classes: int) -> int:
        return 16 * (self.size or 0) * classes

    def tally(self, cells: Vectors, rows: Rows) -> Tally:
        cells = cells if isinstance(cells, Sparse) else cells.turned()
        counted = self._counted_sparse(cells, rows) if isinstance(cells, Sparse) else _counted_dense(cells, rows)
        counted = counted + _counted_gaps(cells, rows) if has_gaps(cells) else counted
        return with_shares(counted, cells, rows) if self.shares else counted

    def left_out(self, tally: Tally, classes: Sequence[Key]) -> LeftOut:
        if (self.reading in BY_POSITION and _gap_slots(tally)) or (self.norm and self.reading == "complement"):
            return super().left_out(tally, classes)
        sums = tally.read(positions(self._size(tally, classes), True), classes)
        return BagLeftOut(self, tally, sums, classes, met_size(tally))

    def _size(self, tally: Tally, classes: Sequence[Key]) -> int:
        size = self.size or max(met_size(tally), *(int(name) + 1 for name in named_levels(self.alpha)), 0)
        check_proportion("Bag", size, tally, 100 + 64 * len(classes))
        return size

    def believe(self, tally: Tally, classes: Sequence[Key]) -> Belief:
        size = self._size(tally, classes)
        gaps = _gaps(tally, size, classes) if self.reading in BY_POSITION else None
        return BagBelief(self, _met_positions(tally, size, classes), classes, gaps)

    def settled(self, belief: Any) -> Bag:
        reading = self.reading if self.reading in LOG_PRIORS else MULTINOMIAL
        return replace(self, reading=reading, alpha=belief.alpha)

    def log_prior(self, tally: Tally, classes: Sequence[Key], belief: Any) -> float:
        return LOG_PRIORS[self.reading](belief) if self.reading in LOG_PRIORS else 0.0

    def _counted_sparse(self, cells: Sparse, rows: Rows) -> Tally:
        """All positions, or for a few vectors only those that they have."""
        limbs, low = _window(cells)
        size = self.size or cells.width
        few = len(cells.positions) * FEW < size
        if few:
            met, at = np.unique(cells.positions, return_inverse=True)
            slots, size = [*met.tolist(), VECTORS], len(met)
            starts = cells.starts - cells.starts[0]
            cells = Sparse(starts, at.astype(np.int32).reshape(-1), cells.values, cells.missing)
        if rows.weights is not None:
            n, x = _weighted(cells, rows, rows.weights, size + 1)
        else:
            given = (cells.starts, cells.all_positions, cells.all_values, rows.codes, len(rows.classes))
            totals, counts = kernels.count_bags(*given, size + 1, limbs, low)
            n, x = Exact(counts[..., None]), Exact(totals, low)
        return _with_vectors(rows, slots if few else positions(size, True), n, x, cells.missing)


def _met_positions(tally: Tally, size: int, classes: Sequence[Key]) -> PositionSums:
    """The sums of the positions in a tally if these are few, else of all positions."""
    if len(tally) * SPARSE >= size:
        return PositionSums(tally.read(positions(size, True), classes), np.arange(size), size)
    met = sorted(slot for slot in tally.slots if isinstance(slot, int) and 0 <= slot < size)
    return PositionSums(tally.read([*met, VECTORS], classes), np.array(met, np.int64), size)


def _counted_dense(cells: Dense, rows: Rows) -> Tally:
    matrix, none = cells.matrix, ((0, 1), (0, 0), (0, 0))
    found = kernels.count_matrix(matrix, rows.codes, len(rows.classes)) if rows.weights is None else None
    if found is not None:
        x, n = Exact(found[0]), Exact(found[1][..., None])
    else:
        _window(cells)  # raises an error for numbers that cannot be counted
        n, x = _positive(matrix, rows), class_sums(matrix, rows, squares=False).x
    n, x = (Exact(np.pad(sums.limbs, none), sums.low) for sums in (n, x))
    return _with_vectors(rows, positions(cells.width, True), n, x, cells.missing)


def _positive(matrix: Floats, rows: Rows) -> Exact:
    """How many numbers of each column are above zero, by class; some columns at a time."""
    step = max(MOST_VALUES // max(len(matrix), 1), 1)
    parts = ((matrix[:, at : at + step] > 0).astype(np.float64) for at in range(0, matrix.shape[1], step))
    return concatenated([class_sums(part, rows, squares=False).x for part in parts])


def _counted_gaps(cells: Dense | Sparse, rows: Rows) -> Tally:
    """For every position with missing numbers, how many vectors lack it; vectors that lack all are missing."""
    gaps = np.flatnonzero(np.isnan(cells.values))
    row, at = (cells.rows[gaps], cells.positions[gaps]) if isinstance(cells, Sparse) else np.divmod(gaps, cells.width)
    kept = ~cells.missing[row] & (rows.codes[row] >= 0)
    met, place = np.unique(at[kept], return_inverse=True)
    width = len(rows.classes)
    cell = cells_of(place.reshape(-1), rows.codes[row[kept]], len(met), width)
    weights = np.ones(len(cell)) if rows.weights is None else rows.weights[row[kept]]
    n = weighted_table([weights], cell, len(met), width)
    return Tally(rows.classes, (GAPS - met).tolist(), {"n": n, "x": Exact(n.limbs.copy(), n.low)})


def _gaps(tally: Tally, size: int, classes: Sequence[Key]) -> Floats | None:
    """The same from a tally: a row for each position; None if nothing is missing."""
    slots = [slot for slot in _gap_slots(tally) if slot > GAPS - size]
    if not slots:
        return None
    gaps = np.zeros((size, len(classes)))
    gaps[GAPS - np.array(slots)] = tally.aligned(slots, classes).sums["n"].round()
    return gaps if gaps.any() else None  # forgotten = never seen


def _gap_slots(tally: Tally) -> list[int]:
    """The slots that count vectors in which a position is missing; there are none among shared positions."""
    if tally.slots_are_positions:
        return []
    return [slot for slot in tally.slots if isinstance(slot, int) and slot <= GAPS]


def _window(cells: Vectors) -> tuple[int, int]:
    """How many limbs hold each of these numbers and counts of vectors, and the lowest; a batch's sum of a limb needs no
    carry. An error if one is below zero or infinite."""
    bad, whole, least, most = kernels.kind_of(np.ascontiguousarray(cells.values))
    if bad >= 0:
        value = cells.values[bad]
        raise CellError(cells.row(bad), f"{cells.where(bad)}{value!s} is not a finite number of at least 0.")
    if whole or not most:
        return 1, 0
    low = max(int(np.frexp(least)[1]) - 53, -1074) // 32
    return max(-(-(int(np.frexp(most)[1]) - 32 * low) // 32), 2, 1 - low), low


def _weighted(cells: Sparse, rows: Rows, weights: Floats, size: int) -> tuple[Exact, ...]:
    """Exact sums of how many values are above zero, and of the values, each times its row's weight."""
    width, kept = len(rows.classes), cells.values > 0
    row, x = cells.rows[kept], cells.values[kept]
    cell = cells_of(cells.positions[kept], rows.codes[row], size, width)
    return tuple(weighted_table([weights[row], *factors], cell, size, width) for factors in ([], [x]))


def _with_vectors(rows: Rows, slots: Any, n: Exact, x: Exact, missing: Any) -> Tally:
    """Adds a last slot that counts the vectors themselves."""
    vectors = rows.count(np.where(missing, -1, 0).astype(np.int32), 1)
    for sums in (n, x):
        sums.add_at(slice(len(sums) - 1, None), vectors)
    return Tally(rows.classes, slots, {"n": n, "x": x})
