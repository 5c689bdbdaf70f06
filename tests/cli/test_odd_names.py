"""Classes and columns of any name and type, in arguments and in output."""

import datetime
import json

import pyarrow as pa
import pyarrow.parquet
import pytest

from tallybayes import Categorical, Density, Each, Gaussian, Histogram, Model, Poisson, Schema, Words, load, save

ODD = ["a b", "x:y", "p=q", "n\nl", "esc\x1b[31m", "rtl\u202eabc", "", "=1+1", "P(a)", "曇り"]


@pytest.fixture
def odd(tally):
    save(Model.train(Schema({"a=b": Categorical(), "a": Categorical()}), {"a=b": ODD, "a": ODD}, ODD), "odd.tally")
    return "odd.tally"


@pytest.mark.parametrize("name", ODD)
def test_class_of_any_name_can_be_used_and_shown(tally, odd, name):
    assert tally("predict", odd, "--cell", f"a=b={name}", "--find", name).code == 0
    assert tally("predict", odd, "--cell", f"a={name}", "--costs", f"x:y:{name}=3").code == 0
    assert tally("explain", odd, "--cell", f"a={name}", "--against", name).code == 0
    pyarrow.parquet.write_table(pa.table({"a": ODD, "a=b": ODD}), "t.parquet")
    for line in (["show", odd, "--class", name], ["learn", odd, "--class", name, "t.parquet"]):
        ended = tally(*line)
        assert ended.code == 0
        assert "\x1b" not in ended.out + ended.err
        assert "\u202e" not in ended.out + ended.err


def test_merge_message_is_one_line(tally, odd):
    assert tally("merge", odd, "-o", "m").err.count("\n") == 1


@pytest.mark.parametrize(
    ("labels", "written"),
    [
        ([True, False], "true"),
        ([1.5, 2.0], "1.50"),
        ([b"ham", b"spam"], "ham"),
        ([datetime.date(2024, 1, 2), datetime.date(2024, 1, 3)], "2024-01-02"),
        ([datetime.datetime(2024, 1, 2), datetime.datetime(2024, 1, 3)], "2024-01-02 00:00:00.000000"),
    ],
)
def test_class_is_recognised_as_predictions_write_it(tally, labels, written):
    pyarrow.parquet.write_table(pa.table({"x": ["a", "b"], "y": labels}), "t.parquet")
    assert tally("train", "t.parquet", "-l", "y", "-o", "m").code == 0
    assert tally("predict", "m", "--cell", "x=a", "--find", written).code == 0
    assert tally("predict", "m", "t.parquet").out.splitlines()[1].split(",")[0] in (written, "1.5")
    assert tally("predict", "m", "--cell", "x=a", "--find", "never").code == 2


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("--costs yes:no=3 --costs yes:no=4", "'yes:no=4': this cost is given twice"),
        ("--costs yes:no=nan", "write TRUTH:DECISION=COST"),
        ("--costs yes:no=inf", "write TRUTH:DECISION=COST"),
        ("--costs yes=no:3", "write TRUTH:DECISION=COST"),
        ("--costs yes:maybe=3", "There is no class 'maybe'; the classes are no, yes."),
    ],
)
def test_invalid_costs_are_errors(tally, model, line, message):
    ended = tally("predict", model, "--cell", "temp=20", *line.split())
    assert (ended.code, ended.out) == (2, "")
    assert message in ended.err


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--column", "temp=Gaussian", "--column", "temp=Poisson"], "the column 'temp' is given twice"),
        (["--column", "play=Categorical"], "this column holds the classes"),
        (["--column", "=Categorical"], "write NAME=FAMILY"),
        (["--column", "temp"], "write NAME=FAMILY"),
        (["--schema", "weather.tally"], "weather.tally: this is not a schema"),
        (["--schema", "weather.csv"], "weather.csv: The schema cannot be read as TOML"),
    ],
)
def test_invalid_schema_is_an_error(tally, model, options, message):
    ended = tally("train", "weather.csv", "-l", "play", "-o", "m", *options)
    assert ended.code == 2
    assert message in ended.err


def test_column_name_with_an_equals_sign(tally, weather):
    weather.write_text("a=b (x),play\n1,no\n2,yes\n")
    assert tally("train", weather, "-l", "play", "-o", "m", "--column", "a=b (x)=Poisson(shape=2, rate=1)").code == 0
    assert load("m").schema.columns == {"a=b (x)": Poisson(shape=2.0, rate=1.0)}


@pytest.mark.parametrize("accuracy", ["nan", "95", "-0.1"])
def test_accuracy_that_is_no_share_is_an_error(tally, model, weather, accuracy):
    ended = tally("evaluate", model, weather, "--at-least", accuracy)
    assert (ended.code, ended.err) == (
        2,
        f"tallybayes evaluate: --at-least {accuracy}: give an accuracy from 0 to 1.\n",
    )


def test_days_that_are_not_a_number_are_an_error(tally, model):
    assert tally("store", "create", model, "store").code == 0
    ended = tally("store", "expire", "store", "--older-than", "nan")
    assert (ended.code, "--older-than nan: give a number of days" in ended.err) == (2, True)
    assert "forgot 0 rows" in tally("store", "expire", "store", "--older-than", "inf").err


TEXTS = ["free money", "lunch money", "lunch today", "free today"]
FAMILIES = [
    (Words(alpha=0.0), TEXTS),
    (Words(reading="complement"), TEXTS),
    (Words(reading="bernoulli"), TEXTS),
    (Categorical(alpha=0.0), TEXTS),
    (Histogram(), [1.0, 2.0, 3.0, 4.0]),
    (Density(), [1.0, 2.0, 3.0, 4.0]),
    (Gaussian(), [None, None, None, None]),
    (Each(Gaussian()), [[1.0, 2.0], [2.0, 3.0], [3.0, 3.5], [4.0, 4.5]]),
]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("family", "cells"), FAMILIES, ids=lambda value: repr(value) if isinstance(value, object) else ""
)
@pytest.mark.filterwarnings("ignore")
def test_every_report_is_valid_json_and_renders(tally, family, cells):
    labels = ["ham", "spam", "spam", "ham"]
    save(Model.train(Schema({"x": family}, label="y"), {"x": cells}, labels), "m.tally")
    pyarrow.parquet.write_table(pa.table({"x": cells, "y": labels}), "t.parquet")
    for line in ("show m.tally --column x", "explain m.tally t.parquet", "evaluate m.tally t.parquet"):
        assert tally(*line.split()).code == 0
        found = tally(*line.split(), "-f", "json").out
        for part in found.splitlines() if line.startswith("explain") else [found]:
            json.loads(part, parse_constant=pytest.fail)


def test_scores_are_not_called_likelihoods(tally):
    save(Model.train({"x": Words(reading="complement")}, {"x": TEXTS}, ["a", "b", "b", "a"]), "m.tally")
    assert "x gives scores" in tally("explain", "m.tally", "--text", "free").out
    columns = json.loads(tally("explain", "m.tally", "--text", "free", "-f", "json").out)["columns"]
    assert [column["score"] for column in columns] == [False, True]


def test_single_cell_of_a_vector_is_refused(tally):
    save(Model.train({"x": Each(Gaussian())}, {"x": [[1.0, 2.0], [2.0, 1.0]]}, ["a", "b"]), "m.tally")
    ended = tally("predict", "m.tally", "--cell", "x=1")
    assert ended.code == 2
    assert "give data instead" in ended.err


@pytest.mark.slow
def test_long_lists_of_columns_are_abbreviated(tally, weather):
    names = [f"c{i}" for i in range(300)]
    rows = [["1" if i % 2 else str(row * i % 5) for i in range(300)] for row in range(40)]
    lines = [",".join([*names, "y"]), *(",".join([*row, "ab"[i % 2]]) for i, row in enumerate(rows)), ""]
    weather.write_text("\n".join(lines))
    ended = tally("train", weather, "-l", "y", "-o", "m")
    assert "; and 168 more\n" in ended.err
    assert "… and 20 more" in tally("show", "m").out
    assert len(json.loads(tally("show", "m", "-f", "json").out)["columns"]) == 120


def test_data_together_with_a_row_is_an_error(tally, model, weather):
    for verb in ("predict", "explain"):
        assert "describe one row" in tally(verb, model, weather, "--cell", "temp=3").err


def test_names_of_columns_may_be_spaced_and_quoted(tally, tmp_path):
    (tmp_path / "t.csv").write_text("1.5,a,p\n2.5,b,q\n")
    ended = tally("schema", "t.csv", "--names", ' size , "kind, or none",y', "--label", "y")
    assert ended.code == 0
    assert 'size = "Gaussian()"' in ended.out
    assert '"kind, or none" = "Categorical(alpha=\'fitted\')"' in ended.out
    for given in (("--names", "a\nb,c,y"), ("--label", "y", "--names", "a,c,y", "--column", "a\nb,c=Correlated")):
        ended = tally("schema", "t.csv", *given)
        assert (ended.code, "these names cannot be read. Separate them by commas, quoted as in CSV." in ended.err) == (
            2,
            True,
        )
