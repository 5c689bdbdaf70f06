"""Values rounded to a resolution: accurate, ordered and idempotent."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from interval_reference import keys_from
from tallybayes import Histogram, kernels
from tallybayes.counts.tally import Rows, Tally
from tallybayes.families.numbers.support import COUNT, NOT_NEGATIVE, POSITIVE, REAL
from tallybayes.families.numbers.values import least_of_keys, value_keys, values_of_keys

WHOLE_LINE = st.floats(-1e300, 1e300)
NEAR_ZERO = st.floats(-1e-310, 1e-310) | st.integers(-5, 5).map(float)


@given(st.floats(allow_nan=False, allow_infinity=False), st.integers(1, 52))
def test_values_are_rounded_to_their_resolution(x, bits):
    keys = value_keys(np.array([x]), bits)
    (found,) = values_of_keys(keys, bits)
    assert math.isfinite(found)
    if 1e-300 < abs(x) < 1e300:
        assert abs(found - x) <= abs(x) * 2.0 ** -(bits + 1)
    assert value_keys(np.array([found]), bits) == keys


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=2, max_size=2), st.integers(1, 52))
def test_keys_keep_the_order_of_values(pair, bits):
    low, high = sorted(pair)
    first, second = value_keys(np.array([low, high]), bits)
    assert first <= second


@given(st.lists(WHOLE_LINE | NEAR_ZERO, min_size=1, max_size=9), WHOLE_LINE | NEAR_ZERO, st.integers(1, 52))
def test_new_values_compare_like_rounded_ones(bounds, x, bits):
    bounds = np.sort(np.array(bounds))
    starts = least_of_keys(keys_from(bounds, bits), bits)
    assert np.all(np.diff(starts) >= 0)
    for near in (x, *bounds, *starts, *np.nextafter(starts, -np.inf), *np.nextafter(starts, np.inf)):
        if np.isfinite(near):
            rounded = values_of_keys(value_keys(np.array([near]), bits), bits)
            assert np.array_equal(near >= starts, rounded >= bounds)


@given(st.lists(st.floats(allow_infinity=False) | NEAR_ZERO, max_size=30), st.integers(1, 52), st.integers(1, 100))
def test_kernel_numbers_values_by_their_keys(values, bits, times):
    x = np.array(values * times)
    keys, codes = kernels.number_values(x, bits)
    assert len(set(keys.tolist())) == len(keys)
    assert np.array_equal(codes < 0, np.isnan(x))
    assert np.array_equal(keys[codes[codes >= 0]], value_keys(x[~np.isnan(x)], bits))
    assert np.all(np.diff(np.unique(codes[codes >= 0], return_index=True)[1]) > 0)  # in the order of first occurrence


@given(st.lists(st.floats(allow_infinity=False) | NEAR_ZERO, max_size=30), st.integers(1, 52), st.integers(0, 30))
def test_kernel_finds_values_by_their_keys(values, bits, known):
    x = np.array(values)
    keys = np.unique(value_keys(x[:known][~np.isnan(x[:known])], bits))
    place = {key: i for i, key in enumerate(keys.tolist())}
    expected = [-1 if v != v else place.get(int(value_keys(np.array([v]), bits)[0]), -1) for v in values]
    assert kernels.find_values(x, keys, bits).tolist() == expected


@given(
    st.lists(st.tuples(st.sampled_from("abc"), WHOLE_LINE | NEAR_ZERO), max_size=20),
    st.lists(st.tuples(st.sampled_from("abc"), WHOLE_LINE | NEAR_ZERO), max_size=5),
    st.integers(1, 52),
)
def test_counts_of_any_classes_come_by_value_without_empty_ones(kept, forgotten, bits):
    family, classes = Histogram(bits=bits), ["b", "d", "a"]

    def tallied(rows):
        codes = np.array(["abc".index(key) for key, _ in rows], np.int32)
        return family.tally(np.array([x for _, x in rows], float), Rows(["a", "b", "c"], codes))

    tally = tallied(kept)
    tally += tallied(forgotten)
    tally -= tallied(forgotten)
    found = family.counted([tally, family.empty()], classes)
    rounded = [(key, values_of_keys(value_keys(np.array([x]), bits), bits).item()) for key, x in kept]
    expected = {x: [rounded.count((key, x)) for key in classes] for key, x in rounded if key in classes}
    assert dict(zip(found.values.tolist(), found.counts.tolist(), strict=True)) == expected
    assert np.all(np.diff(found.values) > 0)
    assert found.ends.tolist() == [len(expected), len(expected)]


def test_kernel_distinguishes_many_values():
    x = np.random.default_rng(0).normal(size=100_000)
    keys, codes = kernels.number_values(x, 52)
    assert np.array_equal(keys[codes], value_keys(x, 52))
    assert len(keys) == len(np.unique(x))


@pytest.mark.parametrize("bits", [1, 8, 12, 30, 52])
@pytest.mark.parametrize("size", [2, 700, 5_000])
def test_kernel_numbers_values_that_recur(bits, size):
    random = np.random.default_rng(size)
    values = np.concatenate(
        [random.normal(size=size), random.integers(-size, size, size), [0.0, np.nan, 5e-324, 1e308]]
    )
    x = random.choice(values, 50_000)
    keys, codes = kernels.number_values(x, bits)
    assert np.array_equal(codes < 0, np.isnan(x))
    assert np.array_equal(keys[codes[codes >= 0]], value_keys(x[~np.isnan(x)], bits))
    half = np.ascontiguousarray(keys[::2])
    assert np.array_equal(kernels.find_values(x, half, bits), np.where(codes % 2 == 0, codes // 2, -1))


@given(st.lists(st.floats() | NEAR_ZERO | st.integers(-9, 2**60).map(float), max_size=40), st.integers(1, 20))
@pytest.mark.parametrize("support", [REAL, COUNT, POSITIVE, NOT_NEGATIVE], ids=lambda support: support.words)
def test_kernel_finds_numbers_outside_a_support(support, values, times):
    x = np.array(values * times)
    assert support.takes_all(x) == (not support.outside(x).any())
    assert support.takes_all(x[~support.outside(x)])


@pytest.mark.parametrize("bad", [-1.0, 0.5, 2.0**51 + 0.5, np.inf, -np.inf])
def test_one_number_outside_a_support_is_found_anywhere(bad):
    for at in (0, 1, 6, 7, 600_000, 999_999):
        x = np.full(1_000_000, 7.0)
        assert COUNT.takes_all(x)
        x[at] = bad
        assert not COUNT.takes_all(x)


def test_several_columns_count_like_each_alone():
    family, rows = Histogram(bits=8), Rows(["a", "b"], np.array([0, 1, 0, 1], np.int32))
    columns = [[3.0, 1.0, 2.0, 1.0], [np.nan] * 4, [-5.0, np.nan, -5.0, 0.0]]
    tallies = [family.tally(np.array(column), rows) for column in columns]
    tallies.append(tallies[0] - tallies[0])  # slots that are now empty
    tallies.append(Tally.empty(["n"]))
    together = family.counted(tallies, ["b", "a"])
    for part, tally in zip(together.apart(), tallies, strict=True):
        alone = family.counted([tally], ["b", "a"])
        for each, same in zip(alone, part, strict=True):
            assert np.array_equal(each, same)
    values, counts, _ = next(together.apart())
    assert values.tolist() == [1.0, 2.0, 3.0]
    assert counts.tolist() == [[2.0, 0.0], [0.0, 1.0], [0.0, 1.0]]
