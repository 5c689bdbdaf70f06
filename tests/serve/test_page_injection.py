"""Whatever is pasted, learned or named is shown as text: nothing runs, nothing is loaded, no third-party requests."""

import re
from html.parser import HTMLParser

import pytest

from browser import sent, visiting
from payloads import PAYLOADS
from service import TEXTS, serving
from tallybayes import Categorical, Store
from tallybayes.serve.page.visits import path_of

pytestmark = pytest.mark.slow

TOGETHER = 25  # payloads shown on one page
PRINTABLE = [payload for payload in PAYLOADS if payload.isprintable()]
TAGS = """a body button caption code data datalist dd details div dl dt fieldset footer form h1 h2 h3 head header html
img input label legend li line link main mark meta nav ol option p polyline pre rect script section select span strong
summary svg table tbody td text textarea th thead time title tr ul"""
ALLOWED = frozenset(re.findall(r"\w+", TAGS))
INTRUDERS = """() => {
  const found = [];
  for (const each of document.querySelectorAll("*")) {
    for (const { name, value } of each.attributes) {
      if (name.startsWith("on") || name === "style" || name === "srcdoc") found.push(each.outerHTML);
      if (["src", "href", "action", "data"].includes(name) && !/^[/#]/.test(value)) found.push(each.outerHTML);
    }
  }
  const alien = "script:not([src^='/page/script.js']), iframe, object, embed, base, style, img:not([src^='/page/'])";
  return [...found, ...[...document.querySelectorAll(alien)].map((each) => each.outerHTML)];
}"""


def test_there_are_enough_payloads():
    assert len(PAYLOADS) >= 500


class Tags(HTMLParser):
    """The elements of a page according to an independent parser."""

    def __init__(self):
        super().__init__()
        self.alien = []

    def handle_starttag(self, tag, attributes):
        strange = tag not in ALLOWED or any(name.startswith("on") or name == "style" for name, _ in attributes)
        if strange or (tag == "script" and not dict(attributes).get("src", "").startswith("/page/script.js?")):
            self.alien.append(self.get_starttag_text())


def alien_tags(html):
    tags = Tags()
    tags.feed(html)
    tags.close()
    return tags.alien


def check(page):
    assert page.evaluate(INTRUDERS) == []


def test_pasted_and_learned_texts(browser, tmp_path):
    with Store.create(tmp_path / "spam", TEXTS) as store:
        store.learn("script alert elsewhere", "spam")
        store.learn("lunch", "ham")
        with serving({"spam": store}) as client, visiting(browser, client) as page:
            page.goto("/")
            for start in range(0, len(PAYLOADS), TOGETHER):
                text = "\n".join(PAYLOADS[start : start + TOGETHER])
                page.get_by_label("text", exact=True).fill(text)
                sent(page, page.get_by_role("button", name="What is it?"))
                page.locator("#answer").wait_for()
                assert page.get_by_label("text", exact=True).input_value() == text
                assert page.locator(".text").text_content() == text.replace("\u202e", "\\u202e")
                check(page)
            sent(page, page.locator(".teach").get_by_role("button", name="ham", exact=True))
            page.locator("#taught").wait_for()
            check(page)
            page.goto("/models/spam/knows")
            check(page)


def test_labels_and_ids(browser, tmp_path):
    with Store.create(tmp_path / "spam", TEXTS) as store:
        store.learn_all([("some text", label, None) for label in PAYLOADS])
        store.learn_all([("more text", "ham", id) for id in PRINTABLE])
        with serving({"spam": store}) as client, visiting(browser, client) as page:
            page.goto("/")
            page.get_by_label("text", exact=True).fill("text")
            sent(page, page.get_by_role("button", name="What is it?"))
            page.locator("#answer").wait_for()
            check(page)
            listed = page.locator("#labels option, .teach button[name=label]").evaluate_all(
                "all => all.map(it => it.value)"
            )
            assert set(PAYLOADS) <= set(listed)
            page.goto("/models/spam/knows")
            check(page)
            page.goto("/models/spam/changes")
            assert page.locator(".changes .id").count() == 25
            check(page)
            for id in PRINTABLE[::4]:
                asked = client.get("/models/spam/changes", params={"id": id})
                assert asked.status_code == 200
                assert alien_tags(asked.text) == []


def test_columns_and_levels(browser, tmp_path):
    schema = {column: Categorical() for column in PAYLOADS}
    with Store.create(tmp_path / "wide", schema) as store:
        for level in PAYLOADS[:3]:
            store.learn(dict.fromkeys(PAYLOADS, level), "a")
        with serving({"wide": store}) as client, visiting(browser, client) as page:
            page.goto("/")
            assert page.locator(".field").count() == len(PAYLOADS)
            check(page)
            sent(page, page.get_by_role("button", name="What is it?"))
            page.locator("#answer").wait_for()
            check(page)
            for path in ("knows", "table"):
                page.goto(f"/models/wide/{path}")
                check(page)


def test_names_of_models_and_files(browser, tmp_path):
    names = [payload for payload in PRINTABLE if "/" not in payload][:40]
    stores = {name: Store.create(tmp_path / str(at), TEXTS) for at, name in enumerate(names)}
    with serving(stores) as client, visiting(browser, client) as page:
        page.goto("/")
        assert page.locator("main h2").all_inner_texts() == [name.replace("\u202e", "\\u202e") for name in names]
        check(page)
        page.goto(path_of(names[1]))
        assert page.locator("nav.models [aria-current]").inner_text() == names[1]
        check(page)
        for name in names:
            found = client.get(path_of(f"{name}, not"))
            assert found.status_code == 404
            assert alien_tags(found.text) == []
    for store in stores.values():
        store.close()


def test_file_names_cannot_inject_headers(tmp_path):
    with Store.create(tmp_path / "spam", TEXTS) as store:
        store.learn("lunch", "ham")
        with serving({"spam": store}) as client:
            for name in [*PAYLOADS[::20], "x\r\nset-cookie: a=b.csv", '"; filename="x.exe']:
                sent_file = {"table": (name, b"text\nlunch\n", "text/csv")}
                found = client.post("/models/spam/table", files=sent_file)
                assert found.status_code == 200, found.text
                assert "set-cookie" not in found.headers
                named = found.headers["content-disposition"]
                assert named.startswith("attachment; filename*=UTF-8''")
                assert named.endswith("-answers.csv")
                assert not set("\"'<>;/\\ ") & set(named.removeprefix("attachment; filename*=UTF-8''"))
