"""Kernels for pairs of codes against slow references."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tallybayes import kernels
from tallybayes.families.blocks.pair_layout import PairLayout

SIZES = st.lists(st.integers(1, 5), min_size=1, max_size=6)


@st.composite
def coded(draw, least=0):
    sizes = draw(SIZES)
    rows = draw(st.lists(st.tuples(*(st.integers(0, size - 1) for size in sizes)), min_size=least, max_size=20))
    codes = np.array(rows, np.uint8).reshape(len(rows), len(sizes))
    classes = np.array(draw(st.lists(st.integers(-1, 2), min_size=len(rows), max_size=len(rows))), np.int32)
    alone = draw(st.sets(st.integers(0, len(sizes) - 1)))
    return PairLayout(sizes, alone, draw(st.booleans())), codes, classes


@given(coded())
def test_pairs_are_counted(drawn):
    layout, codes, classes = drawn
    expected = np.zeros((layout.size, 3, 1), np.int64)
    for row, c in zip(codes.tolist(), classes.tolist(), strict=True):
        if c < 0 or not any(row):
            continue
        for j, code in enumerate(row):
            expected[layout.singles[j] + code, c] += 1
            for i in range(j):
                if layout.pairs[i, j] >= 0:
                    expected[layout.pairs[i, j] + row[i] * layout.sizes[j] + code, c] += 1
                for h in range(i):
                    if layout.triples is not None and layout.triples[h, i, j] >= 0:
                        at = (row[h] * layout.sizes[i] + row[i]) * layout.sizes[j] + code
                        expected[layout.triples[h, i, j] + at, c] += 1
    np.testing.assert_array_equal(kernels.count_pairs(codes, classes, 3, *layout.shape, layout.size), expected)


def test_many_rows_are_counted_in_blocks():
    random = np.random.default_rng(0)
    codes, classes = random.integers(0, 7, (10_000, 9)).astype(np.uint8), random.integers(0, 4, 10_000).astype(np.int32)
    layout = PairLayout([7] * 9, threes=True)
    counts = kernels.count_pairs(codes, classes, 4, *layout.shape, layout.size)
    expected = np.zeros_like(counts)
    np.add.at(expected, (layout.places(codes), classes[:, None], 0), 1)
    np.testing.assert_array_equal(counts, expected)


@given(coded(least=1), st.integers(1, 5), st.randoms(use_true_random=False))
def test_averaged_is_the_log_of_a_mean(drawn, width, random):
    layout, codes, _ = drawn
    numbers = np.random.default_rng(random.randint(0, 99))
    levels = int(layout.sizes.sum())
    table, alone = numbers.normal(-5, 3, (levels, levels, width)), numbers.normal(-5, 3, (levels, width))
    table[numbers.random(table.shape) < 0.05] = -np.inf
    met = (numbers.random(levels) < 0.7).astype(np.uint8)
    scores = np.zeros((width, len(codes)))
    kernels.add_averaged(codes, layout.sizes, layout.singles, table, met, alone, scores)
    for row, found in zip(codes, scores.T, strict=True):
        at = layout.singles + row
        sums = [table[p, at].sum(axis=0) for p in at if met[p]] or [alone[at].sum(axis=0)]
        expected = np.logaddexp.reduce(sums, axis=0) - np.log(len(sums)) if row.any() else np.zeros(width)
        np.testing.assert_allclose(found, expected, rtol=1e-12)


@pytest.mark.parametrize("width", [2, 3])
def test_network_lookup(width):
    random = np.random.default_rng(1)
    codes = random.integers(0, 3, (50, 2)).astype(np.uint8)
    table, scores = random.normal(size=(9 + 3, width)), np.ones((width, 60))
    lookups = np.array([[0, 3, 1, 0, 1, 0, 0], [9, 1, 0, 0, 1, 1, 1]])
    kernels.add_network(codes, np.array([3, 3]), lookups, table, scores)
    at = codes.astype(int)
    expected = 1 + (table[at[:, 1] * 3 + at[:, 0]] + table[9 + at[:, 1]]) * codes.any(axis=1)[:, None]
    np.testing.assert_allclose(scores[:, :50].T, expected, rtol=1e-12)
    assert (scores[:, 50:] == 1).all()


def test_codes_out_of_range_are_refused():
    codes, sizes = np.array([[3]], np.uint8), np.array([3])
    layout = PairLayout([3])
    with pytest.raises(ValueError, match="a code is not among"):
        kernels.count_pairs(codes, np.zeros(1, np.int32), 1, *layout.shape, layout.size)
    with pytest.raises(ValueError, match="a column lies outside"):
        kernels.count_pairs(codes, np.zeros(1, np.int32), 1, *layout.shape, 2)
    most, (_, single, *others) = np.array([np.iinfo(np.int64).max]), layout.shape
    for shape in ((most, single), (sizes, most)):
        with pytest.raises(ValueError, match="a column lies outside"):
            kernels.count_pairs(codes, np.zeros(1, np.int32), 1, *shape, *others, layout.size)
    none, wrong = np.zeros((1, 1), np.uint8), np.array([[0, 1, 0, 0, 0, 0, 0]])
    with pytest.raises(ValueError, match="a lookup lies outside"):
        kernels.add_network(none, sizes, wrong, np.zeros((2, 1)), np.zeros((1, 1)))
    tables = np.zeros((3, 2, 1)), np.zeros(3, np.uint8), np.zeros((3, 1))
    with pytest.raises(ValueError, match="the table does not fit"):
        kernels.add_averaged(none, sizes, np.zeros(1, int), *tables, np.zeros((1, 1)))
    with pytest.raises(ValueError, match="a column lies outside"):
        kernels.add_averaged(none, sizes, most, np.zeros((3, 3, 1)), *tables[1:], np.zeros((1, 1)))
