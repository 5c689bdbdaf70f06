"""Decimals count by value, whatever the scale and type of their column, the batch, or `decimal`'s context."""

import decimal
from contextlib import contextmanager
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from examples import some
from tallybayes import Categorical, Gaussian, Histogram, Model, Schema, digest, load, save
from tallybayes.data import frames
from tallybayes.data.decimals import decimal_numbers, decimal_text

SCHEMA = Schema({"number": Gaussian(), "value": Histogram(bits=52), "level": Categorical()})
WIDTHS = {pa.decimal32: 9, pa.decimal64: 18, pa.decimal128: 38, pa.decimal256: 76}

decimals = st.one_of(
    st.decimals(-1000, 1000, places=2),
    st.builds(
        lambda sign, digits, places: Decimal((sign, tuple(map(int, str(digits))), -places)),
        st.integers(0, 1),
        st.one_of(st.integers(0, 10**9), st.integers(2**53 - 4, 2**53 + 4), st.integers(0, 10**37)),
        st.integers(-3, 30),
    ),
)


@contextmanager
def context(precision, rounding=decimal.ROUND_UP):
    with decimal.localcontext() as here:
        here.prec, here.rounding = precision, rounding
        here.traps[decimal.Inexact] = precision == 1
        yield


def column(kind, values, extra):
    """A decimal column of this type with room for the values, and `extra` more places than they need."""
    places = max([-int(v.as_tuple().exponent) for v in values] + [0]) + extra
    digits = max([v.adjusted() + 1 for v in values] + [1])
    assume(places + max(digits, 0) <= WIDTHS[kind])
    exact = [v.quantize(Decimal((0, (1,), -places)), context=decimal.Context(prec=100)) for v in values]
    return pa.array(exact, kind(WIDTHS[kind], places))


makes = st.one_of(
    st.just(list),
    st.just(lambda values: [str(v) for v in values]),
    st.just(lambda values: pd.Series(values, dtype=object)),
    st.just(lambda values: np.array(values, object)),
    st.builds(lambda kind, extra: lambda v: column(kind, v, extra), st.sampled_from(list(WIDTHS)), st.integers(0, 9)),
)


def counted(values, make, labels):
    made = make(values)
    spelled = list(map(decimal_text, values)) if isinstance(made, list) and isinstance(made[0], str) else made
    return Model.train(SCHEMA, {"number": made, "value": made, "level": spelled}, labels)


@settings(max_examples=some(150))
@given(st.data())
def test_decimals_of_any_scale_type_and_batching_give_the_same_bytes(data):
    values = data.draw(st.lists(decimals, min_size=1, max_size=6))
    labels = ["ab"[i % 2] for i in range(len(values))]
    floats, levels = [float(v) for v in values], [decimal_text(v) for v in values]
    expected = Model.train(SCHEMA, {"number": floats, "value": floats, "level": levels}, labels)
    cut = data.draw(st.integers(0, len(values)))
    model = Model(SCHEMA)
    with context(data.draw(st.sampled_from([1, 2, 28]))):
        for part in (slice(cut), slice(cut, None)):
            if values[part]:
                model += counted(values[part], data.draw(makes), labels[part])
    assert digest(model) == digest(expected)


@settings(max_examples=some(100))
@given(decimals, decimals, makes, makes)
def test_decimal_learned_with_another_and_forgotten_was_never_seen(kept, gone, make, remake):
    model = counted([kept, gone], make, ["a", "b"])
    model -= counted([gone], remake, ["b"])
    assert digest(model) == digest(counted([kept], remake, ["a"]))


@settings(max_examples=some(100))
@given(st.lists(decimals, min_size=1, max_size=5), makes)
def test_single_row_of_decimals_scores_like_a_batch(values, make):
    model = counted(values, make, [str(i % 3) for i in range(len(values))])
    frame = {name: make(values) for name in SCHEMA.columns}
    frame["level"] = [decimal_text(v) for v in values]
    alone = [model.log_joint({"number": v, "value": v, "level": v})[0] for v in values]
    np.testing.assert_array_equal(model.log_joint(frame), alone)


@settings(max_examples=some(300))
@given(st.lists(st.one_of(decimals, st.none()), max_size=6), st.sampled_from(list(WIDTHS)), st.integers(0, 9))
def test_decimal_as_a_number_is_the_nearest_double(values, kind, extra):
    there = [v for v in values if v is not None]
    cells = column(kind, there, extra)
    cells = cells.take(pa.array([None if v is None else there.index(v) for v in values], pa.int64()))
    expected = [np.nan if v is None else float(v) for v in values]
    np.testing.assert_array_equal(decimal_numbers(cells), expected)
    np.testing.assert_array_equal(decimal_numbers(pa.concat_arrays([cells, cells])[len(cells) :]), expected)


def test_negative_scales():
    cells = pa.array([Decimal("12000"), None, Decimal("-3000")], pa.decimal128(10, -3))
    np.testing.assert_array_equal(decimal_numbers(cells), [12000.0, np.nan, -3000.0])
    assert frames.texts(cells).to_pylist() == ["12000", None, "-3000"]


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ("1", "1"),
        ("1.0", "1"),
        ("1E+2", "100"),
        ("-0.00", "0"),
        ("-1.50", "-1.5"),
        ("1E-7", "0.0000001"),
        ("0E+3", "0"),
    ],
)
def test_level_of_a_decimal_has_no_redundant_zeros(given, text):
    assert decimal_text(Decimal(given)) == text


@given(st.floats(1e-4, 1e300), st.sampled_from([1, -1]))
def test_float_and_its_decimal_are_one_level(size, sign):
    value = sign * size
    whole = value == int(value)
    written = Decimal(value) if whole else Decimal(repr(value))
    assert decimal_text(written) == frames.level_text(value)


def test_decimals_beyond_28_digits_are_distinct(tmp_path):
    values = [Decimal("1234567890123456789012345678.12345"), Decimal("1234567890123456789012345678.12346")]
    expected = Model.train(Schema({"x": Categorical()}), {"x": list(map(str, values))}, values)
    assert expected.classes == values
    with context(3):
        model = Model.train(Schema({"x": Categorical()}), {"x": values}, values)
        assert model.counts("x").slots == [str(v) for v in values]
        assert model.classes == values
        save(model, tmp_path / "m.tally")
        assert load(tmp_path / "m.tally").classes == values
    assert digest(model) == digest(expected)


def test_threads_ignore_the_decimal_context():
    rows = 200_000
    values = [Decimal(i).scaleb(-3) for i in range(1000)] * (rows // 1000)
    table = pa.table({"number": values, "value": values, "level": values})
    labels = np.arange(rows) % 3
    found = []
    for threads in (1, 4):
        with context(2):
            found.append(digest(Model.train(SCHEMA, table, labels, threads=threads)))
    assert found[0] == found[1] == digest(Model.train(SCHEMA, table, labels, threads=3))


def test_decimals_of_pandas_polars_and_lists_agree():
    values = [Decimal("0.29"), Decimal("1.10"), None, Decimal("123456789.01")]
    labels = ["a", "b", "a", "b"]
    expected = digest(Model.train(SCHEMA, dict.fromkeys(SCHEMA.columns, values), labels))
    frame = pd.DataFrame(dict.fromkeys(SCHEMA.columns, values))
    wide = pl.DataFrame({name: pl.Series(values, dtype=pl.Decimal(38, 12)) for name in SCHEMA.columns})
    for data in (frame, pl.DataFrame(dict.fromkeys(SCHEMA.columns, values)), wide):
        assert digest(Model.train(SCHEMA, data, labels)) == expected


def test_decimals_without_an_arrow_type():
    far = [Decimal("1E+60"), Decimal("1E-60"), Decimal("0.5"), 3, 0.25, 2**70, None]
    model = Model.train(SCHEMA, dict.fromkeys(SCHEMA.columns, far), ["a"] * len(far))
    floats = [1e60, 1e-60, 0.5, 3.0, 0.25, 2.0**70, None]
    levels = ["1" + "0" * 60, "0." + "0" * 59 + "1", "0.5", "3", "0.25", str(2**70), None]
    expected = Model.train(SCHEMA, {"number": floats, "value": floats, "level": levels}, ["a"] * len(far))
    assert digest(model) == digest(expected)
    for wrong, message in [
        (Decimal("Infinity"), "Column 'number', row 0: the value is infinite"),
        (Decimal("1E+999999999"), "Column 'number' mixes types, or has values that do not fit"),
        (Decimal("0E-999999999"), "Column 'number' mixes types, or has values that do not fit"),
    ]:
        with pytest.raises(ValueError, match=message):
            Model.train(Schema({"number": Gaussian()}), {"number": [wrong]}, ["a"])
