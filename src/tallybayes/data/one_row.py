"""A single row, as in services and loops: read as Python values, without the cost of a record batch.

Each column is one plain value: a number, a bool, a str or None. If that could mean something else than Arrow's
conversion of the frame (times, decimals, lists, missing cells of unknown type), the frame is converted like any other.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from tallybayes.data.inputs import is_pandas

Row = dict[str, Any]

WHOLE = (np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64)
PLAIN: frozenset[Any] = frozenset((float, int, bool, str, type(None), np.float64, np.float32, np.bool_, *WHOLE))
OBJECTS = PLAIN - {np.float32}  # a double among objects, but with a shorter text in a column of its own type
WIDEST = 1 << 63  # Arrow's default integers are below this

# Types whose values Python's own types represent faithfully, missing ones and floats included.
SURE_NUMBERS = {f"{sign}{size}" for sign in ("int", "uint", "Int", "UInt") for size in (8, 16, 32, 64)}
SURE = SURE_NUMBERS | {"float64", "Float64", "object", "str", "string", "String", "bool", "boolean", "Boolean"}
SURE |= {"Null", "Categorical", "double[pyarrow]", "int64[pyarrow]", "string[pyarrow]", "bool[pyarrow]"}
SURE_CATEGORIES = SURE - {"object"}
ARROW = [pa.int8(), pa.int16(), pa.int32(), pa.int64(), pa.uint8(), pa.uint16(), pa.uint32(), pa.uint64(), pa.float64()]
SURE_IDS = {kind.id for kind in (*ARROW, pa.bool_(), pa.string(), pa.large_string(), pa.null())}


def single_row(data: Any, columns: Collection[str] = ()) -> Row | None:
    """The cells by column, if this is a frame of one row with plain cells. A frame that lacks one of these columns may
    have it as its index, so it does not qualify."""
    if type(data) is dict:
        return _from_dict(data) if set(map(type, data)) <= {str} else None
    row = _of_frame(data)
    return None if row and not all(map(row.__contains__, columns)) else row


def _of_frame(data: Any) -> Row | None:
    if type(data) is np.ndarray:
        return _from_numpy(data) if data.ndim == 2 and len(data) == 1 else None
    if isinstance(data, (pa.Table, pa.RecordBatch)):
        return _from_arrow(data) if data.num_rows == 1 else None
    kind = type(data)  # asking the object itself would compute its `dtypes`
    if not (hasattr(kind, "__arrow_c_stream__") and hasattr(kind, "dtypes")):
        return None
    if is_pandas(kind):
        return _from_pandas(data) if len(data) == 1 else None
    return _from_polars(data) if hasattr(kind, "row") and len(data) == 1 else None


def _plain(values: Any, allowed: frozenset[Any] = PLAIN) -> bool:
    kinds = set(map(type, values))
    if not kinds <= allowed:
        return False
    return int not in kinds or not [value for value in values if type(value) is int and not -WIDEST <= value < WIDEST]


def _from_dict(data: dict[str, Any]) -> Row | None:
    """Single values, or columns of one."""
    if list in map(type, data.values()):
        if any(type(cells) is not list or len(cells) != 1 for cells in data.values()):
            return None
        data = {name: cells[0] for name, cells in data.items()}
    return data if _plain(data.values(), OBJECTS) else None


def _named(names: Sequence[Any], values: Sequence[Any], allowed: frozenset[Any] = PLAIN) -> Row | None:
    row = dict(zip(names, values, strict=True))
    if len(row) < len(names) or not _plain(values, allowed):
        return None
    if set(map(type, names)) <= {str}:
        return row
    if set(map(type, names)) == {int}:
        return {str(name): value for name, value in row.items()}
    return None


def _from_numpy(data: NDArray[Any]) -> Row | None:
    if data.dtype.kind not in "fiubO" or not data.size:
        return None
    exact = data.dtype.kind != "f" or data.dtype.itemsize == 8
    values = data[0].tolist() if exact else list(data[0])
    return _named(_numbered(data.shape[1]), values, OBJECTS if data.dtype.kind == "O" else PLAIN)


@lru_cache(maxsize=64)
def _numbered(count: int) -> tuple[str, ...]:
    return tuple(map(str, range(count)))


def _from_arrow(data: pa.Table | pa.RecordBatch) -> Row | None:
    if not data.num_columns:
        return None
    if isinstance(data, pa.Table):
        data = next(batch for batch in data.to_batches() if len(batch))
    values = []
    for cells in data.columns:
        kind = cells.type
        if kind.id not in SURE_IDS and not (pa.types.is_dictionary(kind) and kind.value_type.id in SURE_IDS):
            return None
        try:
            values.append(cells.to_pylist()[0])
        except UnicodeDecodeError:
            return None
    return _named(data.schema.names, values)


def _from_polars(data: Any) -> Row | None:
    return _named(data.columns, data.row(0)) if SURE.issuperset(map(str, data.dtypes)) else None


def _from_pandas(data: Any) -> Row | None:
    """pandas' public methods take as long as everything else together; this is its internal way through the columns."""
    values = []
    for array in data._iter_column_arrays():
        if type(array) is np.ndarray:
            if not array.dtype.isnative or (array.dtype.kind == "O" and type(array[0]) not in OBJECTS):
                return None
            values.append(array[0])
            continue
        kind = array.dtype.name
        if kind == "str" and hasattr(array, "__arrow_array__"):
            values.append(array.__arrow_array__()[0].as_py())
        elif kind in SURE or (kind == "category" and array.dtype.categories.dtype.name in SURE_CATEGORIES):
            value = array[0]
            values.append(None if type(value).__name__ == "NAType" else value)
        else:
            return None
    return _named(_names(data.columns), values)


def _names(columns: Any) -> list[Any]:
    """The names of pandas' columns, cached because they are slow to list and often those of the last frame."""
    last, names = _LAST[0]
    if last is None or not columns.is_(last):
        names = columns.tolist()
        _LAST[0] = (columns, names)
    return names


_LAST: list[tuple[Any, list[Any]]] = [(None, [])]
