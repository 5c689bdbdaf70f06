"""Rows from a temporary PostgreSQL server."""

import pyarrow as pa
import pytest

from postgresql import asking, running
from tallybayes import Categorical, Gaussian, Histogram, Model, Schema, digest, open_source
from tallybayes.sources import SourceError

pytestmark = pytest.mark.slow

KINDS = """SELECT 1.50::numeric AS price, 'NaN'::numeric AS unknown, 1.5::float4 AS half, 2::smallint AS few,
 true AS yes, 'sad'::mood AS mood, 'x'::varchar(5) AS short, '{"a": 1}'::jsonb AS tree, NULL AS nothing,
 ARRAY['a', 'b'] AS tags"""


@pytest.fixture(scope="module")
def uri():
    pytest.importorskip(
        "adbc_driver_postgresql", reason="PostgreSQL is read by ADBC: pip install adbc-driver-postgresql"
    )
    with running() as found:
        with asking(found) as cursor:
            cursor.execute("CREATE TYPE mood AS ENUM ('sad', 'happy')")
            cursor.execute(
                "CREATE TABLE trips AS SELECT g AS id, (ARRAY['bike','van','truck'])[1 + g % 3] AS vehicle, "
                "1e9 + g % 11 AS km, g % 4 = 0 AS late FROM generate_series(1, 200000) AS g"
            )
        yield found


def rows_of(uri, query, types=None):
    return [row for batch in open_source(database=uri, query=query).batches(types) for row in batch.to_pylist()]


def test_cell_types(uri):
    (row,) = rows_of(uri, KINDS)
    assert row["unknown"] != row.pop("unknown")  # NaN
    assert row == {
        "price": 1.5,
        "half": 1.5,
        "few": 2,
        "yes": True,
        "mood": "sad",
        "short": "x",
        "tree": '{"a": 1}',
        "nothing": None,
        "tags": ["a", "b"],
    }


def test_same_model_bytes_as_from_memory(uri):
    schema = Schema({"vehicle": Categorical(), "km": Gaussian()}, label="late")
    numbers = range(1, 200001)
    table = pa.table(
        {
            "vehicle": [("bike", "van", "truck")[g % 3] for g in numbers],
            "km": [1e9 + g % 11 for g in numbers],
            "late": [g % 4 == 0 for g in numbers],
        }
    )
    source = open_source(database=uri, query="SELECT * FROM trips;")
    assert digest(Model.train(schema, source)) == digest(Model.train(schema, table))
    assert source.rows == 200_000


def test_families_follow_the_column_types(uri):
    source = open_source(database=uri, query="SELECT vehicle, km / 7 AS weeks, late FROM trips LIMIT 5000")
    found = Schema.infer(source, "late").columns
    assert isinstance(found["vehicle"], Categorical)
    assert isinstance(found["weeks"], Histogram)


def test_query_without_rows_is_no_source_error(uri):
    source = open_source(database=uri, query="SELECT * FROM trips WHERE id < 0")
    assert source.names == ["id", "vehicle", "km", "late"]
    assert list(source.batches()) == []


def test_server_that_dies_midway_is_an_error(uri):
    endless = "SELECT generate_series(1, 1000000000) AS x, 'y' AS y"
    batches = open_source(database=uri, query=endless).batches()
    assert next(batches).column("x")[0].as_py() == 1
    with asking(uri) as cursor:
        cursor.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE '%1000000000%' "
            "AND pid <> pg_backend_pid()"
        )
        assert cursor.fetchall() == [(True,)]
    with pytest.raises(SourceError, match=r"^postgresql://tally@127\.0\.0\.1:\d+/postgres, after [\d,]+ rows: "):
        list(batches)


def test_server_error_is_one_sentence(uri):
    with pytest.raises(SourceError) as caught:
        rows_of(uri, "SELECT * FROM nothing")
    assert str(caught.value) == f'{uri}: ERROR:  relation "nothing" does not exist.'


def test_nothing_is_committed(uri):
    assert len(rows_of(uri, "DELETE FROM trips RETURNING id")) == 200_000
    assert rows_of(uri, "SELECT count(*) AS n FROM trips") == [{"n": 200_000}]
