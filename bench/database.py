"""Databases: training from a query, and a model as a view.

    python bench/database.py [rows]
    python bench/database.py memory [rows] [postgresql://host/name]

"fetching" is connecting, reading the driver's Arrow batches with its default settings, and discarding them; training
should be at least 70 % as fast. For DuckDB, the least CPU time of many rounds in turn is shown too, and what it is
spent on: DuckDB fetches with all processors, so no counting is hidden behind it, and training can be as fast as
fetching / (fetching + counting). Dictionary-encoding the texts with pyarrow, only a part of counting them, is shown for
comparison, and so is the cost of a cell in each column. For SQLite, the time to query the types of all cells is shown
separately. Peak memory is that of a process that trains on ten times as many rows of a query; "memory" shows it alone,
and for PostgreSQL if its URI is given. A model as a view of DuckDB is compared with `posterior` on the same rows in
memory: for a table, and for texts that DuckDB tokenises. Merging is compared between the running sum of `merge` and a
balanced tree.
"""

from __future__ import annotations

import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import adbc_driver_sqlite.dbapi
import duckdb
import numpy as np
import pyarrow as pa

from corpus import batches
from processes import peak_memory
from tallybayes import Categorical, Gaussian, Histogram, Model, Poisson, Schema, Words, export_sql, merge, open_source
from tallybayes.sources.database import with_types
from timing import CPU, best_of, report

SCHEMA = Schema(
    {
        "income": Gaussian(),
        "distance": Histogram(bits=8),
        "city": Categorical(),
        "plan": Categorical(),
        "calls": Poisson(),
    },
    label="label",
)
QUERY = "SELECT * FROM t"
TEXT_MEGABYTES = 2.0
ASKED = 0.7  # of the speed of fetching
MADE = """SELECT ['stays', 'leaves'][1 + (hash(range) % 2)::INT] AS label, ln(1 + range % 1009) * 10000 AS income,
    (hash(range + 1) % 100003)::DOUBLE / 1000 AS distance, 'city ' || hash(range + 2) % 300 AS city,
    ['free', 'small', 'large'][1 + (hash(range + 3) % 3)::INT] AS plan, (hash(range + 4) % 9)::INT AS calls
    FROM range({})"""

MADE_BY_POSTGRESQL = """SELECT (ARRAY['stays', 'leaves'])[1 + g % 2] AS label, ln(1 + g % 1009) * 10000 AS income,
    (g * 7919 % 100003)::float8 / 1000 AS distance, 'city ' || g % 300 AS city,
    (ARRAY['free', 'small', 'large'])[1 + g % 3] AS plan, (g % 9)::int AS calls
    FROM generate_series(1::bigint, {}) AS g"""


def drained(batches: pa.RecordBatchReader) -> int:
    return sum(len(batch) for batch in batches)


def share_of_this_thread(work: Callable[[], object]) -> float:
    start = time.thread_time(), time.process_time()
    work()
    return (time.thread_time() - start[0]) / (time.process_time() - start[1])


def cost_by_column(table: pa.Table) -> Iterator[str]:
    """The time to count a cell of each column, and to read its label."""

    def of(names: list[str]) -> float:
        schema = Schema({name: SCHEMA.columns[name] for name in names}, label="label")
        works = {"counting": lambda: Model.train(schema, table.select([*names, "label"]), threads=1)}
        return best_of(works, clock=CPU)["counting"] / table.num_rows * 1e9

    label = of([])
    yield f"label {label:.1f} ns"
    yield from (f"{name} {of([name]) - label:.1f}" for name in SCHEMA.columns)


def from_duckdb(rows: int, path: str) -> None:
    def fetch() -> None:
        with duckdb.connect(path, read_only=True) as database:
            drained(pa.RecordBatchReader.from_stream(database.sql(QUERY)))

    works = {"fetching": fetch, "training": lambda: Model.train(SCHEMA, open_source(database=path, query=QUERY))}
    report(f"DuckDB, {rows:,} rows", works, "fetching", rounds=3)
    with duckdb.connect(path, read_only=True) as database:
        table = pa.Table.from_batches(pa.RecordBatchReader.from_stream(database.sql(QUERY)))
    texts = [column for column in table.columns if pa.types.is_string(column.type)]
    parts = {
        "counting": lambda: Model.train(SCHEMA, table, threads=1),
        "encoding": lambda: [column.dictionary_encode() for column in texts],
    }
    fetching, training = best_of(works, 25, CPU).values()
    counting, encoding = best_of(parts, clock=CPU).values()
    print(f"  CPU time: fetching {fetching:.3f} s, training {training:.3f} s: {fetching / training:.2f} × as fast")
    print(f"  of fetching, {share_of_this_thread(fetch):.0%} in the thread that asks, the rest in DuckDB's own")
    bound, needed = fetching / (fetching + counting), fetching * (1 / ASKED - 1)
    print(f"  counting the fetched rows {counting:.3f} s: training can be {bound:.2f} × as fast")
    cells = table.num_rows * table.num_columns / 1e9
    print(f"  a cell is counted in {counting / cells:.1f} ns; to be {ASKED} × as fast: in {needed / cells:.1f} ns")
    print(f"  by column: {', '.join(cost_by_column(table))}")
    print(f"  pyarrow only encoding their texts {encoding:.3f} s: {fetching / (fetching + encoding):.2f} × as fast")


def from_sqlite(rows: int, path: str) -> None:
    def with_cursor(work: Callable[[adbc_driver_sqlite.dbapi.Cursor], object]) -> None:
        with adbc_driver_sqlite.dbapi.connect(f"file:{path}?mode=ro") as connection, connection.cursor() as cursor:
            work(cursor)

    def fetch(cursor: adbc_driver_sqlite.dbapi.Cursor) -> None:
        cursor.execute(QUERY)
        drained(cursor.fetch_record_batch())

    works: dict[str, Callable[[], object]] = {
        "fetching": lambda: with_cursor(fetch),
        "querying types": lambda: with_cursor(lambda cursor: with_types(cursor, QUERY)),
        "training": lambda: Model.train(SCHEMA, open_source(database=path, query=QUERY)),
    }
    report(f"SQLite, {rows:,} rows", works, "fetching", rounds=3)


def into(rows: int, folder: Path) -> None:
    duck, lite, few = str(folder / "bench.duckdb"), str(folder / "bench.db"), rows // 4
    with duckdb.connect(duck) as database:
        database.execute(f"CREATE TABLE t AS {MADE.format(rows)}")
        some = database.sql(f"{QUERY} LIMIT {few}").fetchall()
    with sqlite3.connect(lite) as database:
        database.execute("CREATE TABLE t (label TEXT, income REAL, distance REAL, city TEXT, plan TEXT, calls INTEGER)")
        database.executemany("INSERT INTO t VALUES (?, ?, ?, ?, ?, ?)", some)
    from_duckdb(rows, duck)
    from_sqlite(few, lite)


def memory(rows: int, uri: str | None = None) -> None:
    """Runs in a separate process."""
    start = time.perf_counter()
    query = (MADE if uri is None else MADE_BY_POSTGRESQL).format(rows)
    model = Model.train(SCHEMA, open_source(database=uri, query=query))
    print(f"  {model.n:,.0f} rows in {time.perf_counter() - start:.1f} s")
    print(f"  peak memory {peak_memory():,.0f} MB")


def out_of(rows: int) -> None:
    with duckdb.connect() as database:
        database.execute(f"CREATE TABLE t AS {MADE.format(rows)}")
        table = pa.table(database.sql("SELECT * FROM t"))
    answers("Answers", Model.train(SCHEMA, table), table)
    texts = pa.Table.from_batches(batches(TEXT_MEGABYTES))
    answers("Predictions for texts", Model.train(Schema({"body": Words()}, label="label"), texts), texts)


def answers(title: str, model: Model, table: pa.Table) -> None:
    with duckdb.connect() as database:
        database.register("given", table)
        database.execute("CREATE TABLE t AS SELECT * FROM given")
        database.execute(export_sql(model, table="t", keep=[]))
        asked = "SELECT count(*), avg(probability) FROM t_scored"
        works = {"posterior": lambda: model.posterior(table), "view": lambda: database.sql(asked).fetchall()}
        times = report(f"{title}, {len(table):,} rows", works, "posterior", rounds=3)
    for name, seconds in times.items():
        print(f"  {name}: {len(table) / seconds:,.0f} rows a second")


def tree(models: list[Model]) -> Model:
    while len(models) > 1:
        models = [merge(models[at : at + 2]) for at in range(0, len(models), 2)]
    return models[0]


def merging(count: int = 100) -> None:
    random = np.random.default_rng(0)

    def part() -> Model:
        words = random.zipf(1.2, (50, 200)) % 10**6
        texts = [" ".join(f"w{word}" for word in row) for row in words.tolist()]
        return Model.train({"text": Words()}, {"text": texts}, random.choice(["a", "b"], 50))

    models = [part() for _ in range(count)]
    works = {"tree": lambda: tree(models), "running sum": lambda: merge(models)}
    report(f"Merging {count} models of texts", works, "tree", rounds=3)


if __name__ == "__main__":
    if "memory" in sys.argv:
        memory(int(sys.argv[2]), *sys.argv[3:])
    else:
        ROWS = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
        with tempfile.TemporaryDirectory() as home:
            into(ROWS, Path(home))
        print(f"\nTraining on {10 * ROWS:,} rows of a query", flush=True)
        subprocess.run([sys.executable, __file__, "memory", str(10 * ROWS)], check=True)
        out_of(ROWS // 4)
        merging()
