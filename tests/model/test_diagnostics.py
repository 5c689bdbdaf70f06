"""Mutual information, decision regions, diagnosis of rows, learning curves and thresholds."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import integrate, stats

from tallybayes import (
    Categorical,
    Correlated,
    Density,
    Gaussian,
    Geometric,
    Histogram,
    LogNormal,
    Model,
    Pairs,
    Poisson,
    Trees,
    Words,
    evaluate,
    folds,
    learning_curve,
)
from tallybayes.model.decision_regions import line, plane
from tallybayes.model.diagnosis import diagnose
from tallybayes.model.information import between, information
from tallybayes.model.shapes import NUMBERS
from tallybayes.plots.ranking import thresholds

FRAME = {
    "outlook": ["sunny", "sunny", "rain", "rain", None, "rain", "sunny", "rain"],
    "temp": [30.0, 29.0, 18.0, None, 20.0, 31.0, 17.0, 22.0],
    "note": ["hot day", "hot", "", "umbrella", None, "umbrella day", "hot", "cold day"],
}
FAMILIES = {"outlook": Categorical(), "temp": Gaussian(), "note": Words()}
PLAY = ["no", "no", "yes", "yes", "yes", "no", "yes", "no"]
MODEL = Model.train(FAMILIES, FRAME, PLAY)


@given(st.lists(st.lists(st.floats(0.01, 1.0), min_size=3, max_size=3), min_size=2, max_size=4), st.floats(0.1, 0.9))
def test_information_is_the_reduction_of_entropy(columns, p):
    table = np.array(columns[:2]).T / np.sum(columns[:2], axis=1)
    prior = np.array([p, 1.0 - p])
    either = table @ prior
    left = sum(e * stats.entropy(row * prior / e) for row, e in zip(table, either, strict=True))
    assert between(table, prior) == pytest.approx(stats.entropy(prior) - left, abs=1e-12)


def test_information_of_two_gaussians_equals_quadrature():
    x = np.concatenate([stats.norm.ppf(np.linspace(0.01, 0.99, 99)), 2.0 + stats.norm.ppf(np.linspace(0.01, 0.99, 99))])
    model = Model.train({"x": Gaussian(m=0.0, plugin=True)}, {"x": x}, ["a"] * 99 + ["b"] * 99)
    grid = np.linspace(-8.0, 10.0, 20_001)
    p = np.exp(model.evidence({"x": grid})["x"])
    mixed = p.mean(axis=1)
    exact = 0.5 * np.sum(integrate.trapezoid(p * (np.log(p) - np.log(mixed)[:, None]), grid, axis=0))
    told = information(model)["x"]
    assert 0.99 * exact < told <= exact


def test_information_of_texts_is_unknown_from_counts():
    told = information(MODEL)
    assert told["note"] is None
    assert 0.0 <= told["outlook"] < np.log(2)
    assert list(told) == ["outlook", "temp", "note"]


def test_constant_and_empty_columns_have_no_information():
    frame = {"x": [1.0] * 4, "y": [None] * 4, "z": ["u"] * 4}
    model = Model.train({"x": Gaussian(), "y": Density(), "z": Categorical()}, frame, list("aabb"))
    told = information(model)
    assert told["x"] == pytest.approx(0.0, abs=1e-9)
    assert told["y"] in (None, pytest.approx(0.0, abs=1e-9))
    assert told["z"] == 0.0


def gaussians(prior):
    """N(5, 1) and N(8, 1), to all digits."""
    frame = {"x": [4.0, 6.0, 7.0, 9.0]}
    return Model.train({"x": Gaussian(m=0.0, plugin=True)}, frame, ["C1", "C1", "C2", "C2"]).believing(prior=prior)


def test_error_of_two_gaussians():
    found = line(gaussians("uniform"), "x")
    assert found.error == pytest.approx(stats.norm.cdf(-1.5), abs=2e-5)
    assert found.decision[0] == 0
    assert found.decision[-1] == 1


def test_priors_move_the_boundary():
    """Where 2/3 · p(x | C1) = 1/3 · p(x | C2): at (5 + 8) / 2 + log(2) / 3."""
    found = line(gaussians({"C1": 2 / 3, "C2": 1 / 3}), "x")
    at = np.flatnonzero(np.diff(found.decision))
    assert len(at) == 1
    boundary = 6.5 + np.log(2.0) / 3.0
    assert found.shape.x[at[0]] <= boundary <= found.shape.x[at[0] + 1]
    exact = 2 / 3 * stats.norm.sf(boundary - 5) + 1 / 3 * stats.norm.cdf(boundary - 8)
    assert found.error == pytest.approx(exact, abs=2e-4)
    np.testing.assert_allclose(found.posterior.sum(axis=0), 1.0)
    np.testing.assert_allclose(found.posterior, found.joint / found.joint.sum(axis=0))


def test_costs_move_the_boundary():
    plain, costly = (line(gaussians("uniform"), "x", costs=costs) for costs in (None, {("C2", "C1"): 50.0}))
    assert sum(costly.decision) > sum(plain.decision)
    assert costly.error > plain.error


def test_error_of_counts_and_levels_is_a_sum():
    model = Model.train({"x": Poisson()}, {"x": [0, 1, 5, 7]}, list("aabb"))
    x = np.arange(400)
    joint = 0.5 * np.exp(model.evidence({"x": x})["x"])
    assert line(model, "x").error == pytest.approx(joint.min(axis=1).sum(), abs=1e-3)
    levels = Model.train({"x": Categorical(alpha=0)}, {"x": list("uuuv") + list("uvvv")}, list("aaaabbbb"))
    assert line(levels, "x").error == pytest.approx(0.25)


@pytest.mark.parametrize(
    ("family", "draw"),
    [
        (Geometric(), lambda random, y: random.geometric(1e-3 * (1 + y))),
        (Categorical(), lambda random, y: f"level {random.integers(60) + 20 * y}"),
        (LogNormal(), lambda random, y: random.gamma(0.3, 1 + 4 * y) + 1e-9),
        (Histogram(), lambda random, y: 0.0 if random.random() < 0.5 else random.normal(5 * y)),
        (Gaussian(plugin=True, m=0), lambda random, y: random.normal(0, 1 + 1e4 * y)),
        (Density(bandwidth=1e-3), lambda random, y: random.integers(9) + 3 * y),
    ],
)
def test_error_counts_values_that_are_not_shown(family, draw):
    random = np.random.default_rng(0)
    y = np.arange(160) % 2
    model = Model.train({"x": family}, {"x": [draw(random, each) for each in y]}, y)
    assert line(model, "x").error == pytest.approx(model.bayes_error(draws=100_000), abs=0.01)
    assert line(model, "x", span=(0.0, 1e-3) if family.support else None).error == line(model, "x").error


def test_error_is_not_known_if_nothing_is_known_of_a_class():
    model = Model.train({"x": Gaussian(m=0)}, {"x": [1.0, 2.0, 3.0, None]}, list("aaab"))
    assert np.isnan(line(model, "x").error)


def test_plane_has_the_posterior_of_every_point_with_the_rest_missing():
    found = plane(MODEL, "temp", "outlook")
    assert found.posterior.shape == (2, 2, 161)
    expected = MODEL.posterior({"temp": [found.x[40]], "outlook": ["sunny"]}, absent="missing")[0]
    np.testing.assert_allclose(found.posterior[:, list(found.y).index("sunny"), 40], expected)
    given_note = plane(MODEL, "temp", "outlook", given={"note": "umbrella"})
    row = {"temp": found.x[40], "outlook": "sunny", "note": "umbrella"}
    np.testing.assert_allclose(given_note.posterior[:, list(found.y).index("sunny"), 40], MODEL.posterior(row)[0])


def test_plane_needs_two_columns_of_the_model():
    with pytest.raises(ValueError, match="The model has no column 'wind'; it has 'outlook', 'temp', 'note'"):
        plane(MODEL, "temp", "wind")
    with pytest.raises(ValueError, match="give two different columns"):
        plane(MODEL, "temp", "temp")


def test_plane_of_block_columns():
    random = np.random.default_rng(0)
    labels = np.repeat(["a", "b"], 100)
    frame = {"x": random.normal(size=200), "y": random.normal(size=200) + 4.0 * (labels == "b")}
    model = Model.train({("x", "y"): Correlated()}, frame, labels)
    found = plane(model, "x", "y")
    assert found.kinds == (NUMBERS, NUMBERS)
    assert found.x[0] < -2.0 < 2.0 < found.x[-1]
    at = {"x": found.x[7], "y": found.y[100]}
    np.testing.assert_allclose(found.posterior[:, 100, 7], model.posterior(at)[0])
    levels = {"x": frame["x"], "y": np.where(labels == "b", "low", "high")}
    network = Model.train({("x", "y"): Pairs(structure="tree")}, levels, labels)
    assert plane(network, "x", "y").y == ["high", "low"]
    trees = Model.train({("x", "y"): Trees(n=5)}, frame, labels)
    assert plane(trees, "x", "y", spans=((0.0, 1.0), (0.0, 4.0))).decision[-1, 0] == 1


def test_diagnosed_rows_agree_with_evaluate():
    diagnosis, measured = diagnose(MODEL, FRAME, PLAY), evaluate(MODEL, FRAME, PLAY)
    assert diagnosis.evaluation.to_json() == measured.to_json()
    assert diagnosis.rows == measured.n


@pytest.mark.parametrize("column", ["outlook", "temp", "note"])
def test_gain_of_a_column_is_that_of_a_model_of_it_alone(column):
    alone = evaluate(Model.train({column: FAMILIES[column]}, FRAME, PLAY), FRAME, PLAY)
    gain = diagnose(MODEL, FRAME, PLAY).by_column()[column].gain
    assert gain == pytest.approx(alone.prior_log_loss - alone.log_loss)


def test_shares_of_columns_sum_to_one():
    assert sum(told.share for told in diagnose(MODEL, FRAME, PLAY).by_column().values()) == pytest.approx(1.0)


def test_worst_mistakes_come_first_with_their_rows_for_any_batching():
    labels = ["yes", *PLAY[1:]]
    diagnosis = diagnose(MODEL, FRAME, labels)
    posterior = MODEL.posterior(FRAME)
    wrong = [i for i, label in enumerate(labels) if MODEL.classes[posterior[i].argmax()] != label]
    assert sorted(each.row for each in diagnosis.mistakes) == wrong
    assert [each.probability for each in diagnosis.mistakes] == sorted(posterior.max(axis=1)[wrong], reverse=True)
    table = pa.table(FRAME)
    parts = [(table.slice(at, 3), labels[at : at + 3]) for at in range(0, 8, 3)]
    streamed = diagnose(MODEL, iter(parts))
    assert streamed.mistakes == diagnosis.mistakes
    for name, told in diagnosis.by_column().items():
        assert streamed.by_column()[name] == pytest.approx(told)


def test_unseen_class_and_impossible_rows():
    model = Model.train({"x": Categorical(alpha=0)}, {"x": ["u", "v", "w"]}, ["a", "b", "b"])
    frame = {"x": ["u", "u", "v"]}
    diagnosis = diagnose(model, frame, ["b", "never met", "b"])
    assert diagnosis.evaluation.impossible == 2
    assert [each.truth for each in diagnosis.mistakes] == ["b", "never met"]
    assert all(np.isfinite(list(told)).all() for told in diagnosis.by_column().values())


def test_no_rows_are_an_error():
    with pytest.raises(ValueError, match="no rows, so there is nothing to report on"):
        diagnose(MODEL, {name: [] for name in FRAME}, [])


def test_learning_curve_equals_retraining():
    frame = {"x": ["u", "v", "u", "u", "v", "v"] * 4}
    labels = np.array(["a", "b", "a", "b", "b", "a"] * 4)
    dealt = folds({"x": Categorical()}, frame, labels, k=3)
    where = dealt.numbers(frame, labels)
    cells = np.array(frame["x"])
    first, second = learning_curve({"x": Categorical()}, frame, labels, k=3)
    assert (first.rows, second.rows) == (8.0, 16.0)
    for learned, size in ((first, 1), (second, 2)):
        losses = 0.0
        for fold in range(3):
            trained = np.isin(where, [(fold + step) % 3 for step in range(1, size + 1)])
            model = Model.train({"x": Categorical()}, {"x": cells[trained]}, labels[trained])
            losses += evaluate(model, {"x": cells[where == fold]}, labels[where == fold]).losses
        assert learned.held_out.losses == pytest.approx(losses)


def test_impossible_sizes_are_refused():
    with pytest.raises(ValueError, match="3 is not a number of folds to train on; with 3 folds, give 1 to 2"):
        learning_curve({"x": Categorical()}, {"x": ["u", "v"] * 4}, ["a", "b"] * 4, k=3, sizes=[3])


@given(st.lists(st.tuples(st.floats(-9, 9), st.booleans()), min_size=4, max_size=30))
def test_thresholds_equal_sklearn(rows):
    metrics = pytest.importorskip("sklearn.metrics")
    x, truth = zip(*rows, strict=True)
    if len(set(truth)) < 2:
        return
    model = Model.train({"x": Gaussian()}, {"x": [-1.0, 0.0, 1.0, 2.0]}, [False, False, True, True])
    found = thresholds(evaluate(model, {"x": list(x)}, list(truth)), True)
    share = model.posterior({"x": list(x)})[:, 1]
    false, true, at = metrics.roc_curve(truth, share, drop_intermediate=False)
    np.testing.assert_allclose(found.false_positive_rate, false)
    np.testing.assert_allclose(found.recall, true)
    np.testing.assert_allclose(found.probability[1:], at[1:], rtol=1e-12)
    assert found.average_precision == pytest.approx(metrics.average_precision_score(truth, share))
    decided = share >= 0.5
    assert found.true_positives[found.at(0.5)] == np.sum(decided & np.array(truth))


def test_best_threshold_has_the_least_cost():
    measured = evaluate(MODEL, FRAME, PLAY)
    found, shares = thresholds(measured, "yes"), np.linspace(0, 1, 11)
    best = found.costs(shares)
    assert best[0] == best[-1] == 0.0
    for threshold in (0.0, 0.3, 0.5, 1.0):
        assert (found.costs_at(threshold, shares) >= best - 1e-12).all()


def test_threshold_of_an_unknown_class_is_an_error():
    with pytest.raises(ValueError, match="There is no class 'maybe'; the classes are 'no', 'yes'"):
        thresholds(evaluate(MODEL, FRAME, PLAY), "maybe")


def test_probability_interval_is_jeffreys():
    (part,) = (each for each in evaluate(MODEL, FRAME, PLAY).calibration if each.n > 1)
    hits = round(part.accuracy * part.n)
    assert part.credible(0.9) == pytest.approx(stats.beta(hits + 0.5, part.n - hits + 0.5).interval(0.9))
