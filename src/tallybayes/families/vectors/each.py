"""Vectors of numbers: the same family for every position, all counted in one pass."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
import pyarrow as pa

from tallybayes.counts.exact import Exact, Floats, Mask
from tallybayes.counts.slots import positions
from tallybayes.counts.sums import InfiniteError, Square, cells_of, concatenated, weighted_table
from tallybayes.counts.tally import Key, Rows, Tally
from tallybayes.data.cells import Cells, arrow
from tallybayes.data.errors import CellError
from tallybayes.families.base import Belief, Family
from tallybayes.families.left_out import LeftOut
from tallybayes.families.levels.bernoulli import Bernoulli
from tallybayes.families.numbers.gaussian import Gaussian
from tallybayes.families.numbers.numeric import Numeric, log_pseudo_of
from tallybayes.families.numbers.numeric_left_out import NumbersLeftOut
from tallybayes.families.numbers.support import REAL
from tallybayes.families.settings import setting
from tallybayes.families.smoothing import named_levels
from tallybayes.families.vectors.bag import Bag
from tallybayes.families.vectors.each_belief import EachBelief
from tallybayes.families.vectors.matrix_cells import (
    Dense,
    Sparse,
    Vectors,
    check_proportion,
    met_size,
    read_vectors,
    to_dense,
    vector_size,
)

STEP = 1 << 20  # numbers at a time


def _of_numbers(each: Any, name: str, given: Any) -> Numeric[Any]:
    if not isinstance(given, Numeric):
        raise TypeError(f"Each({given!r}): give a family of numbers, like Gaussian() or Poisson().")
    return given


@dataclass(frozen=True, repr=False)
class Each(Family):
    """A vector of numbers, each of this family: like an unnamed column for every position. Cells are rows of a matrix,
    dense or sparse, or lists of equal length.

    `size` fixes the number of positions; vectors of another length are then an error.

    >>> from tallybayes import Model
    >>> model = Model.train({"x": Each(Gaussian(m=0.0))}, np.array([[1.0, 5.0], [3.0, 7.0]]), ["a", "a"])
    >>> model.estimates("x")["mean"]
    {'a': [2.0, 6.0]}
    """

    takes_vectors: ClassVar[bool] = True
    reads: ClassVar[pa.DataType | None] = None
    family: Numeric[Any] = setting(
        Gaussian(),
        "the family of every position; its belief settings can be changed later",
        check=_of_numbers,
        counting=True,
        to_json=Family.to_json,
        from_json=Family.from_json,
    )
    size: int | None = vector_size()

    @property
    def counts(self) -> tuple[str, dict[str, Any]]:
        kind, settings = self.family.counts
        return f"Each {kind}", {**settings, "size": self.size}

    def fields(self) -> tuple[str, ...]:
        return self.family.fields()

    def beliefs(self) -> set[str]:
        return self.family.beliefs()

    def changed(self, settings: Mapping[str, Any]) -> Each:
        return Each(self.family.changed(settings), size=settings.get("size", self.size))

    def __repr__(self) -> str:
        return f"Each({self.family!r}{'' if self.size is None else f', size={self.size}'})"

    def takes(self, slots: Sequence[Any]) -> bool:
        return all(type(slot) is int and 0 <= slot < (self.size or 1 << 31) for slot in slots)

    def present(self, tally: Tally, classes: Sequence[Key]) -> Exact:
        """The number of vectors counted, by the position that has most."""
        n = tally.aligned(tally.slots, classes).sums["n"]
        if not len(n):
            return Exact.zeros((len(classes),))
        return n[n.round().argmax(axis=0), np.arange(len(classes))]

    def refusal(self, cells: Mapping[str, Exact]) -> str | None:
        return self.family.refusal(cells)

    def encode(self, cells: Cells) -> Vectors:
        return read_vectors(arrow(cells), self.size)

    def missing(self, cells: Vectors) -> Mask:
        return cells.missing

    def tally(self, cells: Vectors, rows: Rows) -> Tally:
        self._check(cells)
        try:
            sums = self._sums(cells, rows)
        except InfiniteError:
            raise self._refused(cells, int(np.flatnonzero(np.isinf(cells.values))[0])) from None
        width = next(iter(sums.values())).shape[0]
        return Tally(rows.classes, positions(width), sums)

    def believe(self, tally: Tally, classes: Sequence[Key]) -> Belief:
        return EachBelief(self.family.table(self._read(tally, classes)))

    def _read(self, tally: Tally, classes: Sequence[Key]) -> dict[str, Exact]:
        """The sums of every position."""
        size = self.size or max(met_size(tally), 1)
        check_proportion("Each", size, tally, 10_000 + 100 * len(classes))
        return tally.read(positions(size), classes)

    def settled(self, belief: Any) -> Each:
        return Each(self.family.settled(belief), size=self.size)

    def log_prior(self, tally: Tally, classes: Sequence[Key], belief: Any) -> float:
        return log_pseudo_of(self.family, self._read(tally, classes))

    def left_out(self, tally: Tally, classes: Sequence[Key]) -> LeftOut:
        return EachLeftOut(self.family, self._read(tally, classes), fixed=self.size is not None)

    def _check(self, cells: Vectors) -> None:
        """All numbers must be in the family's support; for sparse vectors that includes zero."""
        if self.family.support is not REAL:  # if any finite number is allowed, summing finds infinities
            support = self.family.support
            if not support.takes_all(cells.values):
                raise self._refused(cells, int(np.flatnonzero(support.outside(cells.values))[0]))
        if isinstance(cells, Sparse) and self.family.support.outside(np.zeros(1))[0]:
            raise CellError(
                None,
                f"sparse vectors contain zeros, and zero is not {self.family.support.words}, as "
                f"{type(self.family).__name__} expects. Give dense vectors.",
            )

    def _refused(self, cells: Vectors, entry: int) -> CellError:
        reason = self.family.support.refusal(cells.values[entry], self.family)
        return CellError(cells.row(entry), f"{cells.where(entry)}{reason}")

    def _sums(self, cells: Vectors, rows: Rows) -> dict[str, Exact]:
        if isinstance(cells, Sparse):
            return self._sparse_sums(cells, rows)
        if isinstance(cells, Dense):
            return self.family.sums_of(cells.matrix, rows)
        found = [self.family.sums_of(column[:, None], rows) for column in cells.columns]
        return {name: concatenated([sums[name] for sums in found]) for name in found[0]}

    def _sparse_sums(self, cells: Sparse, rows: Rows) -> dict[str, Exact]:
        """Zeros add to the counts only."""
        width, size = len(rows.classes), self.size or max(cells.width, 1)
        cell = cells_of(cells.positions, rows.codes[cells.rows], size, width)
        weights = [] if rows.weights is None else [rows.weights[cells.rows]]

        def summed(*factors: Any) -> Exact:
            return weighted_table([*weights, *factors], cell, size, width)

        vectors = rows.count(np.where(cells.missing, -1, 0).astype(np.int32), 1)
        gaps = summed(np.where(np.isnan(cells.values) & ~cells.missing[cells.rows], 1.0, np.nan))
        n = Exact(np.repeat(vectors.limbs, size, axis=0), vectors.low) - gaps
        result = {}
        for name, value in zip(self.family.fields(), self.family.sufficient(cells.values), strict=True):
            if isinstance(value, Square):
                result[name] = summed(value.of, value.of)
            else:
                result[name] = summed(value) if isinstance(value, np.ndarray) else n
        return result


class EachLeftOut:
    """The sums of every position. Unless their number is `fixed`, leaving out the only vector with a number in the last
    positions leaves fewer of them."""

    def __init__(self, family: Any, sums: Mapping[str, Exact], fixed: bool) -> None:
        self.numbers, self.fixed = NumbersLeftOut(family, sums), fixed
        self.counted = np.asarray(sums["n"].round().any(axis=1))

    def __call__(self, cells: Vectors, rows: Rows) -> Floats:
        evidence = np.zeros((len(rows), len(rows.classes)))
        step = max(STEP // (len(self.counted) * len(rows.classes)), 1)
        for start in range(0, len(rows), step):
            stop = min(start + step, len(rows))
            matrix = to_dense(cells[start:stop], len(self.counted))
            evidence[start:stop] = self._evidence(matrix, rows.slice(start, stop))
        return evidence

    def _evidence(self, matrix: Floats, rows: Rows) -> Floats:
        count, size = matrix.shape
        every = rows.take(np.repeat(np.arange(count), size))
        evidence, alone = self.numbers.evidence(matrix.reshape(-1), np.tile(np.arange(size), count), every)
        evidence = evidence.reshape(count, size, -1)
        if not self.fixed:
            held = self.counted & ~alone.reshape(count, size)
            left = np.where(held.any(axis=1), size - np.argmax(held[:, ::-1], axis=1), 1)
            evidence[np.arange(size) >= left[:, None]] = 0.0
        return evidence.sum(axis=1)


def for_matrix(family: Family, size: int) -> Family:
    """The family of vectors of `size` numbers, each counted by this family."""
    if isinstance(family, (Bag, Each)):
        return family if family.size is not None else replace(family, size=size)
    if isinstance(family, Numeric):
        return Each(family, size=size)
    if not isinstance(family, Bernoulli):
        raise TypeError(
            f"{family!r} does not count a sparse matrix; give Bag(), or a family of numbers, for its columns."
        )
    if named_levels(family.alpha):
        raise TypeError(f"{family!r}: for the columns of a matrix, give alpha as one number for true and false.")
    return Bag(reading="bernoulli", alpha=family.alpha, size=size)
