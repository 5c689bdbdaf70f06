"""Matrix kernels against slow references in plain Python."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from examples import some
from tallybayes import kernels
from tallybayes.counts.exact import Exact
from tallybayes.families.vectors.bag import _window
from tallybayes.families.vectors.matrix_cells import Sparse

NUMBERS = st.floats(-1e150, 1e150) | st.sampled_from([np.nan, 0.0, -0.0, 5e-324, 1e-300, 0.1, 3.0])
SHAPES = st.tuples(st.integers(0, 40), st.integers(1, 19))
MATRICES = SHAPES.flatmap(lambda shape: arrays(np.float64, shape, elements=NUMBERS))
COUNTS = SHAPES.flatmap(lambda shape: arrays(np.float64, shape, elements=st.integers(0, 5).map(float)))
WEIGHTS = SHAPES.flatmap(
    lambda shape: arrays(np.float64, shape, elements=st.floats(0.0, 1e3) | st.just(np.nan) | st.just(1e-200))
)


def classes_for(rows, width=3):
    """Some rows of every class, and some not counted."""
    return (np.arange(rows) % (width + 1) - 1).astype(np.int32)


def exact_sums(matrix, classes, width, power):
    sums = [[Fraction(0)] * width for _ in range(matrix.shape[1])]
    for row, code in zip(matrix.tolist(), classes.tolist(), strict=True):
        for column, value in enumerate(row):
            if code >= 0 and value == value:
                sums[column][code] += Fraction(value) ** power
    return [value for row in sums for value in row]


@settings(max_examples=some(60), deadline=None)
@given(MATRICES)
def test_sums_of_a_matrix_are_exact(matrix):
    codes = classes_for(len(matrix))
    n, x, xx, infinite = kernels.sum_columns(matrix, kernels.Groups(codes, 3), True)
    assert infinite == -1
    assert n.reshape(-1).tolist() == exact_sums(matrix, codes, 3, 0)
    assert Exact(*x).fractions() == exact_sums(matrix, codes, 3, 1)
    assert Exact(*xx).fractions() == exact_sums(matrix, codes, 3, 2)


@pytest.mark.parametrize("width", [2, 300])  # sorted by class, and too many for that
@pytest.mark.parametrize("columns", [1, 8, 9, 23])
def test_sums_of_a_large_matrix_equal_those_of_its_columns(width, columns):
    random = np.random.default_rng(columns)
    matrix = random.normal(size=(9_000, columns)) * 10.0 ** random.integers(-8, 8, columns)
    matrix[random.random(matrix.shape) < 0.05] = np.nan
    groups = kernels.Groups(random.integers(-1, width, 9_000).astype(np.int32), width)
    n, x, xx, infinite = kernels.sum_columns(matrix, groups, True)
    assert infinite == -1
    for column in range(columns):
        one_n, one_x, one_xx, _ = kernels.sum_columns(matrix[:, [column]], groups, True)
        assert np.array_equal(n[column : column + 1], one_n)
        assert Exact(*x)[column : column + 1] == Exact(*one_x)
        assert Exact(*xx)[column : column + 1] == Exact(*one_xx)


def test_infinity_in_a_matrix_is_located():
    matrix = np.ones((5_000, 9))
    matrix[4_321, 8] = -np.inf
    for width in (2, 300):
        codes = (np.arange(5_000) % 2).astype(np.int32)
        assert kernels.sum_columns(matrix, kernels.Groups(codes, width), True)[3] == 4_321
        assert kernels.sum_columns(matrix, kernels.Groups(np.where(codes, codes, -1), width), True)[3] == 4_321


def sparse(matrix):
    """Starts, positions and values of the nonzero entries."""
    rows, positions = np.nonzero(~(matrix == 0))
    starts = np.searchsorted(rows, np.arange(len(matrix) + 1)).astype(np.int64)
    return starts, positions.astype(np.int32), np.ascontiguousarray(matrix[rows, positions])


@settings(max_examples=some(60), deadline=None)
@given(COUNTS)
def test_counts_of_vectors(matrix):
    codes, size = classes_for(len(matrix)), matrix.shape[1]
    sums, met = kernels.count_bags(*sparse(matrix), codes, 3, size, 1, 0)
    assert Exact(sums).fractions() == exact_sums(matrix, codes, 3, 1)
    assert met.reshape(-1).tolist() == exact_sums((matrix > 0).astype(float), codes, 3, 1)
    dense = kernels.count_matrix(matrix, codes, 3)
    assert np.array_equal(dense[0], sums)
    assert np.array_equal(dense[1], met)


@settings(max_examples=some(60), deadline=None)
@given(WEIGHTS)
def test_weights_use_the_fewest_limbs(matrix):
    codes, size = classes_for(len(matrix)), matrix.shape[1]
    starts, positions, values = sparse(matrix)
    limbs, low = _window(Sparse(starts, positions, values, np.zeros(len(matrix), bool)))
    sums, met = kernels.count_bags(starts, positions, values, codes, 3, size, limbs, low)
    assert Exact(sums, low).fractions() == exact_sums(matrix, codes, 3, 1)
    assert met.reshape(-1).tolist() == exact_sums(np.nan_to_num(matrix > 0).astype(float), codes, 3, 1)


def test_positions_out_of_range_are_skipped():
    starts, positions = np.array([0, 3], np.int64), np.array([0, 7, -3], np.int32)
    values, codes = np.array([2.0, 3.0, 4.0]), np.zeros(1, np.int32)
    sums, met = kernels.count_bags(starts, positions, values, codes, 1, 2, 1, 0)
    assert sums.reshape(-1).tolist() == [2, 0]
    assert met.reshape(-1).tolist() == [1, 0]
    scores = np.zeros((1, 1))
    kernels.add_bags(starts, positions, values, np.array([[0.5], [9.0]]), False, scores)
    assert scores.tolist() == [[1.0]]


def test_mismatched_buffers_are_refused():
    starts, positions, values = np.array([0, 2], np.int64), np.zeros(2, np.int32), np.ones(2)
    codes, table = np.zeros(1, np.int32), np.zeros((1, 1))
    for bad in (
        (np.array([0, 3], np.int64), positions, values),
        (np.array([1, 0], np.int64), positions, values),
        (np.array([-1, 2], np.int64), positions, values),
        (starts, positions[:1], values),
        (np.zeros(0, np.int64), positions, values),
    ):
        with pytest.raises(ValueError, match=r"start|differ"):
            kernels.count_bags(*bad, codes, 1, 1, 1, 0)
        with pytest.raises(ValueError, match=r"start|differ"):
            kernels.add_bags(*bad, table, False, np.zeros((1, 1)))
    with pytest.raises(ValueError, match="do not fit"):
        kernels.add_bags(starts, positions, values, table, False, np.zeros((2, 1)))
    with pytest.raises(ValueError, match="differ"):
        kernels.count_matrix(np.ones((2, 2)), codes, 1)


@settings(max_examples=some(60), deadline=None)
@given(WEIGHTS, st.booleans())
def test_evidence_of_vectors_adds_up(matrix, once):
    random = np.random.default_rng(0)
    table = random.normal(size=(matrix.shape[1], 3))
    table[random.random(table.shape) < 0.1] = -np.inf
    clean = np.nan_to_num(matrix, nan=0.0)
    times = (clean > 0).astype(float) if once else clean
    with np.errstate(invalid="ignore"):
        expected = np.nansum(times[:, :, None] * table, axis=1)
    scores = np.ones((3, len(matrix) + 2))
    kernels.add_bags(*sparse(matrix), table, once, scores)
    np.testing.assert_allclose(scores[:, : len(matrix)].T, expected + 1.0)
    assert np.all(scores[:, len(matrix) :] == 1.0)
    dense = np.ones((3, len(matrix) + 2))
    kernels.add_linear(np.where(np.isnan(matrix), np.nan, times), table, dense)
    np.testing.assert_allclose(dense[:, : len(matrix)].T, expected + 1.0)


@pytest.mark.parametrize("rows", [0, 1, 511, 512, 513, 1_500])
@pytest.mark.parametrize("columns", [1, 7, 8, 9, 17])
def test_matrix_scores_like_its_columns(rows, columns):
    random = np.random.default_rng(rows + columns)
    matrix = np.exp(random.normal(size=(rows, columns)))
    matrix[random.random(matrix.shape) < 0.1] = np.nan
    several = [np.ascontiguousarray(column) for column in matrix.T]
    settings = [random.random((columns, 3)) + 0.1 for _ in range(4)]
    for kernel, count in ((kernels.add_normal, 3), (kernels.add_student, 4)):
        for logs in (False, True):
            one, other = np.zeros((3, rows + 1)), np.zeros((3, rows + 1))
            kernel(matrix, *settings[:count], one, logs)
            kernel(several, *settings[:count], other, logs)
            np.testing.assert_allclose(one, other, rtol=1e-13)


@settings(max_examples=some(60), deadline=None)
@given(st.integers(1, 5), st.integers(0, 1_100), st.randoms())
def test_ties_go_to_the_first_class(classes, rows, random):
    scores = np.array([[random.choice([-np.inf, -1.0, 0.0, 2.5]) for _ in range(rows + 1)] for _ in range(classes)])
    out = np.empty(rows, np.int64)
    impossible = kernels.most_probable(scores, out)
    assert out.tolist() == scores[:, :rows].argmax(axis=0).tolist()
    assert impossible == np.isneginf(scores[:, :rows]).all(axis=0).sum()


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([], (-1, True, np.inf, 0.0)),
        ([0.0, 3.0, 2.0**31 - 1], (-1, True, np.inf, 0.0)),
        ([1.0, 2.0**31], (-1, False, 1.0, 2.0**31)),
        ([1.0, 0.5, 8.0], (-1, False, 0.5, 8.0)),
        ([1.0, np.nan], (-1, False, 1.0, 1.0)),
        ([1.0, 2.0, 3.0, 4.0, -1.0], (4, False, 1.0, 4.0)),
        ([np.inf], (0, False, np.inf, np.inf)),
    ],
)
def test_number_kinds(values, expected):
    assert kernels.kind_of(np.array(values, np.float64)) == expected


@pytest.mark.parametrize("broken", [0.5, -1.0, np.nan, np.inf, 2.0**31])
def test_non_integer_matrix_is_not_counted(broken):
    for column in range(6):
        matrix = np.ones((3, 6))
        matrix[1, column] = broken
        assert kernels.count_matrix(matrix, np.zeros(3, np.int32), 1) is None


@settings(max_examples=some(300), deadline=None)
@given(MATRICES)
def test_products_of_columns_are_exact_or_reported(matrix):
    columns = matrix.shape[1]
    firsts, seconds = (part.astype(np.int32) for part in np.triu_indices(columns, 0))
    found, exact = kernels.exact_products(matrix, firsts, seconds)
    assert found.shape == (len(matrix), 2 * len(firsts))
    a, b = matrix[:, firsts], matrix[:, seconds]
    with np.errstate(invalid="ignore", over="ignore", under="ignore"):
        np.testing.assert_array_equal(found[:, : len(firsts)], a * b)
    one, rest = found[:, : len(firsts)].reshape(-1), found[:, len(firsts) :].reshape(-1)
    there = ~np.isnan(one)
    parts = zip(*(part[there].tolist() for part in (a.reshape(-1), b.reshape(-1), one, rest)), strict=True)
    wrong = [x for x, y, p, r in parts if Fraction(x) * Fraction(y) != Fraction(p) + Fraction(r)]
    assert not (exact and wrong)
    sizes = np.abs(one[there & (one != 0)])
    zeros = np.any((one == 0) & (a.reshape(-1) != 0) & (b.reshape(-1) != 0))
    if not zeros and np.all((sizes > 2.0**-899) & (sizes < 2.0**999)):
        assert exact


def test_pairs_of_unknown_columns_are_refused():
    for firsts, seconds in (([0], [2]), ([-1], [0]), ([0, 1], [0])):
        with pytest.raises(ValueError, match=r"no such column|two columns each"):
            kernels.exact_products(np.ones((1, 2)), np.array(firsts, np.int32), np.array(seconds, np.int32))
