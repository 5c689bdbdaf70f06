"""Every kernel against its slow reference, on awkward values."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import reference
from tallybayes import kernels
from tallybayes.counts.exact import Exact
from tallybayes.counts.sums import weighted_sums

DOUBLES = st.floats(allow_nan=True, allow_infinity=False)
NEAR_ONE = st.floats(-100, 100) | st.integers(-1000, 1000).map(float) | st.just(math.nan)
CODES = st.integers(-1, 2)


@given(st.lists(NEAR_ONE, max_size=150), st.sets(st.integers(-50, 50).map(float), min_size=1, max_size=20))
def test_values_are_located_in_intervals(values, bounds):
    x, edges = np.array(values, float), np.array(sorted(bounds), float)
    table = np.arange(2.0 * len(edges) + 2.0).reshape(-1, 2)
    scores = np.zeros((2, len(x) + 1))
    kernels.add_intervals([x], [edges], np.array([3.0]), [table], scores)
    for value, said in zip(values, scores.T, strict=False):
        at = sum(edge <= value for edge in edges)
        beyond = max(edges[0] - value, value - edges[-1]) / 2.0
        fall = 2.0 * math.log(3.0 + beyond) if at in (0, len(edges)) else 0.0
        expected = [0.0, 0.0] if math.isnan(value) else table[at] - fall
        np.testing.assert_allclose(said, expected, rtol=1e-12)
    assert not scores[:, len(x) :].any()


@given(
    st.lists(st.tuples(NEAR_ONE, st.integers(0, 2)), max_size=150),
    st.lists(st.sets(st.integers(-50, 50).map(float), max_size=20).map(sorted), min_size=1, max_size=3),
)
def test_values_are_located_among_their_own_edges(rows, lists):
    rows = [(value, number % len(lists)) for value, number in rows]
    x, numbers = np.array([value for value, _ in rows], float), np.array([number for _, number in rows], np.int32)
    starts, ends = np.cumsum([0, *(len(edges) + 1 for edges in lists)]), np.cumsum(list(map(len, lists)))
    found = kernels.find_intervals(x, numbers, np.array([edge for edges in lists for edge in edges], float), ends)
    expected = [-1 if v != v else starts[i] + sum(edge <= v for edge in lists[i]) for v, i in rows]
    assert found.tolist() == expected


@given(
    st.lists(st.tuples(st.floats(-100, 100), st.floats(0.0, 9.0)), min_size=1, max_size=60),
    st.floats(-3, 3).map(lambda power: 10.0**power),
    st.lists(st.floats(-200, 200), max_size=20),
    st.sampled_from([1.0, 1e-3, 1e-6]),
)
def test_kernel_density_sums_equal_direct_sums(bumps, width, x, closeness):
    """Close together, many centres share a cell and are expanded into a series."""
    centres, weights = np.array(sorted((c * closeness, w) for c, w in bumps)).T.copy()
    points = np.array([*x, *centres])
    with np.errstate(under="ignore"):
        expected = np.exp(-0.5 * ((points[:, None] - centres) / width) ** 2) @ weights
    found = kernels.Bumps(centres, weights, width).sum(points)
    np.testing.assert_allclose(found, expected, rtol=1e-7, atol=1e-290)


def test_kernel_density_sums_of_many_centres():
    rng = np.random.default_rng(0)
    centres, weights = np.sort(rng.standard_cauchy(3_000)), rng.random(3_000)
    points = np.concatenate([rng.normal(size=300), rng.standard_cauchy(300), centres[:10] - 20.0])
    for width in (1e-3, 0.1, 3.0, 1e4):
        expected = np.exp(-0.5 * ((points[:, None] - centres) / width) ** 2) @ weights
        found = kernels.Bumps(centres, weights, width).sum(points)
        np.testing.assert_allclose(found, expected, rtol=1e-7, atol=1e-290)


@given(st.lists(st.tuples(DOUBLES | NEAR_ONE, CODES), max_size=60))
def test_sums_by_class_are_exact(rows):
    check_sums([value for value, _ in rows], [code for _, code in rows], 3)


@given(st.lists(NEAR_ONE, min_size=9, max_size=200), st.integers(-300, 300))
def test_sums_on_grids_are_exact_at_every_scale(values, exponent):
    scaled = [math.ldexp(v, exponent) for v in values]
    check_sums(scaled, [0] * len(scaled), 1)


@pytest.mark.slow
@pytest.mark.parametrize("scale", [1e-320, 1e-160, 1e-100, 1e-10, 1.0, 1e9, 1e140, 1e150, 1e300])
@pytest.mark.parametrize("classes", [1, 2, 7, 300])
def test_sums_over_many_blocks_are_exact(scale, classes):
    rng = np.random.default_rng(5)
    values = rng.normal(1.0, 1e-3, 10_000) * scale * 2.0 ** rng.integers(-8, 8, 10_000)
    values[rng.integers(0, 10_000, 500)] = np.nan
    check_sums(values, rng.integers(-1, classes, 10_000), classes)
    check_sums(values, rng.integers(0, classes, 10_000), classes)


def check_sums(values, codes, classes):
    groups = kernels.Groups(np.array(codes, np.int32), classes)
    x = np.array(values, np.float64)
    n, sums, squares, infinite = kernels.sum_columns(x[:, None], groups, True)
    found = zip(n.reshape(-1).tolist(), Exact(*sums).fractions(), Exact(*squares).fractions(), strict=True)
    assert list(found) == reference.sums_by_class(x, codes, classes)
    assert infinite == -1
    only = kernels.sum_columns(x[:, None], groups, False)
    assert Exact(*only[1]) == Exact(*sums)
    assert only[2] is None


@pytest.mark.parametrize("least", [-1, 0])
@pytest.mark.parametrize("classes", [1, 2, 3, 300])
def test_rows_are_counted_by_class(classes, least):
    codes = np.random.default_rng(2).integers(least, classes, 9000).astype(np.int32)
    assert (
        kernels.Groups(codes, classes).counts().tolist() == np.bincount(codes[codes >= 0], minlength=classes).tolist()
    )


@pytest.mark.parametrize("classes", [2, 500])
def test_first_infinity_is_reported(classes):
    values, codes = np.ones(10_000), np.arange(10_000, dtype=np.int32) % classes
    values[[7001, 7002, 9000]] = [np.inf, -np.inf, np.inf]
    assert kernels.sum_columns(values[:, None], kernels.Groups(codes, classes), True)[3] == 7001
    codes[7001] = -1
    assert kernels.sum_columns(values[:, None], kernels.Groups(codes, classes), True)[3] == 7002


@given(st.lists(st.tuples(DOUBLES, DOUBLES, DOUBLES, CODES), max_size=30), st.integers(1, 3))
def test_products_are_exact(rows, count):

    factors = [np.array([row[i] for row in rows], np.float64) for i in range(count)]
    codes = np.array([row[3] for row in rows], np.int32)
    assert weighted_sums(factors, codes, 3).fractions() == reference.sum_products(factors, codes, 3)


@given(st.lists(st.tuples(st.integers(-2, 4), st.integers(-1, 2))), st.sampled_from([1, 9, 300]))
def test_codes_are_counted(pairs, times):
    codes, classes = (np.array([p[i] for p in pairs] * times, np.int32) for i in (0, 1))
    expected = reference.count_codes(codes.tolist(), classes.tolist())
    for each in (codes, codes.astype(np.int8)):
        found = kernels.count_codes(each, classes, 5, 3)
        assert {(i, j): found[i, j] for i, j in np.argwhere(found)} == expected


@given(st.lists(st.tuples(st.floats(), st.integers(-1, 2), st.integers(-1, 1)), min_size=1, max_size=30))
def test_columns_are_mixed_into_fingerprints(rows):
    x, few, fewer = (np.array(column) for column in zip(*rows, strict=True))
    of_few, of_fewer = np.array([0.5, -0.0, np.inf]), np.array([7.0, np.nan])
    columns = [x, (few.astype(np.int32), of_few), (fewer.astype(np.int8), of_fewer)]
    marks = np.zeros(len(rows), np.uint64)
    kernels.mix_columns(columns, marks)
    spelled = zip(x, np.append(of_few, np.nan)[few], np.append(of_fewer, np.nan)[fewer], strict=True)
    assert marks.tolist() == [reference.fingerprint(map(float, row)) for row in spelled]
    times = 100_000 // len(rows)  # in several stretches
    many = [np.tile(x, times), *((np.tile(codes, times), numbers) for codes, numbers in columns[1:])]
    again = np.zeros(len(rows) * times, np.uint64)
    kernels.mix_columns(many, again)
    assert np.array_equal(again, np.tile(marks, times))


@pytest.mark.parametrize("kind", [np.int8, np.int32])
@pytest.mark.parametrize("code", [-2, 2])
def test_codes_without_a_number_are_refused(kind, code):
    marks = np.zeros(3, np.uint64)
    with pytest.raises(ValueError, match="no such number"):
        kernels.mix_columns([(np.array([0, code, 1], kind), np.array([1.0, 2.0]))], marks)
    assert not marks.any()


@given(
    st.lists(st.lists(st.floats(-800, 0) | st.just(-math.inf), min_size=3, max_size=3), min_size=1),
    st.integers(1, 3),
)
def test_scores_become_probabilities(rows, classes):
    scores = np.array([row[:classes] for row in rows]).T.copy()
    out = np.empty((len(rows), classes))
    impossible = kernels.normalise(scores.copy(), out)
    expected = [reference.softmax(row) for row in scores.T.tolist()]
    assert impossible == sum(row is None for row in expected)
    for row, wanted in zip(out, expected, strict=True):
        if wanted is not None:
            np.testing.assert_allclose(row, wanted, rtol=1e-14, atol=1e-300)


def test_log_sum_exp_of_the_lecture():
    scores = np.array([[-120.0], [-121.0]])
    out = np.empty((1, 2))
    kernels.normalise(scores, out)
    assert -120.0 - math.log(out[0, 0]) == pytest.approx(-120.0 + math.log(1 + math.exp(-1)), abs=1e-15)


@pytest.mark.parametrize("spread", [1e-9, 1e-3, 0.05, 1.0, 1e5, 1e140])
@pytest.mark.parametrize("rows", [1, 5, 511, 2000])
def test_densities_equal_the_formulas(spread, rows):
    rng = np.random.default_rng(1)
    x = rng.normal(0.0, spread, (3, rows))
    x[rng.random((3, rows)) < 0.1] = np.nan
    mean, precision, power, constant = rng.uniform(0.5, 2.0, (4, 3, 2))
    d = (x[:, None, :] - mean[:, :, None]) ** 2 * precision[:, :, None]
    for found, said in (
        (kernels.add_normal, constant[:, :, None] - d / 2),
        (kernels.add_student, constant[:, :, None] - power[:, :, None] * np.log1p(d)),
    ):
        scores = np.ones((2, rows + 3))
        settings = (mean, precision, constant) if found is kernels.add_normal else (mean, precision, power, constant)
        found(list(x), *settings, scores)
        np.testing.assert_allclose(scores[:, :rows], 1.0 + np.nansum(said, axis=0), rtol=1e-12, atol=1e-14)
        assert np.all(scores[:, rows:] == 1.0)


@pytest.mark.parametrize("rows", [1, 5, 2000])
def test_log_scale_densities_subtract_the_logarithm(rows):
    rng = np.random.default_rng(2)
    x = rng.lognormal(size=(3, rows))
    x[rng.random((3, rows)) < 0.1] = np.nan
    logs = np.array([kernels.logarithm(column) for column in x])
    settings = tuple(rng.uniform(0.5, 2.0, (4, 3, 2)))
    for kernel, known in ((kernels.add_normal, settings[:3]), (kernels.add_student, settings)):
        found, expected = np.ones((2, rows + 3)), np.ones((2, rows + 3))
        assert kernel(list(x), *known, found, True) == kernel(list(logs), *known, expected)
        expected[:, :rows] -= np.nansum(logs, axis=0)
        np.testing.assert_allclose(found, expected, rtol=1e-12)
    for bad in (0.0, -1.0, np.inf):
        assert kernels.add_student([np.array([bad])] * 3, *settings, np.ones((2, 1)), True)


@given(
    st.lists(st.sampled_from([0.0, 1.0, 2.0, 3.0, 0.5, -1.0, -0.0, 2.5, 1e300, np.nan, np.inf, -np.inf]), max_size=9)
)
def test_numbers_are_looked_up_in_the_table(cells):
    table, x = np.arange(6.0).reshape(3, 2) + 1.0, np.array(cells)
    scores = np.zeros((2, len(cells) + 1))
    listed = np.isin(x, [0.0, 1.0, 2.0])
    assert kernels.add_whole([x, x], [table, table], scores) == 2 * np.sum(~listed & ~np.isnan(x))
    expected = np.where(listed, 2.0 * table[np.where(listed, x, 0.0).astype(int)].T, 0.0)
    np.testing.assert_array_equal(scores, np.pad(expected, ((0, 0), (0, 1))))


@given(st.lists(st.lists(st.integers(-3, 4), min_size=4, max_size=4), max_size=4), st.integers(1, 3))
def test_levels_are_looked_up_in_the_table_of_their_column(columns, classes):
    codes = [np.array(column, np.int32) for column in columns]
    tables = [np.arange(3.0 * classes).reshape(3, classes) + 10.0 * i for i in range(len(codes))]
    scores = np.zeros((classes, 5))
    kernels.add_tables(codes, tables, scores)
    for row in range(4):
        said = [table[column[row]] for column, table in zip(columns, tables, strict=True) if 0 <= column[row] < 3]
        np.testing.assert_array_equal(scores[:, row], np.sum(said, axis=0) if said else np.zeros(classes))
    assert not scores[:, 4].any()


@given(st.floats(min_value=0.0, exclude_min=True, allow_infinity=False))
def test_logarithm_is_accurate_to_one_ulp(x):
    found, exact = kernels.logarithm(np.array([x]))[0], math.log(x)
    assert abs(found - exact) <= math.ulp(exact)


def test_logarithm_of_non_positive_numbers_is_missing():
    found = kernels.logarithm(np.array([0.0, -1.0, np.nan, -np.inf, np.inf, 1.0]))
    assert np.isnan(found[:4]).all()
    assert found[4:].tolist() == [math.inf, 0.0]


LIMBS = st.integers(-(1 << 63), (1 << 63) - 1) | st.integers(-3, 3) | st.sampled_from([1 << 32, -(1 << 32), 0])


@given(st.integers(0, 4).flatmap(lambda size: st.lists(st.lists(LIMBS, min_size=size, max_size=size), max_size=5)))
def test_numbers_have_one_canonical_form(rows):
    limbs = np.array(rows, np.int64).reshape(len(rows), len(rows[0]) if rows else 1)
    carried, first = kernels.carry(limbs)
    numbers = [sum(limb << (32 * i) for i, limb in enumerate(row)) for row in rows]
    for number, row in zip(numbers, carried.tolist(), strict=True):
        assert sum(limb << (32 * (first + i)) for i, limb in enumerate(row)) == number
        assert all(abs(limb) < 1 << 32 and limb * number >= 0 for limb in row)
    assert carried.shape[1] == 0 or (carried[:, 0].any() and carried[:, -1].any())
    assert bool(carried.shape[1]) == any(numbers)


@given(st.floats(0.01, 1e15) | st.floats(-50.5, 0.0))
def test_log_gamma_equals_pythons(x):
    expected = math.inf if x == int(x) and x <= 0 else math.lgamma(x)
    (found,) = kernels.log_gamma(np.array([x]))
    assert found == pytest.approx(expected, rel=1e-12, abs=1e-14)
