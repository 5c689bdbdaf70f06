"""Run exported SQL on rows in DuckDB and SQLite."""

import sqlite3
from contextlib import closing

import duckdb
import numpy as np
import pyarrow as pa

from tallybayes import export_sql

TYPES = {"string": "TEXT", "double": "REAL", "int64": "INTEGER", "bool": "BOOLEAN", "null": "TEXT"}


def quoted(name):
    return '"' + name.replace('"', '""') + '"'


def asked_of_duckdb(statements, rows, question, name="rows"):
    with duckdb.connect() as database:
        database.register("given", rows)
        database.execute(f"CREATE TABLE {quoted(name)} AS SELECT * FROM given")
        database.execute(statements)
        assert database.sql(f"SELECT count(*) FROM {quoted(name)}").fetchall() == [(len(rows),)]
        return database.sql(question).fetchall()


def asked_of_sqlite(statements, rows, question, name="rows"):
    with closing(sqlite3.connect(":memory:")) as database:
        columns = ", ".join(f"{quoted(field.name)} {TYPES[str(field.type)]}" for field in rows.schema)
        database.execute(f"CREATE TABLE {quoted(name)} ({columns})")
        places = ", ".join("?" * len(rows.schema))
        database.executemany(
            f"INSERT INTO {quoted(name)} VALUES ({places})", zip(*(c.to_pylist() for c in rows.columns), strict=True)
        )
        database.executescript(statements)
        assert database.execute(f"SELECT count(*) FROM {quoted(name)}").fetchall() == [(len(rows),)]
        return database.execute(question).fetchall()


ASKED = {"duckdb": asked_of_duckdb, "sqlite": asked_of_sqlite}


def answers(model, rows, dialect, **options):
    """Predicted classes, their probabilities and those of all classes, in row order."""
    statements = export_sql(model, dialect=dialect, table="rows", keep=["id"], **options)
    found = ASKED[dialect](statements, rows, "SELECT * FROM rows_scored ORDER BY id")
    assert [row[0] for row in found] == rows["id"].to_pylist()
    return [row[1] for row in found], np.array([row[2] for row in found]), np.array([row[3:] for row in found])


def with_ids(columns):
    return pa.table({"id": range(len(next(iter(columns.values())))), **columns})
