"""Tokens: only authorised clients may learn."""

import base64
import hashlib

import pytest

from service import TEXTS, asked, problem, serving, spam_service
from tallybayes import Store
from tallybayes.serve.problems import Problem
from tallybayes.serve.settings import Limits, Settings
from tallybayes.serve.tokens import SCOPES, Failures, new_token, revoke_tokens

ROW, LABELLED = {"row": {"text": "win"}}, {"row": {"text": "win"}, "label": "spam"}
OPERATIONS = {
    ("POST", "predict"): ("predict", ROW),
    ("POST", "explain"): ("predict", ROW),
    ("POST", "evaluate"): ("predict", LABELLED),
    ("GET", ""): ("predict", None),
    ("POST", "learn"): ("learn", LABELLED),
    ("POST", "forget"): ("learn", {"id": "m-2"}),
    ("POST", "correct"): ("learn", {"id": "m-1", "label": "ham", "new_class": True}),
    ("GET", "receipts/m-1"): ("learn", None),
    ("GET", "file"): ("admin", None),
}


@pytest.fixture
def tokened(tmp_path):
    """A service with a token of every scope."""
    with Store.create(tmp_path / "spam", TEXTS) as store:
        for i in range(3):
            store.learn("win a prize", "spam", id=f"m-{i}")
        tokens = {scope: new_token(store, scope) for scope in SCOPES}
        with serving({"spam": store}) as client:
            yield client, tokens


def bearer(token):
    return {"authorization": f"Bearer {token}"}


@pytest.mark.parametrize(("method", "operation"), OPERATIONS)
def test_operation_requires_its_scope_or_more(tokened, method, operation):
    client, tokens = tokened
    needed, said = OPERATIONS[method, operation]
    path = f"/v1/models/spam/{operation}".rstrip("/")
    assert "Authorization: Bearer" in problem(client.request(method, path, json=said), 401)
    for scope, token in tokens.items():
        answer = client.request(method, path, json=said, headers=bearer(token))
        if SCOPES.index(scope) < SCOPES.index(needed):
            assert f"the scope '{needed}'" in problem(answer, 403)
        else:
            assert answer.status_code == 200, answer.text


def test_invalid_tokens_are_refused(tokened):
    client, tokens = tokened
    for header in (
        "Bearer",
        "Bearer x",
        tokens["admin"],
        f"Basic {base64.b64encode(tokens['admin'].encode()).decode()}",
        f"Bearer {tokens['admin']}x",
        f"Bearer {tokens['admin'][:-1]}",
    ):
        answer = client.get("/v1/models", headers={"authorization": header})
        assert problem(answer, 401)
        assert answer.headers["www-authenticate"] == "Bearer"
    assert client.get("/v1/models", headers={"authorization": f"bearer  {tokens['predict']}"}).status_code == 200
    assert client.get(f"/v1/models?token={tokens['admin']}").status_code == 401
    assert client.get("/metrics").status_code == 401
    assert client.get("/metrics", headers=bearer(tokens["predict"])).status_code == 200
    assert client.get("/healthz/ready").status_code == 200


def test_metrics_show_only_the_models_of_the_token(tmp_path):
    with Store.create(tmp_path / "a", TEXTS) as a, Store.create(tmp_path / "b", TEXTS) as b:
        tokens = {"ours": new_token(a, "predict"), "theirs": new_token(b, "admin")}
        with serving({"ours": a, "theirs": b}) as client:
            for name, token in tokens.items():
                assert client.get(f"/v1/models/{name}", headers=bearer(token)).status_code == 200
            text = client.get("/metrics", headers=bearer(tokens["ours"])).text
    assert 'tallybayes_requests_total{model="ours",operation="model",status="200"} 1.0' in text
    assert 'tallybayes_version{model="ours"} 0.0' in text
    assert 'tallybayes_request_seconds_count{operation="model"} 2.0' in text
    assert "theirs" not in text


def test_without_a_token_model_names_are_not_revealed(tokened):
    client, tokens = tokened
    assert problem(client.get("/v1/models/spam"), 401) == problem(client.get("/v1/models/other"), 401)
    assert problem(client.get("/v1/models/other", headers=bearer(tokens["predict"])), 403)


def test_token_is_valid_for_its_store_only(tmp_path):
    with Store.create(tmp_path / "a", TEXTS) as one, Store.create(tmp_path / "b", TEXTS) as other:
        token = new_token(one, "admin")
        new_token(other, "admin")
        with serving({"a": one, "b": other}) as client:
            client.headers["authorization"] = f"Bearer {token}"
            assert [model["name"] for model in client.get("/v1/models").json()["models"]] == ["a"]
            assert client.get("/v1/models/a").status_code == 200
            assert problem(client.get("/v1/models/b"), 403)


def test_store_keeps_hashes_of_tokens(tmp_path):
    with Store.create(tmp_path / "s", TEXTS) as store:
        token = new_token(store, "learn")
        (kept,) = store.settings()["tokens"]
        assert kept["scope"] == "learn"
        assert kept["sha256"] == hashlib.sha256(token.encode()).hexdigest()
    random = token.removeprefix("tally-")
    assert len(base64.urlsafe_b64decode(random + "=")) * 8 >= 128
    assert not any(random.encode() in file.read_bytes() for file in (tmp_path / "s").iterdir())


def test_tokens_are_unique_and_revocable(tmp_path):
    with Store.create(tmp_path / "s", TEXTS) as store:
        assert len({new_token(store, "predict") for _ in range(10)}) == 10
        assert revoke_tokens(store) == 10
        assert "tokens" not in store.settings()
        with pytest.raises(ValueError, match="no scope 'root'; give one of predict, learn, admin"):
            new_token(store, "root")


def test_guessing_gets_429_and_locks_nobody_out(tmp_path):
    with Store.create(tmp_path / "spam", TEXTS) as store:
        token = new_token(store, "learn")
        with serving({"spam": store}, Settings(Limits(failures=3))) as client:
            for _ in range(3):
                assert problem(client.get("/v1/models", headers=bearer("x")), 401)
            answer = client.get("/v1/models", headers=bearer("x"))
            assert "Too many wrong tokens" in problem(answer, 429)
            assert 1 <= int(answer.headers["retry-after"]) <= 60
            assert asked(client, "learn", LABELLED, headers=bearer(token))["learned"] == 1


@pytest.mark.parametrize("header", ["x-forwarded-for", "forwarded", "x-real-ip"])
def test_guessing_is_limited_whatever_address_a_client_claims(tmp_path, header):
    with Store.create(tmp_path / "spam", TEXTS) as store:
        new_token(store, "predict")
        with serving({"spam": store}, Settings(Limits(failures=3))) as client:
            claims = [{header: f"192.0.2.{i}", **bearer(f"tally-{i}")} for i in range(4)]
            answers = [client.get("/v1/models", headers=claim).status_code for claim in claims]
            assert answers == [401, 401, 401, 429]


def test_failures_expire_and_are_counted_by_address():
    now = [0.0]
    failures = Failures(Limits(failures=2, forgiven=60), lambda: now[0])
    for address in ("192.0.2.1", "192.0.2.1", "192.0.2.2", "2001:db8::1", "2001:db8::2"):
        failures.add(address)
    for address in ("192.0.2.1", "2001:db8::3"):  # the first half of an IPv6 address is one client
        with pytest.raises(Problem, match="Wait 60 seconds"):
            failures.add(address)
    failures.add("192.0.2.2")
    for last in range(3, 9):
        failures.add(f"::ffff:192.0.2.{last}")  # clients over IPv4, if the service listens on "::"
    with pytest.raises(Problem):
        failures.add("::ffff:192.0.2.1")
    now[0] = 61.0
    failures.add("192.0.2.1")


def test_service_that_requires_tokens_and_has_none_refuses_all(tmp_path):
    with spam_service(tmp_path, Settings(tokens=True)) as (client, _):
        assert problem(client.post("/v1/models/spam/predict", json=ROW), 401)
        assert problem(client.post("/v1/models/spam/predict", json=ROW, headers=bearer("tally-")), 401)
