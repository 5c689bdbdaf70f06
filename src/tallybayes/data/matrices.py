"""Matrices as columns of vectors: a cell is a row of numbers, dense or sparse.

In Arrow a dense matrix is a fixed-size list, or if it is column-major a struct with a field per column; a sparse one is
a list of (position, value) pairs. None of them copies the matrix if it has the right type.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

POSITION, VALUE = "position", "value"
MOST_COLUMNS = 1 << 10  # of a matrix that is passed column by column
BATCH_BYTES = 1 << 26  # a matrix of another type or order is converted in such steps


def is_sparse(data: Any) -> bool:
    """Whether this is one of scipy's sparse matrices, without loading scipy to find out."""
    kind = type(data)  # asking a DataFrame itself would look the name up among its columns
    return hasattr(kind, "tocsr") and hasattr(kind, "nnz") and len(getattr(data, "shape", ())) == 2


def is_matrix(data: Any) -> bool:
    dense = isinstance(data, np.ndarray) and data.ndim == 2 and data.dtype.names is None
    return dense or is_sparse(data)


def vectors(data: Any) -> pa.Array:
    """A matrix as a column of vectors."""
    return _pairs(data) if is_sparse(data) else _rows(data)


def frame(name: str, data: Any) -> pa.RecordBatch | pa.RecordBatchReader:
    """A matrix as a frame of a single column; one that must be copied comes in pieces."""
    rows, columns = data.shape
    step = -(-BATCH_BYTES // (8 * max(columns, 1)))
    if is_sparse(data) or rows <= step or (data.dtype == np.float64 and data.flags.forc):
        return pa.RecordBatch.from_arrays([vectors(data)], names=[name])
    pieces = [data[start : start + step] for start in range(0, rows, step)]
    kind = pa.schema([(name, vectors(data[:1]).type)])
    made = (pa.RecordBatch.from_arrays([vectors(piece)], schema=kind) for piece in pieces)
    return pa.RecordBatchReader.from_batches(kind, made)


def _rows(data: NDArray[Any]) -> pa.Array:
    if not data.shape[1]:
        raise ValueError("The matrix has no columns.")
    if isinstance(data, np.matrix):  # of which a column is a matrix again
        data = np.asarray(data)
    if isinstance(data, np.ma.MaskedArray):
        data = np.ma.filled(data.astype(np.float64), np.nan)
    if not (np.issubdtype(data.dtype, np.number) or data.dtype == bool) or np.iscomplexobj(data):
        raise ValueError(f"A matrix of type {data.dtype} does not contain real numbers; convert its cells to numbers.")
    if data.flags.f_contiguous and not data.flags.c_contiguous and data.shape[1] <= MOST_COLUMNS:
        columns = [pa.array(column.astype(np.float64, copy=False)) for column in data.T]
        return pa.StructArray.from_arrays(columns, [str(i) for i in range(len(columns))])
    numbers = np.ascontiguousarray(data, np.float64)
    return pa.FixedSizeListArray.from_arrays(pa.array(numbers.reshape(-1)), data.shape[1])


def _pairs(data: Any) -> pa.Array:
    """A sparse matrix row by row; duplicate entries are summed."""
    if data.shape[1] >= 1 << 31:
        raise ValueError(f"The matrix has {data.shape[1]} columns; there can be no more than 2³¹.")
    rows = data.tocsr()
    if np.iscomplexobj(rows.data):
        raise ValueError(f"A matrix of type {rows.dtype} does not contain real numbers.")
    if not rows.has_canonical_format:
        rows = rows.copy()
        rows.sum_duplicates()
    positions = pa.array(np.ascontiguousarray(rows.indices, np.int32))
    pairs = pa.StructArray.from_arrays(
        [positions, pa.array(np.ascontiguousarray(rows.data, np.float64))], [POSITION, VALUE]
    )
    return pa.LargeListArray.from_arrays(pa.array(rows.indptr.astype(np.int64, copy=False)), pairs)
