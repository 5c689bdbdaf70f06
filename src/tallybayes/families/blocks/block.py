"""The base of block families: several named columns."""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any, ClassVar, Self

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from tallybayes.counts.exact import Floats
from tallybayes.data.cells import Cells, numbers
from tallybayes.data.errors import FINITE_INSTEAD, INFINITE, CellError
from tallybayes.families.base import Family
from tallybayes.families.settings import listed, refused


def as_names(family: Any, name: str, given: Any) -> tuple[str, ...]:
    """A setting that names some of the columns, validated."""
    names = listed(given)
    if names is None or not all(isinstance(each, str) for each in names):
        raise refused(family, name, given, "a tuple of columns' names")
    return tuple(sorted(set(names)))


@dataclass(frozen=True, kw_only=True, repr=False)
class Block(Family):
    """Several columns that are counted together."""

    takes_blocks: ClassVar[bool] = True
    columns: tuple[str, ...] = field(default=(), init=False)  # named by the schema

    def over(self, columns: tuple[str, ...]) -> Self:
        found = copy(self)
        object.__setattr__(found, "columns", columns)
        return found

    def pairs(self) -> list[tuple[str, str]]:
        """Every pair of columns."""
        return list(combinations(self.columns, 2))


@dataclass(frozen=True, kw_only=True, repr=False)
class NumberBlock(Block):
    """Several numeric columns. Cells are rows of a matrix, with NaN for missing ones."""

    reads: ClassVar[pa.DataType | None] = pa.float64()

    def encode(self, cells: Cells) -> Floats:
        matrix = np.empty((len(cells), len(self.columns)), order="F")
        for i, (column, part) in enumerate(zip(self.columns, self._parts(cells), strict=True)):
            try:
                matrix[:, i] = numbers(part)
            except CellError as error:
                raise error.of_column(column) from None
        return self._finite(matrix)

    def missing(self, cells: Floats) -> NDArray[np.bool_]:
        return np.asarray(self.gaps(cells).all(axis=1))

    def gaps(self, cells: Floats) -> NDArray[np.bool_]:
        return np.isnan(cells)

    def _parts(self, cells: Cells) -> list[Cells]:
        """The cells of each column."""
        if len(self.columns) == 1:
            return [cells]
        return [[value] for value in cells[0].values()] if type(cells) is list else cells.flatten()

    def _finite(self, matrix: Floats) -> Floats:
        bad = np.argwhere(np.isinf(matrix))
        if len(bad):
            row, column = bad[0].tolist()
            reason = f"{INFINITE}; {type(self).__name__} expects a finite number. {FINITE_INSTEAD}"
            raise CellError(row, reason, self.columns[column])
        return matrix
