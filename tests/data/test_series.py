"""A pandas Series is a column, which means what it means in a DataFrame; or it is a row, by the names in its index."""

import datetime
import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from examples import some
from tallybayes import Categorical, Gaussian, Model, NaiveBayes, Schema, Words, digest

INTERVALS = [pd.Interval(0, 1), pd.Interval(1, 2.5, closed="both"), pd.Interval(-1.5, 0, closed="left")]
CELLS = [
    *(None, np.nan, pd.NA, 0, 1, 2, 2**53 + 1, True, False, 1.0, 2.5, 0.1, "1", "x", "", b"x", *INTERVALS),
    *(np.float16(2.5), np.float32(0.1), np.int8(3), np.uint64(3), np.longdouble(1), datetime.date(2020, 1, 1)),
]
KINDS = [
    *(None, "object", "float64", "float32", "float16", "int64", "uint64", "bool", "str", "string", "category"),
    *("Int64", "boolean", "Sparse[float64]", ">f8", "longdouble", "datetime64[ns]", pd.interval_range(0, 2).dtype),
]


def counted(family, frame, labels):
    """The model's digest, or what the error says."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return digest(Model.train({"x": family}, frame, labels))
        except (TypeError, ValueError) as error:
            return str(error)


def made(cells, kind):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return pd.Series(cells, dtype=kind)
        except Exception:
            assume(False)


@settings(max_examples=some(300), deadline=None)
@given(
    cells=st.lists(st.sampled_from(CELLS), min_size=1, max_size=4),
    kind=st.sampled_from(KINDS),
    family=st.sampled_from([Categorical(), Gaussian(), Words()]),
)
@example(cells=[1, np.float16(2.5)], kind="object", family=Gaussian())  # Arrow alone would cut it to 2
@example(cells=[None, 2.5, True], kind="object", family=Categorical())  # … and count this one as 1
@example(cells=[0.0, 1.0], kind="Sparse[float64]", family=Gaussian())
def test_a_series_in_a_dictionary_counts_as_it_does_in_a_frame(cells, kind, family):
    series = made(cells, kind)
    labels = ["a", "b", "a", "b"][: len(series)]
    assert counted(family, {"x": series}, labels) == counted(family, pd.DataFrame({"x": series}), labels)


def test_a_series_of_no_rows_is_an_empty_column():
    model = Model.train({"x": Gaussian()}, {"x": [1.0, 2.0]}, ["a", "b"])
    for kind in ("float64", "object", "str", "Sparse[float64]"):
        assert model.posterior({"x": pd.Series([], dtype=kind)}).shape == (0, 2)


@pytest.mark.parametrize(
    "names",
    [
        *(["a", "b", "c"], [0, 1, 2], [1.5, 2.5, 3.5], [True, False, "c"], [("p", "a"), ("p", "b"), ("q", "a")]),
        pd.date_range("2020", periods=3).tolist(),
    ],
    ids=str,
)
def test_a_row_of_a_frame_is_that_row_whatever_its_columns_are_called(names):
    numbers = np.random.default_rng(0).normal(size=(40, 3)) + np.arange(40)[:, None] / 20
    frame, labels = pd.DataFrame(numbers, columns=names), ["x", "y"] * 20
    model = Model.train(Schema.infer(frame), frame, labels)
    estimator = NaiveBayes().fit(frame, labels)
    for at in (0, 7):
        row, alone = frame.iloc[at], frame.iloc[[at]]
        np.testing.assert_allclose(model.posterior(row), model.posterior(alone), rtol=1e-12)
        np.testing.assert_allclose(estimator.predict_proba(row), estimator.predict_proba(alone), rtol=1e-12)


def test_a_column_of_numbered_rows_is_no_row():
    """Rows 0, 1, … of a column have the names of columns "0", "1", …"""
    two = Model.train({"0": Gaussian(), "1": Gaussian()}, np.eye(2), ["a", "b"])
    with pytest.raises(TypeError, match="one column, not a table"):
        two.posterior(pd.Series([1.0, 2.0, 3.0]))
    one = Model.train({"0": Gaussian()}, {"0": [1.0, 2.0]}, ["a", "b"])
    assert one.posterior(pd.Series([1.0, 2.0, 3.0])).shape == (3, 2)


def test_intervals_are_levels_in_rows_too():
    """`pandas.cut` is how many cut numbers into levels."""
    cut = pd.Series(pd.cut([0.5, 1.5, 2.5, 3.5, np.nan, 9.0], [0.0, 2.0, 4.5]))
    labels = ["a", "a", "b", "b", "b", "a"]
    model = Model.train({"x": Categorical()}, pd.DataFrame({"x": cut}), labels)
    assert list(model.estimates("x")) == ["(0.0, 2.0]", "(2.0, 4.5]"]
    for same in ({"x": cut}, {"x": cut.tolist()}, {"x": cut.array}, pd.DataFrame({"x": cut}).to_dict("records")):
        assert digest(Model.train({"x": Categorical()}, same, labels)) == digest(model)
        assert Schema.infer(same) == Schema.infer(pd.DataFrame({"x": cut}))
    for cell, expected in zip(cut.tolist(), model.posterior(pd.DataFrame({"x": cut})), strict=True):
        np.testing.assert_array_equal(model.posterior({"x": cell})[0], expected)


def test_intervals_among_other_values_are_refused():
    with pytest.raises(ValueError, match="Column 'x' mixes types"):
        Model.train({"x": Categorical()}, {"x": [pd.Interval(0, 1), "a"]}, ["a", "b"])
    with pytest.raises(ValueError, match="Column 'x': intervals are not text"):
        Model.train({"x": Words()}, {"x": [pd.Interval(0, 1), None]}, ["a", "b"])
