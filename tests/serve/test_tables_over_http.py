"""Rows as CSV or Arrow, also hostile ones."""

import gzip

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from service import problem, serving, spam_service
from tallybayes import Categorical, Gaussian, Model, Store, digest

SCHEMA = {"age": Gaussian(), "city": Categorical()}
CSV, ARROW = {"content-type": "text/csv; charset=utf-8"}, {"content-type": "application/vnd.apache.arrow.stream"}
TABLE = {"age": [30.0, None, 50.5], "city": ["Rome", "Oslo", None], "paid": ["yes", "no", "yes"]}
LINES = "city,age,paid,id\nRome,30,yes,r-1\nOslo,NA,no,r-2\n,50.5,yes,r-3\n"


@pytest.fixture
def service(tmp_path):
    with Store.create(tmp_path / "s", SCHEMA) as store, serving({"s": store}) as client:
        yield client, store


def stream(table, **options):
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema, **options) as writer:
        writer.write_table(table)
    return sink.getvalue().to_pybytes()


def expected():
    return Model.train(SCHEMA, {name: TABLE[name] for name in SCHEMA}, TABLE["paid"])


def test_csv_is_read_as_by_the_command_line(service):
    client, store = service
    path = "/v1/models/s/learn?label=paid"
    assert client.post(path, content=LINES, headers=CSV).json() == {"version": 3, "learned": 3, "already": 0}
    assert client.post(path, content=LINES, headers=CSV).json() == {"version": 3, "learned": 0, "already": 3}
    assert store.digest() == digest(expected())
    assert store.ids() == ["r-1", "r-2", "r-3"]
    answer = client.post("/v1/models/s/predict", content=LINES, headers=CSV).json()
    found = [row["probabilities"]["yes"] for row in answer["answers"]]
    assert found == pytest.approx(expected().posterior({name: TABLE[name] for name in SCHEMA})[:, 1])


def test_arrow_is_learned_and_asked(service):
    client, store = service
    body = stream(pa.table({**TABLE, "id": ["r-1", "r-2", "r-3"], "other": [{}, {}, {}]}))
    said = client.post("/v1/models/s/learn?label=paid", content=body, headers=ARROW)
    assert said.json() == {"version": 3, "learned": 3, "already": 0}
    assert store.digest() == digest(expected())
    answer = client.post("/v1/models/s/predict", content=body, headers=ARROW).json()
    found = [row["probabilities"]["yes"] for row in answer["answers"]]
    assert found == pytest.approx(expected().posterior({name: TABLE[name] for name in SCHEMA})[:, 1])


def test_column_called_id_may_belong_to_the_model(tmp_path):
    with Store.create(tmp_path / "s", {"id": Categorical()}) as store, serving({"s": store}) as client:
        answer = client.post("/v1/models/s/learn", content="id,label\np,a\nq,b\n", headers=CSV).json()
        assert answer["learned"] == len(answer["ids"]) == 2
        assert not set(store.ids()) & {"p", "q"}


def test_invalid_tables_are_explained(service):
    client, store = service
    path = "/v1/models/s/learn?label=paid"

    def csv(text, where=path):
        return problem(client.post(where, content=text, headers=CSV), 400)

    assert csv("city,age,paid\nRome,old,yes\n").startswith("The body, line 2, column 'age'")
    assert csv("city,age\nRome,3\n").startswith("The body has no column 'paid'; it has 'city', 'age'.")
    assert csv("age,paid\n3,yes\n").startswith("The body has no column 'city'")
    assert csv("age,paid\n3,yes\n").endswith("Every column of the model must be there.")
    short = "The body, line 2: the row has 2 cells, but there are 3 columns. Quote cells that contain a ','."
    assert csv("city,age,paid\nRome,3\n") == short
    assert csv("") == "The body is empty."
    assert csv("city,age,paid\n") == "The body has no rows."
    assert "has no label" in csv("city,age,paid\nRome,3,\n")
    assert "has no id" in csv("city,age,paid,id\nRome,3,yes,\n")
    assert csv("city,age,paid\nRome,3,yes\n", f"{path[:-4]}city").startswith("The model counts the column 'city'")
    assert "more than 1,000 characters" in csv(f"city,age,paid\nRome,3,{'x' * 1001}\n")
    table = pa.table({"age": [1.0], "paid": ["yes"]})
    said = problem(client.post(path, content=stream(table), headers=ARROW), 400)
    assert said.startswith("The data has no column 'city'; it has 'age', 'paid'.")
    assert "not a complete Arrow stream" in problem(client.post(path, content=b"hello", headers=ARROW), 400)
    assert store.number == 0


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (b"city,age,paid\nRome,old,yes\nRome,3,yes\nRome,4,no\n", "'old' is not a number. Correct it."),
        (b"city,age,paid\nCaf\xe9,3,yes\n", "b'Caf\\xe9' is not UTF-8. Send UTF-8."),
        (b'city,age,paid\n"Rome,3,yes\n', "a quote is opened and never closed. Close it."),
        (b'city,age,paid\n"Rome"x,3,yes\n', "text follows a closing quote. Double the quotes within a cell."),
        (b"ci\xe9ty,age,paid\nRome,3,yes\n", "Send UTF-8."),
        (b"city,age,paid\nRome,a--b,yes\n", "column 'age': 'a--b' is not a number. Correct it."),
        (b'city,age,paid\nRome,"a. Use --b; c",yes\n', "column 'age': 'a. Use --b; c' is not a number. Correct it."),
        (bytes(60), "The body is not a table: it contains bytes that are not text. Send CSV in UTF-8."),
        (b"PK\3\4", "The body is a zip archive or a spreadsheet, not a table. Send CSV in UTF-8."),
        (b"SQLite format 3\0" + bytes(84), "The body is a database."),
    ],
)
def test_errors_do_not_mention_the_command_line(service, body, said):
    client, _ = service
    found = problem(client.post("/v1/models/s/learn?label=paid", content=body, headers=CSV), 400)
    assert found.endswith(said)
    assert " --" not in found.removesuffix(said)


def test_potential_memory_bombs_are_refused(service):
    client, _ = service
    path = "/v1/models/s/predict"
    zeros = pa.table({"age": [0.0] * 1_000_000, "city": [None] * 1_000_000})
    packed = stream(zeros, options=pa.ipc.IpcWriteOptions(compression="zstd"))
    assert "without compression" in problem(client.post(path, content=packed, headers=ARROW), 415)
    long = pa.DictionaryArray.from_arrays(pa.array([0] * 1000, pa.int32()), pa.array(["x" * 100_000]))
    body = stream(pa.table({"age": [0.0] * 1000, "city": long}))
    assert "when decoded" in problem(client.post(path, content=body, headers=ARROW), 413)
    dictionary = stream(
        pa.table({"age": [0.0], "city": pa.array(["x" * 1000]).dictionary_encode()}),
        options=pa.ipc.IpcWriteOptions(compression="lz4"),
    )
    assert "without compression" in problem(client.post(path, content=dictionary, headers=ARROW), 415)
    views = pa.table({"age": [0.0], "city": pa.array(["x"], pa.string_view())})
    assert "the Arrow type string_view" in problem(client.post(path, content=stream(views), headers=ARROW), 415)
    gzipped = gzip.compress(LINES.encode())
    assert "Content-Encoding: gzip" in problem(client.post(path, content=gzipped, headers=CSV), 415)


@pytest.fixture(scope="module")
def still(tmp_path_factory):
    with spam_service(tmp_path_factory.mktemp("still")) as (client, _):
        yield client


BODY = stream(pa.table({"text": ["win a prize", "lunch", None]}))


@given(at=st.integers(0, len(BODY) - 1), byte=st.integers(0, 255), cut=st.booleans())
def test_damaged_stream_is_answered_or_refused(still, at, byte, cut):
    body = BODY[:at] if cut else BODY[:at] + bytes([byte]) + BODY[at + 1 :]
    answer = still.post("/v1/models/spam/predict", content=body, headers=ARROW)
    assert answer.status_code in (200, 400, 415), answer.text
