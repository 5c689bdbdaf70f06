"""Accessibility of the page: phone and desktop, light and dark, keyboard and screen reader."""

from contextlib import ExitStack

import pytest

from browser import DESK, PHONE, sent, visiting
from service import ROWS, TEXTS, serving
from tallybayes import Bernoulli, Categorical, Gaussian, Model, Poisson, Store, Words
from tallybayes.serve.settings import Settings
from tallybayes.serve.tokens import new_token

pytestmark = pytest.mark.slow

LONG = "averyveryverylongnamewithoutanyspaceinit" * 3
CONTRAST = """() => {
  const parse = (text) => (text.match(/[\\d.]+/g) || []).map(Number);
  const light = ([r, g, b]) => {
    const [x, y, z] = [r, g, b].map((v) => (v /= 255) <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
    return 0.2126 * x + 0.7152 * y + 0.0722 * z;
  };
  const behind = (each) => {
    for (; each; each = each.parentElement) {
      const colour = parse(getComputedStyle(each).backgroundColor);
      if (colour.length === 3 || colour[3] > 0) return colour;
    }
    throw new Error("nothing is behind");
  };
  const poor = [];
  for (const each of document.querySelectorAll("body *")) {
    const own = [...each.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim());
    if (!(own || each.matches("input, textarea, select")) || !each.checkVisibility()) continue;
    const style = getComputedStyle(each);
    const colour = parse(each instanceof SVGElement ? style.fill : style.color);
    const [high, low] = [light(colour), light(behind(each))].sort((a, b) => b - a);
    const ratio = (high + 0.05) / (low + 0.05);
    if (ratio < 4.5) poor.push([each.outerHTML.slice(0, 80), ratio]);
  }
  return poor;
}"""
UNNAMED = """() => {
  const poor = [];
  for (const each of document.querySelectorAll("input:not([type=hidden]), select, textarea, button, a, summary")) {
    const named = each.labels?.length || each.getAttribute("aria-label") || each.textContent.trim();
    if (!named) poor.push(each.outerHTML);
  }
  for (const each of document.querySelectorAll("svg:not([aria-hidden=true])"))
    if (!each.querySelector("title")?.textContent.trim()) poor.push(each.outerHTML);
  for (const each of document.querySelectorAll("img:not([alt]), table:not(:has(caption))")) poor.push(each.outerHTML);
  const ids = [...document.querySelectorAll("[id]")].map((each) => each.id);
  for (const each of ids) if (ids.indexOf(each) !== ids.lastIndexOf(each)) poor.push("twice: " + each);
  for (const each of document.querySelectorAll("[aria-labelledby], [list], label[for]")) {
    const wanted = each.getAttribute("aria-labelledby") || each.getAttribute("list") || each.getAttribute("for");
    if (!ids.includes(wanted)) poor.push("nowhere: " + wanted);
  }
  let before = 0;
  for (const each of document.querySelectorAll("h1, h2, h3, h4")) {
    if (Number(each.tagName[1]) > before + 1) poor.push("level: " + each.outerHTML);
    before = Number(each.tagName[1]);
  }
  const landmarks = ["html[lang=en]", "header", "main", "footer", "h1", "meta[name=viewport]", "head > title"];
  return [...poor, ...landmarks.filter((each) => document.querySelectorAll(each).length !== 1)];
}"""


@pytest.fixture(scope="module")
def service(tmp_path_factory):
    """Models of all kinds, one with names that do not fit."""
    folder = tmp_path_factory.mktemp("everybody")
    columns = {"age": Gaussian(), LONG: Categorical(), "calls": Poisson(), "gone": Bernoulli(), "notes": Words()}
    rows = {"age": [20.0, 30.0, 50.0], LONG: [LONG, "b", "c"], "calls": [1, 2, 3], "gone": [True, False, True]}
    model = Model.train(columns, {**rows, "notes": [f"a {LONG}", "wants lunch", ""]}, [LONG, "no", "maybe"])
    starts = {"spam": TEXTS, "many": model, "new": columns}
    with ExitStack() as stack:
        stores = {name: stack.enter_context(Store.create(folder / name, start)) for name, start in starts.items()}
        for id, text, label in [*ROWS, (LONG, LONG, "ham")]:
            stores["spam"].learn(text, label, id=id, prove=True)
        yield stack.enter_context(serving(stores))


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [PHONE, DESK], ids=["phone", "desk"])
def test_every_page_is_readable(browser, service, size, scheme):
    with visiting(browser, service, viewport=size, color_scheme=scheme) as page:

        def check():
            assert page.evaluate("document.documentElement.scrollWidth") <= size["width"], page.url
            assert page.evaluate(CONTRAST) == [], page.url
            assert page.evaluate(UNNAMED) == [], page.url

        paths = ["", "models/new", "models/many/knows", "models/spam/knows", "models/spam/changes?done=3", "models/x"]
        for path in [*paths, "models/many/table", "models/spam/changes?id=nobody"]:
            page.goto(f"/{path}")
            check()
        for model, field, text in (("spam", "text", f"win lunch {LONG}"), ("many", "notes", f"lunch {LONG}")):
            page.goto(f"/models/{model}")
            page.get_by_label(field, exact=True).fill(text)
            sent(page, page.get_by_role("button", name="What is it?"))
            page.locator("#answer").wait_for()
            page.locator("details").last.locator("summary").click()
            check()
        sent(page, page.locator(".teach button[name=label]").first)
        page.locator("#taught").wait_for()
        check()
        sent(page, page.get_by_role("button", name="Undo"))
        page.locator("#done").wait_for()
        check()


def test_token_form_is_readable(browser, tmp_path):
    with Store.create(tmp_path / "spam", TEXTS) as store:
        new_token(store, "predict")
        with serving({"spam": store}, Settings(tokens=True)) as client, visiting(browser, client) as page:
            page.goto("/")
            assert page.evaluate(CONTRAST) == []
            assert page.evaluate(UNNAMED) == []
            assert page.evaluate("document.activeElement.id") == "token"


def test_focus_is_visible(browser, service):
    with visiting(browser, service) as page:
        page.goto("/models/many")
        for _ in range(14):
            page.keyboard.press("Tab")
            style = page.evaluate(
                "(({outlineStyle, outlineWidth}) => [outlineStyle, outlineWidth])"
                "(getComputedStyle(document.activeElement))"
            )
            assert style == ["solid", "3px"], page.evaluate("document.activeElement.outerHTML")


def test_answer_is_announced(browser, service):
    with visiting(browser, service) as page:
        page.goto("/models/spam")
        page.get_by_label("text", exact=True).fill("win")
        sent(page, page.get_by_role("button", name="What is it?"))
        status = page.get_by_role("status")
        status.wait_for()
        assert status.get_attribute("aria-live") == "polite"
        assert status.text_content().startswith("spam: ")
        page.wait_for_function("document.activeElement.id == 'answer-title'")
