"""A single row scores as it does among others, from every library: the same bits, errors and warnings."""

import datetime
import decimal
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from examples import some
from tallybayes import Bernoulli, Categorical, Density, Gaussian, Histogram, LogNormal, Model, Poisson, Schema
from tallybayes.data import frames
from tallybayes.data.one_row import single_row

FAMILIES = Gaussian(), LogNormal(), Poisson(), Categorical(), Bernoulli(), Histogram()
MODEL = Model.train(
    Schema(dict(zip("abcdef", FAMILIES, strict=True))),
    {
        "a": [0.5, 1.5, -3.0, 2.25],
        "b": [0.5, 1.5, 3.0, 700.0],
        "c": [0, 3, 1, 400],
        "d": ["1", "Oslo", "true", "0.1"],
        "e": [True, False, None, True],
        "f": [0.5, 1.5, -3.0, 2.25],
    },
    ["no", "yes", "no", "yes"],
)
LEVELS = Model.train(Schema({"x": Categorical()}), {"x": ["1", "Zürich", "true", "0.1"]}, [0, 1, 2, 3])

values = st.one_of(
    st.sampled_from([None, 0, 1, 3, 257, -1, 2**53 + 1, 2**63 - 1, True, False, 1.0, 0.1, 2.5, np.nan, np.inf]),
    st.sampled_from(["1", " 2.5 ", "", "yes", "TRUE", "Zürich", "Oslo", "nan", "x\0y", decimal.Decimal("1.50")]),
    st.sampled_from([datetime.date(2020, 1, 1), datetime.datetime(2020, 1, 1), b"1", np.float32(0.1), np.int8(3)]),
    st.sampled_from([pd.NA, pd.NaT, pd.Timestamp("2020"), pd.Timedelta(1), pd.Interval(0, 1), np.float16(0.1), [1.0]]),
    st.integers(-(2**70), 2**70),
    st.floats(),
    st.text(max_size=3),
)
ARROW_KINDS = pa.float32(), pa.float64(), pa.int64(), pa.string(), pa.timestamp("us"), pa.decimal128(20, 3)
CATEGORIES = [0.1, 1.0], [1, 3], [pd.Timestamp("2020")], [datetime.date(2020, 1, 1)]
pandas_kinds = st.one_of(
    st.sampled_from(["object", "float64", "float32", "float16", "int64", "int8", "uint64", "bool", "str", "string"]),
    st.sampled_from(["category", "Int64", "UInt8", "Float64", "Float32", "boolean", "datetime64[ns]"]),
    st.sampled_from(["timedelta64[ns]", "Sparse[float64]", ">f8", pd.interval_range(0, 2).dtype]),
    st.sampled_from(ARROW_KINDS).map(pd.ArrowDtype),
    st.sampled_from(CATEGORIES).map(pd.CategoricalDtype),
)
polars_kinds = st.one_of(
    st.sampled_from([pl.Float64, pl.Float32, pl.Int64, pl.Int8, pl.UInt64, pl.Boolean, pl.String, pl.Categorical]),
    st.sampled_from([pl.Enum(["1", "Oslo"]), pl.Date, pl.Datetime, pl.Duration, pl.Decimal(20, 3), pl.Binary]),
    st.sampled_from([pl.Null, pl.List(pl.Float64)]),
)


def outcome(work, *given):
    """The result, or the error, with warnings."""
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        try:
            found = work(*given).tobytes()
        except Exception as error:
            found = type(error), str(error)
    return found, sorted(str(warning.message) for warning in said)


def among_others(model, data):
    """Through record batches: a dictionary of Arrow arrays is not read as a single row."""
    (batch,) = frames.batches(data)
    columns = dict(zip(batch.schema.names, batch.columns, strict=True))
    assert single_row(columns) is None
    return model.log_joint(columns)


def check_alike(data, *models):
    for model in models or (MODEL, LEVELS):
        assert outcome(model.log_joint, data) == outcome(among_others, model, data)


def made(make):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return make()
        except Exception:
            assume(False)


@pytest.mark.slow
@settings(max_examples=some(400), deadline=None)
@given(value=values, kind=pandas_kinds, at=st.sampled_from("abcdef"), texts=st.booleans())
@example(value=np.float32(0.1), kind="float32", at="d", texts=False)
@example(value=2**53 + 1, kind="int64", at="d", texts=False)
@example(value=0.1, kind=pd.ArrowDtype(pa.float32()), at="d", texts=True)
@example(value=None, kind=pd.ArrowDtype(pa.timestamp("us")), at="a", texts=True)
@example(value=None, kind=pd.CategoricalDtype([datetime.date(2020, 1, 1)]), at="d", texts=True)
@example(value=None, kind=pd.interval_range(0, 2).dtype, at="d", texts=True)
@example(value=1, kind="category", at="e", texts=True)
def test_pandas(value, kind, at, texts):
    series = made(lambda: pd.Series([value], dtype=kind))
    base = {"a": [1.0], "b": [2.0], "c": [1.0], "d": ["Oslo"] if texts else [0.1], "e": [1.0], "f": [0.25], "x": [3.0]}
    check_alike(pd.DataFrame({name: pd.Series(cells) for name, cells in base.items()} | {at: series}))
    check_alike(pd.DataFrame({name: pd.Series(cells) for name, cells in base.items()} | {at: series, "x": series}))


@settings(max_examples=some(200), deadline=None)
@given(value=values, kind=polars_kinds, at=st.sampled_from("abcdef"))
@example(value=0.1, kind=pl.Float32, at="d")
@example(value=None, kind=pl.Datetime, at="a")
def test_polars_and_arrow(value, kind, at):
    base = {"a": [1.0], "b": [2.0], "c": [1], "d": ["Oslo"], "e": [True], "f": [0.25]}
    series = made(lambda: pl.Series("x", [value], dtype=kind))
    frame = made(lambda: pl.DataFrame(base).with_columns(series.alias(at), series))
    check_alike(frame)
    table = frame.to_arrow()
    check_alike(table)
    check_alike(table.to_batches()[0])
    check_alike(pa.concat_tables([table.slice(1), table]))


@settings(max_examples=some(200), deadline=None)
@given(value=values, at=st.sampled_from("abcdef"))
def test_dictionaries(value, at):
    row = {"a": 1.0, "b": 2.0, "c": 1, "d": "Oslo", "e": True, "f": 0.25} | {at: value, "x": value}
    check_alike(row)
    check_alike({name: np.float64(cell) if type(cell) is float else cell for name, cell in row.items()})


@settings(max_examples=some(100), deadline=None)
@given(
    row=st.lists(st.one_of(st.floats(width=32), st.integers(0, 3)), min_size=3, max_size=3),
    kind=st.sampled_from(["f8", "f4", "f2", ">f8", ">f4", "i8", "i2", "u8", "?", "O", "g", "U3"]),
)
def test_matrices(row, kind):
    matrix = made(lambda: np.array([row], kind))
    schema = Schema({"0": Gaussian(), "1": Categorical(), "2": Poisson()})
    model = Model.train(schema, np.array([[1, 1, 1], [2, 2, 2]]), [0, 1])
    check_alike(matrix, model)
    check_alike(pd.DataFrame(matrix), model)


@pytest.mark.parametrize("family", [*FAMILIES, Density()])
def test_plain_values_encode_like_arrow(family):
    for value in (None, 0, 1, True, 1.0, 0.0, float("nan"), np.float32(1), np.int16(1), np.bool_(True), "1", "0", ""):
        general, alone = family.encode(pa.array([value], from_pandas=True)), family.encode([value])
        if isinstance(family, Categorical) and not isinstance(family, Bernoulli):
            assert alone == general.to_pylist()
        else:
            assert (alone.tobytes(), alone.dtype) == (general.tobytes(), general.dtype)


def test_ordinary_rows_are_read_as_plain_values():
    row = {"a": 1.0, "b": 2.0, "c": 1, "d": "Oslo", "e": True, "f": None}
    frame = pd.DataFrame({name: [cell] for name, cell in row.items()})
    for data in (
        row,
        frame,
        frame.astype({"d": object}),
        frame.astype({"d": "category", "c": "Int64", "e": "boolean"}),
        pd.DataFrame({"a": [1, 2], "b": [0.5, 1.5]})[1:],
        pl.DataFrame([row]),
        pa.table({name: [cell] for name, cell in row.items()}),
        pa.record_batch({name: [cell] for name, cell in row.items()}),
        np.ones((1, 3)),
        {"a": [1.0], "d": ["Oslo"]},
        {},
    ):
        assert single_row(data) is not None
    for data in (
        frame[:0],
        pd.concat([frame, frame]),
        pl.DataFrame([row, row]),
        np.ones((2, 3)),
        {"a": [1.0, 2.0]},
        {"a": [[1.0]]},
        {"a": [1.0], "b": 2.0},
        pa.table({"a": [1]}).select([]),
        3,
        "a",
    ):
        assert single_row(data) is None


def test_columns_are_matched_as_in_frames():
    twice = pd.DataFrame([[1.0, 2.0, "Oslo"]], columns=["a", "a", "d"])
    model = Model.train(Schema({"a": Gaussian()}), {"a": [1.0, 2.0]}, [0, 1])
    with pytest.raises(ValueError, match="The data has 2 columns called 'a'; it has 'a', 'a', 'd'"):
        model.posterior(twice)
    with pytest.raises(ValueError, match="The data has 2 columns called 'a'"):
        model.posterior(pa.Table.from_arrays([pa.array([1.0]), pa.array([2.0])], names=["a", "a"]))
    for missing in ({"b": 1.0}, pd.DataFrame({"b": [1.0]}), pl.DataFrame({"b": [1.0]}), pa.table({"b": [1.0]})):
        with pytest.raises(ValueError, match="The data has no column 'a'; it has 'b'"):
            model.posterior(missing)
    index = pd.DataFrame({"b": [1.0]}, index=pd.Index([2.0], name="a"))
    np.testing.assert_array_equal(model.posterior(index), model.posterior({"a": 2.0}))
    numbered = Model.train(Schema({"0": Gaussian(), "1": Categorical()}), {"0": [1.0, 2.0], "1": ["x", "y"]}, [0, 1])
    expected = numbered.posterior({"0": [2.0], "1": ["x"]})
    for names in ([0, 1], [np.int64(0), np.int64(1)], ["0", "1"]):
        np.testing.assert_array_equal(numbered.posterior(pd.DataFrame([[2.0, "x"]], columns=names)), expected)


def test_errors_use_the_names_of_the_frame():
    model = Model.train(Schema({"a": Gaussian(), "b": Gaussian()}), {"a": [1.0, 2.0], "b": [3.0, 5.0]}, [0, 1])
    frame = pd.DataFrame({"a": [1.0, 2.0], "b": [3.0, 4.0]})
    np.testing.assert_array_equal(model.posterior(frame[1:]), model.posterior({"a": 2.0, "b": 4.0}))
    np.testing.assert_array_equal(
        model.posterior(frame[1:].rename(columns={"a": "b", "b": "a"})), model.posterior({"a": 4.0, "b": 2.0})
    )
    frame.columns = ["b", "a"]
    np.testing.assert_array_equal(model.posterior(frame[1:]), model.posterior({"a": 4.0, "b": 2.0}))


def test_family_with_its_own_encode_uses_it_for_one_cell():
    class Halved(Gaussian):
        def encode(self, cells):
            return super().encode(cells) / 2.0

    model = Model.train(Schema({"x": Halved()}), {"x": [1.0, 2.0, 3.0, 5.0]}, [0, 0, 1, 1])
    np.testing.assert_array_equal(model.posterior({"x": 3.0}), model.posterior({"x": [3.0, 7.0]})[:1])
    assert Model.train(model.schema, {"x": 3.0}, [1]) == Model.train(model.schema, {"x": pa.array([3.0])}, [1])


def test_invalid_utf8_gives_the_same_error():
    model = Model.train(Schema({"d": Categorical()}), {"d": ["x", "y"]}, [0, 1])
    bad = pa.Array.from_buffers(pa.string(), 1, [*pa.array(["ab"]).buffers()[:2], pa.py_buffer(b"\xff\xfe")])
    assert outcome(model.log_joint, pa.table({"d": bad})) == outcome(model.log_joint, {"d": bad})
    assert outcome(model.log_joint, {"d": "\ud800"}) == outcome(model.log_joint, {"d": ["\ud800"]})
