"""The tables of the database, and how SQLite is set up for it."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from tallybayes.store.errors import StoreError
from tallybayes.store.sealed import PAGE
from tallybayes.store.statements import CACHED

FORMAT = 3
READ = (2, FORMAT)  # in format 2, the id of an entry had an index of its own
TABLES = """
CREATE TABLE about (name TEXT PRIMARY KEY, value, hash TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE changes (number INTEGER PRIMARY KEY, id TEXT, record TEXT NOT NULL, link BLOB NOT NULL);
CREATE INDEX changes_of_a_row ON changes (id, number);
CREATE TABLE decays (number INTEGER PRIMARY KEY, factor REAL NOT NULL);
CREATE TABLE entries (change INTEGER PRIMARY KEY, id TEXT NOT NULL, first INTEGER NOT NULL, at TEXT NOT NULL,
    mark INTEGER NOT NULL);
CREATE INDEX entries_by_mark ON entries (mark);
CREATE TABLE counts (change INTEGER PRIMARY KEY, sealed BLOB NOT NULL);
CREATE TABLE replaced (change INTEGER PRIMARY KEY, id TEXT NOT NULL);
CREATE INDEX replaced_of_a_row ON replaced (id);
"""
SETTINGS = ("secure_delete=ON", "journal_mode=TRUNCATE", "synchronous=FULL", "temp_store=MEMORY", "cell_size_check=ON")
# The parts of a database's first bytes that never change, by their offset: https://www.sqlite.org/fileformat2.html,
# "The Database Header". The others count commits and pages, which SQLite checks, or name its version and build.
HEADER = {
    0: b"SQLite format 3\0" + PAGE.to_bytes(2) + bytes([1, 1]),
    21: bytes([64, 32, 32]),
    44: (4).to_bytes(4) + bytes(8) + (1).to_bytes(4) + bytes(32),
}


def connected(path: Path, new: bool) -> sqlite3.Connection:
    """A connection that does not wait for others."""
    place, mode = path.absolute().as_uri(), "rwc" if new else "rw"
    try:
        return sqlite3.connect(
            f"{place}?mode={mode}",
            uri=True,
            isolation_level=None,
            check_same_thread=False,
            timeout=0,
            cached_statements=CACHED,
        )
    except sqlite3.OperationalError as error:
        raise StoreError(f"{path} cannot be opened: {error}. Check that this user may read and write it.") from None


def make_tables(sql: sqlite3.Connection) -> None:
    for statement in TABLES.split(";\n"):
        sql.execute(statement)


def is_as_made(header: bytes, sql: sqlite3.Connection) -> bool:
    """Whether the header and the statements of the tables are those of a new database in the current format."""
    query = "SELECT type, name, tbl_name, sql FROM sqlite_master ORDER BY name"
    with closing(sqlite3.connect(":memory:")) as new:
        make_tables(new)
        same = sql.execute(query).fetchall() == new.execute(query).fetchall()
    return same and all(header.startswith(part, at) for at, part in HEADER.items())
