"""Columns sent to a task. Spark writes one array of numbers faster than many columns, so columns of the same type are
sent as one array and unpacked in the task."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pyspark.ml.functions import vector_to_array
from pyspark.ml.linalg import VectorUDT
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as f
from pyspark.sql.types import ByteType, DataType, DoubleType, FloatType, IntegerType, LongType, ShortType

from tallybayes.sources.columnar import rows_within
from tallybayes.spark.columns import numbered

NUMBERS = (DoubleType, FloatType, LongType, IntegerType, ShortType, ByteType)
BATCH_BYTES = 1 << 24  # of rows processed together, since every batch has a fixed cost
BLOCK = 1 << 15  # bytes that are transposed together, so that they stay in the cache

Batches = Iterator[pa.RecordBatch]


class Packing(NamedTuple):
    """The columns sent to a task, and which of them are grouped into arrays."""

    names: list[str]
    groups: list[list[str]]

    @classmethod
    def of(cls, frame: DataFrame, names: Iterable[str]) -> Packing:
        groups: dict[DataType | str, list[str]] = {}
        kinds = _kinds(frame)
        for name in (names := list(names)):
            groups.setdefault(kinds[name] if isinstance(kinds[name], NUMBERS) else name, []).append(name)
        return cls(names, list(groups.values()))

    def packed(self, frame: DataFrame) -> DataFrame:
        """A column for each group: c0, c1, …"""
        kinds, places = _kinds(frame), {name: f"c{at}" for at, name in enumerate(frame.columns)}
        columns = (_as_one(kinds[group[0]], [f.col(places[name]) for name in group]) for group in self.groups)
        return numbered(frame).select(*(column.alias(f"c{at}") for at, column in enumerate(columns)))

    def unpacked(self, batches: Batches) -> Batches:
        """The columns under their own names, with small batches combined."""
        combined: _Combined | None = None
        for batch in filter(len, batches):
            size = batch.get_total_buffer_size()
            if combined is not None and not combined.has_room(len(batch), size):
                yield self._named(combined.columns())
                combined = None
            if combined is None:
                combined = _Combined([len(group) for group in self.groups], batch, size)
            combined.add(batch, size)
        if combined is not None:
            yield self._named(combined.columns())

    def _named(self, columns: Iterable[list[pa.Array]]) -> pa.RecordBatch:
        found: dict[str, pa.Array] = {}
        for group, cells in zip(self.groups, columns, strict=True):
            found.update(zip(group, cells, strict=True))
        return pa.RecordBatch.from_arrays([found[name] for name in self.names], names=self.names)


class _Combined:
    """The rows of several batches. They are copied as they come, while they are in the cache."""

    def __init__(self, widths: Sequence[int], first: pa.RecordBatch, size: int) -> None:
        self._room = max(rows_within(BATCH_BYTES, size / len(first)), len(first))
        self._rows = self._bytes = 0
        kinds = first.schema.types
        self._parts = [
            _Cells() if width == 1 else _Transposed(width, self._room, kind.value_type)
            for width, kind in zip(widths, kinds, strict=True)
        ]

    def has_room(self, rows: int, size: int) -> bool:
        return self._rows + rows <= self._room and self._bytes + size <= BATCH_BYTES

    def add(self, batch: pa.RecordBatch, size: int) -> None:
        self._rows, self._bytes = self._rows + len(batch), self._bytes + size
        for part, cells in zip(self._parts, batch.columns, strict=True):
            part.add(cells)

    def columns(self) -> Iterator[list[pa.Array]]:
        return (part.columns() for part in self._parts)


class _Cells:
    """A column as it was sent."""

    def __init__(self) -> None:
        self._parts: list[pa.Array] = []

    def add(self, cells: pa.Array) -> None:
        self._parts.append(cells)

    def columns(self) -> list[pa.Array]:
        return [self._parts[0] if len(self._parts) == 1 else pa.concat_arrays(self._parts)]


class _Transposed:
    """Columns that were sent as arrays with `width` numbers each."""

    def __init__(self, width: int, room: int, kind: pa.DataType) -> None:
        self._cells = np.empty((width, room), kind.to_pandas_dtype())
        self._missing: NDArray[np.bool_] | None = None
        self._rows = 0

    def add(self, rows: pa.ListArray) -> None:
        cells, at = rows.flatten(), slice(self._rows, self._rows + len(rows))
        if cells.null_count:
            if self._missing is None:
                self._missing = np.zeros(self._cells.shape, np.bool_)
            _transpose(cells.is_null(), self._missing[:, at])
            cells = cells.fill_null(0)
        _transpose(cells, self._cells[:, at])
        self._rows += len(rows)

    def columns(self) -> list[pa.Array]:
        cells = self._cells[:, : self._rows]
        if self._missing is None:
            return [pa.array(column) for column in cells]
        return [pa.array(column, mask=gaps) for column, gaps in zip(cells, self._missing[:, : self._rows], strict=True)]


def _transpose(cells: pa.Array, columns: NDArray[np.generic]) -> None:
    """Fills columns from consecutive rows."""
    rows = cells.to_numpy(zero_copy_only=False).reshape(-1, len(columns))
    step = max(BLOCK // (rows.itemsize * len(columns)), 16)
    for start in range(0, len(rows), step):
        columns[:, start : start + step] = rows[start : start + step].T


def _kinds(frame: DataFrame) -> dict[str, DataType]:
    return {field.name: field.dataType for field in frame.schema.fields}


def _as_one(kind: DataType, columns: list[Column]) -> Column:
    if len(columns) > 1:
        return f.array(*columns)
    return vector_to_array(columns[0]) if isinstance(kind, VectorUDT) else columns[0]
