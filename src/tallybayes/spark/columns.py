"""Columns of a DataFrame, with any names, and the Spark types of labels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql.types import (
    BooleanType,
    CalendarIntervalType,
    DataType,
    DoubleType,
    LongType,
    StringType,
    YearMonthIntervalType,
)

NOT_SENT = (CalendarIntervalType, YearMonthIntervalType)  # types that Spark does not convert to Arrow


def numbered(frame: DataFrame) -> DataFrame:
    """The columns as c0, c1, …: `mapInArrow` supports no names with dots or quotes, and Spark takes names that differ
    only in case for the same."""
    return frame.toDF(*(f"c{at}" for at in range(len(frame.columns))))


def check_there(frame: DataFrame, names: Sequence[str], advice: str) -> None:
    for name in names:
        if name not in frame.columns:
            listed = ", ".join(map(repr, frame.columns))
            raise ValueError(f"The DataFrame has no column {name!r}; it has {listed}. {advice}")
        if frame.columns.count(name) > 1:
            raise ValueError(f"The DataFrame has several columns {name!r}. Rename or drop all but one.")
        if isinstance(kind := frame.schema[name].dataType, NOT_SENT):
            raise ValueError(f"Column {name!r}: Spark does not send {kind.simpleString()} to Python. Cast or drop it.")


def first_rows(frame: DataFrame, count: int, without: str | None) -> pa.Table:
    """Of all columns that Spark can send to Python, except one."""
    fields = frame.schema.fields
    used = [at for at, field in enumerate(fields) if field.name != without and not isinstance(field.dataType, NOT_SENT)]
    rows = numbered(frame).select(*(f"c{at}" for at in used)).limit(count).toArrow()
    return rows.rename_columns([fields[at].name for at in used])


def label_kind(label_type: pa.DataType | None) -> tuple[DataType, Any]:
    """The Spark type of the classes, and a function that converts a class to it."""
    if label_type is not None and pa.types.is_boolean(label_type):
        return BooleanType(), bool
    if label_type is not None and pa.types.is_integer(label_type):
        return LongType(), int
    if label_type is not None and pa.types.is_floating(label_type):
        return DoubleType(), float
    return StringType(), str
