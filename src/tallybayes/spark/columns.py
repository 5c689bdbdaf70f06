"""Columns of a DataFrame by name, with any characters, and the Spark types of labels."""

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


def quoted(name: str) -> str:
    """A column name, quoted, since it may contain dots and quotes."""
    return "`" + name.replace("`", "``") + "`"


def check_there(frame: DataFrame, names: Sequence[str], advice: str) -> None:
    for name in names:
        if name not in frame.columns:
            listed = ", ".join(map(repr, frame.columns))
            raise ValueError(f"The DataFrame has no column {name!r}; it has {listed}. {advice}")
        if frame.columns.count(name) > 1:
            raise ValueError(f"The DataFrame has several columns {name!r}. Rename or drop all but one.")
        if isinstance(kind := frame.schema[name].dataType, NOT_SENT):
            raise ValueError(f"Column {name!r}: Spark does not send {kind.simpleString()} to Python. Cast or drop it.")


def sent_columns(frame: DataFrame) -> DataFrame:
    """The columns that Spark can send to Python."""
    return frame.drop(*(field.name for field in frame.schema.fields if isinstance(field.dataType, NOT_SENT)))


def label_kind(label_type: pa.DataType | None) -> tuple[DataType, Any]:
    """The Spark type of the classes, and a function that converts a class to it."""
    if label_type is not None and pa.types.is_boolean(label_type):
        return BooleanType(), bool
    if label_type is not None and pa.types.is_integer(label_type):
        return LongType(), int
    if label_type is not None and pa.types.is_floating(label_type):
        return DoubleType(), float
    return StringType(), str
