"""The page over HTTP: refusals, responses and headers."""

import re
from datetime import date
from html import unescape
from pathlib import Path

import httpx
import pytest

import tallybayes.serve.page
from service import ROWS, TEXTS, problem, said, serving, spam_service
from tallybayes import Bernoulli, Categorical, Correlated, Gaussian, Model, Store, Words, digest
from tallybayes.serve.settings import Limits, Settings

FOLDER = Path(tallybayes.serve.page.__file__).parent
FIELDS, MULTIPART = "application/x-www-form-urlencoded", "multipart/form-data; boundary=b"
NAMED = b'--b\r\ncontent-disposition: form-data; name="a"\r\n\r\n'
OTHER_MODEL = "The model has changed since this page was loaded. Reload the page."
NO_CLASS = "There is no class 'hma'; there are 'ham', 'spam'. To make a new class, tick “new class”."
NEVER_LEARNED = "The row 'm-9' was never learned. Give the id it was learned under."
OTHER_ROW = (
    "The id 'm-1' belongs to another row, or to this one with another label. Give every row its own id; to "
    "change a label, use correct."
)
PAGES = ("/", "/models/spam", "/models/spam/knows", "/models/spam/changes", "/models/spam/table")


@pytest.fixture(scope="module")
def asking(tmp_path_factory):
    with spam_service(tmp_path_factory.mktemp("page")) as (client, store):
        yield client, store


@pytest.mark.parametrize("path", PAGES)
def test_no_page_is_cached_or_loads_anything_from_elsewhere(asking, path):
    answer = asking[0].get(path, follow_redirects=True)
    assert answer.status_code == 200
    assert answer.headers["cache-control"] == "no-store"
    policy = answer.headers["content-security-policy"]
    assert policy.startswith("default-src 'none'; script-src 'self'; style-src 'self';")
    assert "unsafe" not in policy


def test_long_forms_are_read_and_refused_like_short_ones(asking):
    client, _ = asking
    for text in ("win", "win " * 10_000):
        assert "spam" in client.post("/models/spam", data={"cell-0": text}).text
    for body in (b"a=%ff", b"a=%ff" * 10_000):
        answer = client.post("/models/spam", content=body, headers={"content-type": FIELDS})
        assert said(answer, 400).startswith("The form cannot be read: names and values must be UTF-8")


def test_of_several_texts_those_with_a_marked_word_are_shown(tmp_path):
    rows = {"said": ["free money", "lunch money"], "by": ["ann", "ann"]}
    model = Model.train(dict.fromkeys(rows, Words()), rows, ["spam", "ham"])
    with Store.create(tmp_path / "s", model) as store, serving({"s": store}) as client:
        answer = client.post("/models/s", data={"cell-0": "ann", "cell-1": "free money"}).text
    assert re.findall(r"<h2[^>]*>(\w+), word by word</h2>", answer) == ["said"]


def test_other_levels_are_offered_if_there_may_be_any(tmp_path):
    rows = {"sure": [True, False], "where": ["in", "out"]}
    model = Model.train({"sure": Bernoulli(), "where": Categorical()}, rows, ["a", "b"])
    with Store.create(tmp_path / "s", model) as store, serving({"s": store}) as client:
        page = client.get("/models/s").text
    assert re.findall(r'<option value="(\w+)"', page) == ["false", "true", "in", "out"]
    assert re.findall(r'aria-label="(\w+): something else"', page) == ["where"]


def test_empty_text_is_a_level_that_is_listed_but_cannot_be_chosen(tmp_path):
    """An empty field means missing."""
    model = Model.train({"x": Categorical()}, {"x": ["", "", "in"]}, ["a", "a", "b"])
    with Store.create(tmp_path / "s", model) as store, serving({"s": store}) as client:
        assert re.findall(r'<option value="([^"]*)"', client.get("/models/s").text)[:-1] == ["", "in"]
        assert '<th scope="row">(empty)</th>' in client.get("/models/s/knows").text


def test_most_frequent_levels_are_listed(tmp_path):
    levels = ["(missing)"] * 30 + [f"level {i}" for i in range(20)]
    model = Model.train({"x": Categorical()}, {"x": levels}, ["a", "b"] * 25)
    with Store.create(tmp_path / "m", model) as store, serving({"m": store}) as client:
        html = client.get("/models/m/knows").text
    shown = html.partition('class="levels-table"')[2].partition("</table>")[0]
    assert shown.count("<tr>") == 1 + 16
    assert re.findall(r'<data value="([^"]+)"', shown)[:2] == [str(model.estimates("x")["(missing)"]["a"])] * 2
    assert "… and 5 more levels" in html


def test_a_class_of_empty_texts_has_no_strong_words(tmp_path):
    with Store.create(tmp_path / "m", TEXTS) as store, serving({"m": store}) as client:
        store.learn_all([("win a prize", "spam", None), ("lunch", "ham", None), ("", "other", None)])
        html = client.get("/models/m/knows").text
    assert re.findall(r"<h3 [^>]*>For (\w+)</h3>\s*<p [^>]*>([^<]*)", html) == [
        ("other", "No word or value speaks for it.")
    ]


def test_a_class_without_strong_words_points_to_the_numbers_if_they_are_drawn(tmp_path):
    model = Model.train({"x": Gaussian()}, {"x": [1.0, 2.0, 3.0, 5.0]}, ["a", "a", "b", "b"])
    with Store.create(tmp_path / "m", model) as store, serving({"m": store}) as client:
        html = client.get("/models/m/knows").text
    assert html.count("No word or value speaks for it. Numbers are drawn below.") == 2


def test_style_and_script_are_cached_under_hashed_urls(asking):
    client, _ = asking
    html = client.get("/models/spam").text
    addresses = re.findall(r'(?:src|href)="(/page/[^"]+)"', html)
    assert {address.partition("?")[0] for address in addresses} == {
        "/page/style.css",
        "/page/script.js",
        "/page/icon.svg",
    }
    for address in addresses:
        answer = client.get(address)
        assert (answer.status_code, answer.content) == (
            200,
            (FOLDER / "static" / Path(address.partition("?")[0]).name).read_bytes(),
        )
        assert answer.headers["cache-control"] == "public, max-age=31536000, immutable"


def test_templates_have_no_inline_script_or_style():
    templates = list((FOLDER / "templates").glob("*.html"))
    assert len(templates) == 9
    for template in templates:
        text = template.read_text()
        assert not re.search(r"<style|style=|\son\w+=|javascript:|<script(?! src=)|\|\s*safe|autoescape", text), (
            template
        )


def test_without_tokens_no_cookie_is_set(asking):
    client, _ = asking
    answer = client.post("/token", data={"token": "x"})
    assert (answer.status_code, answer.headers["location"]) == (303, "/")
    assert "set-cookie" not in answer.headers
    assert client.get("/token").headers["location"] == "/"


@pytest.mark.parametrize(
    "headers", [{"origin": "https://elsewhere.example"}, {"origin": "null"}, {"sec-fetch-site": "cross-site"}]
)
def test_cross_site_forms_change_nothing(asking, headers):
    client, store = asking
    for path in ("teach", "forget", "correct"):
        fields = {"cell-0": "x", "label": "ham", "id": "m-1"}
        problem(client.post(f"/models/spam/{path}", data=fields, headers=headers), 403)
    assert store.number == 3


@pytest.mark.parametrize(
    ("path", "fields", "status", "sentence"),
    [
        ("teach", {"cell-0": "x"}, 400, "Which class is it? Choose one, or type a new one."),
        ("teach", {"row": "[1]", "label": "ham"}, 400, OTHER_MODEL),
        ("teach", {"cell-0": "x", "label": "ham", "id": "m-1"}, 409, OTHER_ROW),
        ("forget", {"id": "m-9"}, 404, NEVER_LEARNED),
        ("forget", {"id": ""}, 400, "The id is ''; give 1 to 1,000 printable characters."),
        ("correct", {"id": "m-9", "label": "ham"}, 404, NEVER_LEARNED),
        ("correct", {"id": "m-1"}, 400, "Which class is it? Choose one, or type a new one."),
        ("correct", {"id": "m-1", "label": "hma"}, 400, NO_CLASS),
        ("correct", {"id": "m-1", "label": " "}, 400, "Which class is it? Choose one, or type a new one."),
        ("correct", {"id": "m-1", "label": ""}, 400, "Which class is it? Choose one, or type a new one."),
    ],
)
def test_errors_are_messages(asking, path, fields, status, sentence):
    client, store = asking
    assert said(client.post(f"/models/spam/{path}", data=fields), status).replace("&#39;", "'") == sentence
    assert store.number == 3


@pytest.mark.parametrize(
    ("kind", "body", "sentence"),
    [
        (FIELDS, b"a=%ff", "names and values must be UTF-8, percent-encoded, and at most 10,000."),
        (FIELDS, b"&".join([b"a=1"] * 10_001), "names and values must be UTF-8, percent-encoded, and at most 10,000."),
        ("multipart/form-data", b"", "it has no boundary."),
        (MULTIPART, b"--b\r\n", "it is truncated."),
        (MULTIPART, b"--b\r\nx: y\r\n\r\nz\r\n--b--", "a part has no name."),
        (MULTIPART, NAMED + b"\xff\r\n--b--", "its text must be UTF-8."),
    ],
)
def test_broken_form_is_refused(asking, kind, body, sentence):
    answer = asking[0].post("/models/spam/table", content=body, headers={"content-type": kind})
    assert said(answer, 400) == f"The form cannot be read: {sentence}"


@pytest.mark.parametrize(
    ("kind", "body", "status", "sentence"),
    [
        ("text/plain", b"x", 415, f"The body is 'text/plain'; send a form, {FIELDS} or multipart/form-data."),
        (MULTIPART, b"--b--", 400, "No file was chosen, or it is empty. Choose a CSV file."),
    ],
)
def test_non_form_body_is_refused(asking, kind, body, status, sentence):
    answer = asking[0].post("/models/spam/table", content=body, headers={"content-type": kind})
    assert said(answer, status).replace("&#39;", "'") == sentence


def test_unreadable_table_is_refused(asking):
    client, _ = asking
    for content, sentence in [
        (b"text\n", "The file has no rows."),
        (b"\x1f\x8b\x08\x00", "The file is compressed. Send it uncompressed."),
    ]:
        answer = client.post("/models/spam/table", files={"table": ("x.csv", content)})
        assert said(answer, answer.status_code) == sentence
        assert answer.status_code in (400, 415)


def test_oversized_body_is_refused_on_a_page(tmp_path):
    with spam_service(tmp_path, Settings(limits=Limits(body=1000))) as (client, _):
        answer = client.post("/models/spam", data={"cell-0": "x" * 1001})
        assert said(answer, 413) == "The body is longer than 1,000 bytes. Send the rows in parts."


def test_many_rows_stream_back_in_order(asking):
    client, store = asking
    texts = [f"{'win' if at % 3 else 'lunch'} {at}" for at in range(25_000)]
    content = "\n".join(["text", *texts, ""]).encode()
    with client.stream("POST", "/models/spam/table", files={"table": ("x.csv", content)}) as answer:
        assert "content-length" not in answer.headers
        lines = list(answer.iter_lines())
    assert lines[0] == "text,class,probability,P(ham),P(spam)"
    cells = [line.split(",") for line in lines[1:]]
    assert [row[0] for row in cells] == texts
    spam = store.beliefs().posterior({"text": texts})[:, 1]
    assert [float(row[4]) for row in cells] == pytest.approx(spam.tolist(), rel=1e-12)


def test_spreadsheet_formulas_are_escaped(tmp_path):
    with spam_service(tmp_path, rows=[("m-1", "lunch", "=cmd()")]) as (client, _):
        answer = client.post("/models/spam/table", files={"table": ("x.csv", b"text,sum\nlunch,=1+1\n")})
        assert answer.text == "text,sum,class,probability,P(=cmd())\nlunch,'=1+1,'=cmd(),1,1\n"


@pytest.mark.parametrize("labels", [(True, False), (1, 2), (0.5, 1.5), (date(2024, 1, 1), date(2024, 1, 2))])
def test_labels_keep_their_type(tmp_path, labels):
    with spam_service(tmp_path, rows=[("m-1", "win", labels[0]), ("m-2", "lunch", labels[1])]) as (client, store):
        first, second = map(str, labels)
        answer = client.post("/models/spam/teach", data={"cell-0": "win lunch", "label": second, "id": "p-1"})
        assert answer.status_code == 200, answer.text
        assert f"<strong>{second}</strong> (change 3)." in answer.text
        answer = client.post("/models/spam/correct", data={"id": "m-2", "label": first})
        assert answer.status_code == 303, answer.text
        rows = ["win", "lunch", "win lunch"], [labels[0], labels[0], labels[1]]
        assert store.digest() == digest(Model.train(TEXTS, *rows))


def test_row_can_be_corrected_to_a_new_class(tmp_path):
    with spam_service(tmp_path) as (client, store):
        answer = client.post("/models/spam/correct", data={"id": "m-1", "label": "news", "new-class": "on"})
        assert answer.status_code == 303, answer.text
        texts = [text for _, text, _ in ROWS]
        assert store.digest() == digest(Model.train(TEXTS, texts, ["news", "ham", "ham"]))


def test_model_that_cannot_be_queried_says_why(tmp_path):
    schema = {"x": Gaussian(), ("x", "y"): Correlated()}
    with Store.create(tmp_path / "m", schema) as store, serving({"m": store}) as client:
        assert "It hasn’t learned anything yet" in client.get("/models/m").text
        store.learn({"x": 1.0, "y": 2.0}, "a")
        for path in ("/models/m", "/models/m/knows"):
            assert "would count twice" in said(client.get(path), 400)


def test_metrics_count_changes_made_on_the_page(tmp_path):
    with spam_service(tmp_path) as (client, _):
        client.post("/models/spam/teach", data={"cell-0": "x", "label": "ham", "id": "p-1"})
        client.post("/models/spam/teach", data={"cell-0": "x", "label": "ham", "id": "p-1"})
        client.post("/models/spam/forget", data={"id": "p-1"})
        text = client.get("/metrics").text
    assert 'tallybayes_rows_total{model="spam",what="learned"} 1.0' in text
    assert 'tallybayes_rows_total{model="spam",what="forgotten"} 1.0' in text
    assert 'tallybayes_requests_total{model="spam",operation="page",status="200"} 2.0' in text


def test_unknown_receipt_is_not_found(asking):
    client, _ = asking
    for number in ("99", "9" * 5_000):
        assert said(client.get(f"/models/spam/receipts/{number}"), 404) == f"There is no change {number[:18]} yet."
    for text in ("-1", "x", "\u0663x", "<script>"):
        assert unescape(said(client.get(f"/models/spam/receipts/{text}"), 404)) == f"There is no change {text!r}."
    assert client.get("/models/spam/receipts/\u0661").json()["record"]["number"] == 1  # an Arabic digit


@pytest.mark.parametrize("path", ["/models", "/models/", "/models/spam/", "/models/spam/nothing", "/models/eggs/knows"])
def test_wrong_address_is_answered_with_a_page(asking, path):
    client, _ = asking
    answer = client.get(path)
    expected = "There is no model " if "eggs" in path else "There is nothing at this address."
    assert said(answer, 404).startswith(expected)
    assert '<a class="button" href="/">All models</a>' in answer.text


def test_disconnecting_browser_does_no_harm(asking):
    client, _ = asking
    with (
        httpx.Client(base_url=client.base_url, timeout=120) as other,
        other.stream("GET", "/models/spam/knows") as answer,
    ):
        assert answer.status_code == 200
    assert client.get("/models/spam").status_code == 200
