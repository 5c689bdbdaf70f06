"""Histograms: densities over the whole line, cautious tails, and no mass lost to rounding."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from interval_reference import TRIED
from one_column import train
from tallybayes import Histogram, Model, Schema, left_out
from tallybayes.families.numbers.histogram import METHODS

pytestmark = pytest.mark.filterwarnings("ignore:.*are counted in steps")  # few bits

VALUES = st.integers(-20, 20).map(float) | st.floats(-1e3, 1e3) | st.floats(290.0, 296.0) | st.floats(-1e290, 1e290)
ROWS = st.lists(st.tuples(VALUES, st.sampled_from("abc")), min_size=1, max_size=30)
FAMILIES = st.builds(
    Histogram,
    bits=st.sampled_from([1, 5, 12, 20, 52]),
    intervals=st.sampled_from([1, 2, 7, 100]),
    method=st.sampled_from(list(METHODS)),
    alpha=st.sampled_from([1.0, 0.5, "fitted"]),
)


def said(model, x):
    return model.evidence({"x": np.array(x, float)})["x"]


@settings(deadline=None)
@given(FAMILIES, ROWS)
def test_density_integrates_to_one(family, rows):
    model = train(family, *zip(*rows, strict=True))
    edges = model.belief("x").edges
    first, last = edges[:-1], np.nextafter(edges[1:], -np.inf)
    np.testing.assert_array_equal(said(model, first), said(model, last))  # an interval is uniform up to its edges
    inside = np.exp(said(model, first) + np.log(np.diff(edges))[:, None]).sum(axis=0)
    away = np.concatenate([[0.0], np.logspace(-9.0, 9.0, 10_000)]) * model.belief("x").half * 2.0
    middles, steps = (away[:-1] + away[1:]) / 2.0, np.log(np.diff(away))[:, None]
    tails = sum(np.exp(said(model, x) + steps).sum(axis=0) for x in (edges[0] - middles, edges[-1] + middles))
    np.testing.assert_allclose(inside + tails, 1.0, rtol=1e-3)


@settings(deadline=None)
@given(FAMILIES, ROWS, st.floats(0.0, 1e308))
def test_values_beyond_the_range_score_like_the_outermost_interval(family, rows, distance):
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


def test_coarse_rounding_loses_no_mass():
    """293.15 ± 0.5 at twelve binary digits: the width of an interval is that of its rounding steps."""
    rng = np.random.default_rng(0)
    values = 293.15 + 0.5 * rng.normal(size=20_000)
    model = train(Histogram(intervals=40), values, ["a"] * len(values))
    x = np.linspace(285.0, 301.0, 160_001)
    assert np.exp(said(model, x)[:, 0]).sum() * 1e-4 == pytest.approx(1.0, abs=1e-3)
    true = -0.5 * np.log(2.0 * np.pi * 0.25) - 2.0 * (values - 293.15) ** 2
    assert np.mean(said(model, values)[:, 0]) == pytest.approx(true.mean(), abs=0.01)


def test_indistinguishable_intervals_are_merged():
    model = train(Histogram(intervals=100, bits=4), np.linspace(16.0, 24.0, 50), ["a"] * 50)
    assert len(model.estimates("x")) == 8 + 1


def test_constant_column_is_sampled_as_constant():
    for value in (0.0, 3.0, -1e9):
        model = train(Histogram(), [value] * 9_998, ["a"] * 9_998)
        drawn = model.sample(1_000, seed=0).rows["x"].to_numpy()
        assert np.mean(np.abs(drawn - value) <= (abs(value) or 1.0) * 2.0**-12) > 0.99


@given(st.integers(0, 100), st.lists(st.sampled_from("ab"), min_size=1, max_size=9))
def test_constant_column_is_possible_however_far_its_counts_have_decayed(halvings, labels):
    """Half of the mass beyond the one interval lies on each side: n / (2 + n) of it stays inside."""
    model = train(Histogram(), [3.0] * len(labels), labels) * 0.5**halvings
    edges, n = model.belief("x").edges, len(labels) * 0.5**halvings
    expected = np.log(n / (2.0 + n)) - np.log(edges[1] - edges[0])
    np.testing.assert_allclose(said(model, [3.0]), expected, rtol=1e-12)


@pytest.mark.parametrize("power", [1, 53, 70, 98])
def test_constant_column_is_possible_when_rows_of_little_weight_are_left_out(power):
    labels, weights = ["a", "b"] * 50, np.full(100, 0.5**power)
    rows = {"x": np.ones(100)}
    model = Model.train(Schema({"x": Histogram()}), rows, labels, weights=weights)
    edges, n = model.belief("x").edges, 99 * 0.5**power
    expected = np.log(n / (2.0 + n)) - np.log(edges[1] - edges[0])
    found = left_out(model, rows, labels, weights=weights).columns["x"]
    np.testing.assert_allclose(found, np.full((100, 2), expected), rtol=1e-12)


def test_fitted_intervals_maximise_the_class_likelihood():
    random = np.random.default_rng(5)
    x = random.normal(size=4000).round(2)
    curved = np.where(random.random(4000) < 0.3 + 0.3 * np.sin(3 * x) ** 2, "b", "a").tolist()
    stepped = np.where(x > 0.4, "b", "a").tolist()
    noise = random.choice(["a", "b"], 4000).tolist()
    found = [train(Histogram(method="fitted"), x, y) for y in (curved, stepped, noise)]
    assert [len(model.estimates("x")) for model in found] == [40, 2, 1]
    candidates = {many: drawn_row_by_row(found[0], x, curved, method="equal count", intervals=many) for many in TRIED}
    candidates[0] = drawn_row_by_row(found[0], x, curved, method="mdl")
    assert max(candidates, key=candidates.get) == 40


def drawn_row_by_row(model, x, labels, **settings):
    """The log-likelihood of the classes: every interval is an urn of five balls, plus one of each class drawn."""
    names = list(model.believing(**settings).estimates("x"))
    edges = np.array([float(name.strip("[)]").split(", ")[0]) for name in names])
    shares = {label: labels.count(label) / len(labels) for label in set(labels)}
    urns = [{label: 5.0 * share for label, share in shares.items()} for _ in names]
    total = 0.0
    for value, label in zip(x, labels, strict=True):
        urn = urns[max(int(np.searchsorted(edges, value, side="right")) - 1, 0)]
        total += np.log(urn[label] / sum(urn.values()))
        urn[label] += 1.0
    return total


def test_few_values_use_equal_counts():
    x = np.random.default_rng(5).normal(size=999)
    few = train(Histogram(method="fitted", intervals=7), x, list("ab") * 499 + ["a"])
    assert few.estimates("x") == few.believing(method="equal count").estimates("x")
    assert len(few.estimates("x")) == 7


def test_equal_length_intervals():
    model = train(Histogram(intervals=2, alpha=0.0), [0.0, 1.0, 2.0, 9.0, 10.0])
    assert model.estimates("x") == {"[0, 5)": {"a": 0.6}, "[5, 10]": {"a": 0.4}}
    said = model.evidence({"x": [0.0, 4.999, 5.0, 10.0]})["x"][:, 0]
    inside = [0.6 * 4 / 5, 0.4 * 3 / 4]  # 1 / (N + 2) lies beyond the range, N = 3 and 2
    np.testing.assert_allclose(np.exp(said), np.repeat(inside, 2) / 5.0, rtol=1e-3)
    said = model.evidence({"x": [-3.0, 99.0]})["x"][:, 0]
    falling = [10.0 / (10.0 + 3.0) ** 2, 10.0 / (10.0 + 89.0) ** 2]
    np.testing.assert_allclose(np.exp(said), [0.6 / 5 * falling[0], 0.4 / 4 * falling[1]], rtol=1e-3)


def test_equal_count_intervals():
    model = train(Histogram(method="equal count", intervals=3, alpha=0.0), [1.0, 2.0, 3.0, 4.0, 50.0, 60.0])
    third = {"a": 1 / 3}
    assert model.estimates("x") == {"[1, 2.5)": third, "[2.5, 27)": third, "[27, 60]": third}


def test_mdl_cuts_where_the_class_changes():
    values, labels = list(range(40)), ["low"] * 17 + ["high"] * 23
    found = train(Histogram(method="mdl"), values, labels).estimates("x")
    assert list(found) == ["[0, 16.5)", "[16.5, 39]"]
    alternating = ["even", "odd"] * 20
    assert list(train(Histogram(method="mdl"), values, alternating).estimates("x")) == ["[0, 39]"]
