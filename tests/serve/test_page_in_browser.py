"""User flows of the page in Chromium, with and without scripts."""

import re
from contextlib import contextmanager

import numpy as np
import pytest

from browser import both_ways, numbers, sent, visiting
from service import ROWS, TEXTS, serving, spam_service
from tallybayes import Model, Store, check_receipt, digest
from tallybayes.serve.settings import Settings
from tallybayes.serve.tokens import new_token

pytestmark = pytest.mark.slow

TEXT = "Win a prize,\nnot lunch."


@contextmanager
def spam_page(browser, folder, javascript):
    with spam_service(folder) as (client, store), visiting(browser, client, javascript) as page:
        page.goto("/")  # which is the only model
        yield page, store


def trained(rows=ROWS):
    return Model.train(TEXTS, [text for _, text, _ in rows], [label for *_, label in rows])


def ask(page, text=TEXT):
    page.get_by_label("text", exact=True).fill(text)
    sent(page, page.get_by_role("button", name="What is it?"))
    page.locator("#answer").wait_for()


def teach(page, label):
    sent(page, page.locator(".teach").get_by_role("button", name=label, exact=True))
    page.locator("#taught").wait_for()


@both_ways
def test_answer_equals_the_model(browser, tmp_path, javascript):
    with spam_page(browser, tmp_path, javascript) as (page, _):
        ask(page)
        ham, spam = trained().posterior(TEXT)[0].tolist()
        assert spam > ham
        assert page.locator(".verdict").inner_text() == "spam"
        assert numbers(page, ".sure") == [spam]
        assert numbers(page, ".probabilities") == [spam, ham]
        assert page.locator(".sure").text_content() == f"spam: {spam:.1%} sure"
        assert page.get_by_label("text", exact=True).input_value() == TEXT
        assert page.locator("#answer-title:focus").count() == 1  # where a screen reader continues


@both_ways
def test_evidence_is_to_scale_and_words_are_highlighted(browser, tmp_path, javascript):
    with spam_page(browser, tmp_path, javascript) as (page, _):
        ask(page)
        evidence = trained().evidence(TEXT)
        log_odds = {part.word: float(part.evidence[1] - part.evidence[0]) for part in evidence.words(0)}
        rows = page.locator(".bars tbody tr").all()
        drawn = {row.locator("th").inner_text(): row.locator("rect") for row in rows}
        pieces = [*log_odds.values(), *np.subtract(*evidence["text"][0][::-1].reshape(2, 1)).tolist()]
        total = evidence.total()[0]
        longest = max(map(abs, [*pieces, total[1] - total[0], evidence.prior[1] - evidence.prior[0]]))
        for word, odds in log_odds.items():
            bar = drawn[word]
            assert bar.get_attribute("class") == ("for" if odds > 0 else "against")
            assert float(bar.get_attribute("width")) == pytest.approx(100 * abs(odds) / longest, abs=0.006)
        assert float(drawn["all together"].get_attribute("width")) == pytest.approx(
            100 * abs(total[1] - total[0]) / longest, abs=0.006
        )
        marks = page.locator(".text mark").all()
        assert [mark.inner_text() for mark in marks] == ["Win", "prize", "lunch"]
        assert [mark.get_attribute("class").split()[0] for mark in marks] == ["for", "for", "against"]
        assert page.locator(".text").inner_text() == TEXT


@both_ways
def test_correction_changes_the_answer_immediately(browser, tmp_path, javascript):
    with spam_page(browser, tmp_path, javascript) as (page, store):
        ask(page)
        before = trained().posterior(TEXT)[0].tolist()
        teach(page, "ham")
        after = trained([*ROWS, ("new", TEXT, "ham")]).posterior(TEXT)[0].tolist()
        assert numbers(page, ".before") == [before[0], after[0], before[1], after[1]]
        assert numbers(page, ".sure") == [after[0]]
        assert "The answer changed from spam to ham." in page.locator("#taught").inner_text()
        assert (store.number, store.changes(1)[0].what) == (4, "learn")
        teach(page, "spam")
        again = trained([*ROWS, ("new", TEXT, "spam")]).posterior(TEXT)[0].tolist()
        assert numbers(page, ".sure") == [again[1]]
        assert (store.number, store.changes(1)[0].what) == (5, "correct")
        assert len(store.ids()) == 4


def test_reloading_learns_nothing_twice(browser, tmp_path):
    with spam_page(browser, tmp_path, javascript=False) as (page, store):
        ask(page)
        teach(page, "ham")
        page.reload()
        assert "it counts once" in page.locator("#taught").inner_text()
        assert store.number == 4


def test_new_class_can_be_named(browser, tmp_path):
    with spam_page(browser, tmp_path, javascript=True) as (page, store):
        ask(page)
        page.get_by_label("Another class").fill("news")
        teach(page, "Learn")
        assert store.beliefs().labels == ["ham", "news", "spam"]
        assert "unknown" in page.locator(".before").inner_text()


@both_ways
def test_forgetting_restores_the_digest(browser, tmp_path, javascript):
    with spam_page(browser, tmp_path, javascript) as (page, store):
        first = store.digest()
        ask(page)
        teach(page, "ham")
        second = store.digest()
        sent(page, page.get_by_role("button", name="Undo"))
        page.locator("#done").wait_for()
        assert page.url.endswith("/models/spam/changes?done=5")
        shown = [page.locator(f"#digest-{which}").inner_text() for which in ("before", "after", "now")]
        assert shown == [second, first, first] == [second, digest(trained()), store.digest()]
        assert "The same, byte for byte, as before change 4." in page.locator("#done").inner_text()
        assert page.locator("nav.pages [aria-current]").inner_text() == "What happened"


def test_back_button_returns_to_the_previous_page(browser, tmp_path):
    with spam_page(browser, tmp_path, javascript=True) as (page, _):
        ask(page)
        teach(page, "ham")
        sent(page, page.get_by_role("button", name="Undo"))
        page.locator("#done").wait_for()
        page.go_back()
        page.get_by_role("heading", name="Try it").wait_for()
        assert page.locator("#answer").count() == 0
        page.go_forward()
        page.locator("#done").wait_for()


@both_ways
def test_every_change_has_a_receipt_and_can_be_corrected(browser, tmp_path, javascript):
    with spam_page(browser, tmp_path, javascript) as (page, store):
        page.get_by_role("link", name="What happened").click()
        assert page.locator(".changes > li").count() == 4
        with page.expect_download() as download:
            page.get_by_role("link", name="Receipt of change 2").click()
        text = download.value.path().read_text()
        assert text == store.receipt(number=2).text()
        assert check_receipt(text, store).startswith("The store has this change: change 2, learn 'm-2'")
        row = page.locator("#change-1")
        row.locator("summary").click()
        row.get_by_label("The right class of m-1").fill("ham")
        sent(page, row.get_by_role("button", name="Correct", exact=True))
        page.locator("#done").wait_for()
        assert store.digest() == digest(trained([("m-1", ROWS[0][1], "ham"), *ROWS[1:]]))
        sent(page, page.get_by_role("button", name="Forget m-3"))
        page.locator("#done", has_text="Forgotten: m-3").wait_for()
        assert store.ids() == ["m-1", "m-2"]
        assert page.locator("#change-1 form").count() == 0  # change 4 replaced the row


@contextmanager
def new_page(browser, folder, javascript):
    with (
        Store.create(folder / "new", TEXTS) as store,
        serving({"new": store}) as client,
        visiting(browser, client, javascript) as page,
    ):
        yield page, store


@both_ways
def test_new_store_explains_itself_and_learns_its_first_rows(browser, tmp_path, javascript):
    with new_page(browser, tmp_path, javascript) as (page, store):
        page.goto("/")
        assert page.locator("#empty-title").inner_text() == "It hasn’t learned anything yet"
        assert "/v1/models/new/learn" in page.locator("pre").inner_text()
        page.get_by_label("text", exact=True).fill("win a prize")
        page.get_by_label("Its class").fill("spam")
        sent(page, page.get_by_role("button", name="Learn it"))
        page.locator("#taught").wait_for()
        assert "This is the first row." in page.locator("#taught").inner_text()
        page.goto("/models/new/knows")
        assert page.locator("#classes").inner_text() == "1 row in 1 class"
        assert store.digest() == digest(Model.train(TEXTS, ["win a prize"], ["spam"]))


@both_ways
def test_several_models_can_be_chosen(browser, tmp_path, javascript):
    with Store.create(tmp_path / "a", TEXTS) as first, Store.create(tmp_path / "b", TEXTS) as second:
        second.learn("lunch", "ham")
        with serving({"a": first, "b": second}) as client, visiting(browser, client, javascript) as page:
            page.goto("/")
            assert page.locator("main h2").all_inner_texts() == ["a", "b"]
            page.locator("main").get_by_role("link", name="b").click()
            assert page.url.endswith("/models/b")
            assert page.locator("nav.models [aria-current]").inner_text() == "b"


@both_ways
def test_token_unlocks_its_scope(browser, tmp_path, javascript):
    with Store.create(tmp_path / "spam", TEXTS) as store:
        for id, text, label in ROWS:
            store.learn(text, label, id=id)
        asks, learns = new_token(store, "predict"), new_token(store, "learn")
        with serving({"spam": store}, Settings(tokens=True)) as client, visiting(browser, client, javascript) as page:
            page.goto("/models/spam")
            assert page.locator("h1").inner_text() == "A token, please"
            enter(page, "tally-of-nothing")
            assert "Unknown token." in page.get_by_role("alert").inner_text()
            page.goto("/models/spam")
            enter(page, asks)
            assert page.url.endswith("/models/spam")
            ask(page)
            assert page.locator(".teach").count() == 0
            assert page.locator("nav.pages a").all_inner_texts() == ["Try it", "Answer a table"]
            sent(page, page.get_by_role("button", name="Forget my token"))
            enter(page, learns)
            ask(page)
            teach(page, "ham")
            assert store.number == 4
            (cookie,) = page.context.cookies()
            assert (cookie["httpOnly"], cookie["sameSite"], cookie["value"]) == (True, "Strict", learns)


def enter(page, token):
    page.get_by_label("Token").fill(token)
    sent(page, page.get_by_role("button", name="Enter"))


def test_keyboard_suffices(browser, tmp_path):
    with spam_page(browser, tmp_path, javascript=True) as (page, store):
        keys = page.keyboard
        keys.press("Tab")
        assert page.evaluate("document.activeElement.className") == "skip"
        keys.press("Enter")
        keys.press("Tab")
        keys.type("win a prize")
        with page.expect_response(re.compile("/models/spam$")):
            keys.press("Control+Enter")
        page.locator("#answer").wait_for()
        page.wait_for_function("document.activeElement.id == 'answer-title'")
        keys.press("Tab")
        assert page.evaluate("document.activeElement.value") == "ham"
        with page.expect_response(re.compile("/teach$")):
            keys.press("Space")
        page.locator("#taught").wait_for()
        assert store.number == 4
