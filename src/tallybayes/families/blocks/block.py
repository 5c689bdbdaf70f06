"""The bases of block families: several named columns, of numbers, or of any kind by the codes of their cells."""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import combinations
from typing import Any, ClassVar, Self

import numpy as np
import pyarrow as pa

from tallybayes.counts.exact import Floats, Mask
from tallybayes.counts.tally import Rows
from tallybayes.data import frames
from tallybayes.data.cells import Cells, columns_of, numbers
from tallybayes.data.errors import FINITE_INSTEAD, INFINITE, CellError
from tallybayes.families.base import Family
from tallybayes.families.blocks.coding import (
    ABOUT_CODES,
    MISSING,
    MOST,
    Bytes,
    Code,
    Coder,
    Coding,
    as_coding,
    coding_to_json,
    is_numeric,
    level_code,
    number_code,
)
from tallybayes.families.settings import listed, refused, setting


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

    def missing(self, cells: Floats) -> Mask:
        return np.asarray(self.gaps(cells).all(axis=1))

    def gaps(self, cells: Floats) -> Mask:
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


@dataclass(frozen=True, kw_only=True, repr=False)
class CodedBlock(Block):
    """Several numeric or categorical columns. Cells are rows of codes: the interval or level of each cell."""

    least: ClassVar[int] = 1  # rows of a sample that a level needs to get a code
    codes: Coding | None = setting(None, ABOUT_CODES, check=as_coding, counting=True, to_json=coding_to_json)

    def over(self, columns: tuple[str, ...]) -> Self:
        if self.codes is not None and len(self.codes) != len(columns):
            raise refused(self, "codes", self.codes, f"one entry for each of {', '.join(map(repr, columns))}")
        return super().over(columns)

    @property
    def brief(self) -> str:
        return self.shown(("codes",))

    def difference(self, other: Family) -> str:
        theirs = getattr(other, "codes", None)
        if self.codes is None or theirs is None or self.codes == theirs:
            return ""
        pairs = zip(self.columns, self.codes, theirs, strict=False)
        differing = ", ".join(repr(column) for column, mine, their in pairs if mine != their)
        return (
            f" The intervals or levels of {differing} differ. To merge models, prepare one schema with "
            "prepare(schema, rows, labels) and train all of them with it."
        )

    @property
    def is_prepared(self) -> bool:
        return self.codes is not None

    def prepared(self, cells: Cells, rows: Rows) -> Self:
        if self.codes is not None:
            return self
        codes = tuple(self._chosen(part, rows.weights) for part in columns_of(cells))
        return replace(self, codes=codes).over(self.columns)

    def intervals(self, rows: float) -> int:
        """The default number of intervals for a sample of `rows` rows."""
        return MOST

    def _chosen(self, cells: pa.Array, weights: Floats | None) -> Code:
        kind = cells.type
        if pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind):
            size = len(cells) if weights is None else float(weights.sum())
            return number_code(numbers(cells), self.intervals(size), weights)
        return level_code(cells, self.least, weights)

    def reads_of(self, column: str) -> pa.DataType | None:
        code = None if self.codes is None else self.codes[self.columns.index(column)]
        return pa.float64() if is_numeric(code) else frames.LEVELS

    @cached_property
    def coder(self) -> Coder:
        if self.codes is None:
            raise ValueError(
                f"{type(self).__name__}() has no intervals or levels yet. Model.train chooses them from a frame or a "
                "source; for a stream, call prepare(schema, some_rows, labels) first."
            )
        return Coder(self.columns, self.codes)

    def encode(self, cells: Cells) -> Bytes:
        return self.coder.encode(cells)

    def missing(self, cells: Any) -> Mask:
        return np.asarray(self.gaps(cells).all(axis=1))

    def gaps(self, cells: Any) -> Mask:
        return np.asarray(cells == MISSING)
