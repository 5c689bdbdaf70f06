"""Recognises tables without importing their libraries: rows, columns, streams and lazy tables. Anything else is an
error that says what to give instead.
"""

from __future__ import annotations

import io
import os
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from tallybayes.data.errors import a_kind

NO_FRAMES = (list, str, bytes, int, float, np.generic, type(None))  # what a list of frames does not begin with
TABLES = "a dictionary of columns, a pandas or polars DataFrame, an Arrow table, a DuckDB relation"


def is_records(data: Any) -> bool:
    """Whether this is a list of rows, each a dictionary of single values; in a list of frames, the values are
    columns."""
    if not isinstance(data, (list, tuple)) or not data or not all(isinstance(row, Mapping) for row in data):
        return False
    return any(not row or not all(map(is_iterable, row.values())) for row in data)


def columns_of(records: Sequence[Mapping[Any, Any]]) -> dict[Any, list[Any]]:
    """The columns of all rows; a row without one has a missing cell there."""
    names = dict.fromkeys(name for row in records for name in row)
    return {name: [row.get(name) for row in records] for name in names}


def is_pandas(kind: type) -> bool:
    """Whether this is the class of pandas' DataFrames, whose columns are read one by one."""
    return hasattr(kind, "_iter_column_arrays")


def is_series(data: Any) -> bool:
    """Whether this is a pandas Series."""
    kind = type(data)
    return hasattr(kind, "to_frame") and hasattr(kind, "to_dict") and hasattr(kind, "iloc")


def series_row(data: Any, columns: Collection[str]) -> dict[str, Any] | None:
    """A pandas Series as a row, if its index has names of columns, like `frame.iloc[0]`. Numbers are names only if all
    are names of columns: the index of a column is numbers, too."""
    if not is_series(data):
        return None
    given = data.index.tolist()
    names = [str(name) for name in given]
    known = set(names) & set(columns)
    numbered = any(isinstance(name, (int, float)) for name in given)
    if len(set(names)) < len(names) or not known or (numbered and len(known) < len(names)):
        return None
    return dict(zip(names, data.tolist(), strict=True))


def is_stream(data: Any) -> bool:
    """Whether this is a sequence of frames, perhaps with their labels, rather than one."""
    if isinstance(data, (list, tuple)):
        first = data[0] if data else None
        first = first[0] if isinstance(first, tuple) and first else first
        column = getattr(first, "ndim", 2) == 1 and getattr(getattr(first, "dtype", None), "names", None) is None
        return not (column or isinstance(first, NO_FRAMES) or is_records(data))
    return isinstance(data, Iterator) and not isinstance(data, pa.RecordBatchReader)


def is_iterable(values: Any) -> bool:
    """Whether these are several values rather than one; a string is one."""
    return not isinstance(values, (str, bytes)) and (hasattr(values, "__iter__") or is_arrow(values))


def is_arrow(data: Any) -> bool:
    return isinstance(data, pa.ChunkedArray) or hasattr(data, "__arrow_c_stream__")


def is_column(data: Any) -> bool:
    """Whether this is a single column: an Arrow array, a pandas or polars Series, or a numpy array of strings."""
    if isinstance(data, np.ndarray):
        return data.ndim == 1 and data.dtype.kind in "OU"
    kind = type(data)
    is_such = hasattr(kind, "to_frame") and (hasattr(kind, "__arrow_c_stream__") or is_series(data))
    return is_such or isinstance(data, (pa.Array, pa.ChunkedArray))


def fetched(data: Any) -> Any:
    """A lazy table as a table or a stream of batches: a polars LazyFrame, a pyarrow dataset or scanner. Anything else
    is returned as it is."""
    kind = type(data)
    if hasattr(kind, "collect") and hasattr(kind, "collect_schema"):
        return data.collect()
    if hasattr(kind, "to_batches") and hasattr(kind, "count_rows"):
        scanner = data.scanner() if hasattr(kind, "scanner") else data
        return scanner.to_reader()
    return data


def no_table(data: Any) -> TypeError:
    """Why this is not a table, and what to give instead."""
    this = a_kind(data)
    if is_column(data):
        return TypeError(f"{this} is one column, not a table: give it with a name, as in {{'x': column}}.")
    if isinstance(data, (str, os.PathLike, io.IOBase)):
        return TypeError(f"{this} is not a table. Give {TABLES}; tallybayes.open_source reads files.")
    if hasattr(type(data), "batches") or _are_tables(data):
        return TypeError(f"{this} is several tables, and one is expected. Give them one after another.")
    if isinstance(data, (list, tuple)) and data:
        return TypeError(_no_table_of(this, data))
    if callable(getattr(type(data), "compute", None)):  # of Dask and others, whose DataFrames have the names of pandas'
        return TypeError(f"{this} of {type(data).__module__.split('.')[0]} is computed later: call compute() first.")
    in_turn = "; several tables are given one after another" * isinstance(data, Iterator)
    return TypeError(f"{this} is not a table. Give {TABLES} or a two-dimensional numpy array{in_turn}.")


def _are_tables(data: Any) -> bool:
    return isinstance(data, (list, tuple)) and bool(data) and all(is_arrow(one) and not is_column(one) for one in data)


def _no_table_of(this: str, items: Sequence[Any]) -> str:
    kinds = " and ".join(sorted({type(item).__name__ for item in items}))
    if all(isinstance(item, Mapping) for item in items):
        return (
            f"{this} of dictionaries that contain only lists may be several tables, or rows whose cells are lists. "
            "Give one dictionary of columns."
        )
    if kinds == "str":
        return f"{this} of texts is one column, not a table: give it with a name, as in {{'text': texts}}."
    return (
        f"{this} of {kinds} is not a table. Give a list of dictionaries, one for each row, or a two-dimensional "
        f"numpy array, as in numpy.array(rows); or {TABLES}."
    )
