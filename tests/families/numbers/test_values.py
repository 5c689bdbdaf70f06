"""Values rounded to a resolution: near enough, in order, and the same again."""

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tallybayes import kernels
from tallybayes.families.numbers.values import keys_from, least_of_keys, value_keys, values_of_keys

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
def test_new_values_are_compared_as_if_they_were_rounded(bounds, x, bits):
    bounds = np.sort(np.array(bounds))
    starts = least_of_keys(keys_from(bounds, bits), bits)
    assert np.all(np.diff(starts) >= 0)
    for near in (x, *bounds, *starts, *np.nextafter(starts, -np.inf), *np.nextafter(starts, np.inf)):
        if np.isfinite(near):
            rounded = values_of_keys(value_keys(np.array([near]), bits), bits)
            assert np.array_equal(near >= starts, rounded >= bounds)


@given(st.lists(st.floats(allow_infinity=False) | NEAR_ZERO, max_size=30), st.integers(1, 52), st.integers(1, 100))
def test_the_kernel_numbers_values_as_their_keys_say(values, bits, times):
    x = np.array(values * times)
    keys, codes = kernels.number_values(x, bits)
    assert len(set(keys.tolist())) == len(keys)
    assert np.array_equal(codes < 0, np.isnan(x))
    assert np.array_equal(keys[codes[codes >= 0]], value_keys(x[~np.isnan(x)], bits))
    assert np.all(np.diff(np.unique(codes[codes >= 0], return_index=True)[1]) > 0)  # in the order they were met


def test_the_kernel_tells_many_values_apart():
    x = np.random.default_rng(0).normal(size=100_000)
    keys, codes = kernels.number_values(x, 52)
    assert np.array_equal(keys[codes], value_keys(x, 52))
    assert len(keys) == len(np.unique(x))
