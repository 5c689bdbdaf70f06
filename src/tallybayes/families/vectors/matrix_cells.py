"""Cells that are vectors: rows of a matrix, dense or sparse."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from tallybayes.counts.exact import Codes, Counts, Floats, Indices, Mask
from tallybayes.counts.tally import Tally
from tallybayes.data import frames
from tallybayes.data.errors import FINITE_INSTEAD, INFINITE, CellError
from tallybayes.data.matrices import POSITION, VALUE
from tallybayes.families.settings import setting

FREE_BYTES = 1 << 30
THINLY = 256  # positions for each that was counted


def vector_size() -> Any:
    """The setting `size` of a family of vectors."""
    about = "the number of positions; by default up to the last one that was counted"
    return setting(None, about, whole=True, least=1, most=1 << 31, counting=True)


class InRows(ABC):
    """Numbers stored row by row."""

    @property
    @abstractmethod
    def width(self) -> int: ...

    def where(self, entry: int) -> str:
        """The position of a number, for messages."""
        return f"position {entry % self.width}: "

    def row(self, entry: int) -> int:
        return entry // self.width


@dataclass(frozen=True)
class Dense(InRows):
    """Rows of numbers, NaN where one is missing."""

    matrix: Floats

    def __len__(self) -> int:
        return len(self.matrix)

    def __getitem__(self, rows: slice) -> Dense:
        return Dense(self.matrix[rows])

    @property
    def width(self) -> int:
        return self.matrix.shape[1]

    @property
    def missing(self) -> Mask:
        """Which vectors are missing altogether."""
        if not self.width or not np.isnan(self.matrix[:, 0]).any():
            return np.zeros(len(self), bool)
        return np.asarray(np.isnan(self.matrix).all(axis=1))

    @property
    def values(self) -> Floats:
        return self.matrix.reshape(-1)

    def turned(self) -> Dense:
        return self


@dataclass(frozen=True)
class Columns(InRows):
    """The same kept column by column."""

    columns: list[Floats]

    def __len__(self) -> int:
        return len(self.columns[0])

    def __getitem__(self, rows: slice) -> Columns:
        return Columns([column[rows] for column in self.columns])

    @property
    def width(self) -> int:
        return len(self.columns)

    def turned(self) -> Dense:
        return Dense(np.stack(self.columns, axis=1))

    @property
    def missing(self) -> Mask:
        return self.turned().missing

    @property
    def values(self) -> Floats:
        return self.turned().values


@dataclass(frozen=True)
class Sparse:
    """Rows of (position, value) pairs, concatenated; what is absent is zero."""

    starts: Counts  # of each row's pairs, and the end
    all_positions: Codes
    all_values: Floats
    missing: Mask  # which vectors are missing altogether

    def __len__(self) -> int:
        return len(self.starts) - 1

    def __getitem__(self, rows: slice) -> Sparse:
        first, last, _ = rows.indices(len(self))
        starts = self.starts[first : max(last, first) + 1]
        return Sparse(starts, self.all_positions, self.all_values, self.missing[rows])

    @property
    def positions(self) -> Codes:
        return self.all_positions[self.starts[0] : self.starts[-1]]

    @property
    def values(self) -> Floats:
        return self.all_values[self.starts[0] : self.starts[-1]]

    @property
    def rows(self) -> Indices:
        """The row of every pair."""
        return np.repeat(np.arange(len(self)), np.diff(self.starts))

    @property
    def width(self) -> int:
        """One more than the last position there is."""
        return int(self.positions.max(initial=-1)) + 1

    def where(self, entry: int) -> str:
        return f"position {self.positions[entry]}: "

    def row(self, entry: int) -> int:
        return int(np.searchsorted(self.starts - self.starts[0], entry, side="right")) - 1


Vectors = Dense | Columns | Sparse


def to_dense(cells: Vectors, size: int) -> Floats:
    """A dense matrix with `size` columns; missing vectors, and the ends of shorter ones, are NaN."""
    matrix = np.full((len(cells), size), 0.0 if isinstance(cells, Sparse) else np.nan)
    if isinstance(cells, Sparse):
        near = cells.positions < size
        matrix[cells.rows[near], cells.positions[near]] = cells.values[near]
        matrix[cells.missing] = np.nan
        return matrix
    found = cells.turned().matrix[:, :size]
    matrix[:, : found.shape[1]] = found
    return matrix


def check_proportion(family: str, size: int, tally: Tally, bytes_each: int) -> None:
    """Raises an error if a belief, which takes `bytes_each` for every position, would be large although hardly any
    position was counted."""
    if size * bytes_each > FREE_BYTES and size > THINLY * len(tally):
        met = sum(isinstance(slot, int) and slot >= 0 for slot in tally.slots)
        raise ValueError(
            f"{family} would take {size * bytes_each >> 20:,} MB for {size:,} positions, of which only {met:,} were "
            "counted. Give a smaller size, and no positions beyond it."
        )


def read_vectors(cells: pa.Array, size: int | None) -> Vectors:
    """Arrow lists as vectors; none may be longer than `size`, if that is known."""
    kind = cells.type
    lists = pa.types.is_list(kind) or pa.types.is_large_list(kind)
    if lists and pa.types.is_struct(kind.value_type) and {f.name for f in kind.value_type} == {POSITION, VALUE}:
        found: Vectors = _sparse(cells, size)
    elif lists or pa.types.is_fixed_size_list(kind):
        found = Dense(_dense(cells, size or 1))
    elif pa.types.is_struct(kind) and kind.num_fields:
        found = Columns([np.ascontiguousarray(frames.numbers(field)) for field in cells.flatten()])
    elif pa.types.is_null(kind):
        found = Dense(np.full((len(cells), size or 1), np.nan))
    else:
        raise CellError(None, f"cells of type {kind} are not vectors. Give a matrix, or lists of equal length.")
    if size is not None and (found.width > size or (found.width < size and not isinstance(found, Sparse))):
        raise CellError(None, f"the vectors have {found.width} numbers; {size} are expected.")
    return found


def has_gaps(cells: Vectors) -> bool:
    """Whether a number is missing in any of them."""
    with np.errstate(over="ignore", invalid="ignore"):
        return bool(np.isnan(cells.values.sum()))


def refuse_infinite(cells: Vectors, words: str) -> None:
    infinite = np.flatnonzero(np.isinf(cells.values))
    if infinite.size:
        entry = int(infinite[0])
        reason = f"{cells.where(entry)}{INFINITE}; {words} is expected. {FINITE_INSTEAD}"
        raise CellError(cells.row(entry), reason)


def met_size(tally: Tally) -> int:
    """The default number of positions: up to the last one with a count."""
    return max((slot for slot in tally.canonical().slots if isinstance(slot, int)), default=-1) + 1


def _dense(cells: pa.Array, size: int) -> Floats:
    there = cells.is_valid().to_numpy(zero_copy_only=False)
    if pa.types.is_fixed_size_list(cells.type):
        width = cells.type.list_size
        inner = cells.values.slice(cells.offset * width, len(cells) * width)
        numbers = np.ascontiguousarray(frames.numbers(inner)).reshape(len(cells), width)
        return numbers if there.all() else np.where(there[:, None], numbers, np.nan)
    lengths = cells.value_lengths().fill_null(-1).to_numpy()
    width = int(lengths[there][0]) if there.any() else size
    strange = np.flatnonzero(there & (lengths != width))
    if strange.size:
        found = int(strange[0])
        raise CellError(found, f"the vector is of length {lengths[found]}; others are of length {width}.")
    if width == 0:
        raise CellError(int(np.flatnonzero(there)[0]), "the vector is empty; give at least one number.")
    numbers = np.full((len(cells), width), np.nan)
    numbers[there] = frames.numbers(cells.flatten()).reshape(-1, width)
    return numbers


def _sparse(cells: pa.Array, size: int | None) -> Sparse:
    pairs: Any = cells.values
    starts = np.ascontiguousarray(cells.offsets.to_numpy(zero_copy_only=False), np.int64)
    positions = pairs.field(pairs.type.get_field_index(POSITION)).to_numpy(zero_copy_only=False)
    values = frames.numbers(pairs.field(pairs.type.get_field_index(VALUE)))
    none = cells.null_count == 0
    missing = np.zeros(len(cells), bool) if none else cells.is_null().to_numpy(zero_copy_only=False).copy()
    found = Sparse(starts, np.ascontiguousarray(positions, np.int32), np.ascontiguousarray(values), missing)
    below = np.flatnonzero(found.positions < 0)
    if below.size:
        raise CellError(found.row(int(below[0])), f"the position {found.positions[below[0]]} is negative.")
    gaps = np.isnan(found.values)
    if gaps.any():  # a vector without any known number is missing, as in a dense matrix
        found.missing[np.bincount(found.rows, gaps, len(found)) == (size or found.width)] = True
    return found
