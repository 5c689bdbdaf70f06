"""ask_next, influence and suspects."""

import numpy as np
import pytest

from tallybayes import Categorical, Gaussian, Geometric, Histogram, LogNormal, Model, Pairs, Poisson, Words, prepare
from tennis import COLUMNS, DAYS, tennis


def information(joint):
    """Mutual information of a table [class, level]."""
    p = joint / joint.sum()
    return float((p * np.log(p / (p.sum(axis=1, keepdims=True) * p.sum(axis=0)))).sum())


def test_gain_of_levels_is_the_mutual_information():
    model = tennis(alpha=1.0)
    found = {question.column: question.gain for question in model.ask_next({})}
    assert list(found) == sorted(found, key=found.get, reverse=True)
    for name in COLUMNS:
        table = np.array(
            [
                [model.estimates(name)[level][c] * model.prior()[c] for level in model.estimates(name)]
                for c in ("no", "yes")
            ]
        )
        assert found[name] == pytest.approx(information(table), rel=1e-9)


def test_known_cells_condition_the_gain_and_are_not_asked():
    model = tennis(alpha=1.0)
    known = {"outlook": "sunny", "wind": "weak"}
    found = {question.column: question.gain for question in model.ask_next(known)}
    assert set(found) == set(COLUMNS) - set(known)
    posterior = model.posterior([known | dict.fromkeys(found)])[0]
    for name, gain in found.items():
        levels = model.estimates(name)
        table = np.array([[levels[level][c] * posterior[i] for level in levels] for i, c in enumerate(("no", "yes"))])
        assert gain == pytest.approx(information(table), rel=1e-9)


@pytest.mark.parametrize(
    ("family", "draw"),
    [
        (Gaussian(), lambda random, y: random.normal(2.0 * y)),
        (Gaussian(plugin=True), lambda random, y: random.normal(1e6 + 20.0 * y, 10.0)),
        (LogNormal(), lambda random, y: np.exp(random.normal(y))),
        (Poisson(), lambda random, y: random.poisson(1 + 3 * y)),
        (Geometric(), lambda random, y: random.geometric(0.6 - 0.4 * y)),
        (Geometric(), lambda random, y: random.geometric(1e-5 if y else 1e-6)),
        (Poisson(), lambda random, y: random.poisson(1e6 + 2e3 * y)),
        (Gaussian(m=0, plugin=True), lambda random, y: random.normal(1000.0 * y, 1e-3)),
        (Gaussian(m=0, plugin=True), lambda random, y: random.normal(0.5, 1e-6 if y else 1.0)),
        (Gaussian(m=0, plugin=True), lambda random, y: y),
        (Histogram(method="auto"), lambda random, y: np.where(random.random() < 0.5 + 0.3 * y, 0.0, random.normal(5))),
    ],
)
def test_gain_of_numbers_equals_monte_carlo(family, draw):
    random = np.random.default_rng(0)
    y = random.integers(0, 2, 300)
    model = Model.train({"x": family}, {"x": [float(draw(random, each)) for each in y]}, y)
    (question,) = model.ask_next({"x": None})
    posterior = model.posterior(model.sample(100_000, seed=1).rows)
    prior = np.array(list(model.prior().values()))
    entropy = -(posterior * np.log(np.maximum(posterior, 1e-300))).sum(axis=1).mean()
    assert question.gain == pytest.approx(-(prior * np.log(prior)).sum() - entropy, abs=0.006)


def test_gain_of_texts_is_sampled():
    frame = {"t": ["win a prize", "lunch on monday"] * 20, "x": [0.0] * 40}
    model = Model.train({"t": Words(), "x": Gaussian()}, frame, ["spam", "ham"] * 20)
    found = model.ask_next({"x": 0.0})
    assert found[0].column == "t"
    assert found[0].gain > 0.5
    assert model.ask_next({"x": None, "t": "win"})[0].gain == pytest.approx(0.0, abs=1e-9)


def test_costs_replace_entropy():
    model = tennis(alpha=1.0)
    cheap = {(a, b): 0.0 for a in ("no", "yes") for b in ("no", "yes") if a != b}
    assert [question.gain for question in model.ask_next({}, costs=cheap)] == [0.0] * len(COLUMNS)
    dear = model.ask_next({}, costs={("yes", "no"): 3.0, ("no", "yes"): 3.0})
    assert dear[0].gain > 0


def test_single_row():
    with pytest.raises(ValueError, match="rows; give one"):
        tennis(alpha=1.0).ask_next(DAYS)


def test_block_is_asked_as_a_whole():
    frame = {"a": ["u", "v"] * 20, "b": ["u", "v"] * 20}
    schema = prepare({("a", "b"): Pairs()}, frame, ["x", "y"] * 20)
    (question,) = Model.train(schema, frame, ["x", "y"] * 20).ask_next({"a": None, "b": None})
    assert question.gain > 0.3


FRAME = {"t": ["win a prize", "lunch on monday", "win lunch", "prize on monday"], "x": [0.0, 5.0, 1.0, 4.0]}
LABELS = ["spam", "ham", "spam", "ham"]
SCHEMA = {"t": Words(), "x": Gaussian()}


def test_influence_equals_retraining_without_the_row():
    model = Model.train(SCHEMA, FRAME, LABELS)
    asked = {"t": "win a prize", "x": 1.0}
    found = model.influence(asked, FRAME, LABELS)
    assert sorted(each.row for each in found) == [0, 1, 2, 3]
    assert [abs(each.change) for each in found] == sorted((abs(each.change) for each in found), reverse=True)
    for each in found:
        rest = [i for i in range(4) if i != each.row]
        other = Model.train(SCHEMA, {k: [v[i] for i in rest] for k, v in FRAME.items()}, [LABELS[i] for i in rest])
        expected = other.posterior([asked])[0]
        np.testing.assert_allclose([each.without["ham"], each.without["spam"]], expected, rtol=1e-9)
    assert found[0].label == "spam"
    assert found[0].change > 0


def test_influence_leaves_the_model_unchanged_and_refuses_uncounted_rows():
    model = Model.train(SCHEMA, FRAME, LABELS)
    before = model.copy()
    assert len(model.influence(FRAME | {k: v[:1] for k, v in FRAME.items()}, FRAME, LABELS, top=2)) == 2
    assert model == before
    with pytest.raises(ValueError, match="Row 0 cannot be left out, because the model has not counted it"):
        model.influence({"t": "win", "x": 1.0}, {"t": ["other words"], "x": [9.0]}, ["ham"])
    with pytest.raises(ValueError, match="Whose answer"):
        model.influence(FRAME, FRAME, LABELS)


@pytest.mark.parametrize("factor", [None, 0.5, 0.3])
def test_weighted_and_decayed_rows_are_left_out_with_their_weights(factor):
    """Copies of a row with different weights are different rows."""
    random = np.random.default_rng(3)
    frame = {"x": random.normal(size=12).round(1), "c": random.choice(["a", "b"], 12).tolist()}
    frame = {name: [*cells, cells[0]] for name, cells in frame.items()}
    labels, weights = ["yes", "no"] * 6 + ["yes"], [0.5, 2.0, 1.0, 0.0] * 3 + [3.0]
    asked, schema = {"x": 0.3, "c": "a"}, {"x": Gaussian(), "c": Categorical()}
    model = Model.train(schema, frame, labels, weights=weights)
    if factor is not None:
        with pytest.raises(ValueError, match="after a decay, weights times its factor"):
            (model * factor).influence(asked, frame, labels, weights=weights)
        model, weights = model * factor, [weight * factor for weight in weights]
    suspects = {each.row: each for each in model.suspects(frame, labels, weights=weights)}
    for each in model.influence(asked, frame, labels, weights=weights):
        kept = [i for i in range(13) if i != each.row]
        rest, own = (
            [np.array(cells, object)[rows].tolist() for cells in (frame["x"], frame["c"], labels, weights)]
            for rows in (kept, [each.row])
        )
        without = Model.train(schema, {"x": rest[0], "c": rest[1]}, rest[2], weights=rest[3])
        (wanted,) = without.posterior(asked).tolist()
        assert list(each.without.values()) == pytest.approx(wanted, rel=1e-9)
        (odds,) = np.diff(without.log_posterior({"x": own[0], "c": own[1]}))[0] * (1 if each.label == "yes" else -1)
        assert suspects[each.row].log_odds == pytest.approx(odds, rel=1e-9)


def test_only_row_of_a_class_removes_the_class():
    model = Model.train({"x": Gaussian()}, {"x": [0.0, 1.0, 9.0]}, ["a", "a", "b"])
    found = {each.row: each for each in model.influence({"x": 9.0}, {"x": [0.0, 1.0, 9.0]}, ["a", "a", "b"])}
    assert found[2].without == {"a": 1.0, "b": 0.0}
    assert found[2].change == np.inf
    suspect = model.suspects({"x": [0.0, 1.0, 9.0]}, ["a", "a", "b"])[0]
    assert (suspect.row, suspect.probability, suspect.log_odds) == (2, 0.0, -np.inf)


def test_rows_impossible_with_a_row_and_without_are_not_influenced():
    model = Model.train({"x": Categorical(alpha=0)}, {"x": list("uuv")}, ["a", "a", "b"])
    found = {each.row: each.change for each in model.influence({"x": "v"}, {"x": list("uuv")}, ["a", "a", "b"])}
    assert found == {0: 0.0, 1: 0.0, 2: np.inf}


def test_wrong_labels_are_suspect():
    random = np.random.default_rng(0)
    y = random.integers(0, 2, 200)
    frame = {"x": random.normal(4.0 * y), "c": ["uv"[k] for k in y]}
    wrong = random.choice(200, 8, replace=False)
    labels = y.copy()
    labels[wrong] = 1 - labels[wrong]
    model = Model.train({"x": Gaussian(), "c": Categorical()}, frame, labels)
    found = model.suspects(frame, labels, top=8)
    assert {each.row for each in found} == set(wrong.tolist())
    for each in found:
        assert (each.label, each.likely) == (labels[each.row], 1 - labels[each.row])
        assert each.probability < 0.5
    assert [each.log_odds for each in found] == sorted(each.log_odds for each in found)
    assert len(model.suspects(frame, labels)) == 200


def test_suspects_have_labels_and_are_not_advised_to_do_without():
    model = Model.train({"x": Gaussian()}, {"x": [1.0, 2.0, 3.0]}, ["a", "b", "b"])
    with pytest.raises(ValueError, match=r"1 of 3 rows have no label, the first in row 2\. .* give them a label\.$"):
        model.suspects({"x": [1.0, 2.0, 3.0]}, ["a", "b", None])
