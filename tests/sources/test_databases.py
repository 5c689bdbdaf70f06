"""Rows of a query: each once and in order, typed as they are, from DuckDB, SQLite and files that DuckDB reads."""

import gc
import sqlite3
import sys
import tempfile
from contextlib import closing
from pathlib import Path

import duckdb
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tallybayes import Categorical, Gaussian, Model, ReadOptions, Schema, digest, open_source
from tallybayes.sources import SourceError

ROWS = [(1, 0.5, "a"), (2, None, "b"), (3, 2.0, None)]
TABLE = [{"n": n, "x": x, "word": word} for n, x, word in ROWS]


@pytest.fixture(params=["duckdb", "sqlite"])
def database(request, tmp_path):
    path = tmp_path / "some rows.db"  # what it is, is in the file
    connection = duckdb.connect(str(path)) if request.param == "duckdb" else sqlite3.connect(path)
    connection.execute('CREATE TABLE "t" (n INTEGER, x DOUBLE, word TEXT)')
    connection.executemany("INSERT INTO t VALUES (?, ?, ?)", ROWS)
    connection.commit()
    connection.close()
    return path


def rows_of(query, database=None, types=None, **options):
    source = open_source(database=database, query=query, reading=ReadOptions(**options))
    return [row for batch in source.batches(types) for row in batch.to_pylist()]


def refusal(query, database=None):
    with pytest.raises(SourceError) as caught:
        rows_of(query, database)
    return str(caught.value)


def test_the_rows_of_a_query_are_there_in_order(database):
    assert rows_of("SELECT * FROM t ORDER BY n", database) == TABLE
    assert rows_of("SELECT * FROM t ORDER BY n DESC ;\n", str(database)) == TABLE[::-1]
    assert rows_of("SELECT n FROM t WHERE x > 1 -- only one", database) == [{"n": 3}]


def test_columns_come_as_the_types_that_are_wanted(database):
    found = rows_of("SELECT * FROM t ORDER BY n", database, {"word": pa.string(), "n": pa.float64()})
    assert found == [{"word": "a", "n": 1.0}, {"word": "b", "n": 2.0}, {"word": None, "n": 3.0}]


def test_a_database_may_be_named_by_a_uri(database, request):
    scheme = "duckdb" if "[duckdb" in request.node.name else "sqlite"
    for uri in (f"{scheme}:{database}", f"{scheme}:///{database}"):
        assert rows_of("SELECT * FROM t ORDER BY n", uri) == TABLE


def test_a_query_without_rows_has_its_columns_and_nothing_else(database):
    source = open_source(database=database, query="SELECT * FROM t WHERE n > 9")
    assert source.names == ["n", "x", "word"]
    assert source.is_sampled_whole()
    assert list(source.batches()) == []


def test_nothing_can_be_written(database):
    assert any(why in refusal("DELETE FROM t RETURNING n", database) for why in ("read-only", "syntax error"))
    assert len(rows_of("SELECT * FROM t", database)) == 3


def test_what_is_wrong_is_said_with_the_name_of_the_database(database, tmp_path):
    name = f"{tmp_path}/some rows.db"
    assert refusal("SELECT * FROM nothing", database).startswith(f"{name}: ")
    assert "nothing" in refusal("SELECT * FROM nothing", database)
    source = open_source(database=database, query="SELECT * FROM t ORDER BY n")
    with pytest.raises(SourceError, match=r"some rows\.db, row 1, column 'word': 'a' is not a number"):
        list(source.batches({"word": pa.float64()}))


def test_a_column_that_is_not_there_is_an_error_that_names_those_that_are(database):
    source = open_source(database=database, query="SELECT n, word FROM t")
    with pytest.raises(SourceError, match=r"some rows\.db has no column 'x'; it has 'n', 'word'"):
        source.batches({"x": pa.float64()})


def test_an_error_in_the_midst_of_the_rows_says_after_how_many():
    failing = "SELECT CASE WHEN range = 4_999_999 THEN error('gone') ELSE 1 END AS x FROM range(5_000_000)"
    source = open_source(query=failing)
    with pytest.raises(SourceError, match=r"The query, after [\d,]+ rows: Invalid Input Error: gone\."):
        list(source.batches())


def test_a_connection_that_is_open_is_asked_and_stays_open(tmp_path):
    connection = duckdb.connect()
    connection.execute("CREATE TEMP TABLE t AS SELECT 1 AS a")
    assert rows_of("SELECT * FROM t", connection) == [{"a": 1}]
    assert connection.sql("SELECT a FROM t").fetchall() == [(1,)]
    connection.close()


def test_a_file_that_this_program_has_open_is_to_be_asked_by_that_connection(tmp_path):
    path = str(tmp_path / "open.duckdb")
    with duckdb.connect(path) as connection:
        connection.execute("CREATE TABLE t AS SELECT 1 AS x")
        with pytest.raises(SourceError, match=r"is open in this program already\. Give"):
            open_source(database=path, query="SELECT * FROM t")
        assert [len(batch) for batch in open_source(database=connection, query="SELECT * FROM t").batches()] == [1]


def test_connections_of_adbc_are_asked_too():
    adbc = pytest.importorskip("adbc_driver_sqlite.dbapi")
    with adbc.connect() as connection:
        assert rows_of("SELECT 1 AS a, 'x' AS b", connection) == [{"a": 1, "b": "x"}]


@pytest.mark.slow
def test_a_source_that_is_never_read_leaves_no_connection_open(database):
    open_source(database=database, query="SELECT * FROM t")
    gc.collect()  # an open cursor of ADBC would warn
    source = open_source(database=database, query="SELECT * FROM t")
    source.sample()
    del source
    gc.collect()


def test_files_have_sql_in_front_of_them(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for day in "12":
        (tmp_path / f"day-{day}.csv").write_text(f"hour,late\n{day},often\n9,never\n")
    assert rows_of("SELECT hour * 2 AS hour, late FROM 'day-*.csv' WHERE late = 'often' ORDER BY hour") == [
        {"hour": 2, "late": "often"},
        {"hour": 4, "late": "often"},
    ]
    assert "No files found" in refusal("SELECT * FROM 'night-*.csv'")


def test_variables_of_this_program_are_no_tables():
    assert "Table with name relation does not exist" in refusal("SELECT * FROM relation")


@pytest.mark.parametrize(
    ("given", "error", "said"),
    [
        ({"database": "none.db", "query": "SELECT 1"}, SourceError, "There is no database 'none.db'"),
        ({"database": "duckdb:none.db", "query": "SELECT 1"}, SourceError, "There is no database 'none.db'"),
        ({"database": "oracle://host/db", "query": "SELECT 1"}, ImportError, "no driver for 'oracle'"),
        ({"database": "none.db"}, ValueError, "Give files, or a query"),
        ({"paths": "a.csv", "query": "SELECT 1"}, ValueError, "Give files, or a query"),
        ({"query": " ;"}, SourceError, "give a SELECT"),
        ({"database": sys, "query": "SELECT 1"}, TypeError, "a connection of DuckDB or ADBC, not a builtins.module"),
        ({}, SourceError, "No file is given"),
    ],
)
def test_what_is_not_given_rightly_is_said(given, error, said, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(error, match=said):
        open_source(**given)


def test_a_file_that_is_no_database_is_not_taken_for_one(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("a,b\n1,2\n")
    with pytest.raises(SourceError, match=r"a\.csv is not a SQLite or DuckDB database"):
        open_source(database=path, query="SELECT 1")


def test_a_password_is_never_shown():
    for uri in ("oracle://me:geheim@host/db", "oracle://host/db?user=me&password=geheim"):
        with pytest.raises(ImportError) as caught:
            open_source(database=uri, query="SELECT 1")
        assert "geheim" not in str(caught.value)
        assert "oracle://" in str(caught.value)


CELL = st.none() | st.integers(-99, 99) | st.sampled_from([0.5, -1e300, 1e-3]) | st.text("ab0é'", max_size=3)


def meant(cells):
    """What the cells of a column are, all of one type: as texts where one is a text."""
    if any(isinstance(cell, str) for cell in cells):
        return [None if cell is None else str(cell) for cell in cells]
    return [None if cell is None else float(cell) for cell in cells]


@given(
    rows=st.lists(st.tuples(CELL, CELL), max_size=40),
    empty=st.sampled_from([0, 1100]),
    block_bytes=st.integers(1, 3000),
)
def test_cells_of_sqlite_may_have_any_type_wherever_they_stand(rows, empty, block_bytes):
    """The driver would look at the first thousand rows alone."""
    rows = [(None, None)] * empty + rows
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "t.db"
        with closing(sqlite3.connect(path)) as connection:
            connection.execute("CREATE TABLE t (a, b)")
            connection.executemany("INSERT INTO t VALUES (?, ?)", rows)
            connection.commit()
        found = rows_of("SELECT * FROM t", path, block_bytes=block_bytes)
    for place, name in enumerate("ab"):
        cells = [row[name] for row in found]
        assert meant(cells) == meant([row[place] for row in rows])


@pytest.mark.parametrize("kind", ["csv", "parquet", "database"])
def test_a_model_is_the_same_bytes_wherever_its_rows_come_from(kind, database, tmp_path):
    schema = Schema({"x": Gaussian(), "word": Categorical()}, label="n")
    expected = Model.train(schema, pa.table({name: [row[name] for row in TABLE] for name in TABLE[0]}))
    if kind == "database":
        source = open_source(database=database, query="SELECT * FROM t")
    else:
        file = tmp_path / f"rows.{kind}"
        values = "(VALUES (1, 0.5::DOUBLE, 'a'), (2, NULL, 'b'), (3, 2.0, NULL)) AS t (n, x, word)"
        duckdb.sql(f"COPY (SELECT * FROM {values}) TO '{file}'")
        source = open_source(query=f"SELECT * FROM '{file}'")
    counted = Model.train(schema, source, label_type=pa.int64())
    assert digest(counted) == digest(expected)


def test_a_database_that_is_given_as_data_is_told_from_a_table(database):
    with pytest.raises(SourceError, match=r"some rows\.db is a database\. Give the rows to read: --database "):
        open_source(database)
