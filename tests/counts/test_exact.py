"""Exact arrays: arithmetic without rounding, correctly rounded results, one canonical form."""

import math
from fractions import Fraction

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import reference
from tallybayes import kernels
from tallybayes.counts.exact import Exact
from tallybayes.counts.sums import scatter

DOUBLES = st.floats(allow_nan=False, allow_infinity=False)
LISTS = st.lists(DOUBLES, min_size=1, max_size=8)
LIMBS = st.sampled_from([0, 1, -1, 2**31, 2**32 - 1, -(2**32), 2**53 + 1]) | st.integers(-(2**62), 2**62)


@given(LISTS, LISTS)
def test_sums_and_differences_equal_fractions(a, b):
    x, y = Exact.of(a).sum(), Exact.of(b).sum()
    left, right = sum(map(Fraction, a)), sum(map(Fraction, b))
    assert (x + y).fractions() == [left + right]
    assert (x - y).fractions() == [left - right]
    assert (-x).fractions() == [-left]
    assert x.is_below(0.0).item() == (left < 0)


@given(LISTS, st.integers(-(2**40), 2**40))
def test_integer_multiples_are_exact(values, factor):
    assert (Exact.of(values) * factor).fractions() == [Fraction(v) * factor for v in values]


@given(LISTS, st.floats(0.0, 10.0))
def test_other_multiples_are_exact_to_128_bits(values, factor):
    for found, value in zip((Exact.of(values) * factor).fractions(), values, strict=True):
        exact = Fraction(value) * Fraction(factor)
        assert abs(found - exact) <= abs(exact) / 2**127


def test_repeated_decay_does_not_grow():
    x = Exact.of([0.1, 1e9])
    for _ in range(100):
        x = x * 0.9
    assert x.limbs.shape[-1] <= 8
    np.testing.assert_allclose(x.round(), np.array([0.1, 1e9]) * 0.9**100, rtol=1e-12)


@given(LISTS)
def test_rounds_to_the_nearest_double(values):
    total = Exact.of(values).sum().round().item()
    if math.isfinite(total):
        assert total == float(sum(map(Fraction, values)))


@given(st.lists(st.lists(LIMBS, min_size=4, max_size=4), max_size=5), st.integers(-30, 24))
def test_limbs_of_any_sign_round_to_the_nearest_double(numbers, low):
    limbs = np.array(numbers, np.int64).reshape(-1, 4)
    expected = [reference.nearest(fraction) for fraction in Exact(limbs, low).fractions()]
    assert kernels.round_limbs(limbs, low).tolist() == expected


def test_overflow_rounds_to_infinity():
    assert Exact.of([1e308, 1e308, -1e307]).sum().round().item() == math.inf
    assert Exact.of([-1e308, -1e308]).sum().round().item() == -math.inf
    assert Exact.of([1e308, 1e308, -1e308]).sum().round().item() == 1e308


@given(LISTS, st.randoms())
def test_equal_numbers_have_equal_bytes(values, random):
    shuffled = random.sample(values, len(values))
    one = sum((Exact.of(v) for v in shuffled), Exact.zeros(())).carried()
    other = Exact.of(values).sum().carried()
    assert (one.low, one.limbs.tobytes()) == (other.low, other.limbs.tobytes())


def test_counts_never_overflow():
    most = Exact.counts(np.array([2**62, -(2**62)]))
    total = most + most + most + most
    assert total.fractions() == [2**64, -(2**64)]
    assert (total - most - most - most).fractions() == [2**62, -(2**62)]


def test_in_place_addition_touches_only_its_cells():
    x = Exact.zeros((3, 2))
    x.add_at(np.ix_([2], [0, 1]), Exact.of([[0.5, 1e300]]))
    x.add_at(np.ix_([0], [1]), Exact.counts(np.array([[7]])))
    assert x.fractions() == [0, 7, 0, 0, Fraction(0.5), Fraction(1e300)]


@given(st.lists(st.floats(-10, 10), min_size=1, max_size=20), st.sampled_from([0.0, 1e9, -1e15]))
def test_scatter_loses_no_digits_at_any_mean(values, shift):
    values = [v + shift for v in values]
    exact = [Fraction(v) for v in values]
    mean = sum(exact) / len(exact)
    n = Exact.counts(np.array([len(values)]))
    x = Exact.of(values).sum()[None]
    squares = reference.exact(v * v for v in exact).sum()[None]
    assert scatter(n, x, squares).item() == float(sum((v - mean) ** 2 for v in exact))


def test_zeros_of_every_window_are_equal():
    assert Exact(np.zeros((2, 5), np.int64), -7) == Exact.zeros((2,))
    assert Exact.of([1e-300]) - Exact.of([1e-300]) == Exact.zeros((1,))
