"""What people do on the page, in Chromium, with scripts and without: what is shown is what the model says."""

import csv
import io
import re
from contextlib import contextmanager

import numpy as np
import pytest

from browser import chromium, numbers, sent, visiting
from service import ROWS, TEXTS, serving, spam_service
from tallybayes import Bernoulli, Categorical, Gaussian, Model, Poisson, Store, Words, check_receipt, digest
from tallybayes.mail import COLUMNS, read_mail
from tallybayes.model.heaviest import heaviest
from tallybayes.serve.settings import Settings
from tallybayes.serve.tokens import new_token

pytestmark = pytest.mark.slow

TEXT = "Win a prize,\nnot lunch."
PEOPLE = {
    "age": [21.0, 25.0, 44.0, 47.0, 52.0],
    "calls": [0, 2, 1, 7, 5],
    "city": ["Oslo", "Bergen", "Oslo", "Bergen", "Rome"],
    "married": [False, True, True, True, False],
    "notes": ["asks for the price", "happy", "wants a refund", "refund", "angry about the price"],
}
STAYS = ["yes", "yes", "no", "no", "no"]
MIXED = {"age": Gaussian(), "calls": Poisson(), "city": Categorical(), "married": Bernoulli(), "notes": Words()}

both_ways = pytest.mark.parametrize("javascript", [True, False], ids=["scripts", "no scripts"])


@pytest.fixture(scope="module")
def browser():
    with chromium() as found:
        yield found


@contextmanager
def spam_page(browser, folder, javascript):
    with spam_service(folder) as (client, store), visiting(browser, client, javascript) as page:
        page.goto("/")  # which is the only model
        yield page, store


@pytest.fixture(scope="module")
def people(tmp_path_factory):
    """A service that is only asked."""
    with people_service(tmp_path_factory.mktemp("asked")) as found:
        yield found


@contextmanager
def people_service(folder):
    model = Model.train(MIXED, PEOPLE, STAYS)
    with Store.create(folder / "people", model) as store, serving({"people": store}) as client:
        yield client, model


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
def test_the_answer_is_the_models_own(browser, tmp_path, javascript):
    with spam_page(browser, tmp_path, javascript) as (page, _):
        ask(page)
        ham, spam = trained().posterior(TEXT)[0].tolist()
        assert spam > ham
        assert page.locator(".verdict").inner_text() == "spam"
        assert numbers(page, ".sure") == [spam]
        assert numbers(page, ".probabilities") == [spam, ham]
        assert page.locator(".sure").text_content() == f"spam: {spam:.1%} sure"
        assert page.get_by_label("text", exact=True).input_value() == TEXT
        assert page.evaluate("document.activeElement.id") == "answer-title" if javascript else True


@both_ways
def test_evidence_is_drawn_to_scale_and_words_are_marked_where_they_stand(browser, tmp_path, javascript):
    with spam_page(browser, tmp_path, javascript) as (page, _):
        ask(page)
        evidence = trained().evidence(TEXT)
        log_odds = {part.word: float(part.said[1] - part.said[0]) for part in evidence.words(0)}
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
def test_a_correction_changes_the_answer_at_once(browser, tmp_path, javascript):
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


def test_a_page_that_is_loaded_again_learns_nothing_twice(browser, tmp_path):
    with spam_page(browser, tmp_path, javascript=False) as (page, store):
        ask(page)
        teach(page, "ham")
        page.reload()
        assert "already, and is counted once" in page.locator("#taught").inner_text()
        assert store.number == 4


def test_a_new_class_can_be_named(browser, tmp_path):
    with spam_page(browser, tmp_path, javascript=True) as (page, store):
        ask(page)
        page.get_by_label("Another class").fill("news")
        teach(page, "Learn")
        assert store.beliefs().labels == ["ham", "news", "spam"]
        assert "not known" in page.locator(".before").inner_text()


@both_ways
def test_forgetting_brings_the_digest_back(browser, tmp_path, javascript):
    with spam_page(browser, tmp_path, javascript) as (page, store):
        first = store.digest()
        ask(page)
        teach(page, "ham")
        second = store.digest()
        sent(page, page.get_by_role("button", name="Forget it again"))
        page.locator("#done").wait_for()
        assert page.url.endswith("/models/spam/changes?done=5")
        shown = [page.locator(f"#digest-{which}").inner_text() for which in ("before", "after", "now")]
        assert shown == [second, first, first] == [second, digest(trained()), store.digest()]
        assert "The same, byte for byte, as before change 4." in page.locator("#done").inner_text()
        assert page.locator("nav.pages [aria-current]").inner_text() == "What happened"


@both_ways
def test_every_change_has_its_receipt_and_its_row_can_be_corrected(browser, tmp_path, javascript):
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
        assert page.locator("#change-1 form").count() == 0  # since change 4 the row is another


@both_ways
def test_a_form_is_made_from_the_schema(browser, people, javascript):
    client, model = people
    with visiting(browser, client, javascript) as page:
        page.goto("/models/people")
        kinds = {}
        for column in MIXED:
            field = page.get_by_label(column, exact=True)
            kinds[column] = field.evaluate("it => it.type") if javascript else field.get_attribute("type")
        if javascript:
            assert [kinds[name] for name in MIXED] == ["number", "number", "select-one", "select-one", "textarea"]
        assert page.get_by_label("city", exact=True).locator("option").all_inner_texts() == [
            "(missing)",
            "Bergen",
            "Oslo",
            "Rome",
            "something else …",
        ]
        page.get_by_label("age", exact=True).fill("42.5")
        page.get_by_label("city", exact=True).select_option("Oslo")
        page.get_by_label("notes").fill("a refund")
        sent(page, page.get_by_role("button", name="What is it?"))
        page.locator("#answer").wait_for()
        row = {"age": 42.5, "calls": None, "city": "Oslo", "married": None, "notes": "a refund"}
        no, yes = model.posterior(row)[0].tolist()
        assert numbers(page, ".probabilities") == [no, yes]
        assert page.get_by_label("age", exact=True).input_value() == "42.5"
        shown = page.locator(".bars tbody th").all_inner_texts()
        assert {"age = 42.5", "city = Oslo", "calls = missing"} <= set(shown)


@both_ways
def test_a_level_never_met_is_typed(browser, tmp_path, javascript):
    with people_service(tmp_path) as (client, model), visiting(browser, client, javascript) as page:
        page.goto("/models/people")
        other = page.get_by_label("city: something else")
        assert not other.is_visible()
        page.get_by_label("city", exact=True).select_option(label="something else …")
        assert other.is_visible()
        other.fill("Paris")
        sent(page, page.get_by_role("button", name="What is it?"))
        page.locator("#answer").wait_for()
        assert other.input_value() == "Paris"
        assert numbers(page, ".probabilities") == sorted(
            model.posterior(dict.fromkeys(MIXED))[0].tolist(), reverse=True
        )
        sent(page, page.locator(".teach").get_by_role("button", name="yes", exact=True))
        page.locator("#taught").wait_for()
        assert "Paris" in page.get_by_label("city", exact=True).locator("option").all_inner_texts()


@both_ways
def test_a_whole_mail_can_be_pasted(browser, tmp_path, javascript):
    mails = [b"Subject: Win a prize\n\nfree money", b"Subject: lunch\n\non monday", b"Subject: the report\n\nis free"]
    rows = [read_mail(mail) for mail in mails]
    frame = {column: [row[column] for row in rows] for column in COLUMNS}
    schema = {"subject": Words(), "body": Words(), "has_html": Bernoulli()}
    model = Model.train(schema, frame, ["spam", "ham", "ham"])
    asked = "Subject: =?utf-8?q?a_prize?=\nContent-Type: text/html\n\n<p>for a <b>free</b> lunch"
    with (
        Store.create(tmp_path / "mail", model) as store,
        serving({"mail": store}) as client,
        visiting(browser, client, javascript) as page,
    ):
        page.goto("/")
        page.get_by_label("A whole mail").fill(asked)
        sent(page, page.get_by_role("button", name="What is it?"))
        page.locator("#answer").wait_for()
        assert page.get_by_label("subject", exact=True).input_value() == "a prize"
        assert page.get_by_label("has_html", exact=True).input_value() == "true"
        row = read_mail(asked.encode())
        assert row["body"].split() == ["for", "a", "free", "lunch"]
        assert numbers(page, ".probabilities") == sorted(model.posterior(row)[0].tolist(), reverse=True)


@both_ways
def test_what_it_knows_is_told_in_tables_and_curves(browser, people, javascript):
    client, model = people
    with visiting(browser, client, javascript) as page:
        page.goto("/models/people/knows")
        assert page.locator("#classes").inner_text() == "5 rows in 2 classes"
        assert page.locator(".digest").first.inner_text() == digest(model)
        for place, label in enumerate(["no", "yes"]):  # the larger first
            rows = page.locator(f"section[aria-labelledby=heavy-{place + 1}] tbody tr").all()
            shown = [row.locator("th").inner_text() for row in rows]
            assert shown == [weight.value for weight in heaviest(model, label, 12)]
        charts = page.get_by_role("img", name="How probable each value of").all()
        assert [len(chart.locator("polyline").all()) for chart in charts] == [2, 2]
        oslo = page.locator(".levels-table tr", has_text="Oslo")
        city = model.estimates("city")["Oslo"]
        assert [float(each.get_attribute("value")) for each in oslo.locator("data").all()] == [city["no"], city["yes"]]


@both_ways
def test_a_table_comes_back_with_answers(browser, people, javascript):
    client, model = people
    with visiting(browser, client, javascript) as page:
        page.goto("/models/people/table")
        table = 'who,age,calls,city,married,notes\nAnn,42.50,NA,Oslo,,"a refund, now"\nBob,20,0,,true,\n'
        page.get_by_label("A CSV file").set_input_files(
            {"name": "people.csv", "mimeType": "text/csv", "buffer": table.encode()}
        )
        with page.expect_download() as download:
            page.get_by_role("button", name="Download it with answers").click()
        assert download.value.suggested_filename == "people-answers.csv"
        found = list(csv.DictReader(io.StringIO(download.value.path().read_text())))
        assert [(row["who"], row["age"], row["calls"], row["notes"]) for row in found] == [
            ("Ann", "42.50", "", "a refund, now"),
            ("Bob", "20", "0", ""),
        ]
        rows = [
            {"age": 42.5, "calls": None, "city": "Oslo", "married": None, "notes": "a refund, now"},
            {"age": 20.0, "calls": 0, "city": None, "married": True, "notes": None},
        ]
        for row, answer in zip(rows, found, strict=True):
            no, yes = model.posterior(row)[0].tolist()
            assert (float(answer["P(no)"]), float(answer["P(yes)"])) == pytest.approx((no, yes), rel=1e-12)
            assert answer["class"] == ("no" if no > yes else "yes")
            assert float(answer["probability"]) == pytest.approx(max(no, yes), rel=1e-12)


def test_a_file_can_be_dropped(browser, people):
    client, _ = people
    with visiting(browser, client, javascript=True) as page:
        page.goto("/models/people/table")
        page.get_by_label("Columns that are not there").check()
        file = """new File(["age\\n30\\n"], "few.csv")"""
        carried = page.evaluate_handle(f"() => {{ const it = new DataTransfer(); it.items.add({file}); return it; }}")
        with page.expect_download() as download:
            page.dispatch_event("[data-drop]", "drop", {"dataTransfer": carried})
        assert download.value.path().read_text().startswith("age,class,probability,P(no),P(yes)\n30,")


@both_ways
def test_what_is_wrong_is_said_in_a_sentence(browser, people, javascript):
    client, _ = people
    with visiting(browser, client, javascript) as page:
        page.goto("/models/people/table")
        page.get_by_label("A CSV file").set_input_files(
            {"name": "x.csv", "mimeType": "text/csv", "buffer": b"age,city\n3,Oslo\n"}
        )
        sent(page, page.get_by_role("button", name="Download it with answers"))
        assert page.locator("#problem").inner_text() == (
            "The table has no column 'calls'; it has 'age', 'city'. Rename the column, or tick the box that lets "
            "absent columns count as missing."
        )


@contextmanager
def new_page(browser, folder, javascript):
    with (
        Store.create(folder / "new", TEXTS) as store,
        serving({"new": store}) as client,
        visiting(browser, client, javascript) as page,
    ):
        yield page, store


@both_ways
def test_a_new_store_says_what_to_do_and_learns_its_first_rows(browser, tmp_path, javascript):
    with new_page(browser, tmp_path, javascript) as (page, store):
        page.goto("/")
        assert page.locator("#empty-title").inner_text() == "It has learned nothing yet"
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
def test_there_is_a_choice_of_models(browser, tmp_path, javascript):
    with Store.create(tmp_path / "a", TEXTS) as first, Store.create(tmp_path / "b", TEXTS) as second:
        second.learn("lunch", "ham")
        with serving({"a": first, "b": second}) as client, visiting(browser, client, javascript) as page:
            page.goto("/")
            assert page.locator("main h2").all_inner_texts() == ["a", "b"]
            page.locator("main").get_by_role("link", name="b").click()
            assert page.url.endswith("/models/b")
            assert page.locator("nav.models [aria-current]").inner_text() == "b"


@both_ways
def test_a_token_opens_what_it_is_for(browser, tmp_path, javascript):
    with Store.create(tmp_path / "spam", TEXTS) as store:
        for id, text, label in ROWS:
            store.learn(text, label, id=id)
        asks, learns = new_token(store, "predict"), new_token(store, "learn")
        with serving({"spam": store}, Settings(tokens=True)) as client, visiting(browser, client, javascript) as page:
            page.goto("/models/spam")
            assert page.locator("h1").inner_text() == "A token, please"
            enter(page, "tally-of-nothing")
            assert "This token is not known." in page.get_by_role("alert").inner_text()
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


def test_the_keyboard_is_enough(browser, tmp_path):
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
