"""Responses of every operation, by value."""

import json
from datetime import date

import numpy as np
import pytest

from service import ROWS, TEXTS, asked, problem, serving, spam_service
from tallybayes import Bag, Categorical, Gaussian, Model, Store, check_receipt, digest
from tallybayes.files import from_bytes


@pytest.fixture(scope="module")
def asking(tmp_path_factory):
    """A read-only service."""
    with spam_service(tmp_path_factory.mktemp("asked")) as (client, store):
        yield client, store


@pytest.fixture
def service(tmp_path):
    with spam_service(tmp_path) as found:
        yield found


def trained(rows=ROWS):
    return Model.train(TEXTS, [text for _, text, _ in rows], [label for *_, label in rows])


def test_row_gets_its_class_and_probabilities(asking):
    client, _ = asking
    (spam,) = trained().posterior("a prize")[:, 1]
    found = asked(client, "predict", {"row": {"text": "a prize"}})
    assert found == {
        "version": 3,
        "answers": [{"class": "ham", "probability": 1 - spam, "probabilities": {"ham": 1 - spam, "spam": spam}}],
    }


def test_many_rows_keep_their_order(asking):
    client, _ = asking
    texts = ["win win", "lunch", "", "of nothing known"]
    found = asked(client, "predict", {"rows": [{"text": text} for text in texts]})
    np.testing.assert_allclose(
        [answer["probabilities"]["spam"] for answer in found["answers"]], trained().posterior(texts)[:, 1], rtol=1e-12
    )
    assert asked(client, "predict", {"rows": []}) == {"version": 3, "answers": []}


def test_long_query_equals_a_short_one(asking):
    client, store = asking
    text = "win a prize " * 3000
    assert len(text) > client.app.state.service.limits.small
    found = asked(client, "predict", {"row": {"text": text}})
    assert found["answers"][0]["probability"] == store.beliefs().posterior(text).max()


def test_evidence_adds_up_to_the_answer(asking):
    client, _ = asking
    found = asked(client, "explain", {"row": {"text": "win lunch"}, "class": "spam"})
    (row,) = found["explanations"]
    assert (found["version"], row["class"], row["against"]) == (3, "spam", "ham")
    total = {label: sum(column["evidence"][label] for column in row["columns"]) for label in ("ham", "spam")}
    share = np.exp([total["ham"], total["spam"]])
    assert row["probability"]["spam"] == pytest.approx(share[1] / share.sum())
    assert {word["word"] for word in row["columns"][1]["words"]} >= {"win", "lunch"}
    assert row["columns"][1]["value"] == "win lunch"
    assert problem(client.post("/v1/models/spam/explain", json={"row": {"text": "x"}, "class": "x"}), 400) == (
        "There is no class 'x'; the classes are 'ham', 'spam'."
    )


def test_labelled_rows_are_evaluated(asking):
    client, _ = asking
    rows = [{"row": {"text": "win"}, "label": "spam"}, {"row": {"text": "lunch"}, "label": "spam"}]
    found = asked(client, "evaluate", {"rows": rows})
    assert found["version"] == 3
    assert (found["evaluation"]["n"], found["evaluation"]["correct"], found["evaluation"]["accuracy"]) == (2, 1, 0.5)
    assert found["evaluation"]["confusion"] == [
        {"truth": "spam", "decision": "ham", "n": 1},
        {"truth": "spam", "decision": "spam", "n": 1},
    ]


def test_model_description(asking):
    client, store = asking
    assert client.get("/v1/models").json() == {"models": [{"name": "spam", "rows": 3, "classes": 2, "version": 3}]}
    found = client.get("/v1/models/spam").json()
    assert found["digest"] == store.digest() == digest(trained())
    del found["digest"]
    assert found == {
        "name": "spam",
        "rows": 3,
        "classes": {"ham": 2, "spam": 1},
        "version": 3,
        "schema": {
            "label": None,
            "prior": "frequencies",
            "columns": [{"column": "text", "family": "Words()", "why": "", "parameter_count": None}],
        },
    }


def test_file_is_the_model(asking):
    client, store = asking
    answer = client.get("/v1/models/spam/file")
    assert digest(from_bytes(answer.content)) == store.digest()
    assert answer.headers["tallybayes-version"] == "3"


def test_learned_row_changes_the_next_answer(service):
    client, store = service
    entry = {"id": "m-9", "row": {"text": "cheap pills"}, "label": "spam"}
    assert asked(client, "learn", entry) == {"version": 4, "learned": 1, "already": 0}
    assert asked(client, "predict", {"row": {"text": "pills"}})["version"] == 4
    assert asked(client, "learn", entry) == {"version": 4, "learned": 0, "already": 1}
    assert store.digest() == digest(trained([*ROWS, ("m-9", "cheap pills", "spam")]))


def test_many_rows_are_learned_and_get_ids(service):
    client, store = service
    rows = [{"row": {"text": f"word{i}"}, "label": "ham"} for i in range(3)]
    found = asked(client, "learn", {"rows": [*rows, {"id": "m-1", "row": {"text": "win a prize"}, "label": "spam"}]})
    assert (found["version"], found["learned"], found["already"]) == (6, 3, 1)
    assert store.ids() == ["m-1", "m-2", "m-3", *found["ids"]]
    assert asked(client, "forget", {"rows": [{"id": id} for id in found["ids"]]})["forgotten"] == 3
    assert store.digest() == digest(trained())


def test_one_bad_row_of_many_learns_nothing(tmp_path):
    with Store.create(tmp_path / "s", {"age": Gaussian()}) as store, serving({"s": store}) as client:
        rows = [{"row": {"age": age}, "label": "a"} for age in (1, 2, "old")]
        said = problem(client.post("/v1/models/s/learn", json={"rows": rows}), 400)
        assert said.startswith("Column 'age', row 2: ")
        assert "'old'" in said
        assert store.number == 0


def test_other_row_under_a_known_id_is_a_conflict(service):
    client, store = service
    other = {"id": "m-1", "row": {"text": "other"}, "label": "spam"}
    assert "belongs to another row" in problem(client.post("/v1/models/spam/learn", json=other), 409)
    assert store.digest() == digest(trained())


def test_row_is_forgotten_by_id_or_content(service):
    client, _ = service
    assert asked(client, "forget", {"id": "m-1"}) == {"version": 4, "forgotten": 1, "already": 0}
    assert asked(client, "forget", {"id": "m-1"}) == {"version": 4, "forgotten": 0, "already": 1}
    content = {"row": {"text": "lunch on monday"}, "label": "ham"}
    assert asked(client, "forget", content)["forgotten"] == 1
    assert client.get("/v1/models/spam").json()["digest"] == digest(trained(ROWS[2:]))
    assert "no such row" in problem(client.post("/v1/models/spam/forget", json=content), 404)
    assert "was never learned" in problem(client.post("/v1/models/spam/forget", json={"id": "x"}), 404)


def test_correction_changes_the_label(service):
    client, store = service
    assert asked(client, "correct", {"id": "m-1", "label": "ham"}) == {"version": 4, "corrected": 1, "already": 0}
    assert asked(client, "correct", {"id": "m-1", "label": "ham"})["already"] == 1
    assert store.digest() == digest(trained([("m-1", "win a prize", "ham"), *ROWS[1:]]))


def test_correction_to_a_new_class_is_an_explicit_wish(service):
    client, store = service
    problem(client.post("/v1/models/spam/correct", json={"id": "m-1", "label": "news"}), 400)
    assert store.number == 3
    wished = {"id": "m-1", "label": "news", "new_class": True}
    assert asked(client, "correct", wished) == {"version": 4, "corrected": 1, "already": 0}
    assert asked(client, "correct", {"id": "m-1", "label": "news"})["already"] == 1
    assert store.digest() == digest(trained([("m-1", "win a prize", "news"), *ROWS[1:]]))


def test_new_classes_of_any_script_are_learned(service):
    client, store = service
    names = ["نمی\u200cدانم", "e\u0301t\u00e9", "👨\u200d👩\u200d👧", "שלום", "a\u00a0b"]
    for number, label in enumerate(names):
        asked(client, "learn", {"id": f"n-{number}", "row": {"text": "win"}, "label": label})
    assert {*names} < {*store.beliefs().labels}


def test_empty_label_that_is_a_class_is_kept(tmp_path):
    rows = [("m-1", "win a prize", ""), ("m-2", "lunch on monday", "ham")]
    with spam_service(tmp_path, rows=rows) as (client, store):
        asked(client, "learn", {"id": "m-3", "row": {"text": "free"}, "label": ""})
        asked(client, "correct", {"id": "m-2", "label": ""})
        asked(client, "forget", {"row": {"text": "free"}, "label": ""})
        assert store.digest() == digest(trained([("m-1", "win a prize", ""), ("m-2", "lunch on monday", "")]))


def test_receipt_matches_an_independently_trained_model(service):
    client, store = service
    asked(client, "forget", {"id": "m-1", "prove": True})
    receipt = client.get("/v1/models/spam/receipts/m-1").text
    assert json.loads(receipt)["record"]["what"] == "forget"
    assert check_receipt(receipt, trained(ROWS[1:])).startswith("This is the model right after")
    assert check_receipt(receipt, store).startswith("The store has this change")
    assert "never learned" in problem(client.get("/v1/models/spam/receipts/x"), 404)


def test_id_may_contain_any_printable_character(service):
    client, _ = service
    id = "<17/a?b#c%2F@mail.example> ü"
    asked(client, "learn", {"id": id, "row": {"text": "x"}, "label": "ham"})
    path = "/v1/models/spam/receipts/" + "".join(f"%{byte:02X}" for byte in id.encode())
    assert client.get(path).json()["record"]["id"] == id


def test_empty_store_says_so_and_answers_after_the_first_row(tmp_path):
    with spam_service(tmp_path, rows=[]) as (client, _):
        question = {"row": {"text": "x"}}
        assert "no rows" in problem(client.post("/v1/models/spam/predict", json=question), 400)
        asked(client, "learn", {"row": {"text": "x"}, "label": "ham"})
        assert asked(client, "predict", question)["answers"][0]["class"] == "ham"


def test_several_stores_are_served_by_name(tmp_path):
    with (
        Store.create(tmp_path / "a", {"x": Categorical()}) as one,
        Store.create(tmp_path / "b", {"y": Gaussian()}) as other,
        serving({"the one": one, "b": other}) as client,
    ):
        asked(client, "learn", {"row": {"x": "p"}, "label": 1}, model="the one")
        asked(client, "learn", {"row": {"y": 0.5}, "label": 0.5}, model="b")
        asked(client, "learn", {"row": {"y": 0.5}, "label": 1}, model="b")  # as JavaScript writes 1.0
        assert client.get("/v1/models/b").json()["classes"] == {"0.5": 1, "1.0": 1}
        assert asked(client, "predict", {"row": {"x": "p"}}, model="the one")["answers"][0]["class"] == 1
        assert problem(client.get("/v1/models/c"), 404) == "There is no model 'c'; there are 'the one', 'b'."


def test_labels_without_a_json_type_are_text(tmp_path):
    model = Model.train({"x": Categorical()}, {"x": ["p", "q"]}, [date(2026, 1, 1), date(2026, 1, 2)])
    with Store.create(tmp_path / "s", model) as store, serving({"s": store}) as client:
        asked(client, "learn", {"row": {"x": "p"}, "label": "2026-01-01"}, model="s")
        asked(client, "learn", {"row": {"x": "r"}, "label": "2026-01-03"}, model="s")
        assert client.get("/v1/models/s").json()["classes"] == {"2026-01-01": 2, "2026-01-02": 1, "2026-01-03": 1}
        assert asked(client, "predict", {"row": {"x": "q"}}, model="s")["answers"][0]["class"] == "2026-01-02"
        assert "type" in problem(client.post("/v1/models/s/learn", json={"row": {"x": "p"}, "label": "today"}), 400)


def test_list_is_one_cell(tmp_path):
    with Store.create(tmp_path / "s", {"v": Bag()}) as store, serving({"s": store}) as client:
        asked(client, "learn", {"row": {"v": [3, 0, 1]}, "label": "a"}, model="s")
        asked(client, "learn", {"row": {"v": [0, 2, 1]}, "label": "b"}, model="s")
        found = asked(client, "predict", {"row": {"v": [1, 0, 0]}}, model="s")["answers"]
        assert [answer["class"] for answer in found] == ["a"]
    with spam_service(tmp_path) as (client, _):
        answer = client.post("/v1/models/spam/predict", json={"row": {"text": ["win", "lunch"]}})
        assert answer.status_code == 400 or len(answer.json()["answers"]) == 1


def test_health_needs_no_token(asking):
    client, _ = asking
    assert client.get("/healthz/live").json() == {"status": "live"}
    assert client.get("/healthz/ready").json() == {"status": "ready"}


def test_metrics_count_requests_and_rows(service):
    client, _ = service
    asked(client, "predict", {"row": {"text": "x"}})
    asked(client, "learn", {"rows": [{"row": {"text": "x"}, "label": "ham"}] * 2})
    client.get("/nothing")
    client.get("/v1/models/unknown")
    text = client.get("/metrics").text
    assert 'tallybayes_requests_total{model="spam",operation="predict",status="200"} 1.0' in text
    assert 'tallybayes_requests_total{model="",operation="other",status="404"} 1.0' in text
    assert 'tallybayes_rows_total{model="spam",what="learned"} 2.0' in text
    assert 'tallybayes_version{model="spam"} 5.0' in text
    assert 'tallybayes_snapshot_failed{model="spam"} 0.0' in text
    assert "unknown" not in text


MANY = {
    "learn": {"rows": [{"id": f"n-{i}", "row": {"text": "new"}, "label": label} for i, label in enumerate(["ham", 7])]},
    "learn under a known id": {"rows": [{"id": i, "row": {"text": "new"}, "label": "ham"} for i in ("n-0", "m-1")]},
    "forget": {"rows": [{"id": "m-1"}, {"id": "never"}]},
    "correct": {"rows": [{"id": "m-1", "label": "ham"}, {"id": "never", "label": "ham"}]},
}


@pytest.mark.parametrize("which", MANY)
def test_refused_request_of_many_rows_changes_nothing(service, which):
    client, store = service
    before = store.digest(), store.number
    answer = client.post(f"/v1/models/spam/{which.split()[0]}", json=MANY[which])
    sentence = problem(answer, {"learn": 400, "learn under a known id": 409}.get(which, 404))
    assert sentence.endswith("This is row 1. Nothing was changed.")
    assert (store.digest(), store.number) == before
