"""Text, JSON and HTML agree: every number of the JSON is in the text, up to rounding, and in the HTML."""

import json
import math
import re
from decimal import Decimal
from html import unescape

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from examples import some
from family_values import family_of, names, rows_of
from tallybayes import (
    Categorical,
    Each,
    Gaussian,
    Model,
    Poisson,
    Schema,
    Words,
    cross_validate,
    evaluate,
    model_report,
    report_on,
)
from tallybayes.report.text import plain_text

NUMBER = re.compile(r"(?<![\w.])-?(?:[0-9][0-9,]*(?:\.[0-9]+)?(?:e[+-][0-9]+)?(?:·10\^[0-9]+)?|e\^[0-9,]+|inf\b|∞)")
ARGUMENTS = {"Each": (Gaussian(),)}
SETTINGS = {"Words": ({}, {"reading": "bernoulli"}, {"reading": "complement"}), "Bag": ({}, {"reading": "poisson"})}
GIVEN = {"value", "top"}  # the query, of which only the beginning is shown
SILENT = {
    ("times", 1.0),
    ("log_odds", 0.0),
    ("more", 0.0),
    ("rejected", 0.0),
    ("impossible", 0.0),
    ("repeats", 1.0),
}  # implied


def read(token):
    """A number as written, and its rounding error."""
    if token.startswith("e^"):
        return math.exp(min(float(token[2:].replace(",", "")), 709.0)), math.inf
    if token.lstrip("-") in ("inf", "∞"):
        return float(token.replace("∞", "inf")), 0.0
    written = Decimal(token.replace(",", "").replace("·10^", "e"))
    return float(written), 0.5 * float(Decimal(1).scaleb(written.as_tuple().exponent))


def told(number, key, numbers):
    if key == "log_odds":  # shown as a factor in favour of a class
        number = math.exp(min(abs(number), 709.0)) if math.isfinite(number) else math.inf
    if key == "joint_log10":
        number = 10.0**number if number < 300 else math.inf
    return any(number == near or abs(number - near) <= 1.001 * off for near, off in numbers)


def numbers_of(value, key=""):
    """Every number of a JSON value, with its key."""
    if isinstance(value, dict):
        return [each for name, item in value.items() if name not in GIVEN for each in numbers_of(item, name)]
    if isinstance(value, list):
        return [each for item in value for each in numbers_of(item, key)]
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return [(float(value), key)]
    return [(float(value), key)] if value in ("inf", "-inf") else []


def assert_the_same(report):
    text = plain_text(report.blocks, details=True)
    tokens = NUMBER.findall(text)
    numbers = [read(token) for token in tokens]
    facts = json.loads(json.dumps(report.to_json(), allow_nan=False))
    for number, key in numbers_of(facts):
        assert (key, number) in SILENT or told(number, key, numbers), f"{key}: {number} is not in\n{text}"
    shown = NUMBER.findall(unescape(re.sub(r"<style>.*?</style>|<[^>]*>", " ", report.html(), flags=re.DOTALL)))
    assert set(tokens) <= set(shown)


CASES = [(name, changed) for name in names for changed in SETTINGS.get(name, ({},))]


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("name", "changed"), CASES, ids=[f"{name}{changed or ''}" for name, changed in CASES])
@settings(max_examples=some(75))
@given(data=st.data())
def test_every_number_of_the_json_is_in_the_text_and_the_html(name, changed, data):
    rows = data.draw(rows_of(name, least=1))
    frame, labels = {"x": [cell for cell, _ in rows]}, [label for _, label in rows]
    schema = Schema({"x": family_of(name, *ARGUMENTS.get(name, ()), **changed)}, reasons={"x": "as given"})
    model = Model.train(schema, frame, labels)
    assert_the_same(report_on(schema))
    assert_the_same(report_on(schema, classes=model.rows_by_class()))
    assert_the_same(report_on(model))
    assert_the_same(report_on(model, column="x"))
    assert_the_same(report_on(model, label=labels[0]))
    assert_the_same(report_on(model.evidence(frame)))
    assert_the_same(report_on(model.evidence(frame), label=labels[-1], cells=frame))
    assert_the_same(report_on(evaluate(model, frame, labels)))
    assert_the_same(report_on(evaluate(model, frame, labels, reject=0.2)))


def test_schema_of_several_families():
    frame = {
        "outlook": ["sunny", "rain", "rain", None],
        "temp": [30.25, 18.5, 17.125, 1e9],
        "calls": [1, 4, 2, 12345],
        "place": [[1.0, 2.0], [2.0, 3.5], [1.5, 2.5], [0.0, 1e-9]],
        "note": ["free money, free", "lunch on Monday", "", "free lunch"],
    }
    families = [Categorical(), Gaussian(), Poisson(), Each(Gaussian()), Words()]
    schema = Schema(dict(zip(frame, families, strict=True)), prior={"a": 0.25, "b": 0.75})
    model = Model.train(schema, frame, list("aabb"))
    assert_the_same(report_on(model))
    assert_the_same(report_on(model.evidence(frame), cells=frame))
    assert_the_same(report_on(evaluate(model, frame, list("abab"), costs={("a", "b"): 12.5}, reject=0.75)))
    assert_the_same(report_on(evaluate(model, frame, list("abcd"))))
    assert_the_same(model_report(model, frame, list("abcd"), pictures=False))
    assert_the_same(model_report(model, frame, list("bbaa"), pictures=False))
    assert_the_same(model_report(model, pictures=False))


@pytest.mark.parametrize(
    "settings", [{"k": 2}, {"k": 3, "repeats": 2, "seed": 7}, {"k": 3, "groups": [0, 0, 1, 1, 2, 3, 4]}]
)
def test_cross_validation(settings):
    frame = {"outlook": ["sunny", "rain", "rain", None, "sunny", "rain", "sunny"]}
    assert_the_same(report_on(cross_validate({"outlook": Categorical()}, frame, list("aabbbac"), **settings)))


def test_other_objects_have_no_report():
    with pytest.raises(TypeError, match="no report on 3; give a Schema, a Model, Evidence, an Evaluation"):
        report_on(3)


def test_cells_of_any_length_leave_the_report_readable():
    """The facts have them whole; a table has their beginning."""
    endless, label, column = ("".join([letter] * 100_000) for letter in "wlc")
    model = Model.train(Schema({column: Categorical()}), {column: [endless, "b"] * 20}, [label, "q"] * 20)
    report = report_on(model)
    assert report.to_json()["heaviest"][label][0]["value"] == endless
    text, page = report.text(), report.html()
    for name in (endless, label, column):
        assert name[:59] + "…" in text
        assert name[:59] + "…" in page
    assert max(map(len, text.splitlines())) < 1000
    assert len(page) < 20_000
