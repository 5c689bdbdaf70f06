"""Tables of any kind → Arrow record batches. `cells` turns their cells into numbers and texts.

pandas, polars, DuckDB and everything else that speaks Arrow's stream interface comes in through that interface; none of
them is imported here. Dictionaries of columns, lists of rows and numpy arrays are read directly.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Set
from typing import Any, NoReturn

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from tallybayes.data.cells import LEVELS as LEVELS
from tallybayes.data.cells import decoded as decoded
from tallybayes.data.cells import is_bytes as is_bytes
from tallybayes.data.cells import is_interval as is_interval
from tallybayes.data.cells import is_plain
from tallybayes.data.cells import is_text as is_text
from tallybayes.data.cells import is_time as is_time
from tallybayes.data.cells import level_text as level_text
from tallybayes.data.cells import numbers as numbers
from tallybayes.data.cells import plain as plain
from tallybayes.data.cells import texts as texts
from tallybayes.data.cells import value_type as value_type
from tallybayes.data.dataframes import for_arrow, named_index, repeated_names, small_frame
from tallybayes.data.inputs import (
    columns_of,
    fetched,
    is_arrow,
    is_column,
    is_iterable,
    is_records,
    is_series,
    no_table,
)
from tallybayes.data.matrices import is_matrix, is_sparse, vectors
from tallybayes.data.naming import hint, those_there
from tallybayes.data.objects import (
    REFUSALS,
    is_long_text,
    object_cells,
    object_columns,
    text_parts,
    unencodable,
    unreadable,
    with_objects,
)
from tallybayes.data.refused import check_read, is_read, refused

NO_COLUMNS = ""  # stands in for columns if there are none, to hold the number of rows
BATCH_BYTES = 1 << 26
BATCH_ROWS = 1 << 16  # batches below both limits are combined
TRANSPOSED = 1 << 22  # numbers of a row-major matrix at a time, but no fewer rows than that


def batches(data: Any) -> Iterator[pa.RecordBatch]:
    """A frame of any kind as record batches."""
    return map(plain_batch, [data] if isinstance(data, pa.RecordBatch) else _batches(data))


def _batches(data: Any) -> Iterator[pa.RecordBatch]:
    data = fetched(data)
    if (small := small_frame(data)) is not None:
        yield small
    elif isinstance(data, (pa.Table, pa.RecordBatchReader)) or hasattr(data, "__arrow_c_stream__"):
        yield from _of_good_size(data.to_batches() if isinstance(data, pa.Table) else _stream(data))
    elif is_sparse(data):  # one kind of which is a mapping
        raise TypeError("A sparse matrix is a column of vectors: give it to a schema with one such column, like Bag().")
    elif isinstance(data, Mapping):
        yield from _from_mapping(data)
    elif is_records(data):
        yield from _from_mapping(columns_of(data) or {NO_COLUMNS: [None] * len(data)})
    elif isinstance(data, np.ndarray):
        yield from _from_numpy(data)
    elif not (isinstance(data, (list, tuple)) and not data):  # an empty list is a table of no rows
        raise no_table(data)


def index_columns(schema: pa.Schema) -> set[str]:
    """The columns that were a DataFrame's index."""
    about = json.loads((schema.metadata or {}).get(b"pandas", b"{}"))
    return {name for name in about.get("index_columns", []) if isinstance(name, str)}


def columns(batch: pa.RecordBatch, names: Iterable[str], advice: str) -> dict[str, pa.Array]:
    """The cells of these columns, each of which must exist exactly once."""
    known = {name: cells for name, cells in zip(batch.schema.names, batch.columns, strict=True) if is_read(cells)}
    if len(known) < batch.num_columns:
        known = {}
    return {name: known[name] if name in known else column(batch, name, advice) for name in names}


def column(batch: pa.RecordBatch, name: str, advice: str = "Rename the column or drop it from the schema.") -> pa.Array:
    at = batch.schema.get_all_field_indices(name)
    if len(at) == 1:
        check_read(batch.column(at[0]))
        return batch.column(at[0])
    if at:
        has = ", ".join(map(repr, batch.schema.names))
        raise ValueError(f"The data has {len(at)} columns called {name!r}; it has {has}. Rename all but one.")
    return no_column(name, batch.schema.names, advice)


def no_column(name: str, names: Iterable[str], advice: str) -> NoReturn:
    there = list(names)
    raise ValueError(f"The data has no column {name!r}; it has {those_there(there)}.{hint(name, there)} {advice}")


def plain_batch(batch: pa.RecordBatch) -> pa.RecordBatch:
    """The same rows with strings as offsets and bytes, which kernels read. Polars exports views, of which
    Arrow cannot even take some rows."""
    if all(map(is_plain, batch.schema.types)):
        return batch
    found = pa.RecordBatch.from_arrays([plain(cells) for cells in batch.columns], batch.schema.names)
    return found.replace_schema_metadata(batch.schema.metadata)


def nbytes(cells: pa.RecordBatch | pa.Array) -> int:
    """The size of the rows in bytes; of views, for which older versions of Arrow cannot tell, that of their buffers."""
    try:
        return int(cells.nbytes)
    except pa.ArrowTypeError:
        return int(cells.get_total_buffer_size())


def _of_good_size(stream: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """The same rows with small batches combined, since every batch has a cost."""
    pending: list[pa.RecordBatch] = []
    rows = size = 0
    for batch in stream:
        pending.append(batch)
        rows, size = rows + len(batch), size + nbytes(batch)
        if rows >= BATCH_ROWS or size >= BATCH_BYTES:
            yield from _joined(pending)
            pending, rows, size = [], 0, 0
    if pending:
        yield from _joined(pending)


def _joined(pending: list[pa.RecordBatch]) -> list[pa.RecordBatch]:
    if len(pending) == 1:
        return pending
    try:
        return pa.Table.from_batches(pending).combine_chunks().to_batches()
    except pa.ArrowInvalid:  # dictionaries too large for one
        return pending


def one_batch(batches: Iterable[pa.RecordBatch]) -> pa.RecordBatch:
    """Batches in a row as one; a column whose types differ takes one that holds them all."""
    table = pa.concat_tables([pa.Table.from_batches([batch]) for batch in batches], promote_options="permissive")
    return pa.RecordBatch.from_arrays([one_array(column) for column in table.columns], table.column_names)


def one_array(chunked: pa.ChunkedArray) -> pa.Array:
    if chunked.num_chunks == 1:
        return chunked.chunk(0)
    if pa.types.is_dictionary(chunked.type) and chunked.num_chunks:
        return pa.concat_arrays([decoded(chunk) for chunk in chunked.chunks])
    return chunked.combine_chunks()


def _stream(data: Any) -> Iterable[pa.RecordBatch]:
    if (names := repeated_names(data)) is not None:
        apart = [f"{name} ({at})" for at, name in enumerate(names)]
        return _renamed(_stream(data.set_axis(apart, axis=1)), names)
    data = for_arrow(data)
    objects = object_columns(data)
    try:
        stream = pa.RecordBatchReader.from_stream(data)
    except (ValueError, TypeError, NotImplementedError, OverflowError) as error:  # including Arrow's own errors
        if is_column(data):
            raise no_table(data) from None
        names = list(getattr(data, "columns", ()))
        if objects or len(names) > 1:
            return _from_mapping({name: objects.get(name, data[name]) for name in names} | named_index(data))
        if names:
            raise unreadable(names[0], data[names[0]], error) from None
        raise ValueError(f"The {type(data).__name__} cannot be read as Arrow: {error}") from None
    return with_objects(stream, objects) if objects else stream


def _renamed(batches: Iterable[pa.RecordBatch], names: list[str]) -> Iterator[pa.RecordBatch]:
    """The same with other names for the first columns; the index of a DataFrame comes after them."""
    for batch in batches:
        yield batch.rename_columns([*names, *batch.schema.names[len(names) :]])


def _from_mapping(data: Mapping[Any, Any]) -> Iterator[pa.RecordBatch]:
    """Columns by name; a dictionary of single values is one row. Long lists of texts come in parts."""
    texts = {str(name) for name, values in data.items() if is_long_text(values)}
    read = {str(name): values if str(name) in texts else _readable(name, values) for name, values in data.items()}
    lengths = {name: len(cells) for name, cells in read.items() if not isinstance(cells, ValueError)}
    if len(set(lengths.values())) > 1:
        shown = ", ".join(f"{name!r} has {length}" for name, length in lengths.items())
        raise ValueError(f"The columns differ in length: {shown}.")
    rows = max(lengths.values(), default=1 if read else 0)
    columns = {name: refused(cells, rows) if isinstance(cells, ValueError) else cells for name, cells in read.items()}
    for part in text_parts([columns[name] for name in texts], rows):
        cells = [_cells(name, values[part]) for name, values in columns.items()]
        yield pa.RecordBatch.from_arrays(cells, names=list(columns))


def _readable(name: Any, values: Any) -> pa.Array | ValueError:
    """The cells of a column, or why they cannot be read: an error only if the column is used."""
    try:
        return _cells(name, values)
    except ValueError as error:
        return error


def _cells(name: Any, values: Any) -> pa.Array:
    if isinstance(values, pa.Array):
        return values
    if is_matrix(values):
        return vectors(values)
    if not is_iterable(values):
        values = [values.as_py() if isinstance(values, pa.Scalar) else values]
    elif isinstance(values, (Mapping, Set)):
        raise ValueError(f"Column {str(name)!r} is a {type(values).__name__}; give a list with a value for each row.")
    if isinstance(values, np.ndarray) and values.ndim != 1:
        raise ValueError(f"Column {str(name)!r} has {values.ndim} dimensions; give a value or a vector per row.")
    if is_series(values):
        parts = [batch.column(0) for batch in _stream(values.to_frame(str(name)))]
        return one_array(pa.chunked_array(parts)) if parts else pa.nulls(0)
    try:
        if is_arrow(values):
            return one_array(values if isinstance(values, pa.ChunkedArray) else pa.chunked_array(values))
        return object_cells(values)
    except UnicodeError as error:
        raise ValueError(f"Column {str(name)!r}: {unencodable(error)}") from None
    except REFUSALS as error:
        raise unreadable(name, values, error) from None


def _from_numpy(data: NDArray[Any]) -> Iterator[pa.RecordBatch]:
    """A matrix: its columns are called "0", "1", … A structured array: its fields."""
    if data.dtype.names:
        yield from _from_mapping({name: data[name] for name in data.dtype.names})
        return
    if data.ndim != 2:
        has = f"{data.ndim} dimension{'s' * (data.ndim != 1)}"
        raise ValueError(
            f"A numpy array of {has} is not a table; give two, rows by columns, as in x.reshape(len(x), -1)."
        )
    data = np.asarray(data) if isinstance(data, np.matrix) else data  # a column of np.matrix is a matrix again
    names = [str(i) for i in range(data.shape[1])]
    if not names:
        yield pa.record_batch({NO_COLUMNS: pa.nulls(len(data))})
        return
    if isinstance(data, np.ma.MaskedArray) or data.strides[0] == data.itemsize:  # columns as they are
        yield from _from_mapping(dict(zip(names, data.T, strict=True)))
        return
    step = max(BATCH_ROWS, TRANSPOSED // len(names)) if data.dtype.kind in "biuf" else BATCH_ROWS
    for start in range(0, max(len(data), 1), step):
        columns = np.asfortranarray(data[start : start + step]).T
        yield from _from_mapping(dict(zip(names, columns, strict=True)))
