"""Tables of any kind in a form that scikit-learn's checks accept: lazy frames, and lists of rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from tallybayes.data import frames
from tallybayes.data.inputs import fetched, is_arrow, is_records, no_table
from tallybayes.data.matrices import is_sparse

ARRAYS = ("shape", "__array__", "__array_interface__", "__arrow_c_stream__")  # every matrix has one of these


def opened(X: Any) -> Any:
    """What every estimator takes: lists of dictionaries, lazy frames and datasets as one table, everything else as it
    is. Whatever is not a table is refused."""
    if is_sparse(X):  # one kind of which is a mapping
        return X
    X = fetched(X)
    if isinstance(X, pa.RecordBatchReader):
        return X.read_all()
    if is_records(X) or (hasattr(type(X), "dtype") and getattr(X.dtype, "fields", None)):  # of numpy, or of polars
        return whole(X)
    sequence = isinstance(X, Sequence) and not isinstance(X, (str, bytes))
    if sequence or isinstance(X, Mapping) or any(hasattr(type(X), name) for name in ARRAYS):
        return X
    raise no_table(X)


def as_matrix(X: Any, owner: str) -> Any:
    """The same for estimators of matrices: columns by name as a table, masked numbers as NaN."""
    X = opened(X)
    if isinstance(X, np.ma.MaskedArray) and X.dtype.kind in "biuf":
        return np.ma.filled(X.astype(np.float64), np.nan)
    if is_sparse(X):
        return X
    if isinstance(X, Mapping) or (is_arrow(X) and not hasattr(type(X), "__array__")):
        X = whole(X)
    labels = labels_of(X)
    if labels is not None:
        check_names([str(label) for label in labels], owner)
    return X


def whole(data: Any) -> pa.Table:
    """All of a frame as one table."""
    batches = list(frames.batches(data))
    return pa.Table.from_batches(batches) if batches else pa.table({})


def labels_of(rows: Any) -> list[Any] | None:
    """The names of the columns, if they have any."""
    if is_sparse(rows):
        return None
    if isinstance(rows, (pa.Table, pa.RecordBatch)):
        passed_over = frames.index_columns(rows.schema)
        return [name for name in rows.schema.names if name not in passed_over]
    if isinstance(rows, Mapping):
        return list(rows)
    if isinstance(rows, np.ndarray):
        return list(rows.dtype.names) if rows.dtype.names else None
    labels = None if len(getattr(rows, "shape", ())) == 1 else getattr(rows, "columns", None)
    if labels is None:
        return None
    return labels.tolist() if hasattr(labels, "tolist") else list(labels)


def check_names(names: list[str], owner: str) -> None:
    if not names:
        raise ValueError(f"Found a table with 0 feature(s) while a minimum of 1 is required by {owner}.")
    if len(set(names)) < len(names):
        twice = sorted({name for name in names if names.count(name) > 1})
        raise ValueError(
            f"X has more than one column called {', '.join(map(repr, twice))}. Rename or drop all but one of them."
        )
