"""Values rounded to a resolution: near enough, in order, and the same again."""

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tallybayes.families.values import value_keys, values_of_keys


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
