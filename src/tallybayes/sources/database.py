"""The result of a database query as a stream of chunks, fetched while it is counted.

DuckDB runs queries to its own files and to data files, ADBC those to all other databases. Either way rows come as an
Arrow stream straight from the driver. Databases are opened read-only: nothing is created, and no transaction is
committed.
"""

from __future__ import annotations

import importlib
import os
import re
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from typing import Any, NamedTuple
from urllib.parse import quote

import pyarrow as pa
import pyarrow.compute as pc

from tallybayes.data import frames
from tallybayes.sources.base import Chunk, Reader, SourceError
from tallybayes.sources.columnar import ColumnarChunk, cut, of_good_size
from tallybayes.sources.columns import check_unique
from tallybayes.sources.paths import printable, quoted, shown
from tallybayes.sources.read_ahead import fetch_elsewhere
from tallybayes.sources.read_options import ReadOptions

SCHEME = re.compile(r"([a-z][a-z0-9]+):(.*)", re.DOTALL)  # of two letters or more: C:\ is a drive
SAME = {"postgres": "postgresql"}
PASSWORD = re.compile(r"(?<=:)[^/]+(?=@)|(?<=password=)[^&\s]+")
PREFIX = re.compile(r"(?:[A-Z_]+: )?(?:\[\w+\] )?(?:Failed to \w+ query: )?")  # of drivers' messages
SQLITE_KINDS = ("null", "integer", "real", "text", "blob")  # of two kinds in a column, the later one can hold both
FIRST = ("NULL", "0", "0.5", "''", "x''")  # a cell of each kind
TEXT = 3
FEW = 1000  # combinations of kinds in a row that are listed


class Query(Reader):
    """The rows of a query. Their number is not known until the last one arrives."""

    ends = True

    def __init__(self, database: Any, query: str, reading: ReadOptions) -> None:
        self._answer = answered(database, query)
        self._close = weakref.finalize(self, self._answer.close)
        self._batch_bytes = reading.batch_bytes
        self.works_ahead = self._answer.interrupt is not None
        self.file = self._answer.name
        self.names = self._answer.names
        check_unique(self.file, self.names)

    def chunks(self) -> Iterator[Chunk]:
        return fetch_elsewhere(self._chunks(), self._interrupt) if self.works_ahead else self._chunks()

    def _interrupt(self) -> None:
        if self._close.alive and self._answer.interrupt is not None:  # some rows are not fetched yet
            with suppress(Exception):  # the driver's, if its connection is closed by now
                self._answer.interrupt()

    def _chunks(self) -> Iterator[Chunk]:
        start = 0
        try:
            for batch in cut(of_good_size(self._batches(), self._batch_bytes), self._batch_bytes):
                first, start = start, start + len(batch)
                yield ColumnarChunk(self.file, first, batch, frames.nbytes(batch))
                del batch  # its memory is used again for the next one
        finally:
            self._close()

    def _batches(self) -> Iterator[pa.RecordBatch]:
        passed_over, given = self._answer.passed_over, 0
        batches: Iterator[pa.RecordBatch] | None = None
        while True:
            with speaking(f"{self.file}, after {given:,} rows" if given else self.file, self._answer.errors):
                batches = batches or iter(self._answer.stream())
                batch = next(batches, None)
            if batch is None:
                return
            batch, passed_over = batch.slice(passed_over) if passed_over else batch, 0
            given += len(batch)
            yield plain(batch)
            del batch


def plain(batch: pa.RecordBatch) -> pa.RecordBatch:
    """Replaces a driver's extension types by their texts, and PostgreSQL's numeric by numbers."""
    if not any(isinstance(kind, pa.BaseExtensionType) for kind in batch.schema.types):
        return batch
    columns = {}
    for name, cells in zip(batch.schema.names, batch.columns, strict=True):
        kind = cells.type
        if isinstance(kind, pa.BaseExtensionType) and frames.is_text(kind.storage_type):
            cells = cells.storage
            if getattr(kind, "type_name", "") == "numeric":
                cells = pc.cast(cells, pa.float64())
        columns[name] = cells
    return pa.RecordBatch.from_arrays(list(columns.values()), names=list(columns))


class Answer(NamedTuple):
    """The rows of a query, not yet fetched."""

    name: str  # of the database, for messages: without a password
    names: list[str]  # of the columns
    stream: Callable[[], pa.RecordBatchReader]
    errors: tuple[type[Exception], ...]  # the driver's own
    close: Callable[[], None]
    passed_over: int = 0  # leading rows to skip, which only carry the types of the columns
    interrupt: Callable[[], None] | None = None  # of a driver with threads of its own, which ignores Ctrl-C


def answered(database: Any, query: str) -> Answer:
    """Queries a database: a DuckDB or SQLite file, a URI, or an open connection. Without a database, DuckDB reads
    files: SELECT … FROM 'data/*.parquet'."""
    if not isinstance(query, str) or not (query := query.strip().rstrip("; \n")):
        raise SourceError(f"query={query!r}: give a SELECT.")
    if database is None:
        return _duckdb("The query", ":memory:", query)
    if not isinstance(database, (str, os.PathLike)):
        return _of_connection(database, query)
    scheme, path = _scheme(os.fspath(database))
    if scheme == "duckdb":
        return _duckdb(shown(path), _existing(path), query) if path else _duckdb("The query", ":memory:", query)
    if scheme == "sqlite":
        return _sqlite(shown(path), f"file:{quote(_existing(path))}?mode=ro", query)
    return _adbc(scheme, os.fspath(database), query)


def _scheme(database: str) -> tuple[str, str]:
    """The kind of a database, and the rest of its URI: for files, a path."""
    found = SCHEME.fullmatch(database)
    if found is not None:
        scheme, path = SAME.get(found[1], found[1]), found[2]
        return scheme, path[3:] if path.startswith("///") else path  # SQLAlchemy's notation
    with open(_existing(database), "rb") as file:
        head = file.read(16)
    if head.startswith(b"SQLite format 3"):
        return "sqlite", database
    if head[8:12] == b"DUCK":
        return "duckdb", database
    raise SourceError(f"{shown(database)} is not a SQLite or DuckDB database. Give such a file, or a URI.")


def _existing(path: str) -> str:
    if not os.path.isfile(path):
        raise SourceError(
            f"There is no database {quoted(path)}. Give a SQLite or DuckDB file, or a URI: postgresql://host/name."
        )
    return path


def _duckdb(name: str, path: str, query: str) -> Answer:
    duckdb = _driver("duckdb", f"{name} is", "DuckDB")
    own = {"python_enable_replacements": False}  # do not read this program's variables as tables
    with speaking(name, (duckdb.Error,)):
        try:
            connection = duckdb.connect(path, read_only=path != ":memory:", config=own)
        except duckdb.ConnectionException:
            raise SourceError(f"{name} is open in this program already. Give that connection: database=…") from None
    return _relation(name, connection, query, (duckdb.Error,), connection.close)


def _relation(
    name: str, connection: Any, query: str, errors: tuple[type[Exception], ...], close: Callable[[], None]
) -> Answer:
    try:
        with speaking(name, errors):
            relation = connection.sql(query)
            if relation is None:
                raise SourceError(f"{name}: {quoted(query)} returns no rows. Give a SELECT.")
            stream = partial(pa.RecordBatchReader.from_stream, relation)
            return Answer(name, list(relation.columns), stream, errors, close, interrupt=connection.interrupt)
    except BaseException:
        close()
        raise


def _sqlite(name: str, uri: str, query: str) -> Answer:
    driver = _driver("adbc_driver_sqlite.dbapi", f"{name} is", "ADBC")
    return _fetched(name, driver, lambda: driver.connect(uri), query, with_types)


def _adbc(scheme: str, uri: str, query: str) -> Answer:
    """Any other database whose driver is installed: `postgresql` by adbc_driver_postgresql, and so on."""
    name = PASSWORD.sub("…", uri)
    try:
        driver = importlib.import_module(f"adbc_driver_{scheme}.dbapi")
    except ImportError:
        raise ImportError(
            f"{name}: there is no driver for {scheme!r}. PostgreSQL's and SQLite's come with pip install "
            f"'tallybayes[database]'; others with pip install adbc-driver-{scheme}."
        ) from None
    return _fetched(name, driver, lambda: driver.connect(uri), query)


def _fetched(
    name: str,
    driver: Any,
    connect: Callable[[], Any],
    query: str,
    typed: Callable[[Any, str], tuple[str, int]] = lambda cursor, query: (query, 0),
) -> Answer:
    errors = (driver.Error,)
    with speaking(name, errors):
        connection = connect()
    cursor = connection.cursor()

    def close() -> None:
        cursor.close()
        connection.close()

    try:
        with speaking(name, errors):
            asked, passed_over = typed(cursor, query)
            cursor.execute(asked)
            stream = cursor.fetch_record_batch()
            return Answer(name, stream.schema.names, lambda: stream, errors, close, passed_over)
    except BaseException:
        close()
        raise


def _of_connection(connection: Any, query: str) -> Answer:
    """The user's own connection, which stays open."""
    if hasattr(connection, "sql"):
        return _relation("The query", connection, query, (), lambda: None)
    cursor: Any = connection.cursor() if hasattr(connection, "cursor") else None
    if not hasattr(cursor, "fetch_record_batch"):
        kind = f"{type(connection).__module__}.{type(connection).__name__}"
        raise TypeError(f"A database is a file, a URI, or a connection of DuckDB or ADBC, not a {kind}.")
    with speaking("The query", (connection.Error,)):
        cursor.execute(query)
        stream = cursor.fetch_record_batch()
        return Answer("The query", stream.schema.names, lambda: stream, (connection.Error,), cursor.close)


def _driver(module: str, who: str, by: str) -> Any:
    try:
        return importlib.import_module(module)
    except ImportError:
        raise ImportError(
            f"{who} read with {by}, which is not installed: pip install 'tallybayes[database]'."
        ) from None


@contextmanager
def speaking(name: str, errors: tuple[type[Exception], ...]) -> Iterator[None]:
    """Turns a driver's error into a sentence."""
    try:
        yield
    except (*errors, pa.ArrowException, OSError) as error:
        raise SourceError(f"{name}: {PREFIX.sub('', printable(error), count=1).strip().rstrip('.!')}.") from None


def with_types(cursor: Any, query: str) -> tuple[str, int]:
    """A query for the same rows after one to be skipped. SQLite has a type for every cell but none for a column; Arrow
    has one per column, which the driver takes from the first rows. So the types of all cells are queried first, and an
    extra first row carries the result. Both queries run in one transaction."""
    cursor.execute(f"SELECT * FROM ({query}\n) LIMIT 0")
    columns = [_identifier(name) for name in cursor.fetch_record_batch().schema.names]
    kinds = _kinds(cursor, query, columns)
    first = ", ".join(f"{FIRST[kind]} AS {column}" for kind, column in zip(kinds, columns, strict=True))
    cells = ", ".join(_as_text(column) if kind == TEXT else column for kind, column in zip(kinds, columns, strict=True))
    return f"SELECT {first} UNION ALL SELECT {cells} FROM ({query}\n)", 1


def _kinds(cursor: Any, query: str, columns: list[str]) -> list[int]:
    """The kind of each column. In most tables a few combinations of kinds occur, which are found faster than the last
    kind of each column."""
    listed = ", ".join(f"typeof({column})" for column in columns)
    cursor.execute(f"SELECT DISTINCT {listed} FROM ({query}\n) LIMIT {FEW}")
    found = cursor.fetch_arrow_table()
    if len(found) < FEW:
        return [max(map(SQLITE_KINDS.index, column.to_pylist()), default=0) for column in found.columns]
    cursor.execute(f"SELECT {', '.join(map(_last_kind, columns))} FROM ({query}\n)")
    return [column[0].as_py() for column in cursor.fetch_arrow_table().columns]


def _last_kind(column: str) -> str:
    cases = " ".join(f"WHEN '{name}' THEN {kind}" for kind, name in enumerate(SQLITE_KINDS))
    return f"max(CASE typeof({column}) {cases} END)"


def _as_text(column: str) -> str:
    """The driver would write 0.5 as 5.000000e-01 if other cells are texts."""
    return f"CASE typeof({column}) WHEN 'real' THEN printf('%.15g', {column}) ELSE CAST({column} AS TEXT) END"


def _identifier(column: str) -> str:
    return '"' + column.replace('"', '""') + '"'
