"""SQL statements on one connection, with inserts written together: a statement of many rows costs little more than one
of a single row."""

from __future__ import annotations

import sqlite3
from typing import Any

TOGETHER = 64  # rows of a statement, at most
CACHED = 4 * TOGETHER  # statements that a connection should keep: of every size, for each of the tables learned into
LARGE = 1 << 18  # bytes of rows that are not written together: a statement keeps what it wrote in memory


class Statements:
    """Statements in order. Inserted rows are pending until another statement, or the end of the transaction."""

    def __init__(self, sql: sqlite3.Connection) -> None:
        self._sql = sql
        self._pending: dict[str, list[tuple[Any, ...]]] = {}  # rows by table

    def do(self, statement: str, *given: Any) -> sqlite3.Cursor:
        """Executes a statement, after writing what is pending."""
        self.write()
        return self._sql.execute(statement, given)

    def insert(self, table: str, *row: Any) -> None:
        self._pending.setdefault(table, []).append(row)

    def write(self) -> None:
        """Writes what is pending, in as few statements as possible. Rows that are large have one, used again."""
        pending, self._pending = self._pending, {}
        for table, rows in pending.items():
            one = f"({', '.join('?' * len(rows[0]))})"
            for start in range(0, len(rows), TOGETHER):
                some = rows[start : start + TOGETHER]
                given = [value for row in some for value in row]
                if sum(len(value) for value in given if isinstance(value, bytes)) > LARGE:
                    self._sql.executemany(f"INSERT INTO {table} VALUES {one}", some)
                else:
                    self._sql.execute(f"INSERT INTO {table} VALUES {', '.join([one] * len(some))}", given)

    def drop(self) -> None:
        """Drops what is pending, before the transaction is rolled back."""
        self._pending = {}
