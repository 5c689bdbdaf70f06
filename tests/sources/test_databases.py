"""Rows of a query, each once and in order, from DuckDB, SQLite and files read by DuckDB."""

import gc
import signal
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
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
    path = tmp_path / "some rows.db"  # detected from the file itself
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


def test_rows_of_a_query_in_order(database):
    assert rows_of("SELECT * FROM t ORDER BY n", database) == TABLE
    assert rows_of("SELECT * FROM t ORDER BY n DESC ;\n", str(database)) == TABLE[::-1]
    assert rows_of("SELECT n FROM t WHERE x > 1 -- only one", database) == [{"n": 3}]


def test_columns_have_the_requested_types(database):
    found = rows_of("SELECT * FROM t ORDER BY n", database, {"word": pa.string(), "n": pa.float64()})
    assert found == [{"word": "a", "n": 1.0}, {"word": "b", "n": 2.0}, {"word": None, "n": 3.0}]


def test_database_by_uri(database, request):
    scheme = "duckdb" if "[duckdb" in request.node.name else "sqlite"
    for uri in (f"{scheme}:{database}", f"{scheme}:///{database}"):
        assert rows_of("SELECT * FROM t ORDER BY n", uri) == TABLE


def test_query_without_rows_has_its_columns(database):
    source = open_source(database=database, query="SELECT * FROM t WHERE n > 9")
    assert source.names == ["n", "x", "word"]
    assert source.is_sampled_whole()
    assert list(source.batches()) == []


def test_connections_are_read_only(database):
    assert any(why in refusal("DELETE FROM t RETURNING n", database) for why in ("read-only", "syntax error"))
    assert len(rows_of("SELECT * FROM t", database)) == 3


def test_errors_name_the_database(database, tmp_path):
    name = f"{tmp_path}/some rows.db"
    assert refusal("SELECT * FROM nothing", database).startswith(f"{name}: ")
    assert "nothing" in refusal("SELECT * FROM nothing", database)
    source = open_source(database=database, query="SELECT * FROM t ORDER BY n")
    with pytest.raises(SourceError, match=r"some rows\.db, row 1, column 'word': 'a' is not a number"):
        list(source.batches({"word": pa.float64()}))


def test_unknown_column_error_lists_the_columns(database):
    source = open_source(database=database, query="SELECT n, word FROM t")
    with pytest.raises(SourceError, match=r"some rows\.db has no column 'x'; it has 'n', 'word'"):
        source.batches({"x": pa.float64()})


def test_error_amid_the_rows_says_after_how_many():
    failing = "SELECT CASE WHEN range = 4_999_999 THEN error('gone') ELSE 1 END AS x FROM range(5_000_000)"
    source = open_source(query=failing)
    with pytest.raises(SourceError, match=r"The query, after [\d,]+ rows: Invalid Input Error: gone\."):
        list(source.batches())


def test_given_connection_is_used_and_stays_open(tmp_path):
    connection = duckdb.connect()
    connection.execute("CREATE TEMP TABLE t AS SELECT 1 AS a")
    assert rows_of("SELECT * FROM t", connection) == [{"a": 1}]
    assert connection.sql("SELECT a FROM t").fetchall() == [(1,)]
    connection.close()


def test_file_opened_in_this_process_needs_its_connection(tmp_path):
    path = str(tmp_path / "open.duckdb")
    with duckdb.connect(path) as connection:
        connection.execute("CREATE TABLE t AS SELECT 1 AS x")
        with pytest.raises(SourceError, match=r"is open in this program already\. Give"):
            open_source(database=path, query="SELECT * FROM t")
        assert [len(batch) for batch in open_source(database=connection, query="SELECT * FROM t").batches()] == [1]


def test_adbc_connections():
    adbc = pytest.importorskip("adbc_driver_sqlite.dbapi")
    with adbc.connect() as connection:
        assert rows_of("SELECT 1 AS a, 'x' AS b", connection) == [{"a": 1, "b": "x"}]


@pytest.mark.slow
def test_unread_source_leaves_no_connection_open(database):
    open_source(database=database, query="SELECT * FROM t")
    gc.collect()  # an open ADBC cursor would warn
    source = open_source(database=database, query="SELECT * FROM t")
    source.sample()
    del source
    gc.collect()


def test_sql_over_files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for day in "12":
        (tmp_path / f"day-{day}.csv").write_text(f"hour,late\n{day},often\n9,never\n")
    assert rows_of("SELECT hour * 2 AS hour, late FROM 'day-*.csv' WHERE late = 'often' ORDER BY hour") == [
        {"hour": 2, "late": "often"},
        {"hour": 4, "late": "often"},
    ]
    assert "No files found" in refusal("SELECT * FROM 'night-*.csv'")


def test_local_variables_are_not_tables():
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
def test_invalid_arguments_are_errors(given, error, said, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(error, match=said):
        open_source(**given)


def test_non_database_file_is_refused(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("a,b\n1,2\n")
    with pytest.raises(SourceError, match=r"a\.csv is not a SQLite or DuckDB database"):
        open_source(database=path, query="SELECT 1")


def test_password_is_never_shown():
    for uri in ("oracle://me:geheim@host/db", "oracle://host/db?user=me&password=geheim"):
        with pytest.raises(ImportError) as caught:
            open_source(database=uri, query="SELECT 1")
        assert "geheim" not in str(caught.value)
        assert "oracle://" in str(caught.value)


CELL = st.none() | st.integers(-99, 99) | st.sampled_from([0.5, -1e300, 1e-3]) | st.text("ab0é'", max_size=3)


def meant(cells):
    """The cells of a column as one type: text if one is text."""
    if any(isinstance(cell, str) for cell in cells):
        return [None if cell is None else str(cell) for cell in cells]
    return [None if cell is None else float(cell) for cell in cells]


@given(
    rows=st.lists(st.tuples(CELL, CELL), max_size=40),
    empty=st.sampled_from([0, 1100]),
    block_bytes=st.integers(1, 3000),
)
def test_sqlite_cells_of_any_type_anywhere(rows, empty, block_bytes):
    """The driver would look at the first thousand rows only."""
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
def test_same_model_bytes_from_every_source(kind, database, tmp_path):
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


def test_database_passed_as_data_is_an_error(database):
    with pytest.raises(SourceError, match=r"some rows\.db is a database\. Give the rows to read: --database "):
        open_source(database)


def test_sqlite_columns_of_many_combinations_of_types(tmp_path):
    """More than are listed, so the type of each column is asked for by itself."""
    names, rows = "abcdefghijk", [[None if i >> j & 1 else i for j in range(11)] for i in range(2048)]
    rows += [["x", 0.5, *range(9)]]
    with closing(sqlite3.connect(tmp_path / "t.db")) as connection:
        connection.execute(f"CREATE TABLE t ({', '.join(names)})")
        connection.executemany(f"INSERT INTO t VALUES ({', '.join('?' * 11)})", rows)
        connection.commit()
    source = open_source(database=tmp_path / "t.db", query="SELECT * FROM t")
    found = pa.Table.from_batches(source.batches())
    assert found.schema.types == [pa.string(), pa.float64(), *[pa.int64()] * 9]
    assert found["a"].to_pylist() == [None if row[0] is None else str(row[0]) for row in rows]
    assert found["b"].to_pylist() == [row[1] for row in rows]
    assert found["k"].to_pylist() == [row[10] for row in rows]


def test_own_connection_can_be_used_after_some_of_the_rows():
    with duckdb.connect() as connection:
        rows = "SELECT range AS n FROM range(1000000)"
        open_source(database=connection, query=rows).sample()
        batches = open_source(database=connection, query=rows).batches()
        assert len(next(batches))
        batches.close()
        assert connection.sql("SELECT 42").fetchall() == [(42,)]


@pytest.mark.slow
def test_interrupt_stops_a_query_before_its_first_row():
    endless = "SELECT sum(hash(a.range * b.range)) AS n FROM range(1000000) a, range(1000000) b"
    script = (
        f"import tallybayes\nsource = tallybayes.open_source(query={endless!r})\nprint(1, flush=True)\nsource.sample()"
    )
    with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        process.stdout.readline()
        time.sleep(1.0)
        process.send_signal(signal.SIGINT)
        _, error = process.communicate(timeout=60)
        assert error.endswith(b"KeyboardInterrupt\n")


def test_a_connection_closed_before_its_source_leaves_no_thread_behind():
    before = set(threading.enumerate())
    connection = duckdb.connect()
    batches = open_source(database=connection, query="SELECT range AS x FROM range(1000000)").batches()
    next(batches)
    connection.close()
    batches.close()
    for thread in set(threading.enumerate()) - before:
        thread.join(120)
    assert set(threading.enumerate()) <= before


def test_a_batch_is_freed_before_the_next_one_is_fetched():
    rows, held = 100_000, []
    schema = pa.schema({"x": pa.float64(), "class": pa.string()})

    class Connection:
        columns = schema.names

        def sql(self, query):
            return self

        def interrupt(self):
            pass

        def __arrow_c_stream__(self, requested=None):
            return pa.RecordBatchReader.from_batches(schema, self.fetched()).__arrow_c_stream__(requested)

        def fetched(self):
            for label in "abcde":
                held.append(pa.total_allocated_bytes())
                columns = [pa.array(range(rows), pa.float64()), pa.repeat(label, rows)]
                yield pa.RecordBatch.from_arrays(columns, schema=schema)
                del columns

    model = Model.train({"x": Gaussian()}, open_source(database=Connection(), query="SELECT"), "class")
    assert model.n == 5 * rows
    assert max(held) - held[0] < rows * 8
