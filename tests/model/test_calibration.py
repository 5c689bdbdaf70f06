"""Calibration: temperatures, isotonic regression and reliability, against scipy and scikit-learn."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize_scalar
from scipy.special import log_softmax, softmax
from sklearn.isotonic import IsotonicRegression

from examples import some
from tallybayes import Gaussian, Model, evaluate
from tallybayes.model.calibration import calibration_error, isotonic, reliability, temperature

RANDOM = np.random.default_rng(2)
N, CLASSES = 800, 4
TRUTH = RANDOM.integers(0, CLASSES, N)
SCORES = RANDOM.normal(size=(N, CLASSES)) + 1.5 * np.eye(CLASSES)[TRUTH]


def loss(heat, scores=SCORES, truth=TRUTH):
    return -np.mean(log_softmax(scores / heat, axis=1)[np.arange(len(truth)), truth])


@pytest.mark.parametrize("factor", [0.02, 1.0, 7.0])
def test_temperature_minimises_the_log_loss(factor):
    found = temperature(factor * SCORES + RANDOM.normal(size=(N, 1)), TRUTH)
    wanted = minimize_scalar(lambda log_heat: loss(np.exp(log_heat), factor * SCORES), bounds=(-7, 7), method="bounded")
    assert loss(found, factor * SCORES) == pytest.approx(wanted.fun, rel=1e-9)
    assert found == pytest.approx(factor * temperature(SCORES, TRUTH), rel=1e-6)


def test_calibrated_probabilities_need_no_temperature():
    share = softmax(RANDOM.normal(0.0, 2.0, (50_000, 3)), axis=1)
    truth = (share.cumsum(axis=1) < RANDOM.random((50_000, 1))).sum(axis=1)
    assert temperature(np.log(share), truth) == pytest.approx(1.0, abs=0.03)
    assert calibration_error(share, truth) < 0.01


@settings(max_examples=some(200))
@given(
    st.lists(st.lists(st.floats(-1e6, 1e6) | st.just(-np.inf), min_size=2, max_size=2), min_size=1, max_size=9),
    st.data(),
)
def test_temperature_is_never_worse_than_none_and_finite(scores, data):
    truth = data.draw(st.lists(st.integers(0, 1), min_size=len(scores), max_size=len(scores)))
    found = temperature(scores, truth)
    assert 1e-3 <= found <= 1e3
    possible = np.isfinite(np.array(scores)[np.arange(len(truth)), truth])
    kept, numbers = np.array(scores)[possible], np.array(truth)[possible]
    if len(kept):
        assert loss(found, kept, numbers) <= loss(1.0, kept, numbers) + 1e-9


def test_perfect_or_uninformative_scores_have_a_temperature():
    assert temperature([[0.0, -1.0], [-1.0, 0.0]], [0, 1]) == 1e-3
    assert temperature([[0.0, -1.0], [-1.0, 0.0]], [1, 0]) == 1e3
    assert temperature(np.zeros((3, 2)), [0, 1, 1]) == 1.0
    assert temperature(np.zeros((0, 2)), np.zeros(0, int)) == 1.0


@pytest.mark.parametrize("digits", [1, 2, 12])
def test_isotonic_steps_equal_sklearn(digits):
    share = RANDOM.random(N).round(digits)
    true = RANDOM.random(N) < share**2
    fitted = isotonic(share, true)
    wanted = IsotonicRegression(out_of_bounds="clip").fit(share, true)
    new = np.linspace(-0.1, 1.1, 333)
    np.testing.assert_allclose(fitted(new), wanted.predict(new), atol=1e-12)
    assert (np.diff(fitted(new)) >= 0.0).all()


def test_reliability_equals_that_of_an_evaluation():
    frame, labels = {"x": SCORES[:, 0]}, TRUTH
    model = Model.train({"x": Gaussian()}, frame, labels)
    found = evaluate(model, frame, labels)
    posterior = model.posterior(frame)
    assert reliability(posterior, TRUTH) == found.calibration
    assert calibration_error(posterior, TRUTH) == found.calibration_error


def test_expected_calibration_error_equals_its_definition():
    posterior = softmax(3.0 * SCORES, axis=1)
    share, right = posterior.max(axis=1), posterior.argmax(axis=1) == TRUTH
    wanted = 0.0
    for low in range(15):
        inside = (share * 15 >= low) & ((share * 15 < low + 1) | (low == 14))
        if inside.any():
            wanted += inside.mean() * abs(share[inside].mean() - right[inside].mean())
    assert calibration_error(posterior, TRUTH) == pytest.approx(wanted)
    heat = temperature(3.0 * SCORES, TRUTH)
    assert calibration_error(softmax(3.0 * SCORES / heat, axis=1), TRUTH) < wanted / 2


@pytest.mark.parametrize(
    ("scores", "truth", "message"),
    [
        ([0.5, 0.5], [0, 1], r"Scores of shape \(2,\)"),
        ([[0.5, 0.5]], [0, 1], r"truths of shape \(2,\)"),
        ([[0.5, 0.5]], [2], "by their numbers, from 0 to 1"),
        ([[0.5, 0.5]], [0.5], "by their numbers"),
    ],
)
def test_invalid_scores_and_classes_are_errors(scores, truth, message):
    for measure in (temperature, reliability, calibration_error):
        with pytest.raises(ValueError, match=message):
            measure(scores, truth)
    with pytest.raises(ValueError, match="give one of each for a row"):
        isotonic([0.5, 0.1], [True])
    with pytest.raises(ValueError, match="not a finite number"):
        isotonic([0.5, np.nan], [True, False])
