"""An input of any kind as a stream of record batches, read ahead in threads, with errors that name file and
line."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import islice, pairwise
from typing import Any, TypeVar

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from tallybayes.data import frames
from tallybayes.data.errors import NoLabelError, RowError
from tallybayes.data.matching import ERROR, MISSING
from tallybayes.data.processors import processors
from tallybayes.data.row_source import RowSource
from tallybayes.sources.base import REMEMBERED, BadRow, BadRows, Chunk, ColumnTypes, Found, Reader, SourceError
from tallybayes.sources.changes import Files
from tallybayes.sources.columns import check_wanted
from tallybayes.sources.paths import STANDARD_INPUT, Path, expand, shown, suffix
from tallybayes.sources.read_ahead import read_ahead
from tallybayes.sources.read_options import DOCUMENT_SUFFIXES, DOCUMENTS, ReadOptions
from tallybayes.sources.sampling import as_texts, joined
from tallybayes.sources.tables import SUFFIXES, Tables

MOST_WORKERS = 8
CAREFUL = 4096  # rows checked together when bad ones are left out
AHEAD = 2  # chunks that are ready or nearly so, besides those in progress

ABSENT_ADVICE = "Rename the column, or treat it as missing: absent='missing', or --absent missing."

T = TypeVar("T")
Opened = tuple[Sequence[str], ReadOptions]  # what a source was opened as


def open_source(
    paths: Path | Sequence[Path] = (),
    reading: ReadOptions | None = None,
    *,
    database: Any = None,
    query: str | None = None,
) -> Source:
    """Opens files, glob patterns, folders, or '-' for standard input; or the rows of a `query` to a `database`: a
    SQLite or DuckDB file, a URI like `postgresql://host/name`, or an open DuckDB or ADBC connection. Without a
    database, DuckDB reads files: `query="SELECT … FROM 'data/*.parquet'"`.

    >>> from pathlib import Path
    >>> _ = Path("tennis.csv").write_text("outlook,humidity\\nsunny,85\\nrain,\\n")
    >>> source = open_source("tennis.csv")
    >>> source.names
    ['outlook', 'humidity']
    >>> [batch.to_pydict() for batch in source.batches({"humidity": pa.float64()})]
    [{'humidity': [85.0, None]}]
    """
    reading = reading or ReadOptions()
    if query is not None or database is not None:
        if paths or query is None:
            raise ValueError("Give files, or a query and its database.")
        from tallybayes.sources.database import Query

        return Source(Query(database, query, reading), reading.skip_bad_rows)
    found = expand(paths)
    documents = [path for path in found if _holds_documents(path, reading)]
    if not documents:
        return Source(Tables(found, reading), reading.skip_bad_rows, (found, reading))
    if len(documents) < len(found):
        table = next(path for path in found if path not in documents)
        raise SourceError(
            f"{shown(documents[0])} has documents and {shown(table)} is a table; read one kind at a time."
        )
    from tallybayes.sources.documents import DocumentReader

    return Source(DocumentReader(found, reading), reading.skip_bad_rows, (found, reading))


def _holds_documents(path: str, reading: ReadOptions) -> bool:
    if reading.format is not None:
        return reading.format in DOCUMENTS
    return path != STANDARD_INPUT and (os.path.isdir(path) or suffix(path) in DOCUMENT_SUFFIXES or _is_mail(path))


def _is_mail(path: str) -> bool:
    """Whether a file without a telling name begins like mail, as in a Maildir."""
    if not os.path.isfile(path) or SUFFIXES.get(suffix(path), "lines") != "lines":
        return False
    from tallybayes.sources.contents import HEAD_READ, looks_like_mail
    from tallybayes.sources.folders import beginning
    from tallybayes.sources.raw_documents import File

    return looks_like_mail(beginning(File(path, 0), HEAD_READ))


class Source(RowSource):
    """A stream of record batches, read once, with its progress and errors so far."""

    def __init__(self, reader: Reader, skip_bad_rows: bool = False, opened: Opened | None = None) -> None:
        self.describe_as(reader)
        self.rows = 0  # returned so far
        self.done = 0  # stored bytes of the input returned so far
        self.skipped = 0  # rows that could not be read
        self.bad: list[BadRow] = []  # the first of these
        self._reader = reader
        self._skips = skip_bad_rows
        self._opened = opened
        self._first_opened = Files(self._files()) if opened else None
        self._reads_again = False
        self._chunks = reader.chunks()
        self._first: list[Chunk] = []  # the chunks that the sample was taken from
        self._sampled: pa.RecordBatch | None = None
        self.unsampled = 0
        self._texts_elsewhere: Collection[str] = ()  # columns with a text that the sample need not have
        self._last: Chunk | None = None
        self._started = False
        self._optional: frozenset[str] = frozenset()  # columns that files may lack

    def sample(self, optional: Collection[str] = ()) -> pa.RecordBatch:
        """Some rows, each column typed by its contents: the first, and others from all over the input if it can seek.
        They are not consumed; bad rows are left out. The columns are those of the first file and the optional ones."""
        if not self._first:
            self._first = list(islice(self._chunks, 1))
        if not self._first:
            return pa.RecordBatch.from_arrays([pa.nulls(0)] * len(self.names), names=self.names)
        names = [*self.names, *(name for name in optional if name not in self.names)]
        if self._sampled is None or len(names) > len(self.names):
            found = joined(names, self._first[0], self._reader.sampled(), bad := BadRows())
            self._sampled, self.unsampled = as_texts(found, self._texts_elsewhere), bad.number
        return self._sampled

    def hold_texts(self, columns: Collection[str]) -> None:
        """Announces that these columns hold texts, so that they do in the sample."""
        self._texts_elsewhere = columns

    def is_sampled_whole(self) -> bool:
        """Whether the sample is all rows. This does not wait for a pipe to find out."""
        ends = self.total is not None or self._reader.ends
        if ends and len(self._first) < 2:
            self.sample()
            self._first += islice(self._chunks, 1)
        return ends and len(self._first) < 2

    def again(self) -> Source:
        if self.total is None or self._opened is None or STANDARD_INPUT in self._opened[0]:
            raise SourceError(
                "A pipe can be read only once, and these rows are needed several times. Write them to a file first."
            )
        found = open_source(*self._opened)
        found._first_opened, found._reads_again = self._first_opened, True
        found._check_unchanged()
        return found

    def _files(self) -> Sequence[Found]:
        return self._reader.files() or [Found(path) for path in (self._opened[0] if self._opened else ())]

    def _check_unchanged(self) -> None:
        if self._reads_again and self._first_opened is not None:
            self._first_opened.check(self._files())

    def batches(self, types: ColumnTypes | None = None) -> Iterator[pa.RecordBatch]:
        """All rows, once. `types` gives the wanted columns and their types; texts may come as a dictionary array.

        A row that cannot be read is an error that names its place; or it is left out, if the options say so."""
        if self._started:
            raise SourceError("The source has been read already; open it again.")
        self.require(types or (), self._optional)
        self._started = True
        self._reader.want(types, self._optional)
        return self._read(types)

    def column_types(
        self,
        columns: Mapping[str, pa.DataType | None],
        label: str | None = None,
        label_type: pa.DataType | None = None,
        absent: str = ERROR,
    ) -> dict[str, pa.DataType]:
        """The types to read these columns and the label as: those given, else those of a sample. With
        `absent="missing"`, batches of files that lack one of these columns lack it too."""
        self._optional = frozenset(columns if absent == MISSING else ())
        try:
            self.require(columns, self._optional)
        except SourceError as error:
            raise SourceError(f"{error} {ABSENT_ADVICE}" if absent == ERROR else str(error)) from None
        wanted = dict(columns)
        if label is not None:
            wanted[label] = label_type
        found = self.sample().schema if None in wanted.values() else None
        types = {name: _kind(found, name) if kind is None else kind for name, kind in wanted.items()}
        if label is not None and frames.is_text(types[label]):
            types[label] = frames.LEVELS
        return types

    def as_stored(self, names: Sequence[str]) -> dict[str, pa.DataType]:
        """The types to read columns as that are only passed through: texts if the input is untyped."""
        found = None if self.untyped or not names else self.sample().schema
        return {name: pa.string() if found is None else _kind(found, name) for name in names}

    def each(self, types: ColumnTypes, work: Callable[[pa.RecordBatch], T], most: int = sys.maxsize) -> Iterator[T]:
        """Applies `work` to every batch, in parts of at most so many rows. A row that it refuses is an error that names
        its place; or, if the options say so, it is skipped and the rest of its part is processed in smaller ones."""
        for batch in self.batches(types):
            yield from self._in_parts(batch, work, min(most, CAREFUL) if self._skips else most)
            del batch

    def _skip(self, bad: BadRows) -> None:
        self.skipped += bad.number
        self.bad += bad.first[: REMEMBERED - len(self.bad)]

    def require(self, names: Iterable[str], optional: Collection[str] = ()) -> None:
        """Raises an error that lists the columns if one of these does not exist; some may be optional."""
        check_wanted(self._reader.file, self.names, names, optional)

    def where(self, row: int) -> str:
        """The place of a row of the last batch."""
        if self._last is None:
            raise ValueError(f"There is no row {row}: no batch was read.")
        return self._last.where(row)

    def _read(self, types: ColumnTypes | None) -> Iterator[pa.RecordBatch]:
        def read(chunk: Chunk) -> tuple[Chunk, pa.RecordBatch, BadRows]:
            bad = BadRows()
            wanted = types if types is None or not self._optional else chunk.those_of(types)
            batch = chunk.read(wanted, bad if self._skips else None)
            chunk.let_go()
            return chunk, batch, bad

        for chunk, batch, bad in self._each_chunk(read):
            self.rows += len(batch)
            self.done += chunk.size
            self._skip(bad)
            if len(batch):
                self._last = chunk
                yield batch
            del batch  # its memory is used again for the next one
        self.done = self.done if self.total is None else self.total
        self._check_unchanged()

    def _each_chunk(self, read: Callable[[Chunk], T]) -> Iterator[T]:
        if self._reader.works_ahead:
            return map(read, self._all_chunks())
        workers = min(processors(), MOST_WORKERS)
        return read_ahead(self._all_chunks(), read, workers, workers + AHEAD)

    def _in_parts(self, batch: pa.RecordBatch, work: Callable[[pa.RecordBatch], T], most: int) -> Iterator[T]:
        edges = [*range(0, len(batch), most), len(batch)]
        parts: list[Any] = [range(start, stop) for start, stop in pairwise(edges)][::-1]
        while parts:
            rows = parts.pop()
            try:
                if len(rows):
                    yield work(_taken(batch, rows))
            except RowError as error:
                rows = np.array(rows)
                if not self._skips:
                    bad = self._placed(error, rows[error.row])
                    column = error.column if error.unreadable else None
                    raise BadRow(bad.where, bad.reason + self._about_missing(error), column).error() from None
                self._skip(self._all_placed(error, rows))
                parts += [np.delete(rows, error.rows)[error.row :], rows[: error.row]]

    def _all_placed(self, error: RowError, rows: NDArray[np.int64]) -> BadRows:
        """The rows refused by an error, of those at these places."""
        found = BadRows()
        found.add([self._placed(error, row) for row in rows[error.rows[:REMEMBERED]]], len(error.rows))
        return found

    def _placed(self, error: RowError, row: int) -> BadRow:
        column = "" if error.column is None else f", column {error.column!r}"
        return BadRow(f"{self.where(row)}{column}", error.reason)

    def _about_missing(self, error: RowError) -> str:
        """Explains why a row may have no label although its cell is not empty, like NA."""
        if not self.missing or not isinstance(error, NoLabelError):
            return ""
        *others, last = (repr(marker) if marker else "empty" for marker in self.missing)
        markers = f"{', '.join(others)} or " if others else ""
        return f" Cells that are {markers}{last} are missing values, unless --no-default-missing is given."

    def _all_chunks(self) -> Iterator[Chunk]:
        first, self._first, self._sampled = self._first, [], None
        yield from first
        first.clear()
        yield from self._chunks


def _taken(batch: pa.RecordBatch, rows: range | NDArray[np.int64]) -> pa.RecordBatch:
    """These rows, in ascending order; without a copy if none is left out."""
    if rows[-1] - rows[0] + 1 == len(rows):
        return batch.slice(rows[0], len(rows))
    return batch.take(pa.array(rows))


def _kind(found: pa.Schema, name: str) -> pa.DataType:
    """The type of a column in a sample; any type for a column that it lacks."""
    at = found.get_field_index(name)
    kind = pa.null() if at < 0 else frames.value_type(found.field(at).type)
    return pa.string() if pa.types.is_null(kind) else kind
