"""Inferred families and their reasons; no inferred family stops training later."""

import datetime
import decimal
from dataclasses import replace

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from examples import some
from tallybayes import Bernoulli, Categorical, Gaussian, Histogram, Model, Schema, Words, open_source
from tallybayes.schema.infer import choose, sample

RNG = np.random.default_rng(8)
LEVELS = Categorical(alpha="fitted")
TEXT = Words(reading="auto", ngrams=2, shortest=1, punctuation=True)
SHORT = replace(TEXT, characters=(2, 5))
TAGS = Words(reading="auto", shortest=1)
NAMES = replace(TAGS, characters=(2, 5))
CATEGORIES = ["red", "green", "blue"]
FIRST = ["anna", "bert", "clara", "dora", "emil"]


def intervals(bits=8):
    return Histogram(method="auto", alpha="fitted", bits=bits)


def inferred(values, name="x", **options):
    schema = Schema.infer({name: values}, **options)
    return schema.columns.get(name), schema.reasons[name]


CHOICES = {
    "booleans": ([True, False, None], Bernoulli(alpha="fitted"), "true or false"),
    "0 and 1": ([0, 1] * 10, LEVELS, "only 0 and 1"),
    "0 and 1 as text": (["0.0", "1.0", ""] * 10, LEVELS, "written as text, only 0 and 1"),
    "codes": (["01234", "10115"], LEVELS, "text, 2 levels in 2 cells"),
    "a dictionary": (pa.array([10, 20, 10]).dictionary_encode(), LEVELS, "a categorical type with 2 levels"),
    "few texts": (["a", "b", "a"], LEVELS, "text, 2 levels in 3 cells"),
    "few whole numbers": (RNG.integers(1, 6, 500), LEVELS, "only 5 different whole numbers"),
    "few cells": (RNG.normal(0, 1, 49), Gaussian(), "numbers from"),
    "few numbers as text": (["1.5", "2.25", " 7 "], Gaussian(), "written as text, numbers from 1.5 to 7"),
    "normal": (RNG.normal(0, 1, 500), intervals(), "numbers from"),
    "many normal": (RNG.normal(0, 1, 5000), intervals(), "numbers from"),
    "counts": (RNG.poisson(9, 500), intervals(), "numbers from"),
    "a long tail": (RNG.lognormal(3, 1.5, 500), intervals(), "numbers from"),
    "a long tail with zeros": (np.r_[[0.0] * 5, RNG.lognormal(3, 1.5, 500)], intervals(), "numbers from 0 to"),
    "a spike": ([0.0] * 20 + list(RNG.normal(5, 1, 40)), intervals(), "numbers from 0 to"),
    "kelvins": (RNG.normal(293.15, 0.5, 500), intervals(16), "numbers from 29"),
    "far from zero": (1e9 + RNG.integers(0, 20, 500), intervals(40), "numbers from 1e+09 to 1e+09"),
    "an outlier": (np.r_[RNG.normal(0, 1, 500), 1e12], intervals(), "numbers from"),
    "nothing": ([None, None], None, "every cell is missing"),
    "NaN": ([np.nan], None, "every cell is missing"),
    "one text": (["same"] * 30, None, "every cell is the same"),
    "one number": ([72.0] * 30, None, "every cell is the same"),
    "one text, or none": (["t", None] * 30, LEVELS, "the same in 30 cells, missing in the others, which may be"),
    "one number, or none": ([1.0, None] * 30, intervals(16), "the same in 30 cells, missing in the others"),
    "one number as text, or none": (["1", ""] * 30, intervals(16), "written as text, the same in 30 cells"),
    "one number, thrice": ([72.0] * 3, Gaussian(), "numbers from 72 to 72"),
    "text identifiers": ([f"id-{i}" for i in range(50)], NAMES, "50 different texts in 50 cells: names"),
    "hashes": ([f"{h:032x}" for h in RNG.integers(0, 2**62, 500)], NAMES, "500 different texts in 500 cells: names"),
    "free text": (["the cat sat", "the dog ran off"] * 3 + [f"a cat saw {i}" for i in range(9)], TEXT, "free text"),
    "short texts": ([f"a cat saw {i}" for i in range(200)], SHORT, "short text, 4 words in a cell"),
    "long texts": ([f"a cat saw {i}" + " and a dog" * 14 for i in range(200)], TEXT, "free text, 46 words in a cell"),
    "names": ([f"{FIRST[i % 5]} x{i}" for i in range(100)], NAMES, "100 different texts in 100 cells, 100% of which"),
    "packages": ([f"org.{CATEGORIES[i % 3]}.v{i}" for i in range(90)], NAMES, "90 different texts in 90 cells"),
    "words": (["".join(RNG.permutation(list("aeioprst"))) for _ in range(60)], NAMES, "60 different texts in 60 cells"),
    "tags": (["|".join(RNG.permutation(FIRST)[: 1 + i % 4]) for i in range(300)], TAGS, "lists of tags, with '|'"),
    "genotypes": (["A", "C", "A/A", "A/C", "C/C", "C/T"] * 50, LEVELS, "text, 6 levels in 300 cells"),
    "lists": ([["a", "b"], ["c"], None], TAGS, "lists of words"),
    "dates": ([datetime.date(2020, 1, 1)], None, "times"),
    "durations": ([datetime.timedelta(1)], None, "times"),
    "dates as text": (["2020-01-01", "2021-05-02"], None, "times"),
    "times as text": (["2020-01-01T10:00:00Z", "2021-05-02 11:30"], None, "times"),
    "dates with slashes": (["01/31/20", "2/1/2021", "31/12/1999", "2020/1/31"] * 20, None, "times"),
    "dates with points": (["31.01.2020", "1.2.2021"] * 20, None, "times"),
    "times of day after dates": (["1/31/2020 9:30 PM", "31-01-2020 21:30:05.5"], None, "times"),
    "versions": (["1.10.12", "3.11.2"] * 20, LEVELS, "text, 2 levels in 40 cells"),
    "impossible dates": (["45/12/2020", "01/31/20"] * 20, LEVELS, "text, 2 levels in 40 cells"),
    "no month": (["13/13/13", "20/10/10"] * 20, LEVELS, "text, 2 levels in 40 cells"),
    "no year": (["1-2-3456", "12-10-2000"] * 20, LEVELS, "text, 2 levels in 40 cells"),
    "fertilisers": (["10-10-10", "5-10-15"] * 20, LEVELS, "text, 2 levels in 40 cells"),
    "last dates": (["9999/12/31", "12/31/9999", "31-12-9999"] * 20, None, "times"),
    "structs of lists": ([{"a": [1, 2]}, {"a": [3]}], None, "records: convert their fields to columns"),
    "structs": ([{"a": "b"}, {"a": "c"}], None, "records: convert their fields to columns"),
    "lists of structs": ([[{"a": 1}], [{"a": 2}]], None, "nested or mixed values: convert them to columns"),
    "lists of lists": ([[[1, 2], [3]], [[4]]], None, "nested or mixed values: convert them to columns"),
    "maps": (pa.array([[("a", 1)]], pa.map_(pa.string(), pa.int64())), None, "nested or mixed values: convert them"),
    "bytes": ([b"\xff", b"b"], None, "bytes: decode them to text"),
    "decimals": ([decimal.Decimal("1.5"), decimal.Decimal("2")], Gaussian(), "numbers from 1.5 to 2"),
}


@pytest.mark.parametrize("case", CHOICES)
def test_infers_by_type_and_values_and_says_why(case):
    values, family, reason = CHOICES[case]
    found, why = inferred(values)
    assert found == family
    assert why.startswith(reason)


@pytest.mark.parametrize(("case", "beside"), [("names", TAGS), ("packages", TAGS), ("words", None)])
def test_names_are_read_by_their_characters_only_if_no_other_column_is_counted(case, beside):
    values = CHOICES[case][0]
    sizes, numbers = [3.5, 7.25, 9.75] * len(values), [f"id-{i}" for i in range(len(values))]
    assert Schema.infer({"x": values, "size": sizes[: len(values)]}).columns.get("x") == beside
    alone = Schema.infer({"x": values, "id": numbers})
    assert alone.columns == {"x": NAMES}
    assert alone.reasons["x"].endswith(", and no other column is counted")


def test_codes_are_read_by_their_characters_only_if_no_other_column_is_counted():
    codes = [f"A{i:03d}" for i in range(100)]
    assert Schema.infer({"code": codes}).columns == {"code": NAMES}
    assert Schema.infer({"code": codes, "one": ["x"] * 100}).columns == {"code": NAMES}
    assert "code" not in Schema.infer({"code": codes, "size": [3.5, 7.25] * 50}).columns


IDENTIFIERS = {
    "rows": np.arange(1000),
    "rows shuffled": RNG.permutation(1000) + 5_000_000,
    "with gaps": np.cumsum(RNG.integers(1, 4, 500)),
    "drawn from many": RNG.choice(10**12, 500, replace=False),
    "as floats": np.r_[np.arange(200.0), np.nan],
}


@pytest.mark.parametrize("case", IDENTIFIERS)
def test_integer_identifiers_are_left_out(case):
    family, reason = inferred(IDENTIFIERS[case])
    assert family is None
    assert reason.endswith("different whole numbers: an identifier")


MEASURED = {
    "populations": np.unique(RNG.lognormal(11, 2, 300).round()),
    "with a repetition": np.r_[np.arange(1000), 5],
    "few": np.arange(50),
    "fractions": np.arange(1000) + 0.5,
}


@pytest.mark.parametrize("case", MEASURED)
def test_integer_measurements_are_counted(case):
    assert isinstance(inferred(MEASURED[case])[0], Histogram)


@pytest.mark.parametrize("name", ["id", "user_id", "ID", "customer ID", "orderId", "Unnamed: 0", "row-id"])
def test_column_name_may_indicate_identifiers(name):
    skewed = np.unique(RNG.lognormal(11, 2, 300).round())
    assert inferred(skewed, name)[0] is None
    assert inferred(skewed, "paid")[0] is not None


@pytest.mark.parametrize("name", ["id", "plot_id", "Tuna.id", "userID", "group key"])
def test_identifier_that_repeats_is_a_category(name):
    groups = np.repeat(np.arange(100, 130), 4)
    assert inferred(groups, name) == (Categorical(alpha="fitted"), "an identifier of 30 groups")
    others = ["index", "paid", "idea", "age"]  # an index may be a measurement
    assert all(isinstance(inferred(groups, other)[0], Histogram) for other in others)
    assert isinstance(inferred(np.repeat(np.arange(60), 2), name)[0], Histogram)  # few cells a group
    assert isinstance(inferred(np.repeat(np.arange(1001), 3), name)[0], Histogram)  # too many groups
    assert isinstance(inferred(groups + 0.5, name)[0], Histogram)


def in_chunks(columns):
    return pa.Table.from_batches(pa.table(columns).to_batches(max_chunksize=50_000))


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table, in_chunks])
@pytest.mark.parametrize("at", [1, 12_347, 110_001])
def test_one_text_among_many_numbers_written_as_text_is_found(make, at):
    """No sample of so many rows sees it."""
    cells = [str(i % 977) for i in range(200_003)]
    cells[at] = "12B"
    with pytest.warns(UserWarning, match="Column 'x': nearly all numbers, the rest '12B'"):
        schema = Schema.infer(make({"x": cells, "w": ["some words here"] * len(cells), "id": range(len(cells))}))
    assert schema.columns.keys() == {"x", "w"}
    assert schema.columns["x"] == Categorical(alpha="fitted")


@pytest.mark.parametrize("name", ["who", None])
def test_index_in_parquet_is_left_out_with_a_note_unless_it_is_asked_for(tmp_path, name):
    frame = pd.DataFrame({"x": ["u", "v"] * 10, "y": ["a", "b"] * 10}, index=pd.Index(["p", "q"] * 10, name=name))
    frame.to_parquet(tmp_path / "t.parquet")
    column = name or "__index_level_0__"
    found = Schema.infer(open_source(tmp_path / "t.parquet"), "y")
    assert (list(found.columns), found.reasons[column]) == (["x"], "the index of a DataFrame")
    asked = Schema.infer(open_source(tmp_path / "t.parquet"), "y", hints={column: Categorical()})
    assert asked.columns.keys() == {"x", column}
    assert Schema.infer(frame, "y").reasons.keys() == {"x"}


@pytest.mark.parametrize("edges", [[-9.0, 0.25, 9.0], [1, 2, 5], [0.5, 1.5, 2.0]])
@pytest.mark.parametrize("closed", ["left", "right"])
def test_pandas_intervals_are_levels_as_in_a_file(edges, closed, tmp_path):
    cut = pd.cut(RNG.uniform(edges[0] - 1, edges[-1], 200), edges, right=closed == "right")
    frame = pd.DataFrame({"cut": cut, "plain": pd.arrays.IntervalArray(cut), "y": np.resize(["p", "q"], 200)})
    schema = Schema.infer(frame, "y")
    assert schema.columns == {"cut": LEVELS, "plain": LEVELS}
    frame.to_csv(tmp_path / "t.csv", index=False)
    source = open_source(tmp_path / "t.csv")
    assert Schema.infer(source, "y").columns == schema.columns
    assert Model.train(schema, source) == Model.train(schema, frame, "y")


@pytest.mark.parametrize(
    "make", [pd.DataFrame, pl.DataFrame, pa.table, dict], ids=["pandas", "polars", "arrow", "dict"]
)
def test_sample_covers_the_whole_table(make, monkeypatch):
    """A table sorted by class: columns constant at the start vary later."""
    monkeypatch.setattr(sample, "SAMPLE_ROWS", 1000)
    n = 10_500
    columns = {"late": np.r_[np.zeros(n - 500), RNG.normal(5, 1, 500)], "row": np.arange(n) // 2}
    found, whole = sample.sampled(make(columns))
    assert not whole
    assert 500 <= len(found) <= 1000
    rows = found.column("row").to_numpy()
    assert rows[0] < 20
    assert rows[-1] > (n - 50) // 2
    assert len(set(np.diff(rows).tolist())) <= 2  # evenly spaced
    assert isinstance(Schema.infer(make(columns)).columns["late"], Histogram)


def test_column_constant_in_a_part_is_counted():
    part = {"number": [7.0] * 30, "text": ["same"] * 30, "nothing": [None] * 30, "flag": [True] * 30}
    schema = Schema.infer(part, whole=False)
    assert list(schema.columns) == list(part)
    assert Schema.infer(part).columns.keys() == {"flag"}


def test_constant_sample_says_so_and_near_constant_ones_do_not():
    schema = Schema.infer({"x": [293.15] * 50, "word": ["same"] * 50, "none": pa.nulls(50)}, whole=False)
    assert schema.reasons == {
        "x": "every cell of the sample is the same",
        "word": "every cell of the sample is the same",
        "none": "every cell of the sample is missing",
    }
    model = Model.train(Schema({"x": schema.columns["x"]}), {"x": [293.15, 293.65] * 50}, ["cold", "warm"] * 50)
    assert model.posterior({"x": [293.15, 293.65]}).argmax(axis=1).tolist() == [0, 1]


CELLS = {
    "numbers": st.floats(allow_nan=False, allow_infinity=False) | st.integers(-(10**6), 10**6).map(float),
    "texts": st.text(max_size=8) | st.integers().map(str),
    "booleans": st.booleans(),
}


@settings(max_examples=some(200))
@given(st.data(), st.sampled_from(sorted(CELLS)))
def test_no_inferred_family_stops_training_later(data, kind):
    """Whatever the first rows are, all others of their type can be counted and forgotten."""
    cells = st.none() | CELLS[kind]
    first, later = data.draw(st.lists(cells, min_size=1, max_size=80)), data.draw(st.lists(cells, max_size=10))
    repeated = first * data.draw(st.sampled_from([1, 30]))
    arrow = {"numbers": pa.float64(), "texts": pa.string(), "booleans": pa.bool_()}[kind]
    schema = Schema.infer({"x": pa.array(repeated, arrow)}, whole=False)
    if kind == "texts" and "x" in schema.columns and schema.columns["x"].reads == pa.float64():
        later = []  # numeric text is inferred as numbers, and a later non-number is an error with its row
    model = Model.train(schema, {"x": pa.array(repeated, arrow)}, ["a"] * len(repeated))
    before = model.copy()
    more = Model.train(schema, {"x": pa.array(later, arrow)}, ["b"] * len(later))
    model += more
    assert model.n == len(repeated) + len(later)
    model -= more
    assert model == before


def test_python_and_files_infer_the_same(tmp_path):
    n = 400
    table = pd.DataFrame(
        {
            "id": np.arange(n),
            "price": RNG.lognormal(3, 1, n).round(2),
            "pieces": np.where(np.arange(n) % 9, RNG.poisson(30, n), np.nan),
            "stars": RNG.integers(1, 6, n),
            "sold": RNG.random(n) < 0.5,
            "colour": RNG.choice([*CATEGORIES, None], n),
            "when": [str(datetime.date(2020, 1, 1) + datetime.timedelta(i % 50)) for i in range(n)],
            "note": [f"{FIRST[i % 5]} said {CATEGORIES[i % 3]} is number {i}" for i in range(n)],
            "code": [f"{i:032x}" for i in RNG.integers(0, 2**62, n)],
            "same": "same",
            "class": RNG.choice(["p", "q"], n),
        }
    )
    table.to_csv(tmp_path / "t.csv", index=False)
    table.to_parquet(tmp_path / "t.parquet")
    table.to_json(tmp_path / "t.jsonl", orient="records", lines=True)
    expected = Schema.infer(pd.read_csv(tmp_path / "t.csv"), "class")
    assert list(expected.columns) == ["price", "pieces", "stars", "sold", "colour", "note"]
    assert Schema.infer(table, "class") == expected
    for kind in ("csv", "parquet", "jsonl"):
        assert Schema.infer(open_source(tmp_path / f"t.{kind}"), "class") == expected, kind


def test_near_constant_column_is_never_100_percent():
    cells = pa.array([0.0] * 9999 + [*np.linspace(1, 2, 30)])
    assert choose(cells).reason == "numbers from 0 to 2, nearly all of them 0"


def test_all_missing_typed_column_gets_a_family_of_its_type():
    numbers = [pa.int64(), pa.float64(), pa.decimal128(9, 2)]
    for kind in numbers:
        assert choose(pa.nulls(30, kind), whole=False).family.reads == pa.float64()
    assert choose(pa.array([float("nan")] * 30), whole=False).family.reads == pa.float64()
    assert choose(pa.nulls(30, pa.bool_()), whole=False).family == Bernoulli(alpha="fitted")
    for kind in (pa.null(), pa.string()):
        assert choose(pa.nulls(30, kind), whole=False).family == Categorical(alpha="fitted")
    assert choose(pa.array([" "] * 30), whole=False).family == Categorical(alpha="fitted")
    assert choose(pa.nulls(30, pa.int64()), whole=True).family is None


@given(st.lists(st.floats(allow_nan=True, allow_infinity=False) | st.integers(0, 2).map(float), max_size=40), st.data())
def test_infinite_number_is_an_error_whatever_the_others_are(numbers, data):
    """Neither left out with its column nor counted as a level."""
    cells = data.draw(st.permutations([*numbers, data.draw(st.sampled_from([np.inf, -np.inf]))]))
    with pytest.raises(ValueError, match=r"Column 'x', row .* infinite"):
        Model.train(Schema.infer({"x": cells}), {"x": cells}, ["a"] * len(cells))


@pytest.mark.filterwarnings("error")
@given(st.lists(st.tuples(st.floats(-1e6, 1e6), st.floats(1e-3, 1e3)), min_size=1, max_size=3), st.integers(0, 9))
def test_no_inferred_histogram_warns_of_rounding_on_its_own_rows(clusters, seed):
    random = np.random.default_rng(seed)
    x = np.concatenate([random.normal(mean, sd, 100) for mean, sd in clusters])
    Model.train(Schema.infer({"x": x}), {"x": x}, ["a"] * len(x))


@given(st.integers(0, 2**32 - 1), st.sampled_from([1, 3, 40]))
def test_weight_two_is_twice(seed, most):
    """With weights that make few rows many, so that thresholds are passed."""
    random = np.random.default_rng(seed)
    rows = int(random.integers(2, 90))
    levels = random.integers(0, 9, rows)
    table = pa.table({"x": random.normal(size=rows), "n": levels, "t": levels.astype(str), "id": np.arange(rows)})
    weights = random.integers(0, most + 1, rows)
    weights[0] = 1
    again = table.take(pa.array(np.repeat(np.arange(rows), weights)))
    for dependence in ("none", "auto"):
        heavy = Schema.infer(table, dependence=dependence, weights=weights)
        assert heavy == Schema.infer(again, dependence=dependence)
        assert heavy.reasons == Schema.infer(again, dependence=dependence).reasons


def test_weights_that_are_not_whole_numbers_matter_only_if_they_are_zero():
    table = {"x": [1.5, 2.5, 3.5], "c": ["a", "a", "b"]}
    assert Schema.infer(table, weights=[0.5, 7.25, 0.0]) == Schema.infer({"x": [1.5, 2.5], "c": ["a", "a"]})


def test_as_many_weights_as_rows_are_needed():
    with pytest.raises(ValueError, match=r"There are 2 weights for 3 rows\."):
        Schema.infer({"x": [1.5, 2.5, 3.5]}, weights=[1, 2])


@pytest.mark.parametrize(
    ("weights", "words"),
    [
        ([1.0, -1.0, 1.0], "The weight in row 1 is -1.0"),
        ([1.0, 1.0, np.nan], "The weight in row 2 is nan"),
        ([[1.0], [1.0], [1.0]], "Give the weights as numbers, one for each row"),
        ("x", "Give the weights as numbers, one for each row"),
        ([0.0, 0.0, 0.0], "There are no rows to infer a schema from"),
    ],
)
def test_weights_that_are_none_are_errors(weights, words):
    with pytest.raises(ValueError, match=words):
        Schema.infer({"x": [1.5, 2.5, 3.5]}, weights=weights)


def test_no_rows_and_large_weights():
    with pytest.raises(ValueError, match="There are no rows to infer a schema from"):
        Schema.infer(pa.table({"x": pa.array([], pa.float64())}), weights=[])
    assert Schema.infer({"x": [1.5, 2.5, 3.5]}, weights=[1e308] * 3).columns
