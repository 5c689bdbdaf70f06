"""Small pandas DataFrames as Arrow, column by column: pandas' own conversion takes longer than everything after it.

This is done only if the result is the same: for columns with string names, of plain numbers, booleans or strings.
Everything else is converted like any frame.
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


def _cells(array: Any) -> pa.Array | None:
    if type(array) is not np.ndarray:
        text = array.dtype.name == "str" and hasattr(array, "__arrow_array__")
        found = array.__arrow_array__() if text else None
        return found.chunk(0) if isinstance(found, pa.ChunkedArray) and found.num_chunks == 1 else None
    plain = array.dtype.kind in "fiub" and array.dtype.isnative and array.dtype.itemsize <= 8
    return pa.array(array, from_pandas=True) if plain else None
