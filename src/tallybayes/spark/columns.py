"""Columns of a DataFrame by their names, whatever these hold, and how Spark writes the types of labels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql.types import BooleanType, DataType, DoubleType, LongType, StringType


def quoted(name: str) -> str:
    """A name that may hold dots and quotes."""
    return "`" + name.replace("`", "``") + "`"


def check_there(frame: DataFrame, names: Sequence[str], advice: str) -> None:
    for name in names:
        if name not in frame.columns:
            listed = ", ".join(map(repr, frame.columns))
            raise ValueError(f"The DataFrame has no column {name!r}; it has {listed}. {advice}")
        if frame.columns.count(name) > 1:
            raise ValueError(f"The DataFrame has several columns {name!r}. Rename or drop all but one.")


def label_kind(label_type: pa.DataType | None) -> tuple[DataType, Any]:
    """As what Spark has the classes, and what makes such a value of one."""
    if label_type is not None and pa.types.is_boolean(label_type):
        return BooleanType(), bool
    if label_type is not None and pa.types.is_integer(label_type):
        return LongType(), int
    if label_type is not None and pa.types.is_floating(label_type):
        return DoubleType(), float
    return StringType(), str
