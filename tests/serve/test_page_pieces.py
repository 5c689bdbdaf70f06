"""Parts of pages: highlighted words, curves, forms, formatted numbers."""

import math

import httpx
import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy import stats

from tallybayes import (
    Bag,
    Categorical,
    Correlated,
    Density,
    Gamma,
    Gaussian,
    Histogram,
    Model,
    Poisson,
    Schema,
    Words,
    WordSequence,
)
from tallybayes.model.shapes import shape_in
from tallybayes.report import evidence
from tallybayes.report.marks import by_family
from tallybayes.serve.page.fields import LEVEL, NUMBER, OTHER, TEXT, VECTOR, as_text, fields_for, from_text, row_of
from tallybayes.serve.page.forms import form_of
from tallybayes.serve.page.knowing import HIGH, POINTS, WIDE, chart_of
from tallybayes.serve.page.rendering import percent
from tallybayes.serve.page.trying import LONGEST, highlighted

TEXTS = ["win a prize now", "lunch on monday", "a prize for lunch"]
LABELS = ["spam", "ham", "ham"]
READINGS = {
    "words": Words(),
    "auto": Words(reading="auto"),
    "stems": Words(stems="english"),
    "runs": Words(ngrams=(1, 2)),
    "characters": Words(unit="characters", ngrams=(3, 3)),
    "sequence": WordSequence(),
    "letters as they are": Words(lower=False),
}


def marks_of(family, text):
    beliefs = Model.train({"text": family}, TEXTS, LABELS).beliefs()
    (row,) = evidence.facts(beliefs.evidence(text), label="spam").rows
    return highlighted(text, row.columns[1].words, by_family(beliefs, "text")), row.columns[1].words


def direction(pieces):
    return {piece.text: int(math.copysign(1, piece.strength)) for piece in pieces if piece.strength}


@pytest.mark.parametrize("reading", READINGS)
@given(text=st.text(st.sampled_from("win prze lunchsW \n,.ß"), max_size=60))
@example(text="")
@example(text="Win prizes, win a lunch!")
def test_highlighted_text_is_the_text(reading, text):
    pieces, _ = marks_of(READINGS[reading], text)
    assert "".join(piece.text for piece in pieces) == text


@pytest.mark.parametrize("reading", READINGS)
def test_words_are_highlighted_for_their_class(reading):
    pieces, _ = marks_of(READINGS[reading], "win this on monday")
    found = direction(pieces)
    assert found["win"] == 1
    assert found["monday"] == -1
    assert "this" not in found or reading in ("characters", "sequence")  # which share with their neighbours


def test_capitals_and_endings_match():
    assert direction(marks_of(Words(stems="english"), "WINS the lunches")[0]) == {"WINS": 1, "lunches": -1}
    assert direction(marks_of(Words(lower=False), "Win lunch")[0]) == {"lunch": -1}


def test_highlight_divides_evidence_among_occurrences():
    pieces, words = marks_of(Words(), "win or win")
    (log_odds,) = [word.log_odds for word in words if word.word == "win"]
    assert [piece.odds for piece in pieces if piece.strength] == [f"{math.exp(log_odds / 2):.1f}"] * 2


def test_long_text_is_truncated():
    pieces, _ = marks_of(Words(), "win " * LONGEST)
    assert sum(len(piece.text) for piece in pieces) == LONGEST


def chart(model, classes, names):
    return chart_of(shape_in(model.beliefs(), "x", classes, points=POINTS), names)


def points(drawn):
    return {name: np.array([each.split(",") for each in curve.split()], float) for name, curve in drawn.curves}


def test_curves_are_densities_to_scale():
    model = Model.train({"x": Gaussian(plugin=True)}, {"x": [1.0, 2.0, 3.0, 7.0, 8.0]}, ["a", "a", "a", "b", "b"])
    drawn = chart(model, [1, 0], ["b", "a"])
    curves, (mean, variance) = points(drawn), model.estimates("x").values()
    low, high = float(drawn.low.replace(",", "")), float(drawn.high.replace(",", ""))
    density = {
        name: stats.norm(mean[name], math.sqrt(variance[name])).pdf(low + (high - low) * curve[:, 0] / WIDE)
        for name, curve in curves.items()
    }
    top = max(each.max() for each in density.values())
    for name, curve in curves.items():
        np.testing.assert_allclose(1 - curve[:, 1] / HIGH, density[name] / top, atol=0.01)
    assert [tick.text for tick in drawn.ticks] == ["0", "5", "10"]
    assert [low + (high - low) * tick.x / WIDE for tick in drawn.ticks] == pytest.approx([0, 5, 10], abs=0.01)


def test_integers_are_steps():
    model = Model.train({"x": Poisson()}, {"x": [0, 1, 2, 5]}, ["a", "a", "b", "b"])
    drawn = chart(model, [0, 1], ["a", "b"])
    x = np.arange(float(drawn.high) + 1)
    p = np.exp(model.evidence({"x": x})["x"])
    for i, curve in enumerate(points(drawn).values()):
        np.testing.assert_allclose(1 - curve[::2, 1] / HIGH, p[:, i] / p.max(), atol=0.001)
        np.testing.assert_array_equal(curve[::2, 1], curve[1::2, 1])
        np.testing.assert_allclose((curve[::2, 0] + curve[1::2, 0]) / 2, (x + 0.5) / len(x) * WIDE, atol=0.1)
    assert [tick.x for tick in drawn.ticks] == pytest.approx(
        [(float(tick.text) + 0.5) / len(x) * WIDE for tick in drawn.ticks], abs=0.01
    )


@pytest.mark.parametrize("family", [Gaussian(), Poisson(), Histogram(), Density(), Gamma()], ids=repr)
def test_constant_column_is_drawn(family):
    drawn = chart(Model.train({"x": family}, {"x": [5.0, 5.0]}, ["a", "b"]), [0, 1], ["a", "b"])
    assert all(np.isfinite(curve).all() and curve[:, 1].min() == 0 for curve in points(drawn).values())


SCHEMA = Schema(
    {
        "text": Words(),
        "age": Gaussian(),
        "calls": Poisson(),
        "city": Categorical(),
        "vector": Bag(size=2),
        ("x", "y"): Correlated(),
    }
)


def test_every_column_kind_has_a_field():
    fields = fields_for(SCHEMA, None, {"age": 3.0, "vector": [1.0, 2.5]})
    assert {field.column: field.kind for field in fields} == {
        "text": TEXT,
        "age": NUMBER,
        "calls": NUMBER,
        "city": LEVEL,
        "vector": VECTOR,
        "x": NUMBER,
        "y": NUMBER,
    }
    assert [field.column for field in fields if field.whole] == ["calls"]
    assert {field.column: field.value for field in fields if field.value} == {"age": "3", "vector": "1 2.5"}


def test_filled_form_is_a_row():
    number = {column: at for at, column in enumerate(SCHEMA.by_column)}
    filled = {"text": " a\nb ", "age": " 3.5 ", "calls": "", "city": OTHER, "vector": "[1, 2.5]", "x": "-1e3", "y": " "}
    form = {f"cell-{number[column]}": text for column, text in filled.items()} | {f"other-{number['city']}": "Rome"}
    row = row_of(SCHEMA, form)
    assert row == {
        "text": " a\nb ",
        "age": 3.5,
        "calls": None,
        "city": "Rome",
        "vector": [1.0, 2.5],
        "x": -1000.0,
        "y": None,
    }
    assert from_text(as_text(row), SCHEMA) == row


@pytest.mark.parametrize(
    ("column", "text", "sentence"),
    [
        ("age", "three", "age: 'three' is not valid; give a number, or leave it empty."),
        ("vector", "1 x", "vector: '1 x' is not valid; give numbers separated by spaces or commas"),
    ],
)
def test_non_number_is_named(column, text, sentence):
    number = list(SCHEMA.by_column).index(column)
    with pytest.raises(ValueError, match=sentence):
        row_of(SCHEMA, {f"cell-{number}": text})


@given(st.dictionaries(st.text("ab c;=é", min_size=1, max_size=8), st.binary(max_size=50), min_size=1, max_size=4))
@example({"a": b"\r\n--", "b": b"--\r\n\r\n"})
def test_files_arrive_unchanged(files):
    request = httpx.Request("POST", "http://x", files={name: ("a name.csv", data) for name, data in files.items()})
    found = form_of(request.headers["content-type"], request.read())
    assert {name: upload.content for name, upload in found.files.items()} == files
    assert {upload.name for upload in found.files.values()} == {"a name.csv"}


@given(
    st.dictionaries(
        st.text(st.characters(codec="utf-8")), st.text(st.characters(codec="utf-8", exclude_characters="\r"))
    )
)
def test_fields_arrive_as_typed(fields):
    request = httpx.Request("POST", "http://x", data=fields)
    if fields:
        assert form_of(request.headers["content-type"], request.read()).fields == fields


@given(st.floats(0, 1))
@example(0.9995)
@example(0.99949)
@example(1e-6)
def test_no_probability_is_rounded_to_certainty(p):
    shown = percent(p)
    number = float(shown.removeprefix("over ").removeprefix("under ").removesuffix("%")) / 100
    assert number == pytest.approx(p, rel=0.06, abs=2e-6)
    assert (shown in ("0%", "100%")) == (p in (0.0, 1.0))
