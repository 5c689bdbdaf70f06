"""Rows of one commit, written by few statements."""

import sqlite3
from contextlib import closing

import pytest

from tallybayes.store.statements import LARGE, TOGETHER, Statements


@pytest.mark.parametrize(
    ("rows", "size", "statements"),
    [(1, 10, 1), (TOGETHER, 10, 1), (TOGETHER + 1, 10, 2), (10, LARGE // 10, 1), (11, LARGE // 10, 11)],
)
def test_rows_are_written_together_unless_they_are_large(rows, size, statements):
    traced = []
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as sql:
        sql.execute("CREATE TABLE counts (number INTEGER PRIMARY KEY, content BLOB)")
        writing = Statements(sql)
        given = [(number, bytes([number]) * size) for number in range(rows)]
        for row in given:
            writing.insert("counts", *row)
        sql.set_trace_callback(traced.append)
        writing.write()  # a statement keeps its last rows in memory, and there is one for every number of rows
        assert len(traced) == statements
        assert list(writing.do("SELECT * FROM counts ORDER BY number")) == given
