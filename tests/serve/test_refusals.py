"""Any request gets a problem in the library's words, never a traceback."""

import gzip
import json
import sqlite3

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service import asked, problem, spam_service
from tallybayes import Bernoulli, Categorical, Gaussian
from tallybayes.serve.problems import Problem, asking, unexpected


@pytest.fixture(scope="module")
def client(tmp_path_factory):
    with spam_service(tmp_path_factory.mktemp("refusals")) as (client, _):
        yield client


REFUSED = {
    "no JSON": ("predict", b"{", "The body is not JSON: "),
    "no UTF-8": ("predict", b'{"row": {"text": "\xff"}}', "The body is not UTF-8: byte 18 is invalid."),
    "no object": ("predict", b"[1]", "The body is an array; send a JSON object"),
    "nothing": ("predict", b"", "The body is not JSON: "),
    "nested": ("predict", b'{"row":' + b"[" * 100_000, "The JSON is nested too deeply."),
    "no number": ("predict", b'{"row": {"text": NaN}}', "NaN is not a number in JSON; write null"),
    "huge number": (
        "predict",
        b'{"row": {"text": 1' + b"0" * 5000 + b"}}",
        "JSON: a number has more than 4,300 digits.",
    ),
    "a member twice": ("learn", b'{"row": {"text": "a"}, "label": "ham", "label": "spam"}', "'label' occurs twice."),
    "a cell twice": ("predict", b'{"row": {"text": "a", "text": "b"}}', "the member 'text' occurs twice."),
    "a cell twice after many": (
        "predict",
        b'{"row": {%b"text": 1, "text": 2}}' % b"".join(b'"%d":1,' % cell for cell in range(500_000)),
        "the member 'text' occurs twice.",
    ),
    "no row": ("predict", b"{}", 'Give one row as {"row": {…}}'),
    "row and rows": ("predict", b'{"row": {}, "rows": []}', 'Give one row as {"row": {…}}'),
    "rows that are none": ("predict", b'{"rows": {"text": ["a"]}}', "'rows' is an object; give an array."),
    "a row that is none": ("predict", b'{"rows": [{"text": "a"}, 3]}', "Row 1 is a number; give an object"),
    "a column that is not there": (
        "predict",
        b'{"row": {"Text": "a"}}',
        "The data has no column 'text'; it has 'Text'",
    ),
    "a row without its column": ("predict", b'{"rows": [{"text": "a"}, {}]}', "This is row 1."),
    "a mistyped member": ("predict", b'{"row": {"text": "a"}, "thread": 1}', "There is no member 'thread' here"),
    "a cell that is none": ("predict", b'{"row": {"text": {"a": 1}}}', "'text'"),
    "no label": ("learn", b'{"row": {"text": "a"}}', "'label' is missing."),
    "half a character": ("learn", b'{"row": {"text": "\\ud800"}, "label": "a"}', "'\\ud800' is a lone surrogate."),
    "a label that is none": ("learn", b'{"row": {"text": "a"}, "label": null}', "'label' is null; give a string"),
    "a label of another type": ("learn", b'{"row": {"text": "a"}, "label": 3}', "The labels are of type int64"),
    "a label without end": ("learn", b'{"row": {"text": "a"}, "label": "%b"}' % (b"x" * 1001), "than 1,000 characters"),
    "an id that is none": (
        "learn",
        b'{"id": 3, "row": {"text": "a"}, "label": "ham"}',
        "'id' is a number; give a string.",
    ),
    "an empty id": (
        "learn",
        b'{"id": "", "row": {"text": "a"}, "label": "ham"}',
        "give 1 to 1,000 printable characters",
    ),
    "an entry that is wrong": ("learn", b'{"rows": [{"row": {"text": "a"}}]}', "Row 0: 'label' is missing."),
    "proof of many": ("learn", b'{"prove": true, "rows": []}', "'prove' is for one change at a time"),
    "proof of many that go": ("forget", b'{"prove": true, "rows": []}', "'prove' is for one change at a time"),
    "proof of many that move": ("correct", b'{"prove": true, "rows": []}', "'prove' is for one change at a time"),
    "proof that is none": ("forget", b'{"prove": 1, "id": "m-1"}', "'prove' is a number; give true or false."),
    "nothing to forget": ("forget", b"{}", "'row' is missing. Give {\"id\": …}, or row and label."),
    "too much to forget": ("forget", b'{"id": "m-1", "label": "ham"}', "There is no member 'label' here"),
    "nothing to correct": ("correct", b'{"id": "m-1"}', "'label' is missing."),
    "a class that nobody has": (
        "correct",
        b'{"id": "m-1", "label": "hma"}',
        "There is no class 'hma'; there are 'ham', 'spam'. To make a new class, send \"new_class\": true.",
    ),
    "one of them": ("correct", b'{"rows": [{"id": "m-1", "label": "ham"}, {"id": "m-2", "label": "Ham"}]}', "'Ham'"),
    "a wish that is none": ("correct", b'{"new_class": 1, "id": "m-1", "label": "x"}', "'new_class' is a number; give"),
    "a wish for one row": (
        "correct",
        b'{"rows": [{"id": "m-1", "label": "x", "new_class": true}]}',
        "no member 'new_class' here",
    ),
    "a label beyond doubles": (
        "learn",
        b'{"row": {"text": "a"}, "label": 1e400}',
        "'label' is a number beyond all doubles",
    ),
    "an empty label": (
        "learn",
        b'{"row": {"text": "a"}, "label": ""}',
        "The label is empty. Give the name of a class.",
    ),
    "a blank label": ("learn", b'{"rows": [{"row": {"text": "a"}, "label": " \\n"}]}', "Row 0: The label is empty."),
    "a zero byte in a label": (
        "learn",
        b'{"row": {"text": "a"}, "label": "sp\\u0000am"}',
        "has control characters",
    ),
    "a label that reads backwards": (
        "correct",
        '{"id": "m-1", "label": "\u202espam", "new_class": true}'.encode(),
        "The label '\\u202espam' has control characters. Give the name of a class.",
    ),
    "a class with a space after it": (
        "learn",
        b'{"row": {"text": "a"}, "label": "ham "}',
        "The label 'ham ' differs from the class 'ham' only by white space. Give 'ham'.",
    ),
    "a class with an invisible character": (
        "learn",
        b'{"row": {"text": "a"}, "label": "ham\\u200b"}',
        "The label 'ham\\u200b' shows nothing but 'ham'. Give the name of a class.",
    ),
    "a class that nobody sees": ("learn", b'{"row": {"text": "a"}, "label": "\\u200b"}', "shows nothing but ''."),
    "needless spaces in a new class": (
        "learn",
        b'{"rows": [{"row": {"text": "a"}, "label": "new one"}, {"row": {"text": "a"}, "label": "new  one"}]}',
        "The label 'new  one' has needless white space. Give 'new one'.",
    ),
    "a class with a space before it": ("correct", b'{"id": "m-1", "label": " ham", "new_class": true}', "white space"),
    "an empty new class": ("correct", b'{"id": "m-1", "label": "", "new_class": true}', "The label is empty."),
    "nothing to evaluate": ("evaluate", b'{"rows": []}', "nothing to evaluate"),
}


@pytest.mark.parametrize("what", REFUSED)
def test_invalid_requests_are_explained(client, what):
    operation, body, sentence = REFUSED[what]
    assert sentence in problem(client.post(f"/v1/models/spam/{operation}", content=body), 400)


def test_byte_order_mark_is_skipped(client):
    """Some editors and shells write one at the start."""
    assert client.post("/v1/models/spam/predict", content=b'\xef\xbb\xbf{"row": {"text": "win"}}').status_code == 200


def test_lone_surrogate_is_answered_or_refused_with_a_message(client):
    for operation, body in (
        ("predict", {"row": {"text": "\ud800"}}),
        ("learn", {"row": {"text": "a"}, "label": "\ud800"}),
        ("learn", {"id": "\ud800", "row": {"text": "a"}, "label": "ham"}),
        ("learn", {"row": {"text": "\ud800"}, "label": "ham"}),
        ("forget", {"id": "\ud800"}),
    ):
        answer = client.post(f"/v1/models/spam/{operation}", content=json.dumps(body))
        assert answer.status_code in (200, 400, 404), answer.text
    assert client.get("/v1/models/spam/receipts/%ff%fe").status_code == 404


def test_unknown_paths_and_methods(client):
    assert "nothing at this path" in problem(client.get("/v2"), 404)
    assert "nothing at this path" in problem(client.get("/v1/models/"), 404)
    answer = client.get("/v1/models/spam/predict")
    problem(answer, 405)
    assert answer.headers["allow"] == "POST"


def test_unsupported_content_types_are_refused(client):
    form = {"content-type": "application/x-www-form-urlencoded"}
    said = problem(client.post("/v1/models/spam/predict", content=b"row=1", headers=form), 415)
    assert said == (
        "The body is 'application/x-www-form-urlencoded'; send application/json or text/csv or "
        "application/vnd.apache.arrow.stream or message/rfc822."
    )
    table = {"content-type": "text/csv"}
    assert "send application/json." in problem(client.post("/v1/models/spam/forget", content=b"", headers=table), 415)
    packed = {"content-encoding": "br"}
    assert "Content-Encoding: br" in problem(client.post("/v1/models/spam/predict", content=b"", headers=packed), 415)


def test_complete_gzip_is_decompressed(client):
    body = gzip.compress(b'{"row": {"text": "win"}}')
    path, packed = "/v1/models/spam/predict", {"content-encoding": "gzip"}
    assert client.post(path, content=body, headers=packed).json()["answers"][0]["class"] == "spam"
    assert "not gzip" in problem(client.post(path, content=b"{}", headers=packed), 400)
    assert "truncated" in problem(client.post(path, content=body[:-4], headers=packed), 400)
    assert "something follows" in problem(client.post(path, content=body + body, headers=packed), 400)


def test_unknown_parameters_are_refused(client):
    answer = client.post("/v1/models/spam/learn?lable=x", content="text,x\na,b\n", headers={"content-type": "text/csv"})
    assert "There is no parameter 'lable' here; there are 'label', 'id'" in problem(answer, 400)


def test_response_of_too_many_numbers_is_refused(client):
    rows = [{"text": ""}] * 500_001
    said = problem(client.post("/v1/models/spam/predict", json={"rows": rows}), 413)
    assert said == "The answer would have over 1,000,000 numbers. Send at most 500,000 rows at a time."


def test_errors_do_not_send_everything_back(tmp_path):
    schema = {"x": Gaussian(), "b": Bernoulli(), "kind": Categorical()}
    with spam_service(tmp_path, schema=schema, rows=[]) as (client, _):
        for column in ("x", "b"):
            row = {"x": 1.0, "b": True, "kind": "a", column: "much" * 100_000}
            said = problem(client.post("/v1/models/spam/learn", json={"row": row, "label": "a"}), 400)
            assert said.startswith(f"Column {column!r}, row 0: 'muchmuch")
            assert len(said) < 300
        row = {"x": 1.0, "kind": "a", "c" * 100_000: 1}
        assert len(problem(client.post("/v1/models/spam/learn", json={"row": row, "label": "a"}), 400)) < 3000


def test_full_disk_refuses_changes_and_answers_queries(tmp_path):
    with spam_service(tmp_path) as (client, store):
        pages = store._ask(lambda: store._journal.sql.execute("PRAGMA page_count").fetchone()[0])
        store._ask(lambda: store._journal.sql.execute(f"PRAGMA max_page_count={pages}"))
        entry = {"id": "big", "row": {"text": " ".join(f"word{i}" for i in range(3000))}, "label": "ham"}
        said = problem(client.post("/v1/models/spam/learn", json=entry), 507)
        assert said.startswith("The change could not be written: database or disk is full.")
        assert asked(client, "predict", {"row": {"text": "win"}})["version"] == 3
        store._ask(lambda: store._journal.sql.execute(f"PRAGMA max_page_count={2**30}"))
        assert asked(client, "learn", entry)["version"] == 4


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)
MEMBERS = st.sampled_from(["row", "rows", "label", "id", "prove", "class", "against", "x", "kind"])


@pytest.fixture(scope="module")
def mixed(tmp_path_factory):
    schema = {"x": Gaussian(), "kind": Categorical()}
    with spam_service(tmp_path_factory.mktemp("mixed"), schema=schema, rows=[]) as (client, _):
        asked(client, "learn", {"row": {"x": 1, "kind": "a"}, "label": "ham"})
        yield client


@given(
    operation=st.sampled_from(["predict", "explain", "evaluate", "learn", "forget", "correct"]),
    said=st.dictionaries(MEMBERS, JSON_VALUES | st.dictionaries(MEMBERS, JSON_VALUES), max_size=4)
    | st.fixed_dictionaries(
        {"row": st.fixed_dictionaries({"x": JSON_VALUES, "kind": JSON_VALUES}), "label": JSON_VALUES}
    ),
)
def test_no_json_causes_a_server_error(mixed, operation, said):
    answer = mixed.post(f"/v1/models/spam/{operation}", content=json.dumps(said))
    assert answer.status_code in (200, 400, 404, 409), answer.text
    assert "Traceback" not in answer.text


def test_bug_is_logged_by_type_and_line_only(caplog):
    def broken():
        raise sqlite3.ProgrammingError("secret")

    with pytest.raises(sqlite3.ProgrammingError) as caught, asking:
        broken()
    said = unexpected(caught.value)
    assert (said.status, "secret" in said.detail) == (500, False)
    assert "ProgrammingError at " in caplog.text
    assert "test_refusals.py:" in caplog.text
    assert "secret" not in caplog.text


def test_bug_is_answered_with_a_problem(tmp_path, caplog):
    with spam_service(tmp_path) as (client, store):
        store.current = lambda: 1 // "secret"  # a TypeError is a refusal by the library …
        assert problem(client.post("/v1/models/spam/explain", json={"row": {"text": "x"}}), 400)
        store._journal.sql.close()  # … and this was not requested by anybody
        said = problem(client.get("/v1/models/spam/receipts/m-1"), 500)
        assert said == "Internal error: ProgrammingError. The log says where."
        assert "ProgrammingError at " in caplog.text
        assert "secret" not in caplog.text


def test_library_errors_are_reported_to_the_client():
    for error, status in (
        (ValueError("no"), 400),
        (KeyError("no"), 400),
        (MemoryError(), 413),
        (RecursionError(), 400),
    ):
        with pytest.raises(Problem) as caught, asking:
            raise error
        assert caught.value.status == status
