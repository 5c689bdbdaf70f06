"""What families of blocks of numbers have in common: the rows as a matrix whose columns have names."""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any, ClassVar, Self

import numpy as np
import pyarrow as pa

from tallybayes.counts.exact import Floats
from tallybayes.data import frames, one_row
from tallybayes.data.errors import CellError
from tallybayes.families.base import Family


@dataclass(frozen=True, kw_only=True, repr=False)
class NumberBlock(Family):
    """Several columns of numbers. Cells are rows of a matrix, NaN where one is missing."""

    takes_blocks: ClassVar[bool] = True
    reads: ClassVar[pa.DataType | None] = pa.float64()
    columns: tuple[str, ...] = field(default=(), init=False)  # as the schema has them

    def over(self, columns: tuple[str, ...]) -> Self:
        found = copy(self)
        object.__setattr__(found, "columns", columns)
        return found

    def pairs(self) -> list[tuple[str, str]]:
        """Every two of the columns."""
        return list(combinations(self.columns, 2))

    def encode(self, cells: pa.Array) -> Floats:
        parts = cells.flatten() if len(self.columns) > 1 else [cells]
        matrix = np.empty((len(cells), len(parts)), order="F")
        for i, (column, part) in enumerate(zip(self.columns, parts, strict=True)):
            try:
                matrix[:, i] = frames.numbers(part)
            except CellError as error:
                raise CellError(error.row, error.reason, column) from None
        return self._finite(matrix)

    def encode_one(self, value: Any) -> Floats:
        cells = value if isinstance(value, tuple) else (value,)
        matrix = np.empty((1, len(cells)), order="F")
        for i, (column, cell) in enumerate(zip(self.columns, cells, strict=True)):
            try:
                matrix[0, i] = one_row.number(cell)[0] if type(cell) is str else np.nan if cell is None else cell
            except CellError as error:
                raise CellError(error.row, error.reason, column) from None
        return self._finite(matrix)

    def _finite(self, matrix: Floats) -> Floats:
        bad = np.argwhere(np.isinf(matrix))
        if len(bad):
            row, column = bad[0].tolist()
            reason = f"the value is infinite; {type(self).__name__} expects a finite number."
            raise CellError(row, reason, self.columns[column])
        return matrix
