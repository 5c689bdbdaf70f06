"""The report: one self-contained page in which text is escaped and every plot has a description."""

import re

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pytest
from examples_drawn import FRAME, LABELS, MODEL

from html_page import Page
from tallybayes import (
    Categorical,
    Correlated,
    Each,
    Gaussian,
    Histogram,
    Model,
    Pairs,
    Schema,
    Several,
    Trees,
    Words,
    counts_digest,
    digest,
    evaluate,
    load,
    model_report,
    open_source,
    report_on,
    save,
)
from tallybayes.model.information import information

EVIL = "<script>alert('x')</script>\x1b[2J\u202e\"& javascript:x"
TEXT = {"html", "head", "meta", "title", "body", "div", "style", "p", "h1", "h2", "h4", "table", "caption", "thead"}
DRAWN = {"svg", "g", "path", "defs", "clippath", "rect", "use", "text", "image", "pattern", "tspan"}
ALLOWED = TEXT | DRAWN | {"tbody", "tr", "th", "td", "details", "summary", "figure", "figcaption", "mark"}


@pytest.fixture(scope="module")
def report():
    return model_report(MODEL, FRAME, LABELS)


def test_page_is_self_contained_and_runs_nothing(report):
    html = report.html()
    page = Page(html)
    assert {*page.tags} <= ALLOWED
    assert not any(name.startswith("on") for name, _ in page.found)
    for name, value in page.found:
        if name in ("href", "src", "xlink:href"):
            assert value.startswith(("#", "data:image/png;base64,"))
    assert not re.search(r"@import|https?:|url\((?!#)", html)
    assert 'name="color-scheme" content="light dark"' in html
    assert 'name="viewport"' in html
    assert len(html.encode()) < 1_000_000


def test_every_plot_has_a_description_and_unique_ids(report):
    page = Page(report.html())
    drawn = page.tags.count("svg")
    assert drawn == 3 + 3 + 2  # columns; matrix, ROC, precision and recall; reliability, and the heaviest evidence
    assert sum(name == "aria-label" and len(value) > 20 for name, value in page.found) == drawn
    assert len(set(page.ids)) == len(page.ids)
    referred = {value[1:] for name, value in page.found if name == "href" and value.startswith("#")}
    assert referred | {*re.findall(r"url\(#([^)]+)\)", report.html())} <= set(page.ids)


def test_same_bytes_every_time(report):
    assert model_report(MODEL, FRAME, LABELS).html() == report.html()


def test_saved_report_equals_the_page(report, tmp_path):
    report.save(tmp_path / "report.html")
    assert (tmp_path / "report.html").read_text() == report.html()
    with pytest.raises(FileNotFoundError, match="There is no folder"):
        report.save(tmp_path / "no such folder" / "report.html")


def test_facts_equal_those_of_other_reports(report):
    facts = report.to_json()
    measured = evaluate(MODEL, FRAME, LABELS)
    assert facts["evaluation"] == measured.to_json()
    assert facts["model"] == report_on(MODEL).to_json()
    assert facts["model"]["sha256"] == digest(MODEL)
    assert facts["counts_sha256"] == counts_digest(MODEL)
    told = {each["column"]: each for each in facts["columns"]}
    assert {name: each["information"] for name, each in told.items()} == information(MODEL)
    assert sum(each["share"] for each in told.values()) == pytest.approx(1.0)
    gains = [each["gain"] for each in facts["columns"]]
    assert gains == sorted(gains, reverse=True)


def test_mistakes_come_with_their_evidence(report):
    wrong = report.to_json()["mistakes"]
    posterior = MODEL.posterior(FRAME)
    for each in wrong:
        row = each["row"] - 1
        assert each["truth"] == LABELS[row] != each["decision"]
        assert each["probability"] == posterior[row].max()
        (told,) = each["evidence"]["rows"]
        assert told["class"] == each["decision"]
        assert told["against"] == each["truth"]
        assert told["columns"][1]["value"] == FRAME["temp"][row]
    assert f"row {wrong[0]['row']}: {wrong[0]['truth']} mistaken for" in report.text()


def test_report_without_test_rows():
    report = model_report(MODEL)
    assert report.to_json()["evaluation"] is None
    assert "No test rows were given" in report.text()
    assert "HOW GOOD THE MODEL IS" not in report.text()
    assert report.html().count("<svg") == 4


def test_rows_that_the_model_may_have_counted_are_no_test():
    said = "exactly as many rows of each class"
    assert said in model_report(MODEL, FRAME, LABELS, pictures=False).text()
    fewer = {name: values[1:] for name, values in FRAME.items()}
    assert said not in model_report(MODEL, fewer, LABELS[1:], pictures=False).text()


def test_plots_can_be_left_out():
    html = model_report(MODEL, FRAME, LABELS, pictures=False).html()
    assert "<svg" not in html
    assert "matplotlib" not in html


def test_source_stream_and_frame_give_the_same_report(tmp_path):
    table = pa.table({**FRAME, "sick": LABELS})
    pa.csv.write_csv(table, tmp_path / "rows.csv")
    frame = model_report(MODEL, table, "sick", pictures=False).to_json()
    stream = model_report(MODEL, iter(table.to_batches(max_chunksize=50)), "sick", pictures=False).to_json()
    source = model_report(MODEL, open_source(str(tmp_path / "rows.csv")), "sick", pictures=False).to_json()
    for other in (stream, source):
        assert other["mistakes"] == frame["mistakes"]
        assert other["evaluation"]["confusion"] == frame["evaluation"]["confusion"]


def test_names_are_escaped_everywhere():
    frame = {f"{EVIL}1": [EVIL, "b"] * 3, f"{EVIL}2": [f"{EVIL} free", "lunch"] * 3, f"{EVIL}3": [1.0, 2.0] * 3}
    families = dict(zip(frame, (Categorical(), Words(), Gaussian()), strict=True))
    schema = Schema(families, label=f"{EVIL}y", reasons={f"{EVIL}1": EVIL})
    model = Model.train(schema, frame, [EVIL, "b"] * 3)
    report = model_report(model, frame, [EVIL, EVIL] * 3, title=EVIL)
    html = report.html()
    assert {*Page(html).tags} <= ALLOWED
    assert "<script" not in html
    assert not any(steers in html for steers in ("\x1b", "\u202e"))
    assert "&lt;script&gt;alert(&#x27;x&#x27;)&lt;/script&gt;\\x1b[2J\\u202e&quot;&amp;" in html


def test_words_of_a_mistake_are_highlighted():
    model = Model.train({"text": Words()}, ["free prize", "lunch today", "free money"], ["spam", "ham", "spam"])
    html = model_report(model, ["Free lunch,\nfree prize"], ["ham"]).html()
    assert re.search(
        r'<p><mark style="--share:\d+%">Free</mark> <mark class="against" style="[^"]*">lunch</mark>,', html
    )
    assert "plain" not in html


@pytest.mark.long
def test_large_report_stays_below_two_megabytes():
    random = np.random.default_rng(0)
    columns = {f"{'long ' * 20}{i}": random.integers(0, 50, 600).astype(str) for i in range(200)}
    labels = [f"{'x' * 490}{i}" for i in range(150)] * 4
    columns |= {f"number {i}": random.normal(size=600) for i in range(20)}
    columns |= {"levels": [f"level {i}" for i in range(600)], "text": ["free prize " * 3000] * 600}
    families = {name: Gaussian() if name.startswith("number") else Categorical() for name in columns}
    model = Model.train({**families, "text": Words()}, columns, labels)
    assert len(model_report(model, columns, labels).html().encode()) < 2_000_000


BLOCKS = {"u": list("aabbabab"), "v": list("abababab"), "x": [1.0, 2.0, 3.0, 4.5] * 2, "z": [0.5, 0.1, 2.0, 1.0] * 2}
ODD = {
    "pairs": ({("u", "v"): Pairs(structure="tree")}, BLOCKS),
    "several": ({("u", "v"): Several(members=(Pairs(), Trees(n=2)))}, BLOCKS),
    "correlated": ({("x", "z"): Correlated(), "u": Categorical()}, BLOCKS),
    "vectors": ({"m": Each(Gaussian())}, {"m": [[1.0, 2.0], [2.0, 1.0]] * 4}),
    "one value": ({"x": Gaussian(), "u": Categorical()}, {"x": [1.0] * 8, "u": ["a"] * 8}),
    "all missing": ({"x": Histogram(), "u": Categorical()}, {"x": [None] * 8, "u": [None] * 8}),
    "impossible": ({"u": Categorical(alpha=0)}, {"u": list("aaaabbbb")}),
    "no columns": ({}, {"id": [1] * 8}),
}


@pytest.mark.filterwarnings("ignore:.* rows are impossible in every class")
@pytest.mark.thinned(2)
@pytest.mark.parametrize("kind", ODD)
def test_every_kind_of_model(kind, tmp_path):
    families, frame = ODD[kind]
    labels = list("yynnyynn")
    model = Model.train(families, frame, labels)
    report = model_report(model, frame, ["never met", *labels[1:]])
    assert "How to verify this model" in report.html()
    save(model, tmp_path / "m")
    again = model_report(load(tmp_path / "m"), frame, ["never met", *labels[1:]], pictures=False).to_json()
    for part in ("evaluation", "columns", "counts_sha256"):
        assert again[part] == report.to_json()[part]


def test_single_class_and_empty_model():
    alone = Model.train({"x": Gaussian()}, {"x": [1.0, 2.0]}, ["a", "a"])
    assert "<svg" in model_report(alone, {"x": [1.0]}, ["a"]).html()
    with pytest.raises(ValueError, match="counted no rows, so there is nothing to report"):
        model_report(Model({"x": Gaussian()}))


def test_weighed_model_is_reported_as_it_decides():
    from tallybayes import weigh

    weighed = weigh(MODEL, FRAME, LABELS)
    report = model_report(weighed, FRAME, LABELS, pictures=False)
    assert report.to_json()["evaluation"] == evaluate(weighed, FRAME, LABELS).to_json()
    assert "weighed" in report.text() or weighed.schema.weights is not None


def test_large_block_is_named_in_full_once():
    frame = {f"column {i}": ["u", "v", "u", "w"] * 5 for i in range(9)}
    model = Model.train({tuple(frame): Pairs(structure="tree")}, frame, ["yes", "no", "yes", "yes"] * 5)
    text = model_report(model, frame, ["yes", "no", "yes", "no"] * 5).text()
    assert text.count("column 8") < 12
    assert "column 0, column 1, column 2 and 6 more" in text
    assert "column 0, column 1, column 2 and 6 more" not in str(report_on(model).to_json())


def test_only_wide_plots_scroll(report):
    wide = dict(re.findall(r'<svg [^>]*width="(\d+)"( class="wide")?', report.html()))
    assert {bool(kind) for kind in wide.values()} == {True, False}
    assert all(bool(kind) == (int(width) > 560) for width, kind in wide.items())
