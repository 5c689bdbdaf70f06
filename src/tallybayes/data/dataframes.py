"""pandas DataFrames that its own conversion to Arrow does not serve: columns that it refuses, such as sparse ones, and
small frames, for which it takes longer than all that follows.

Small frames are converted column by column, but only if the result is the same: columns with string names, of plain
numbers, booleans or strings. Everything else is converted like any frame.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

from tallybayes.data.inputs import is_pandas

SMALL = 10_000  # rows: for more, pandas' own conversion, which uses threads, is as fast


def small_frame(data: Any) -> pa.RecordBatch | None:
    """The rows of a small pandas DataFrame; None if it is something else."""
    if not is_pandas(type(data)) or not 0 < len(data) <= SMALL:
        return None
    names = data.columns.tolist()
    if type(data.index).__name__ != "RangeIndex" or set(map(type, names)) != {str} or len(set(names)) < len(names):
        return None
    cells = [_cells(array) for array in data._iter_column_arrays()]
    return None if None in cells else pa.RecordBatch.from_arrays(cells, names=names)


def repeated_names(data: Any) -> list[str] | None:
    """The names of a pandas DataFrame's columns as texts, if two are the same, which Arrow refuses to convert."""
    if not is_pandas(type(data)):
        return None
    names = [str(name) for name in data.columns]
    return names if len(set(names)) < len(names) else None


def named_index(data: Any) -> dict[str, Any]:
    """The named levels of a pandas DataFrame's index, which are columns in Arrow too, unless a column has the name."""
    if not is_pandas(type(data)) or type(data.index).__name__ == "RangeIndex":
        return {}
    named = [name for name in data.index.names if name is not None and name not in data.columns]
    return {str(name): data.index.get_level_values(name).to_series() for name in named}


def for_arrow(data: Any) -> Any:
    """The same DataFrame with what Arrow lacks converted: sparse columns, numbers in another byte order or longer than
    a double, and names that are not texts. Anything else as it is."""
    if not is_pandas(type(data)):
        return data
    if not all(isinstance(name, str) for name in data.columns):
        data = data.set_axis([str(name) for name in data.columns], axis=1)
    found = {name: _for_arrow(kind) for name, kind in data.dtypes.items()}
    changed = {name: kind for name, kind in found.items() if kind is not None}
    return data.astype(changed) if changed else data


def _for_arrow(kind: Any) -> Any:
    """The type that a column of this type is converted to; None if it need not be."""
    if type(kind).__name__ == "SparseDtype":
        return kind.subtype
    if not isinstance(kind, np.dtype):
        return None
    if kind.kind == "f" and kind.itemsize > np.dtype(np.float64).itemsize:
        return np.float64
    return None if kind.isnative else kind.newbyteorder("=")


def _cells(array: Any) -> pa.Array | None:
    if type(array) is not np.ndarray:
        text = array.dtype.name == "str" and hasattr(array, "__arrow_array__")
        found = array.__arrow_array__() if text else None
        return found.chunk(0) if isinstance(found, pa.ChunkedArray) and found.num_chunks == 1 else None
    plain = array.dtype.kind in "fiub" and array.dtype.isnative and array.dtype.itemsize <= 8
    return pa.array(array, from_pandas=True) if plain else None
