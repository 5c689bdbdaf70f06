"""Histograms of method "auto": a smooth density where it predicts the classes better, plain intervals where not."""

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from scipy.special import softmax
from sklearn.datasets import make_hastie_10_2
from sklearn.metrics import log_loss
from sklearn.naive_bayes import GaussianNB

from interval_reference import ENOUGH, Grid
from one_column import train
from tallybayes import Histogram, Model, NaiveBayes
from tallybayes.model.left_out import left_out

EVEN = np.log([0.5, 0.5])
AUTO = Histogram(method="auto", alpha="fitted", bits=8)
PLAIN = Histogram(method="fitted", alpha="fitted", bits=8)
SHAPES = {
    "normal": lambda random, y: random.normal(y, 1.0 + y),
    "log-normal": lambda random, y: np.exp(random.normal(y, 1.0)),
    "two peaks": lambda random, y: (
        random.choice([-2.0, 2.0], len(y)) * (1.0 + 0.3 * y) + random.normal(0.0, 0.5, len(y))
    ),
    "many zeros": lambda random, y: np.where(random.random(len(y)) < 0.5, 0.0, random.gamma(1.0 + y)),
    "uniform": lambda random, y: random.random(len(y)) * (1.0 + 0.2 * y),
    "whole": lambda random, y: random.poisson(3.0 + y).astype(float),
    "far out": lambda random, y: random.standard_cauchy(len(y)) * 1e80 + y,
}


def drawn(shape, n, seed=0, classes=2):
    random = np.random.default_rng(seed)
    y = random.integers(0, classes, n)
    return SHAPES[shape](random, y), y.astype(str)


def loss(model, x, y):
    posterior = model.posterior({"x": x})
    return -np.log(posterior[np.arange(len(y)), y.astype(int)]).mean()


def test_normal_columns_are_scored_like_gaussians():
    x, y = drawn("normal", 20_000)
    model = train(AUTO, x, y)
    at = np.linspace(-2.0, 4.0, 25)
    expected = stats.norm(1.0, 2.0).logpdf(at) - stats.norm(0.0, 1.0).logpdf(at)
    found = np.diff(model.evidence({"x": at})["x"], axis=1)[:, 0]
    np.testing.assert_allclose(found, expected, atol=0.3)


@pytest.mark.parametrize("shape", ["normal", "log-normal", "two peaks", "many zeros", "whole"])
def test_smooth_densities_predict_better_than_intervals(shape):
    x, y = drawn(shape, 1500)
    new = drawn(shape, 20_000, seed=1)
    assert loss(train(AUTO, x, y), *new) < loss(train(PLAIN, x, y), *new)


def test_hard_edges_stay_intervals():
    x, y = drawn("uniform", 2000)
    auto, plain = train(AUTO, x, y), train(PLAIN, x, y)
    assert auto.estimates("x") == plain.estimates("x")
    np.testing.assert_array_equal(auto.evidence({"x": x})["x"], plain.evidence({"x": x})["x"])


def test_a_value_that_stands_out_is_not_smoothed():
    x, y = drawn("many zeros", 2000)
    model = train(AUTO, x, y)
    assert len(model.estimates("x")) > 50
    zero = [name for name in model.estimates("x") if model.estimates("x")[name]["0"] > 0.3]
    share = {label: np.mean(x[y == label] == 0.0) for label in "01"}
    assert model.estimates("x")[zero[0]] == pytest.approx(share, abs=2e-3)


def test_plain_intervals_are_shown_with_their_counts():
    x, y = drawn("normal", 2000)
    model, plain = train(AUTO, x, y), train(PLAIN, x, y)
    counts = {each.word: each.n for each in plain.belief("x").heaviest(1, EVEN, 999)}
    shown = {each.word: each for each in model.belief("x").heaviest(1, EVEN, 999)}
    assert {name: each.n for name, each in shown.items()} == counts
    last = max(shown, key=_start)
    low, high = np.diff(model.evidence({"x": [_start(last), x.max()]})["x"], axis=1)[:, 0]
    assert low < shown[last].log_odds < high  # a mean over the interval
    assert model.belief("x").free() == plain.belief("x").free()


def test_smooth_densities_are_as_uncertain_as_plain_intervals():
    x, y = drawn("normal", 2000)
    auto, plain = (train(family, x, y).belief("x") for family in (AUTO, PLAIN))
    widths = []
    for belief in (auto, plain):
        low, high = belief.credible(0, np.array([-1.0, 0.0, 1.0]), 0.9)
        widths.append(high - low)
        assert (low < high).all()
    np.testing.assert_allclose(*widths, rtol=1e-9)
    logs = [np.zeros((2, 3)) for _ in range(400)]
    random = np.random.default_rng(0)
    for each in logs:
        auto.drawn(random).add_evidence(np.array([-1.0, 0.0, 1.0]), each)
    low, high = np.quantile([each[0] for each in logs], [0.05, 0.95], axis=0)
    np.testing.assert_allclose(high - low, widths[0], rtol=0.25)


def _start(interval):
    return float(interval.strip("[)]").split(", ")[0])


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("n", [12, 200, ENOUGH + 200])
def test_density_integrates_to_one(shape, n):
    belief = train(AUTO, *drawn(shape, n)).belief("x")
    widths = np.diff(belief.edges)[:, None]
    outside = belief.probability[0] * belief.below + belief.probability[-1] * belief.beyond
    np.testing.assert_allclose((np.exp(belief.table) * widths).sum(axis=0) + outside, 1.0, rtol=1e-9)
    np.testing.assert_allclose(belief.probability.sum(axis=0), 1.0, rtol=1e-12)


@pytest.mark.parametrize("shape", SHAPES)
def test_left_out_is_near_trained_without(shape):
    """Not equal: the grid, and which density is used, are chosen from all values."""
    x, y = drawn(shape, 120)
    model = train(AUTO, x, y)
    found = softmax(left_out(model, {"x": x}, y).total(), axis=1)
    again = softmax(left_out(model, {"x": x}, y, choose_again=True).total(), axis=1)
    assert np.median(np.abs(found - again)) < 0.03


@given(st.sampled_from(list(SHAPES)), st.integers(0, 999), st.integers(1, 60))
def test_left_out_is_a_number(shape, seed, n):
    x, y = drawn(shape, n, seed)
    found = left_out(train(AUTO, x, y), {"x": x}, y)
    assert not np.isnan(found.total()).any()


def test_left_out_weights_are_taken_away():
    """A value of weight two is left out as two values are."""
    x, y = drawn("normal", 300)
    weights = np.where(np.arange(300) % 3 == 0, 2.0, 1.0)
    grid = Grid.of(np.sort(x), np.eye(2)[y.astype(int)[np.argsort(x)]])
    one, two = grid.densities()[1], grid.densities(2.0)[1]
    assert (two <= one + 1e-12).all()
    model = Model.train({"x": AUTO}, {"x": x}, y, weights=weights)
    found = left_out(model, {"x": x}, y, weights=weights)
    assert np.isfinite(found.total()).all()


def test_leaving_out_takes_a_value_from_its_own_cell():
    x, y = drawn("two peaks", 400)
    grid = Grid.of(np.sort(x), np.eye(2)[y.astype(int)[np.argsort(x)]])
    full, left, _ = grid.densities()
    cell, label = np.argwhere(grid.counts > 0)[7]
    without = grid.counts.copy()
    without[cell, label] -= 1.0
    again = grid._replace(counts=without).densities()[0]
    np.testing.assert_allclose(
        left[:2, cell, label], again[:2, cell, label], rtol=0.05
    )  # but for what all classes share
    assert full.shape == (9, 128, 2)  # of 400 values


def test_forgetting_restores_the_choice():
    x, y = drawn("normal", 400)
    model = train(AUTO, x, y)
    before = model.evidence({"x": x})["x"]
    more = train(AUTO, *drawn("uniform", 3000))
    model += more
    assert not np.array_equal(model.evidence({"x": x})["x"], before)
    model -= more
    np.testing.assert_array_equal(model.evidence({"x": x})["x"], before)


@given(st.sampled_from(list(SHAPES)), st.integers(0, 99), st.lists(st.booleans(), min_size=1, max_size=8))
def test_belief_kept_up_to_date_equals_that_of_the_same_counts(shape, seed, learns):
    """Rows that are learned and forgotten one by one leave no trace in any answer."""
    x, y = drawn(shape, 1200, seed)
    model, at = train(AUTO, x[:1000], y[:1000]), {"x": x}
    for i, learn in enumerate(learns, 1000):
        row = train(AUTO, x[i : i + 1], y[i : i + 1])
        model += row
        model.posterior(at)
        if not learn:
            model -= row
    same = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(model.evidence(at)["x"], same.evidence(at)["x"])


def test_columns_that_are_normal_within_a_class_need_no_hint():
    X, y = make_hastie_10_2(4000, random_state=0)
    learned, new = slice(0, 2000), slice(2000, None)
    ours = NaiveBayes().fit(X[learned], y[learned]).predict_proba(X[new])
    theirs = GaussianNB().fit(X[learned], y[learned]).predict_proba(X[new])
    assert log_loss(y[new], ours) < 0.5 * log_loss(y[new], theirs)
    assert np.mean(ours.argmax(axis=1) != theirs.argmax(axis=1)) < 0.04
