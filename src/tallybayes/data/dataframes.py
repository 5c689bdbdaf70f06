"""pandas DataFrames that its own conversion to Arrow does not serve: sparse columns, which it refuses, and small
frames, for which it takes longer than all that follows.

Small frames are converted column by column, but only if the result is the same: columns with string names, of plain
numbers, booleans or strings. Everything else is converted like any frame.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

SMALL = 10_000  # rows: for more, pandas' own conversion, which uses threads, is as fast


def small_frame(data: Any) -> pa.RecordBatch | None:
    """The rows of a small pandas DataFrame; None if it is something else."""
    kind = type(data)
    if not hasattr(kind, "_iter_column_arrays") or not 0 < len(data) <= SMALL:
        return None
    names = data.columns.tolist()
    if type(data.index).__name__ != "RangeIndex" or set(map(type, names)) != {str} or len(set(names)) < len(names):
        return None
    cells = [_cells(array) for array in data._iter_column_arrays()]
    return None if None in cells else pa.RecordBatch.from_arrays(cells, names=names)


def without_sparse(data: Any) -> Any:
    """The same DataFrame with pandas' sparse columns made dense: Arrow has none. Anything else as it is."""
    if not hasattr(type(data), "_iter_column_arrays") or not data.columns.is_unique:
        return data
    dense = {name: kind.subtype for name, kind in data.dtypes.items() if type(kind).__name__ == "SparseDtype"}
    return data.astype(dense) if dense else data


def _cells(array: Any) -> pa.Array | None:
    if type(array) is not np.ndarray:
        text = array.dtype.name == "str" and hasattr(array, "__arrow_array__")
        found = array.__arrow_array__() if text else None
        return found.chunk(0) if isinstance(found, pa.ChunkedArray) and found.num_chunks == 1 else None
    plain = array.dtype.kind in "fiub" and array.dtype.isnative and array.dtype.itemsize <= 8
    return pa.array(array, from_pandas=True) if plain else None
