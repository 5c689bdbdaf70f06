"""Who is let in to the page, what a browser is given to keep, and where it counts."""

import pytest

from service import ROWS, TEXTS, problem, said, serving
from tallybayes import Store
from tallybayes.serve.settings import Settings
from tallybayes.serve.tokens import new_token

PAGES = ("/", "/models/spam", "/models/spam/knows", "/models/spam/changes", "/models/spam/table")


@pytest.fixture
def guarded(tmp_path):
    """A service that wants tokens, and one token of each scope."""
    with Store.create(tmp_path / "spam", TEXTS) as store:
        for id, text, label in ROWS:
            store.learn(text, label, id=id)
        tokens = {scope: new_token(store, scope) for scope in ("predict", "learn", "admin")}
        with serving({"spam": store}, Settings(tokens=True)) as client:
            yield client, store, tokens


def with_token(token):
    return {"cookie": f"tallybayes-token={token}"}


def test_without_a_token_there_is_a_form_for_one(guarded):
    client, *_ = guarded
    for path in PAGES:
        answer = client.get(path)
        assert said(answer, 401) == "This service needs a token."
        assert f'name="back" value="{path}"' in answer.text
        assert "win" not in answer.text


def test_a_token_is_kept_where_no_script_and_no_other_site_gets_at_it(guarded):
    client, _, tokens = guarded
    answer = client.post("/token", data={"token": tokens["predict"], "back": "/models/spam"})
    assert (answer.status_code, answer.headers["location"]) == (303, "/models/spam")
    assert answer.headers["set-cookie"] == f"tallybayes-token={tokens['predict']}; HttpOnly; Path=/; SameSite=strict"
    secure = {"origin": f"https://{client.base_url.host}:{client.base_url.port}"}
    answer = client.post("/token", data={"token": tokens["predict"]}, headers=secure)
    assert answer.headers["set-cookie"].endswith("; SameSite=strict; Secure")


@pytest.mark.parametrize("back", ["//elsewhere.example", "https://elsewhere.example", "/\\elsewhere.example", "x", ""])
def test_a_token_leads_nowhere_else(guarded, back):
    client, _, tokens = guarded
    answer = client.post("/token", data={"token": tokens["predict"], "back": back})
    assert answer.headers["location"] == "/"


def test_the_api_does_not_take_cookies(guarded):
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
def test_who_may_only_ask_sees_and_changes_nothing_else(guarded, method, path):
    client, store, tokens = guarded
    data = {"cell-0": "x", "label": "ham", "id": "m-1"} if method == "POST" else None
    answer = client.request(method, f"/models/spam/{path}", data=data, headers=with_token(tokens["predict"]))
    assert said(answer, 403) == ("This token may not do that: it needs the scope &#39;learn&#39; for this model.")
    assert store.number == 3


def test_guessing_is_stopped_and_a_right_token_still_let_in(guarded):
    client, _, tokens = guarded
    for _ in range(10):
        said(client.post("/token", data={"token": "wrong"}), 401)
    answer = client.post("/token", data={"token": "wrong"})
    assert said(answer, 429).startswith("Too many wrong tokens. Wait ")
    assert int(answer.headers["retry-after"]) > 0
    assert client.post("/token", data={"token": tokens["predict"]}).status_code == 303


def test_a_token_can_be_given_back(guarded):
    client, _, tokens = guarded
    answer = client.post("/leave", headers=with_token(tokens["learn"]))
    assert answer.headers["location"] == "/token"
    assert 'tallybayes-token=""' in answer.headers["set-cookie"]
    assert "Max-Age=0" in answer.headers["set-cookie"]
