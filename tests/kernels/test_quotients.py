"""Quotients of exact numbers, and leave-one-out smoothing, against slow references."""

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import reference
from tallybayes import kernels
from tallybayes.counts.exact import Exact
from tallybayes.counts.sums import mean, scatter_of_two
from tallybayes.families.fitted import fitted

LIMB = st.integers(-(1 << 40), 1 << 40) | st.integers(-3, 3) | st.just(0)


@st.composite
def exact(draw, size):
    """Numbers of a few limbs, of any magnitude."""
    width = draw(st.integers(1, 6))
    rows = draw(st.lists(st.lists(LIMB, min_size=width, max_size=width), min_size=size, max_size=size))
    return Exact(np.array(rows, np.int64).reshape(size, width), draw(st.integers(-40, 40)))


@given(exact(4), exact(4))
def test_quotient_is_the_nearest_double(above, below):
    assert mean(below, above).tolist() == reference.quotients(above, below)


@given(exact(3), exact(3), exact(3), exact(3), st.lists(st.integers(-2000, 2000), min_size=3, max_size=3))
def test_scatter_is_the_nearest_double_and_zero_only_if_exactly_zero(n, x, y, xy, places):
    found = scatter_of_two(n, x, y, xy, np.array(places, np.int64))
    assert found.tolist() == reference.scatters(n, x, y, xy, places)


def test_quotients_are_rounded_once_at_both_ends_of_the_range():
    above, below = Exact.of([5e-324, 5e-324, 1.5e-323, 1e300, -1e300]), Exact.of([2.0, 1.9, 2.0, 1e-300, 1e-300])
    assert mean(below, above).tolist() == [0.0, 5e-324, 1e-323, math.inf, -math.inf]


@given(
    st.lists(st.lists(st.integers(0, 60), min_size=3, max_size=3), min_size=1, max_size=5),
    st.integers(0, 4),
    st.integers(0, 2),
    st.floats(0.0, 1.0),
)
def test_leave_one_out_smoothing_equals_refitting(counts, level, number, share):
    table = np.array(counts, np.float64)
    level %= len(table)
    left = table[level, number] * (1.0 - share)
    without = table.copy()
    without[level, number] = left
    totals = np.array([without[:, number].sum()])
    cell = np.array([level], np.int32), np.array([number], np.int32), np.array([left]), totals
    worth, part = kernels.fit_left_out(table, *cell)
    np.testing.assert_allclose(worth * part, fitted(without)[level], rtol=1e-10)
    np.testing.assert_allclose(worth, fitted(without).sum(), rtol=1e-10)
    np.testing.assert_allclose(kernels.strengths_left_out(table, *cell), kernels.fit_strength(without), rtol=1e-9)
