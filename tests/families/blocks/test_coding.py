"""Coding cells as small integers: intervals and levels chosen from a sample, the same for one row and for a frame."""

from itertools import pairwise

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tallybayes import Trees
from tallybayes.data.errors import CellError
from tallybayes.families.blocks.coding import MOST, Coder, code_count, code_text, is_numeric, level_code, number_code

CODING = (("u", "v"), (-1.0, 0.5), None)
COLUMNS = ("a", "b", "c")
ROW = st.tuples(
    st.sampled_from(["u", "v", "w", "", None]),
    st.none() | st.floats(-3, 3) | st.sampled_from([-1.0, 0.5, float("nan"), 5e-324, -0.0]),
    st.sampled_from(["x", None]),
)


def coded(x, edges):
    return np.searchsorted([] if edges is None else edges, x)


def test_few_values_have_one_interval_each():
    assert number_code(np.array([3.0, 1.0, 1.0, 2.0, np.nan]), 3) == (1.5, 2.5)
    assert number_code(np.array([1.0, 1.0]), 5) is None
    assert number_code(np.array([np.nan]), 5) is None
    assert number_code(np.array([]), 5) is None


def test_frequent_value_has_its_own_interval():
    x = np.concatenate([np.zeros(60), np.arange(1.0, 41.0)])
    edges = number_code(x, 5)
    assert edges[0] == 0.5  # between 0 and 1
    counts = np.bincount(coded(x, edges))
    assert counts.tolist() == [60, 10, 10, 10, 10]


def test_frequent_value_in_the_middle_has_its_own_interval():
    x = np.concatenate([np.arange(-20.0, 0.0), np.zeros(50), np.arange(1.0, 21.0)])
    codes = coded(x, number_code(x, 5))
    assert (codes[x == 0] == codes[20]).all()
    assert not (codes[x != 0] == codes[20]).any()


def test_intervals_have_equal_counts():
    x = np.random.default_rng(0).normal(size=1000)
    assert np.bincount(coded(x, number_code(x, 10))).tolist() == [100] * 10


def test_weights_count_as_rows():
    x = np.array([1.0, 2.0, 3.0, 4.0, 5.0, 6.0])
    weights = np.array([1.0, 1.0, 6.0, 1.0, 2.0, 1.0])
    repeated = np.repeat(x, weights.astype(int))
    assert number_code(x, 3, weights) == number_code(repeated, 3)


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False) | st.integers(-9, 9).map(float)), st.integers(1, 254))
def test_edges_increase_and_lie_between_neighbours(values, intervals):
    x = np.array(values, np.float64)
    edges = number_code(x, intervals)
    if edges is None:
        assert len(set(values)) < 2 or intervals == 1
        return
    assert len(edges) <= MOST
    assert all(low < high for low, high in pairwise(edges))
    for edge in edges:
        assert x.min() <= edge < x.max()
    if len(set(values)) <= intervals:
        assert len(set(coded(x, edges).tolist())) == len(set(values))  # each value alone


@given(st.lists(st.floats(-5, 5) | st.integers(-9, 9).map(float), min_size=2, max_size=60), st.integers(2, 9))
def test_frequent_values_never_share_an_interval(values, intervals):
    x = np.array(values)
    codes = coded(x, number_code(x, intervals))
    for value in set(values):
        if values.count(value) * intervals > len(values):
            assert set(x[codes == codes[values.index(value)]]) == {value}


def test_edges_have_few_digits():
    assert number_code(np.array([0.1, 0.2]), 5) == (0.15,)
    assert number_code(np.array([1.23456, 1.3]), 5) == (1.27,)


def test_levels_need_a_minimum_of_rows_and_are_sorted():
    cells = pa.array(["v", "u", "v", None, "once", "u", "w", "w", "w"])
    assert level_code(cells, 1) == ("once", "u", "v", "w")
    assert level_code(cells, 2) == ("u", "v", "w")
    assert level_code(cells, 3) == ("w",)
    assert level_code(cells, 4) is None
    weights = np.array([1.0, 1.0, 1.0, 9.0, 5.0, 1.0, 1.0, 1.0, 1.0])
    assert level_code(cells, 3, weights) == level_code(cells, 3, weights / 100.0) == ("w",)
    assert level_code(pa.nulls(3, pa.string()), 1) is None


def test_most_frequent_levels_are_kept():
    names = [f"{i:03}" for i in range(300)]
    code = level_code(pa.array(names + names[46:]), 1)
    assert code == tuple(names[46:])
    assert len(code) == MOST
    assert level_code(pa.array(names), 1) == tuple(names[:MOST])  # ties by name


@given(st.lists(ROW, min_size=1, max_size=12))
def test_single_row_has_the_codes_of_a_frame(rows):
    coder = Coder(COLUMNS, CODING)
    kinds = (pa.string(), pa.float64(), pa.string())
    parts = [pa.array(cells, kind) for cells, kind in zip(zip(*rows, strict=True), kinds, strict=True)]
    whole = coder.encode(pa.StructArray.from_arrays(parts, COLUMNS))
    single = [coder.encode([dict(zip(COLUMNS, row, strict=True))])[0].tolist() for row in rows]
    assert whole.tolist() == single
    for (a, b, c), codes in zip(rows, single, strict=True):
        missing = b is None or np.isnan(b)
        expected = [
            {"u": 2, "v": 3, None: 0}.get(a, 1),
            0 if missing else 1 + (b > -1.0) + (b > 0.5),
            int(c is not None),
        ]
        assert codes == expected


@pytest.mark.parametrize("value", [float("inf"), float("-inf")])
def test_infinity_is_an_error_that_names_the_column(value):
    coder = Coder(COLUMNS, CODING)
    with pytest.raises(CellError, match="infinite; a finite number is expected") as error:
        coder.encode([{"a": "u", "b": value, "c": None}])
    assert error.value.column == "b"
    parts = [pa.array(["u", "v"]), pa.array([1.0, value]), pa.array(["x", "x"])]
    with pytest.raises(CellError, match="infinite; a finite number is expected") as error:
        coder.encode(pa.StructArray.from_arrays(parts, COLUMNS))
    assert (error.value.column, error.value.row) == ("b", 1)


def test_readable_codes():
    assert [code_text((0.5, 2.0), at) for at in range(4)] == ["missing", "≤ 0.5", "0.5 … 2", "> 2"]
    assert [code_text(("rain",), at) for at in range(3)] == ["missing", "any other", "rain"]
    assert [code_text(None, at) for at in range(2)] == ["missing", "there"]
    assert [code_count(code) for code in CODING] == [4, 4, 2]
    assert [is_numeric(code) for code in CODING] == [False, True, False]


@pytest.mark.parametrize(
    "codes",
    [
        "u",
        3,
        {"a": (1.0,)},
        [[]],
        ["uv"],
        [[1.0, "u"]],
        [[2.0, 1.0]],
        [[1.0, 1.0]],
        [["v", "u"]],
        [[float("nan")]],
        [[float("inf")]],
        [list(map(float, range(MOST + 1)))],
        [[True]],
    ],
    ids=str,
)
def test_invalid_codes_are_refused(codes):
    with pytest.raises(ValueError, match=r"Trees\(codes=.*codes must be"):
        Trees(codes=codes)


def test_codes_of_other_columns_are_refused():
    with pytest.raises(ValueError, match="one entry for each of 'a', 'b'"):
        Trees(codes=[[1.0]]).over(("a", "b"))


def test_codes_have_one_canonical_form():
    assert Trees(codes=[[1, 2], ("u",), None]).codes == ((1.0, 2.0), ("u",), None)
    assert Trees(codes=np.array([[1, 2]])).codes == ((1.0, 2.0),)
    assert Trees(codes=pd.Series([["u"]])).codes == (("u",),)
