"""Columns sent to a task. Spark writes one array of numbers faster than many columns, so columns of the same type are
sent as one array and unpacked in the task."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pyspark.ml.functions import vector_to_array
from pyspark.ml.linalg import VectorUDT
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as f
from pyspark.sql.types import ByteType, DataType, DoubleType, FloatType, IntegerType, LongType, ShortType

from tallybayes.sources.columnar import of_good_size
from tallybayes.spark.columns import quoted

NUMBERS = (DoubleType, FloatType, LongType, IntegerType, ShortType, ByteType)
BATCH_BYTES = 1 << 23  # of rows processed together, since every batch has a fixed cost

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
        """The columns as c0, c1, …, since `mapInArrow` does not support names with dots or quotes."""
        kinds = _kinds(frame)
        columns = (_as_one(kinds, group) for group in self.groups)
        return frame.select(*(column.alias(f"c{at}") for at, column in enumerate(columns)))

    def unpacked(self, batches: Batches) -> Batches:
        """The columns under their own names, with small batches combined."""
        for batch in of_good_size(batches, BATCH_BYTES):
            found: dict[str, pa.Array] = {}
            for group, cells in zip(self.groups, batch.columns, strict=True):
                found.update(zip(group, [cells] if len(group) == 1 else _apart(cells, len(group)), strict=True))
            yield pa.RecordBatch.from_arrays([found[name] for name in self.names], names=self.names)


def _kinds(frame: DataFrame) -> dict[str, DataType]:
    return {field.name: field.dataType for field in frame.schema.fields}


def _as_one(kinds: dict[str, DataType], group: list[str]) -> Column:
    columns = [f.col(quoted(name)) for name in group]
    if len(columns) > 1:
        return f.array(*columns)
    return vector_to_array(columns[0]) if isinstance(kinds[group[0]], VectorUDT) else columns[0]


def _apart(rows: pa.ListArray, width: int) -> list[pa.Array]:
    """The columns of arrays with `width` numbers each."""
    cells = rows.flatten()
    if not cells.null_count:
        return [pa.array(column) for column in _columns(cells, width)]
    both = zip(_columns(cells.fill_null(0), width), _columns(cells.is_null(), width), strict=True)
    return [pa.array(column, mask=missing) for column, missing in both]


def _columns(cells: pa.Array, width: int) -> NDArray[np.generic]:
    return np.ascontiguousarray(cells.to_numpy(zero_copy_only=False).reshape(-1, width).T)
