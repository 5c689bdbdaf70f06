"""The page for tables in Chromium, with and without scripts: forms, mails, curves and uploads."""

import csv
import io
from contextlib import contextmanager

import pytest

from browser import both_ways, numbers, sent, visiting
from service import serving
from tallybayes import Bernoulli, Categorical, Gaussian, Model, Poisson, Store, Words, digest
from tallybayes.mail import COLUMNS, read_mail
from tallybayes.model.heaviest import heaviest

pytestmark = pytest.mark.slow

PEOPLE = {
    "age": [21.0, 25.0, 44.0, 47.0, 52.0],
    "calls": [0, 2, 1, 7, 5],
    "city": ["Oslo", "Bergen", "Oslo", "Bergen", "Rome"],
    "married": [False, True, True, True, False],
    "notes": ["asks for the price", "happy", "wants a refund", "refund", "angry about the price"],
}
STAYS = ["yes", "yes", "no", "no", "no"]
MIXED = {"age": Gaussian(), "calls": Poisson(), "city": Categorical(), "married": Bernoulli(), "notes": Words()}


@pytest.fixture(scope="module")
def people(tmp_path_factory):
    """A read-only service."""
    with people_service(tmp_path_factory.mktemp("asked")) as found:
        yield found


@contextmanager
def people_service(folder):
    model = Model.train(MIXED, PEOPLE, STAYS)
    with Store.create(folder / "people", model) as store, serving({"people": store}) as client:
        yield client, model


@both_ways
def test_form_follows_the_schema(browser, people, javascript):
    client, model = people
    with visiting(browser, client, javascript) as page:
        page.goto("/models/people")
        kinds = [page.get_by_label(column, exact=True).evaluate("it => it.type") for column in MIXED]
        assert kinds == ["number", "number", "select-one", "select-one", "textarea"]
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
def test_unseen_level_can_be_typed(browser, tmp_path, javascript):
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
def test_whole_mail_can_be_pasted(browser, tmp_path, javascript):
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
def test_model_is_shown_in_tables_and_curves(browser, people, javascript):
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
def test_uploaded_table_returns_with_answers(browser, people, javascript):
    client, model = people
    with visiting(browser, client, javascript) as page:
        page.goto("/models/people/table")
        table = 'who,age,calls,city,married,notes\nAnn,42.50,NA,Oslo,,"a refund, now"\nBob,20,0,,true,\n'
        page.get_by_label("A CSV file").set_input_files(
            {"name": "people.csv", "mimeType": "text/csv", "buffer": table.encode()}
        )
        with page.expect_download() as download:
            page.get_by_role("button", name="Download with answers").click()
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


def test_file_can_be_dropped(browser, people):
    client, _ = people
    with visiting(browser, client, javascript=True) as page:
        page.goto("/models/people/table")
        page.get_by_label("Treat columns the file lacks").check()
        file = """new File(["age\\n30\\n"], "few.csv")"""
        carried = page.evaluate_handle(f"() => {{ const it = new DataTransfer(); it.items.add({file}); return it; }}")
        with page.expect_download() as download:
            page.dispatch_event("[data-drop]", "drop", {"dataTransfer": carried})
        assert download.value.path().read_text().startswith("age,class,probability,P(no),P(yes)\n30,")


@both_ways
def test_errors_are_messages(browser, people, javascript):
    client, _ = people
    with visiting(browser, client, javascript) as page:
        page.goto("/models/people/table")
        page.get_by_label("A CSV file").set_input_files(
            {"name": "x.csv", "mimeType": "text/csv", "buffer": b"age,city\n3,Oslo\n"}
        )
        sent(page, page.get_by_role("button", name="Download with answers"))
        assert page.locator("#problem").inner_text() == (
            "The file has no column 'calls'; it has 'age', 'city'. Rename the column, or tick the box that "
            "treats absent columns as missing."
        )
