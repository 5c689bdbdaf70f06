"""What Parquet and Arrow share: typed rows, in files with random access."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from tallybayes.data import frames
from tallybayes.data.errors import CellError
from tallybayes.sources.base import REMEMBERED, BadRow, BadRows, Chunk, ColumnTypes, SourceError, report
from tallybayes.sources.bytes_in import Input, Stored
from tallybayes.sources.columns import batch_of, one_batch
from tallybayes.sources.convert import as_found, converted, unlike_numbers, unreadable
from tallybayes.sources.faults import not_a_number
from tallybayes.sources.paths import STANDARD_INPUT, printable, quoted

BATCH_ROWS = 1 << 17  # or fewer if rows are wide


class ColumnarChunk(Chunk):
    """Rows that were read; only their types may need conversion."""

    def __init__(self, file: str, start: int, batch: pa.RecordBatch, size: int) -> None:
        self.size = size
        self.names = batch.schema.names
        self._file = file
        self._start = start
        self._unread = batch

    def read(self, types: ColumnTypes | None, bad: BadRows | None) -> pa.RecordBatch:
        self._kept = None
        batch = frames.plain_batch(self._unread if types is None else self._unread.select(list(types)))
        if types is None:
            return batch
        types = as_found(types, {field.name: field.type for field in batch.schema})
        columns: dict[str, pa.Array] = {}
        faults: dict[str, NDArray[np.int64]] = {}
        for name, kind in types.items():
            try:
                columns[name] = converted(batch.column(name), kind)
            except CellError as error:
                if error.row is None:
                    raise SourceError(f"{self._file}, column {quoted(name)}: {error.reason}") from None
                faults[name] = _unreadable(batch.column(name), kind) if bad is not None else np.array([error.row])
        if not faults:
            return batch_of(columns, len(batch))
        rows = np.unique(np.concatenate(list(faults.values())))
        first = [(row, next(name for name in faults if row in faults[name])) for row in rows[:REMEMBERED].tolist()]
        report([self._fault(row, name, batch.column(name), types[name]) for row, name in first], bad, len(rows))
        self._kept = np.delete(np.arange(len(batch)), rows)
        good = batch.take(pa.array(self._kept))
        return batch_of({name: converted(good.column(name), kind) for name, kind in types.items()}, len(good))

    def _place(self, row: int) -> str:
        return f"{self._file}, row {self._start + row + 1}"

    def _fault(self, row: int, name: str, cells: pa.Array, kind: pa.DataType) -> BadRow:
        """What is wrong with a row."""
        cell, reason = cells[row].as_py(), ""
        try:
            converted(cells[row : row + 1], kind)
        except CellError as error:
            reason = error.reason
        reason = not_a_number(cell, name) if isinstance(cell, str) and "number" in reason else reason
        return BadRow(f"{self._place(row)}, column {quoted(name)}", reason, name)


def _unreadable(cells: pa.Array, kind: pa.DataType) -> NDArray[np.int64]:
    """Which cells cannot be converted."""
    written = frames.is_text(cells.type) and pa.types.is_float64(kind)
    hopeless = unlike_numbers(pc.utf8_trim_whitespace(cells)) if written else None
    return np.fromiter(unreadable(cells, lambda some: converted(some, kind), hopeless), np.int64)


class StoredChunk(ColumnarChunk):
    """The same from a file, whose claims about itself must be checked before they are trusted."""

    def read(self, types: ColumnTypes | None, bad: BadRows | None) -> pa.RecordBatch:
        with naming(self._file):
            for name in self._unread.schema.names if types is None else types:
                self._unread.column(name).validate(full=True)
        return super().read(types, bad)


def of_good_size(batches: Iterator[pa.RecordBatch], size: int) -> Iterator[pa.RecordBatch]:
    """The same rows, with small batches combined up to `size` bytes, since every batch has a fixed cost."""
    pending: list[pa.RecordBatch] = []
    rows = held = 0
    for batch in filter(len, batches):
        if not pending and 2 * len(batch) > BATCH_ROWS:
            yield batch
            del batch
            continue
        rows, held = rows + len(batch), held + bytes_of(batch)
        if pending and (rows > BATCH_ROWS or held > size):
            yield one_batch(pa.Table.from_batches(pending))
            pending, rows, held = [], len(batch), bytes_of(batch)
        pending.append(batch)
        if 2 * rows > BATCH_ROWS or 2 * held > size:  # passed on without waiting for the next one
            yield one_batch(pa.Table.from_batches(pending))
            pending, rows, held = [], 0, 0
    if pending:
        yield one_batch(pa.Table.from_batches(pending))


def cut(batches: Iterator[pa.RecordBatch], size: int) -> Iterator[pa.RecordBatch]:
    """The same rows, with large batches cut into pieces of `size` bytes."""
    for batch in batches:
        small = batch.get_total_buffer_size() <= size  # an upper bound, which is found faster
        rows = BATCH_ROWS if small else rows_within(size, bytes_of(batch) / len(batch))
        for start in range(0, len(batch), rows):
            yield batch.slice(start, rows)
        del batch


def bytes_of(batch: pa.RecordBatch) -> int:
    """The bytes of its rows, without shared dictionaries."""
    if not any(map(pa.types.is_dictionary, batch.schema.types)):
        return frames.nbytes(batch)
    return sum(frames.nbytes(cells.indices if pa.types.is_dictionary(cells.type) else cells) for cells in batch.columns)


def rows_within(size: int, width: float) -> int:
    """How many rows of `width` bytes make a batch of this size."""
    return max(1, min(BATCH_ROWS, int(size / max(width, 1.0))))


def spooled(source: Input) -> str | Stored:
    """A place with random access: the file itself, or an anonymous temporary one."""
    if source.total is not None and not source.packed and source.path != STANDARD_INPUT:
        return source.path
    try:
        with tempfile.TemporaryFile() as spool:
            shutil.copyfileobj(source.stream, spool, 1 << 20)
            spool.flush()
            return Stored(os.dup(spool.fileno()), source.name)
    except OSError as error:
        place = f"{printable(tempfile.gettempdir())} ({error.strerror or error}). Set TMPDIR to another folder"
        raise SourceError(f"{source.name} cannot be copied into a temporary file in {place}.") from None


def open_anywhere(place: str | Stored) -> pa.NativeFile:
    if isinstance(place, Stored):
        return pa.PythonFile(Stored(os.dup(place.fileno()), place.name), mode="r")
    if place.isascii():
        return pa.OSFile(place)
    return pa.PythonFile(Stored.open(place), mode="r")  # pyarrow knows only names that are UTF-8


@contextmanager
def naming(file: str) -> Iterator[None]:
    """Adds the name of the file to pyarrow's errors."""
    try:
        yield
    except SourceError:
        raise
    except (pa.ArrowException, OSError, EOFError, MemoryError, UnicodeDecodeError) as error:
        if "encrypt" in str(error):
            raise SourceError(f"{file} is encrypted. Decrypt it first.") from None
        raise SourceError(f"{file} is damaged or truncated: {printable(error)}.") from None
