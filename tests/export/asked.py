"""Run exported models on rows: SQL in DuckDB and SQLite, graphs in onnxruntime."""

import sqlite3
from contextlib import closing

import duckdb
import numpy as np
import pyarrow as pa
import pytest

from tallybayes import export_onnx, export_sql

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


def answers_of_onnx(model, rows):
    """Classes and probabilities from the runtime."""
    runtime = pytest.importorskip("onnxruntime", reason="Graphs are run by onnxruntime: pip install onnxruntime")
    session = runtime.InferenceSession(export_onnx(model), providers=["CPUExecutionProvider"])
    given = {}
    for each in session.get_inputs():
        cells = rows[each.name].to_pylist()
        if "string" in each.type:
            given[each.name] = np.array(["(missing)" if cell is None else str(cell) for cell in cells], object)
        else:
            given[each.name] = np.array([np.nan if cell is None else float(cell) for cell in cells])
    predicted, shares = session.run(["predicted", "probabilities"], given)
    assert shares.dtype == np.float64
    return predicted.tolist(), shares


def answers(model, rows, engine):
    """Predicted classes, their probabilities and those of all classes, in row order."""
    if engine == "onnx":
        predicted, shares = answers_of_onnx(model, rows)
        return predicted, shares.max(axis=1), shares
    statements = export_sql(model, dialect=engine, table="rows", keep=["id"])
    found = ASKED[engine](statements, rows, "SELECT * FROM rows_scored ORDER BY id")
    assert [row[0] for row in found] == rows["id"].to_pylist()
    return [row[1] for row in found], np.array([row[2] for row in found]), np.array([row[3:] for row in found])


def with_ids(columns):
    return pa.table({"id": range(len(next(iter(columns.values())))), **columns})


def check(model, rows, engine):
    """The answers are those of the model, up to rounding."""
    expected = model.posterior(rows)
    predicted, probability, shares = answers(model, rows, engine)
    np.testing.assert_allclose(shares, expected, rtol=0, atol=1e-9)
    np.testing.assert_allclose(probability, expected.max(axis=1), rtol=0, atol=1e-9)
    chosen = expected[np.arange(len(expected)), [model.classes.index(label) for label in predicted]]
    np.testing.assert_allclose(chosen, expected.max(axis=1), rtol=0, atol=1e-9)
