"""Numbers by interval: a density over the whole line, honest beyond the values met, and no mass lost to rounding."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tallybayes import Histogram, Model, Schema
from tallybayes.families.histogram import METHODS

pytestmark = pytest.mark.filterwarnings("ignore:Values from")  # of few bits

VALUES = st.integers(-20, 20).map(float) | st.floats(-1e3, 1e3) | st.floats(290.0, 296.0) | st.floats(-1e290, 1e290)
ROWS = st.lists(st.tuples(VALUES, st.sampled_from("abc")), min_size=1, max_size=30)
FAMILIES = st.builds(
    Histogram,
    bits=st.sampled_from([1, 5, 12, 20, 52]),
    intervals=st.sampled_from([1, 2, 7, 100]),
    method=st.sampled_from(list(METHODS)),
    alpha=st.sampled_from([1.0, 0.5, "fitted"]),
)


def train(family, values, labels):
    return Model.train(Schema({"x": family}), {"x": np.array(values, float)}, labels)


def said(model, x):
    return model.evidence({"x": np.array(x, float)})["x"]


@settings(deadline=None)
@given(FAMILIES, ROWS)
def test_the_density_adds_up_to_one_over_the_whole_line(family, rows):
    model = train(family, *zip(*rows, strict=True))
    edges = model.belief("x").edges
    first, last = edges[:-1], np.nextafter(edges[1:], -np.inf)
    np.testing.assert_array_equal(said(model, first), said(model, last))  # an interval is even, up to its edges
    inside = np.exp(said(model, first) + np.log(np.diff(edges))[:, None]).sum(axis=0)
    away = np.concatenate([[0.0], np.logspace(-9.0, 9.0, 10_000)]) * model.belief("x").half * 2.0
    middles, steps = (away[:-1] + away[1:]) / 2.0, np.log(np.diff(away))[:, None]
    tails = sum(np.exp(said(model, x) + steps).sum(axis=0) for x in (edges[0] - middles, edges[-1] + middles))
    np.testing.assert_allclose(inside + tails, 1.0, rtol=1e-3)


@settings(deadline=None)
@given(FAMILIES, ROWS, st.floats(0.0, 1e308))
def test_what_lies_beyond_all_values_says_what_the_outermost_interval_says(family, rows, distance):
    values, labels = zip(*rows, strict=True)
    model = train(family, values, labels)
    low, high = model.belief("x").edges[[0, -1]]
    for inside, outside in (
        (low, max(low - distance, -1.7e308)),
        (np.nextafter(high, -np.inf), min(high + distance, 1.7e308)),
    ):
        near, far = said(model, [inside, outside])
        np.testing.assert_allclose(far - far[0], near - near[0], atol=1e-6)
        assert np.isfinite(far).all()


def test_nothing_is_lost_where_rounding_is_coarse():
    """293.15 ± 0.5 to twelve binary digits: an interval is as wide as the cells of the rounding that are in it."""
    rng = np.random.default_rng(0)
    values = 293.15 + 0.5 * rng.normal(size=20_000)
    model = train(Histogram(intervals=40), values, ["a"] * len(values))
    x = np.linspace(285.0, 301.0, 160_001)
    assert np.exp(said(model, x)[:, 0]).sum() * 1e-4 == pytest.approx(1.0, abs=1e-3)
    true = -0.5 * np.log(2.0 * np.pi * 0.25) - 2.0 * (values - 293.15) ** 2
    assert np.mean(said(model, values)[:, 0]) == pytest.approx(true.mean(), abs=0.01)


def test_intervals_that_rounding_does_not_tell_apart_are_one():
    model = train(Histogram(intervals=100, bits=4), np.linspace(16.0, 24.0, 50), ["a"] * 50)
    assert len(model.estimates("x")) == 8 + 1


def test_a_column_of_equal_values_is_drawn_so():
    for value in (0.0, 3.0, -1e9):
        model = train(Histogram(), [value] * 9_998, ["a"] * 9_998)
        drawn = model.sample(1_000, seed=0).rows["x"].to_numpy()
        assert np.mean(np.abs(drawn - value) <= (abs(value) or 1.0) * 2.0**-12) > 0.99
