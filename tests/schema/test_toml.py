"""Schemas as TOML round-trip, and errors name the line or column."""

import datetime
import io
import tomllib
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tallybayes import Categorical, Each, Gaussian, MEstimate, Mix, Model, Poisson, Schema, Words
from tallybayes.schema.toml import schema_from_toml, schema_to_toml

NAME = st.text(st.characters(exclude_categories=("Cs",)), max_size=8)
LABEL = NAME.filter(lambda name: name != "\x00")
FAMILY = st.sampled_from(
    [
        Categorical(alpha="fitted"),
        Categorical(alpha=MEstimate(2.0, {"u'": 0.5, '"v"': 0.5}), levels=("\\", "\n", "é", "u'", '"v"')),
        Gaussian(mean=-1e-300),
        Each(Poisson(rate=0.5), size=3),
        Words(stop_words=("the", "'"), ngrams=2, tokeniser="mine.tokens"),
        Words(reading="auto", mix=Mix(((0.5,) * 9,), gamma=0.25, length=12.5)),
    ]
)


def shares(labels):
    """The same probability for all of these."""
    return st.lists(labels, min_size=1, max_size=4, unique=True).map(lambda found: dict.fromkeys(found, 1 / len(found)))


DAY = datetime.datetime(2000, 1, 1), datetime.datetime(2100, 1, 1)
PRIOR = st.one_of(
    st.sampled_from(["frequencies", "uniform"]),
    st.floats(0.0, 1e300),
    shares(LABEL),
    shares(st.integers(-(1 << 63), (1 << 63) - 1)),
    shares(st.floats(allow_nan=False)),
    shares(st.booleans()),
    shares(st.dates()),
    shares(st.datetimes(*DAY)),
    shares(st.binary(max_size=4)),
    shares(st.decimals(-1000, 1000, places=2)),
)


@given(columns=st.dictionaries(NAME, FAMILY), label=st.none() | NAME, prior=PRIOR, reason=st.text())
def test_toml_round_trips(columns, label, prior, reason):
    columns.pop(label, None)
    schema = Schema(columns, label=label, prior=prior, reasons=dict.fromkeys([*columns, "left out"], reason))
    for comments in (True, False):
        text = schema_to_toml(schema, comments=comments)
        again = schema_from_toml(text)
        assert again == schema
        assert list(again.columns) == list(schema.columns)
        assert set(again.reasons) == {"left out"} - columns.keys()
        assert all(letter.isprintable() or letter == "\n" for letter in text)
        tomllib.loads(text)


def test_inferred_schema_as_toml():
    frame = {
        "day": [f"day {i}" for i in range(20)],
        "outlook": ["sun", "rain"] * 10,
        "wind speed": [1.5, 9.25] * 10,
        "play": ["yes", "no"] * 10,
    }
    schema = Schema.infer(frame, "play")
    text = schema_to_toml(schema)
    assert text.splitlines() == [
        'label = "play"',
        'prior = "frequencies"  # or "uniform", a number added to every class\'s count, or a table [prior] of '
        "probabilities",
        "",
        "[columns]",
        'day = "left out"                         # 20 different texts in 20 cells: names rather than a category or '
        "free text",
        "outlook = \"Categorical(alpha='fitted')\"  # text, 2 levels in 20 cells",
        '"wind speed" = "Gaussian()"              # numbers from 1.5 to 9.25',
    ]
    assert text.endswith("\n")
    again = schema_from_toml(text)
    assert again == schema
    assert "day" in again.reasons
    assert Model.train(again, frame) == Model.train(schema, frame)


def test_class_probabilities_as_a_table_or_pairs():
    assert '\n[prior]\nno = 0.25\n"y\'es" = 0.75\n' in schema_to_toml(Schema({}, prior={"no": 0.25, "y'es": 0.75}))
    assert "prior = [[1, 0.25], [2, 0.75]]\n" in schema_to_toml(Schema({}, prior={1: 0.25, 2: 0.75}))
    assert "prior = [[false, 0.25], [true, 0.75]]\n" in schema_to_toml(Schema({}, prior={False: 0.25, True: 0.75}))
    written = schema_to_toml(Schema({}, prior={b"\xff": 0.25, b"": 0.75}))
    assert 'prior = [["binary", {bytes = ""}, 0.75], ["binary", {bytes = "ff"}, 0.25]]\n' in written
    found = schema_from_toml("[columns]\n[prior]\nno = 0.5\nyes = 0.5").prior
    assert found == {"no": 0.5, "yes": 0.5}
    dates = {datetime.date(2020, 2, 29): 0.5, datetime.date(2021, 1, 1): 0.5}
    assert schema_from_toml("prior = [[2020-02-29, 0.5], [2021-01-01, 0.5]]\n[columns]").prior == dates
    decimals = {Decimal("1.25"): 0.5, Decimal(3): 0.5}
    assert schema_from_toml(schema_to_toml(Schema({}, prior=decimals))).prior == decimals


def test_reason_cannot_escape_its_comment():
    reasons = {"x": 'so\nlabel = "y"\r\x1b[31m\x00\u2028' + "!" * 999}
    text = schema_to_toml(Schema({"x": Gaussian()}, reasons=reasons))
    assert schema_from_toml(text) == Schema({"x": Gaussian()})
    assert 'x = "Gaussian()"  # so label = "y"  [31m  !!!' in text
    assert max(map(len, text.splitlines())) < 250


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[columns]\nage = Gaussian()", "Invalid value (at line 2, column 7): 'age = Gaussian()'. Quote names"),
        ('[columns]\nwind speed = "Gaussian"', "(at line 2, column 6): 'wind speed = \"Gaussian\"'."),
        ('[columns]\na = "Poisson"\na = "Gaussian"\n', "Cannot overwrite a value (at line 3, column 15)"),
        ('columns = "', "(at end of document)"),
        ('[colums]\nage = "Gaussian"', "has an unknown entry 'colums'; it may have label, prior, columns, blocks"),
        ('age = "Gaussian"', "The schema has an unknown entry 'age'"),
        ('label = "y"', 'The schema has no table [columns]; add one with lines like age = "Gaussian()".'),
        ("columns = 3", "The schema has no table [columns]"),
        ("label = 3\n[columns]", "The schema has label = 3; give the name of a column, in quotes."),
        ("[columns]\nage = 3", "Column 'age' is 3; give a family in quotes, like \"Gaussian()\"."),
        ('[columns]\nwind.speed = "Poisson"', "a table in place of a family for column 'wind'; quote a name"),
        ('[columns]\nage = "Gausian"', "Column 'age': There is no family 'Gausian'. Did you mean Gaussian?"),
        ('[columns]\nage = "Gaussian(m=-1)"', "Column 'age': Gaussian(m=-1): m must be a finite number of at least 0."),
        ('label = "age"\n[columns]\nage = "Gaussian"', "Column 'age' holds the labels; drop it"),
        ('prior = "even"\n[columns]', "prior='even': give 'frequencies', 'uniform', a number, or"),
        ("prior = true\n[columns]", "prior=True: give 'frequencies'"),
        ("prior = -1\n[columns]", "prior=-1: as a number, the prior must be finite and at least 0."),
        ("[columns]\n[prior]\nno = 0.5", "adding up to 1."),
        ('[columns]\n[prior]\nno = "1"', "adding up to 1."),
        ("prior = []\n[columns]", "The schema has prior = []; give pairs [label, probability]."),
        ("prior = [[1, 2], [3]]\n[columns]", "give pairs [label, probability]."),
        ("prior = [[[1], 1]]\n[columns]", "give pairs [label, probability]."),
        ("prior = [[1, 0.5], [1, 0.5]]\n[columns]", "in which a label occurs twice."),
        ("prior = [[1, 2, 3]]\n[columns]", "The schema has prior = [[1, 2, 3]], which cannot be read"),
        ('prior = [["strange", 2, 3]]\n[columns]', "strange"),
        ('prior = [[1, 0.5], ["a", 0.5]]\n[columns]', "Give classes of the prior of one type"),
        ("[columns]\n[prior]\na = " + "9" * 400, "The schema has a prior that cannot be read: int too large"),
        ("prior = " + "9" * 400 + "\n[columns]", "The schema has a prior that cannot be read: int too large"),
        ('prior = [["binary", {}, 1]]\n[columns]', "The schema has prior = [['binary', {}, 1]], which cannot be read"),
        ("x." * 100_000 + "y = 1", "The schema cannot be read as TOML: the name 'x.x."),
        ("[x" + ' . "x"' * 100_000 + "]", "The schema cannot be read as TOML: the name 'x . "),
        ("[columns]\nx = " + "[" * 100_000, "The schema cannot be read as TOML: brackets are nested too deeply."),
        ("[columns]\nx = " + "9" * 10_000, "The schema cannot be read as TOML: "),
        ("[columns]\nx = \"\x1b[31m\"", "Illegal character"),
    ],
)  # fmt: skip
def test_invalid_toml_is_reported(text, message):
    with pytest.raises(ValueError, match=r".") as caught:
        schema_from_toml(text)
    assert message in str(caught.value)
    assert str(caught.value).isprintable()


@pytest.mark.parametrize("given", [io.StringIO("[columns]"), b"[columns]", Path("schema.toml"), None])
def test_non_text_is_an_error(given):
    expected = f"schema_from_toml takes the text of the file, not {type(given).__name__}; give its contents"
    with pytest.raises(TypeError, match=expected):
        schema_from_toml(given)


def test_byte_order_mark_and_line_endings():
    assert schema_from_toml('\ufefflabel = "y"\r\n[columns]\r\nx = "Gaussian"\r\n') == Schema(
        {"x": Gaussian()}, label="y"
    )


@pytest.mark.parametrize("name", [".".join("abcdefgh" * 9), "'\"'" + "." * 99, "#" + "a." * 99, "a\\" + '"."' * 50])
def test_dots_in_quoted_names_are_just_letters(name):
    schema = Schema({name: Gaussian(), f"{name} b": Categorical()}, label=name + "x", prior={name: 0.5, "q": 0.5})
    assert schema_from_toml(schema_to_toml(schema) + "\n# " + "a." * 99) == schema
