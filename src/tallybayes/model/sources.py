"""Rows of a source, batch by batch, each column read as the type that the schema counts."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, TypeVar

import pyarrow as pa

from tallybayes.data.row_source import RowSource
from tallybayes.schema import Schema

T = TypeVar("T")


def each_batch(
    source: RowSource,
    schema: Schema,
    labels: Any,
    work: Callable[[pa.RecordBatch, Any], T],
    *,
    weights: str | None = None,
    groups: str | None = None,
    label_type: pa.DataType | None = None,
    absent: str,
    new: bool = False,
) -> Iterator[T]:
    """Applies `work` to every batch and its labels: the name of a column, or one label for all rows. The column of
    `groups` is read as it is stored. In `new` rows, which are not counted, cells that cannot be read are missing."""
    labels = source.label if labels is None else labels
    if labels is None:
        raise ValueError(f"Which column holds the classes? There are {', '.join(map(repr, source.names))}.")
    if not isinstance(labels, (str, pa.Scalar)) or not isinstance(weights, (str, type(None))):
        raise ValueError("With a source, give the names of the columns that hold the labels and the weights.")
    stored = {} if groups is None else {groups: pa.string() if source.untyped else None}
    columns = stored | schema.reads() | ({} if weights is None else {weights: pa.float64()})
    column = labels if isinstance(labels, str) else None
    types = source.column_types(columns, column, label_type, absent)
    return source.each(types, lambda batch: work(batch, labels), schema.by_column if new else ())
