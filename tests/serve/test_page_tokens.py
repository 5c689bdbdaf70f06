"""Access to the page, the session cookie, and its scope."""

import pytest

from service import ROWS, TEXTS, problem, said, serving
from tallybayes import Store
from tallybayes.serve.settings import Settings
from tallybayes.serve.tokens import new_token

PAGES = ("/", "/models/spam", "/models/spam/knows", "/models/spam/changes", "/models/spam/table")


@pytest.fixture
def guarded(tmp_path):
    """A service that requires tokens, and one token of each scope."""
    with Store.create(tmp_path / "spam", TEXTS) as store:
        for id, text, label in ROWS:
            store.learn(text, label, id=id)
        tokens = {scope: new_token(store, scope) for scope in ("predict", "learn", "admin")}
        with serving({"spam": store}, Settings(tokens=True)) as client:
            yield client, store, tokens


def with_token(token):
    return {"cookie": f"tallybayes-token={token}"}


def test_without_a_token_there_is_a_form(guarded):
    client, *_ = guarded
    for path in PAGES:
        answer = client.get(path)
        assert said(answer, 401) == "This service needs a token."
        assert f'name="back" value="{path}"' in answer.text
        assert "win" not in answer.text


def test_form_for_a_token_is_short(guarded):
    """Anybody may send it, and must not fill the memory."""
    client, *_ = guarded
    assert client.post("/token", data={"token": "x" * 20_000}).status_code == 413
    assert client.post("/token", data={"token": "x" * 10_000}).status_code == 401


def test_cookie_is_hidden_from_scripts_and_other_sites(guarded):
    client, _, tokens = guarded
    answer = client.post("/token", data={"token": tokens["predict"], "back": "/models/spam"})
    assert (answer.status_code, answer.headers["location"]) == (303, "/models/spam")
    assert answer.headers["set-cookie"] == f"tallybayes-token={tokens['predict']}; HttpOnly; Path=/; SameSite=strict"
    secure = {"origin": f"https://{client.base_url.host}:{client.base_url.port}"}
    answer = client.post("/token", data={"token": tokens["predict"]}, headers=secure)
    assert answer.headers["set-cookie"].endswith("; SameSite=strict; Secure")


@pytest.mark.parametrize("back", ["//elsewhere.example", "https://elsewhere.example", "/\\elsewhere.example", "x", ""])
def test_token_form_does_not_redirect_elsewhere(guarded, back):
    client, _, tokens = guarded
    answer = client.post("/token", data={"token": tokens["predict"], "back": back})
    assert answer.headers["location"] == "/"


def test_api_ignores_cookies(guarded):
    client, _, tokens = guarded
    cookie = with_token(tokens["admin"])
    assert client.get("/models/spam", headers=cookie).status_code == 200
    problem(client.get("/v1/models/spam", headers=cookie), 401)
    problem(client.post("/v1/models/spam/learn", json={"row": {"text": "x"}, "label": "ham"}, headers=cookie), 401)


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "knows"),
        ("GET", "changes"),
        ("GET", "receipts/1"),
        ("POST", "teach"),
        ("POST", "forget"),
        ("POST", "correct"),
    ],
)
def test_predict_scope_sees_and_changes_nothing_else(guarded, method, path):
    client, store, tokens = guarded
    data = {"cell-0": "x", "label": "ham", "id": "m-1"} if method == "POST" else None
    answer = client.request(method, f"/models/spam/{path}", data=data, headers=with_token(tokens["predict"]))
    assert said(answer, 403) == ("This token may not do that: it needs the scope &#39;learn&#39; for this model.")
    assert store.number == 3


def test_guessing_is_throttled_and_a_valid_token_accepted(guarded):
    client, _, tokens = guarded
    for _ in range(10):
        said(client.post("/token", data={"token": "wrong"}), 401)
    answer = client.post("/token", data={"token": "wrong"})
    assert said(answer, 429).startswith("Too many wrong tokens. Wait ")
    assert int(answer.headers["retry-after"]) > 0
    assert client.post("/token", data={"token": tokens["predict"]}).status_code == 303


def test_logging_out(guarded):
    client, _, tokens = guarded
    answer = client.post("/leave", headers=with_token(tokens["learn"]))
    assert answer.headers["location"] == "/token"
    assert 'tallybayes-token=""' in answer.headers["set-cookie"]
    assert "Max-Age=0" in answer.headers["set-cookie"]
