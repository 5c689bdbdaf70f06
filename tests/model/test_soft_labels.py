"""Soft labels: rows with a share in several classes."""

import math
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import reference
from tallybayes import Categorical, Gaussian, Model, SoftLabels, Words, digest, evaluate, kernels
from tallybayes.counts.rows import SharedRows, class_sums

FRAME = {"outlook": ["sunny", "rain", "rain"], "temperature": [30.5, 19.5, None], "note": ["hot hot day", "wet", None]}
SCHEMA = {"outlook": Categorical(), "temperature": Gaussian(), "note": Words()}


def test_row_counts_its_share_in_every_class():
    model = Model.train(SCHEMA, FRAME, SoftLabels({"no": [0.25, 0.0, 1.0], "yes": [0.75, 1.0, 0.0]}))
    assert model.rows_by_class() == {"no": 1.25, "yes": 1.75}
    assert model.counts("outlook")["rain"] == {"no": 1.0, "yes": 1.0}
    assert model.counts("temperature")["x"]["yes"] == 0.75 * 30.5 + 19.5
    assert model.counts("note")["hot"]["n"] == {"no": 0.5, "yes": 1.5}


def test_shares_of_one_are_labels():
    soft = SoftLabels(np.eye(2)[[0, 1, 1]], classes=["no", "yes"])
    assert digest(Model.train(SCHEMA, FRAME, soft)) == digest(Model.train(SCHEMA, FRAME, ["no", "yes", "yes"]))


def test_shares_are_counted_as_exact_doubles():
    model = Model.train(SCHEMA, FRAME, SoftLabels({"a": [0.1, 0.1, 0.1]}))
    assert model.rows.sums["n"].fractions() == [3 * Fraction(0.1)]


def test_shares_as_columns_of_frames_and_streams():
    shares = {"p": [0.25, 0.0, 1.0], "q": [0.75, 1.0, 0.0]}
    whole = Model.train(SCHEMA, FRAME, SoftLabels({"no": shares["p"], "yes": shares["q"]}))
    named, table = SoftLabels({"no": "p", "yes": "q"}), pa.table(FRAME | shares)
    assert Model.train(SCHEMA, table, named) == whole
    assert Model.train(SCHEMA, iter([table.slice(0, 2), table.slice(2)]), named) == whole
    for table_of in (pd.DataFrame, pl.DataFrame, pa.table, pa.record_batch):
        soft = SoftLabels(table_of({"no": shares["p"], "yes": shares["q"]}))
        assert Model.train(SCHEMA, FRAME, soft) == whole


def test_weights_multiply_shares():
    soft = SoftLabels({"no": [0.25, 0.0, 1.0], "yes": [0.75, 1.0, 0.0]})
    assert Model.train(SCHEMA, FRAME, soft, weights=[2, 1, 0]).rows_by_class() == {"no": 0.5, "yes": 2.5}


def test_rows_are_forgotten_with_their_shares():
    soft = SoftLabels({"no": [0.3, 0.0, 1.0], "yes": [0.7, 1.0, 0.0]})
    model = Model.train(SCHEMA, FRAME, ["no", "no", "yes"])
    before = digest(model)
    model += Model.train(SCHEMA, FRAME, soft)
    model -= Model.train(SCHEMA, FRAME, soft)
    assert digest(model) == before


@pytest.mark.parametrize("threads", [1, 3])
def test_threads_do_not_matter(threads):
    shares = np.random.default_rng(0).integers(0, 2**32, (1000, 3)) / 2**32
    frame = {"x": np.arange(1000.0), "t": [f"w{i % 7} w{i % 3} w1" for i in range(1000)]}
    schema = {"x": Gaussian(), "t": Words()}
    model = Model.train(schema, frame, SoftLabels(shares), threads=threads)
    again = Model.train(schema, pa.table(frame).take(np.arange(1000)[::-1]), SoftLabels(shares[::-1]))
    assert digest(model) == digest(again)


@given(
    st.lists(
        st.tuples(
            st.dictionaries(st.integers(0, 4), st.integers(1, 300), max_size=4),
            st.dictionaries(st.integers(0, 2), st.integers(0, 2**33), max_size=3),
        ),
        max_size=6,
    )
)
def test_shared_words_equal_fractions(documents):
    listed = [sorted(words.items()) for words, _ in documents]
    shares = [sorted(units.items()) for _, units in documents]
    flat = np.array([pair for words in listed for pair in words], np.int32).reshape(-1, 2)
    cells = np.array([pair for units in shares for pair in units], np.int64).reshape(-1, 2)
    starts, share_starts = (
        np.append(0, np.cumsum([len(x) for x in part])).astype(np.int64) for part in (listed, shares)
    )
    given_words = (starts, flat[:, 0].copy(), flat[:, 1].copy(), 5)
    given_shares = (share_starts, cells[:, 0].astype(np.int32), cells[:, 1].copy(), 3)
    words, classes, *sums = kernels.count_shared(*given_words, *given_shares)
    expected = reference.count_shared(listed, shares)
    values = [
        [sum(int(limb) << (32 * i) for i, limb in enumerate(row)) for row in np.split(limbs, len(words))]
        for limbs in sums
        if len(words)
    ]
    found = {
        (w, c): (Fraction(n, 1 << 32), Fraction(d, 1 << 32), Fraction(s, 1 << 96))
        for w, c, n, d, s in zip(words.tolist(), classes.tolist(), *(values or [[]] * 3), strict=True)
    }
    assert found == expected


SCORES = st.one_of(st.floats(-800.0, 50.0), st.just(-math.inf), st.sampled_from([0.0, -1.0]))


@given(st.data(), st.integers(1, 5), st.integers(0, 300))
def test_share_out_equals_plain_python(data, classes, rows):
    few = data.draw(st.lists(SCORES, min_size=classes * min(rows, 7), max_size=classes * min(rows, 7)))
    scores = np.resize(np.array(few), (classes, rows)) if few else np.zeros((classes, rows))
    weights = np.resize([2.0**32, 0.0, 2.0**33, 12345.0], rows)
    expected, logs = reference.share_out(scores.tolist(), weights.tolist())
    starts, codes, units, found = kernels.share_out(scores.copy(), weights)
    shares = np.zeros((rows, classes))
    shares[np.repeat(np.arange(rows), np.diff(starts)), codes] = units
    assert (units > 0).all()
    np.testing.assert_array_equal(shares.sum(axis=1), weights)
    np.testing.assert_allclose(shares, np.reshape(expected, (rows, classes)), atol=classes)
    np.testing.assert_allclose(found, logs, rtol=1e-14)


@pytest.mark.parametrize(
    ("shares", "message"),
    [
        ({"a": [0.5, -0.1, 1.0]}, r"The share of class 'a' in row 1 is -0.1; give 0, or a number from"),
        ({"a": [0.5, float("nan"), 1.0]}, "The share of class 'a' in row 1 is nan"),
        ({"a": [0.5, 0.5]}, "There are 2 soft labels for 3 rows"),
        ({"a": [0.5] * 4}, "There are 4 soft labels for 3 rows"),
        ({"a": [0.5] * 3, "b": [1.0]}, "The shares differ in length: 'a' 3, 'b' 1"),
        ({"a": ["x"] * 3}, "The shares of class 'a' are not all numbers"),
        ({}, "SoftLabels: give the shares of at least one class"),
    ],
)
def test_invalid_shares_are_refused(shares, message):
    with pytest.raises(ValueError, match=message):
        Model.train(SCHEMA, FRAME, SoftLabels(shares))


def test_array_names_the_class_of_each_column():
    with pytest.raises(ValueError, match="2 columns for 3 classes"):
        SoftLabels(np.ones((1, 2)), classes="abc")
    with pytest.raises(ValueError, match="1 dimensions"):
        SoftLabels([0.5, 0.5])
    with pytest.raises(TypeError, match="not all numbers: give shares, a column per class"):
        SoftLabels(["no", "yes"])
    with pytest.raises(ValueError, match="a class twice"):
        SoftLabels(np.ones((1, 2)), classes="aa")


def test_functions_that_need_labels_refuse_shares():
    model = Model.train(SCHEMA, FRAME, ["no", "yes", "yes"])
    with pytest.raises(TypeError, match="give one label per row"):
        evaluate(model, FRAME, SoftLabels({"no": [1.0] * 3}))


VALUES = st.floats(allow_infinity=False) | st.sampled_from([5e-324, -1.7e308, 0.0, -0.0, 2.0**-1000])


def shared_rows(shares):
    """Rows of these (class, units)."""
    codes = np.array([code for each in shares for code, _ in each], np.int32)
    weights = np.array([unit for each in shares for _, unit in each], np.float64) * 2.0**-32
    starts = np.append(0, np.cumsum([len(each) for each in shares])).astype(np.int64)
    return SharedRows(["a", "b", "c"], codes, weights, starts)


@given(
    st.lists(
        st.tuples(st.tuples(VALUES, VALUES), st.dictionaries(st.integers(0, 2), st.integers(0, 2**33), max_size=3)),
        min_size=1,
        max_size=6,
    )
)
def test_shared_numbers_equal_fractions(drawn):
    shares = [sorted(units.items()) for _, units in drawn]
    rows = shared_rows(shares)
    assert rows.units is not None
    values = np.array([value for value, _ in drawn])
    found = class_sums(values, rows, squares=True)
    for column in range(2):
        for code in range(3):
            n = x = xx = Fraction(0)
            for (pair, _), each in zip(drawn, shares, strict=True):
                if not np.isnan(pair[column]):
                    weight, exact = Fraction(dict(each).get(code, 0), 1 << 32), Fraction(pair[column])
                    n, x, xx = n + weight, x + weight * exact, xx + weight * exact * exact
            sums = (found.n, found.x, found.xx)
            assert [sums[i][column, code : code + 1].fractions()[0] for i in range(3)] == [n, x, xx]


@given(
    st.lists(
        st.tuples(st.integers(-1, 3), st.dictionaries(st.integers(0, 2), st.integers(0, 2**40), max_size=3)),
        min_size=1,
        max_size=8,
    )
)
def test_shared_levels_equal_fractions(drawn):
    shares = [sorted(units.items()) for _, units in drawn]
    rows = shared_rows(shares)
    found = rows.count(np.array([level for level, _ in drawn], np.int32), 4).fractions()
    expected = [
        sum(
            Fraction(dict(each).get(code, 0), 1 << 32)
            for (at, _), each in zip(drawn, shares, strict=True)
            if at == level
        )
        for level in range(4)
        for code in range(3)
    ]
    assert found == expected


def test_infinity_among_shared_rows_is_named_by_its_row():
    for shares in ([0.5, 0.5, 0.5], [0.1, 0.2, 0.3]):
        with pytest.raises(ValueError, match="row 1: the value is infinite"):
            Model.train({"x": Gaussian()}, {"x": [1.0, float("inf"), 2.0]}, SoftLabels({"a": shares, "b": shares}))
