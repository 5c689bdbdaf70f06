"""Tables from any library give the same model, and unreadable cells are named."""

import datetime
import decimal
import subprocess
import sys

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc
import pytest

from tallybayes import Bernoulli, Categorical, Gaussian, Model, NaiveBayes, Poisson, Schema, Words, digest
from tallybayes.data import frames, labels

COLUMNS = {
    "city": ["Paris", None, "Rome", "Paris"],
    "age": [40.0, 12.5, None, 7.25],
    "calls": [3, 0, None, 12],
    "paid": [True, None, False, True],
}
LABELS = ["a", "b", "a", "b"]
SCHEMA = Schema({"city": Categorical(), "age": Gaussian(), "calls": Poisson(), "paid": Bernoulli()})
DATA = pa.table(COLUMNS)


@pytest.mark.parametrize(
    "make",
    [
        lambda: DATA,
        lambda: DATA.to_batches()[0],
        lambda: DATA.to_reader(),
        lambda: pa.concat_tables([DATA.slice(0, 1), DATA.slice(1, 0), DATA.slice(1)]),
        lambda: pa.concat_tables([DATA, DATA]).slice(4),
        lambda: DATA.select(["paid", "calls", "age", "city"]),
        lambda: pd.DataFrame(COLUMNS),
        lambda: pd.DataFrame(COLUMNS, index=["w", "x", "y", "z"]),
        lambda: DATA.to_pandas(types_mapper=pd.ArrowDtype),
        lambda: pd.DataFrame(COLUMNS).astype({"city": "category", "calls": "Int64", "paid": "boolean"}),
        lambda: pd.DataFrame(COLUMNS).astype({"age": ">f8"}),
        lambda: pd.DataFrame(COLUMNS).astype({"age": np.longdouble}),
        lambda: pl.DataFrame(COLUMNS),
        lambda: pl.DataFrame(COLUMNS).with_columns(pl.col("city").cast(pl.Categorical)),
        lambda: duckdb.sql("select * from DATA"),
        lambda: {name: pa.array(values) for name, values in COLUMNS.items()},
        lambda: {name: pd.Series(values) for name, values in COLUMNS.items()},
        lambda: {name: pl.Series(values) for name, values in COLUMNS.items()},
        lambda: {name: np.array(values, object) for name, values in COLUMNS.items()},
        lambda: DATA.set_column(0, "city", DATA["city"].cast(pa.large_string())),
        lambda: DATA.set_column(0, "city", DATA["city"].cast(pa.string_view())),
        lambda: DATA.set_column(0, "city", DATA["city"].dictionary_encode()),
        lambda: DATA.set_column(0, "city", pc.run_end_encode(DATA["city"])),
        lambda: DATA.set_column(1, "age", pc.run_end_encode(DATA["age"])),
        lambda: DATA.set_column(0, "city", DATA["city"].cast(pa.large_string()).dictionary_encode()),
        lambda: DATA.set_column(1, "age", DATA["age"].cast(pa.decimal128(10, 4))),
        lambda: DATA.set_column(1, "age", DATA["age"].cast(pa.float32())),
        lambda: DATA.set_column(1, "age", DATA["age"].cast(pa.string())),
        lambda: DATA.set_column(2, "calls", DATA["calls"].cast(pa.uint8())),
        lambda: DATA.set_column(3, "paid", DATA["paid"].cast(pa.string())),
    ],
)
def test_every_table_type_gives_the_same_model(make):
    expected = Model.train(SCHEMA, COLUMNS, LABELS)
    model = Model.train(SCHEMA, make(), LABELS)
    assert digest(model) == digest(expected)
    np.testing.assert_array_equal(model.log_joint(make()), expected.log_joint(COLUMNS))


@pytest.mark.parametrize(
    "make",
    [
        list,
        np.array,
        pd.Series,
        pl.Series,
        pa.array,
        pd.Categorical,
        lambda v: pa.chunked_array([v[:1], v[1:]]),
    ],
)
def test_every_label_type_gives_the_same_model(make):
    assert digest(Model.train(SCHEMA, COLUMNS, make(LABELS))) == digest(Model.train(SCHEMA, COLUMNS, LABELS))


WORDS = [["a", "b"], None, ["c", "c"], ["b", "a"]]
WORD_LISTS = {
    "polars": lambda: pl.DataFrame({"words": WORDS}),
    "polars, levels": lambda: pl.DataFrame({"words": pl.Series(WORDS, dtype=pl.List(pl.Categorical))}),
    "polars, arrays": lambda: pl.DataFrame({"words": pl.Series(WORDS, dtype=pl.Array(pl.String, 2))}),
    "large lists": lambda: pa.table({"words": pa.array(WORDS, pa.large_list(pa.large_string()))}),
    "list views": lambda: pa.table({"words": pa.array(WORDS, pa.list_view(pa.string_view()))}),
    "lists of levels": lambda: pa.table({"words": pa.array(WORDS, pa.list_(pa.dictionary(pa.int8(), pa.string())))}),
    "slices": lambda: pa.table({"words": pa.array([["x", "y"], *WORDS], pa.list_view(pa.string_view()))[1:]}),
}


@pytest.mark.parametrize("make", WORD_LISTS.values(), ids=WORD_LISTS)
def test_lists_of_words_in_any_layout_give_the_same_model(make):
    """Weighing takes some of the rows, which Arrow cannot do with views."""
    expected, labels = pa.table({"words": WORDS * 10}), LABELS * 10
    frame = pa.concat_tables([pa.table(make())] * 10)
    assert Schema.infer(frame) == Schema.infer(expected)
    assert digest(NaiveBayes().fit(frame, labels).model_) == digest(NaiveBayes().fit(expected, labels).model_)


@pytest.mark.parametrize("names", [[0, "1", 2.5, None], [("a", 1), ("a", 2), ("b", 1), "c"]], ids=["mixed", "tuples"])
def test_column_names_of_any_type_are_their_texts(names, recwarn):
    frame = pd.DataFrame(COLUMNS).set_axis(pd.Index(names, dtype=object, tupleize_cols=False), axis=1)
    schema = Schema({str(name): family for name, family in zip(names, SCHEMA.columns.values(), strict=True)})
    model = Model.train(schema, frame, LABELS)
    assert not recwarn.list
    np.testing.assert_allclose(model.log_joint(frame), Model.train(SCHEMA, COLUMNS, LABELS).log_joint(COLUMNS))


def test_decimals_have_the_fingerprints_of_their_numbers():
    """Otherwise other rows would be left out together, and the weights would differ."""
    x = np.random.default_rng(0).normal(np.arange(100) % 2).round(2)
    decimals = pa.table({"x": pa.array([decimal.Decimal(str(value)) for value in x])})
    labels = ["a", "b"] * 50
    assert digest(NaiveBayes().fit(decimals, labels).model_) == digest(NaiveBayes().fit({"x": x}, labels).model_)


def test_periods_are_times():
    months = pd.DataFrame({"month": pd.period_range("2020-01", periods=4, freq="M")})
    assert Schema.infer(months).reasons["month"].startswith("times")
    with pytest.raises(ValueError, match="are times, which no family counts"):
        Model.train({"month": Categorical()}, months, LABELS)


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("kind", [np.float64, np.float32, np.int32])
def test_matrix_columns_are_numbered(order, kind):
    matrix = np.array([[1, 2], [3, 4], [5, 7]], kind, order=order)
    schema = Schema({"0": Gaussian(), "1": Gaussian()})
    expected = Model.train(schema, {"0": [1, 3, 5], "1": [2, 4, 7]}, [0, 1, 1])
    assert digest(Model.train(schema, matrix, [0, 1, 1])) == digest(expected)
    structured = np.array([(1, 2), (3, 4), (5, 7)], [("0", kind), ("1", kind)])
    assert digest(Model.train(schema, structured, [0, 1, 1])) == digest(expected)


def test_long_matrix_is_read_in_steps():
    x = np.arange(70_000.0 * 64).reshape(70_000, 64)
    schema = Schema({str(i): Gaussian() for i in range(64)})
    labels = np.arange(70_000) % 3
    assert digest(Model.train(schema, x, labels)) == digest(Model.train(schema, np.asfortranarray(x), labels))


def test_matrix_of_texts_that_can_only_be_empty_is_read():
    rows = np.zeros((4, 2), [("name", "U0"), ("n", "i4")])["name"]
    model = Model.train({"1": Categorical()}, rows, [0, 1, 1, 1])
    assert model.counts("1") == Model.train({"1": Categorical()}, {"1": [""] * 4}, [0, 1, 1, 1]).counts("1")


def test_dictionary_of_scalars_is_one_row():
    model = Model.train(SCHEMA, COLUMNS, LABELS)
    single = {"city": "Rome", "age": 33.0, "calls": np.int64(2), "paid": None}
    many = {name: [value] for name, value in single.items()}
    np.testing.assert_array_equal(model.log_joint(single), model.log_joint(many))


@pytest.mark.parametrize(
    "make",
    [
        list,
        tuple,
        np.array,
        lambda texts: np.array(texts, object),
        pd.Series,
        lambda texts: pd.Series(texts, dtype="category", name="other"),
        lambda texts: pd.Series(texts, dtype=object, index=range(7, 7 + len(texts))),
        pl.Series,
        pa.array,
        lambda texts: pa.chunked_array([texts[:1], texts[1:]]),
    ],
)
def test_bare_texts_are_the_only_column(make):
    texts = ["free lunch", "see you at lunch", "free money"]
    for family in (Words(), Categorical()):
        schema = Schema({"mail": family})
        expected = Model.train(schema, {"mail": texts}, [1, 0, 1])
        model = Model.train(schema, make(texts), [1, 0, 1])
        assert digest(model) == digest(expected)
        np.testing.assert_array_equal(model.posterior(make(texts)), expected.posterior({"mail": texts}))
        np.testing.assert_array_equal(model.posterior(make(texts[:1])), expected.posterior({"mail": texts[:1]}))


@pytest.mark.parametrize("make", [list, tuple, lambda texts: np.array(texts, object), pd.Series, pa.array])
def test_bare_texts_may_be_missing(make):
    texts, schema = ["free lunch", None, "free money"], Schema({"mail": Words()})
    expected = Model.train(schema, {"mail": texts}, [1, 0, 1])
    model = Model.train(schema, make(texts), [1, 0, 1])
    assert digest(model) == digest(expected)
    np.testing.assert_array_equal(model.posterior(make(texts)), expected.posterior({"mail": texts}))
    with pytest.raises(TypeError, match="is not a table"):
        model.posterior([None, 3])


def test_level_is_its_text():
    schema = Schema({"x": Categorical()})
    expected = digest(Model.train(schema, {"x": ["1", "2", None]}, LABELS[:3]))
    for values in ([1, 2, None], [1.0, 2.0, np.nan], [decimal.Decimal("1.00"), decimal.Decimal("2"), None]):
        assert digest(Model.train(schema, {"x": values}, LABELS[:3])) == expected
    model = Model.train(schema, {"x": [0.5, -1.25, 1e300]}, LABELS[:3])
    assert model.counts("x").slots == sorted(["0.5", "-1.25", str(int(1e300))])
    assert Model.train(schema, {"x": [True, False]}, LABELS[:2]).counts("x").slots == ["false", "true"]


def test_missing_column_error_lists_the_columns_present():
    with pytest.raises(ValueError, match=r"The data has no column 'calls'; it has 'age', 'Calls', 'city'\. Rename"):
        Model.train(SCHEMA, {"age": [1.0], "Calls": [1], "city": ["x"]}, ["a"])
    twice = pa.Table.from_arrays([pa.array([1.0]), pa.array([2.0])], names=["age", "age"])
    with pytest.raises(ValueError, match="The data has 2 columns called 'age'"):
        Model.train(Schema({"age": Gaussian()}), twice, ["a"])


def test_unreadable_cells_are_named():
    numbers, levels = Schema({"x": Gaussian()}), Schema({"x": Categorical()})
    for schema, values, message in [
        (
            numbers,
            [1.0, np.inf],
            "Column 'x', row 1: the value is infinite; Gaussian expects a finite number",
        ),
        (numbers, ["1", "", "two"], "Column 'x', row 2: 'two' is not a number"),
        (numbers, [datetime.datetime(2020, 1, 1)], "Column 'x': cells of type timestamp.*times"),
        (numbers, [[1.0], [2.0]], "Column 'x': cells of type list"),
        (levels, [datetime.date(2020, 1, 1)], "Column 'x': cells of type date32"),
        (levels, [{"a": 1}], "Column 'x': cells of type struct"),
    ]:
        with pytest.raises(ValueError, match=message):
            Model.train(schema, {"x": values}, ["a"] * len(values))
    with pytest.raises(ValueError, match="Column 'x' mixes types"):
        Model.train(numbers, {"x": [1.0, "b"]}, ["a", "a"])
    with pytest.raises(ValueError, match="The columns differ in length: 'x' has 2, 'y' has 1"):
        Model.train(numbers, {"x": [1.0, 2.0], "y": [1.0]}, ["a", "a"])


def test_errors_count_rows_from_the_start_of_the_table():
    values = np.ones(200_000)
    values[150_001] = np.inf
    schema = Schema({"x": Gaussian()})
    table = pa.table({"x": values})
    for data in (
        table,
        values[:, None].copy(),
        pa.concat_tables([table.slice(0, 100_000), table.slice(100_000)]),
    ):
        name = Schema({"0": Gaussian()}) if isinstance(data, np.ndarray) else schema
        with pytest.raises(ValueError, match="row 150001"):
            Model.train(name, data, np.arange(200_000) % 2)
    model = Model.train(schema, {"x": [1.0, 2.0]}, ["a", "b"])
    for asked in (model, model.believing(plugin=True)):
        with pytest.raises(ValueError, match="Column 'x', row 150001: inf is not a finite number"):
            asked.posterior(table)


def test_type_names_round_trip():
    for kind in (
        pa.string(),
        pa.int64(),
        pa.float64(),
        pa.bool_(),
        pa.binary(),
        pa.date32(),
        pa.date64(),
        pa.timestamp("us"),
        pa.timestamp("ns", "Europe/Oslo"),
        pa.timestamp("s", "+02:00"),
        pa.time32("ms"),
        pa.time64("ns"),
        pa.duration("s"),
        pa.decimal128(12, 3),
    ):
        assert labels.kind_from_name(str(kind)) == kind


def test_import_is_light():
    """Checks which modules are loaded; bench/start.py measures the time."""
    code = (
        "import sys, tallybayes\n"
        "print([m for m in ('sklearn', 'pandas', 'polars', 'duckdb', 'scipy') if m in sys.modules])"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"


def test_numeric_and_null_categories_are_levels_by_their_text():
    model = Model.train(Schema({"x": Categorical()}), {"x": [0.5, 2.0, 0.5]}, ["a", "b", "a"])
    for frame in (
        pd.DataFrame({"x": pd.Series([0.5, 2.0, None], dtype="category")}),
        pd.DataFrame({"x": pd.Series(["0.5", "2", None], dtype="category")}),
        {"x": [0.5, 2.0, None]},
    ):
        np.testing.assert_array_equal(model.posterior(frame), model.posterior({"x": ["0.5", "2", None]}))
    empty = pd.DataFrame({"x": pd.Series([None, None], dtype="category")})
    np.testing.assert_allclose(model.posterior(empty), [[2 / 3, 1 / 3]] * 2)


@pytest.mark.parametrize("kind", ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"])
def test_integers_of_every_width_are_the_same_levels(kind):
    info = np.iinfo(kind)
    schema, labels = Schema({"x": Categorical()}), ["a", "b"] * 1000
    close = [[int(first) + i for i in range(200)] * 10 for first in (info.min, info.max - 199)]
    for numbers in (*close, [int(info.min), int(info.max)] * 1000):
        levels = Model.train(schema, {"x": np.array(numbers, kind)}, labels)
        assert digest(levels) == digest(Model.train(schema, {"x": list(map(str, numbers))}, labels))


def test_sparse_columns_of_pandas_are_ordinary_ones():
    dense = pd.DataFrame({"n": [0, 1, 0, 2], "x": [0.0, np.nan, 0.5, 0.0], "b": [True, False, False, True], "k": 1.5})
    frame = dense.astype({"n": pd.SparseDtype(int, 0), "x": pd.SparseDtype(float), "b": pd.SparseDtype(bool, False)})
    schema = Schema({"n": Poisson(), "x": Gaussian(), "b": Bernoulli(), "k": Gaussian()})
    one, other = (Model.train(schema, each, LABELS) for each in (dense, frame))
    assert digest(one) == digest(other)
    assert repr(Schema.infer(dense)) == repr(Schema.infer(frame))
    for rows in (slice(None), slice(0, 1)):
        np.testing.assert_array_equal(one.posterior(dense[rows]), other.posterior(frame[rows]))


@pytest.mark.parametrize("kind", [pa.float64(), pa.int32(), pa.bool_()])
@pytest.mark.parametrize("start", [0, 3])
def test_missing_numbers_of_a_long_column_are_nan(kind, start):
    some = [None, 1, 0, None, 1]
    found = frames.numbers(pa.array(some * 4000, pa.int8()).cast(kind)[start:])
    expected = np.array([np.nan if cell is None else float(cell) for cell in some * 4000])[start:]
    np.testing.assert_array_equal(found, expected)
