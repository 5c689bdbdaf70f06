"""The linear view equals the model, and a shared variance is linear discriminant analysis."""

import math

import numpy as np
import pytest
from hypothesis import strategies as st
from scipy import stats
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

from tallybayes import (
    Bernoulli,
    Categorical,
    Density,
    Exponential,
    Gamma,
    Gaussian,
    Geometric,
    Histogram,
    LogNormal,
    Model,
    Poisson,
    Schema,
    load,
    save,
)
from tallybayes.testing import check_belief, over_half_line, over_line

RNG = np.random.default_rng(5)
ROWS = 60
FRAME = {
    "outlook": RNG.choice(["rain", "snow", "sun", None], ROWS).tolist(),
    "windy": RNG.choice([True, False, None], ROWS).tolist(),
    "calls": RNG.poisson(3.0, ROWS).tolist(),
    "tries": RNG.geometric(0.3, ROWS).tolist(),
    "wait": RNG.exponential(2.0, ROWS).tolist(),
    "temp": RNG.normal(20.0, 5.0, ROWS).tolist(),
    "size": RNG.lognormal(1.0, 1.0, ROWS).tolist(),
    "age": RNG.normal(40.0, 10.0, ROWS).tolist(),
}
SCHEMA = Schema(
    {
        "outlook": Categorical(),
        "windy": Bernoulli(alpha=0.5),
        "calls": Poisson(plugin=True),
        "tries": Geometric(plugin=True),
        "wait": Exponential(plugin=True),
        "temp": Gaussian(plugin=True, shared=True),
        "size": LogNormal(plugin=True, shared=True, m=2.0),
        "age": Histogram(intervals=4),
    }
)
TWO = RNG.choice(["in", "out"], ROWS).tolist()
THREE = RNG.choice(["in", "out", "under"], ROWS).tolist()


def holes(frame):
    """The same rows with every fifth cell missing, and an unseen level."""
    missing = {
        name: [None if (i + j) % 5 == 0 else v for i, v in enumerate(frame[name])] for j, name in enumerate(frame)
    }
    missing["outlook"][3] = "hail"
    return missing


def features(model, column, cell):
    """Slot → feature of one cell, computed directly."""
    if column in ("outlook", "windy"):
        return {str(cell).lower(): 1.0}
    if column == "age":
        names = list(model.estimates("age"))
        above = [float(name[1:].split(",")[0]) for name in names]
        return {names[max(int(np.searchsorted(above, cell, side="right")) - 1, 0)]: 1.0}
    return {"log x": math.log(cell)} if column == "size" else {"x": float(cell)}


def score(model, linear, frame):
    scores = np.full(ROWS, linear.intercept)
    for column, cells in frame.items():
        for row, cell in enumerate(cells):
            if cell is None:
                scores[row] -= linear.constants[column]
            else:
                weights = linear.weights[column]
                scores[row] += sum(weights.get(slot, 0.0) * x for slot, x in features(model, column, cell).items())
    return scores


def log_odds(model, frame, label):
    joint = model.log_joint(frame)
    at = model.classes.index(label)
    return joint[:, at] - joint[:, 1 - at]


@pytest.mark.parametrize("prior", ["frequencies", "uniform", 2.0, {"in": 0.9, "out": 0.1}])
@pytest.mark.parametrize("label", ["in", "out"])
def test_linear_view_equals_the_model(label, prior):
    model = Model.train(SCHEMA, FRAME, TWO).believing(prior=prior)
    linear = model.linear(label)
    assert {linear.label, linear.other} == {"in", "out"}
    for frame in (FRAME, holes(FRAME)):
        np.testing.assert_allclose(score(model, linear, frame), log_odds(model, frame, label), rtol=1e-12, atol=1e-12)
    nothing = {name: [None] for name in FRAME}
    assert linear.prior == pytest.approx(log_odds(model, nothing, label)[0], rel=1e-12)
    assert linear.intercept == pytest.approx(linear.prior + sum(linear.constants.values()), rel=1e-12)


@pytest.mark.parametrize("prior", ["frequencies", "uniform", 2.0, {"in": 0.5, "out": 0.3, "under": 0.2}])
@pytest.mark.parametrize("label", ["in", "out", "under"])
def test_more_classes_are_one_against_the_rest(label, prior):
    model = Model.train(SCHEMA, FRAME, THREE).believing(prior=prior)
    relabelled = Model.train(SCHEMA, FRAME, [name == label for name in THREE])
    rest = model.against_rest(label)
    assert rest.believing(prior="uniform") == relabelled.believing(prior="uniform")
    assert rest.prior()[True] == pytest.approx(model.prior()[label], rel=1e-12)
    linear = model.linear(label)
    assert (linear.label, linear.other) == (label, None)
    for frame in (FRAME, holes(FRAME)):
        np.testing.assert_allclose(score(model, linear, frame), log_odds(rest, frame, True), rtol=1e-12, atol=1e-12)


def test_rest_counts_are_added_exactly():
    schema = Schema({"x": Gaussian(), "y": Categorical()})
    x, y = [1e9, 0.1, 0.2, 1e-30], ["u", "v", "u", "w"]
    model = Model.train(schema, {"x": x, "y": y}, [1, 2, 3, 3], weights=[1.0, 0.1, 0.7, 2.0])
    relabelled = Model.train(schema, {"x": x, "y": y}, [False, True, False, False], weights=[1.0, 0.1, 0.7, 2.0])
    assert model.against_rest(2) == relabelled
    model.against_rest(2).rows += relabelled.rows
    assert model.against_rest(2) == relabelled


def test_column_without_counts_contributes_nothing():
    model = Model.train(
        Schema({"x": Categorical(), "y": Poisson(plugin=True)}), {"x": [None] * 3, "y": [None] * 3}, list("abc")
    )
    linear = model.linear("a")
    assert dict(linear.weights["x"]) == {}
    assert (linear.constants, linear.weights["y"]["x"]) == ({"x": 0.0, "y": 0.0}, 0.0)
    assert linear.intercept == pytest.approx(-math.log(2.0))


def test_weight_is_infinite_if_one_class_rules_a_level_out_and_zero_if_both_do():
    schema = Schema({"x": Categorical(alpha=0.0, levels=("z",)), "y": Poisson(shape=0.0, rate=0.0, plugin=True)})
    linear = Model.train(schema, {"x": ["u", "v", "w"], "y": [0, 2, 3]}, ["a", "b", "b"]).linear("a")
    assert linear.weights["x"] == {"u": math.inf, "v": -math.inf, "w": -math.inf, "z": 0.0}
    assert linear.weights["y"] == {"x": -math.inf}
    assert linear.constants == {"x": 0.0, "y": 2.5}
    never = Model.train(schema, {"x": ["u", "v"], "y": [None, 2]}, ["a", "b"]).linear("a")
    assert (never.intercept, never.constants["y"], never.weights["y"]["x"]) == (-math.inf, -math.inf, -math.log(2.0))


def test_digits_are_kept_far_from_zero():
    x = np.array([-1.0, 0.5, 0.25, 2.0]) + 1e8
    model = Model.train(Schema({"x": Gaussian(plugin=True, shared=True)}), {"x": x}, ["a", "a", "b", "b"])
    linear = model.linear("a")
    found = linear.intercept + linear.weights["x"]["x"] * x
    np.testing.assert_allclose(found, log_odds(model, {"x": x}, "a"), atol=1e-6)


def test_non_linear_families_say_why():
    def view(**columns):
        frame = {name: [1.0, 2.0, 4.0, 3.0] for name in columns}
        return Model.train(Schema(columns), frame, ["a", "a", "b", "b"]).linear("a")

    for family, message in [
        (Gaussian(), r"Column 'age': Gaussian with .* is quadratic .*plugin=True and shared=True"),
        (Gaussian(plugin=True), "quadratic in the value"),
        (Gaussian(shared=True), "Column 'age': Gaussian integrates its parameters out, .*; use plugin=True"),
        (Poisson(), "Poisson integrates its parameters out"),
        (Exponential(), "Exponential integrates"),
        (Gamma(), "Column 'age': Gamma is not linear in the value; leave the column out"),
        (Density(), "Column 'age': its evidence is not linear"),
    ]:
        with pytest.raises(TypeError, match=message):
            view(ok=Categorical(), age=family)
    constant = Model.train(Schema({"x": Gaussian(m=0.0, plugin=True, shared=True)}), {"x": [1, 2]}, ["a", "b"])
    with pytest.raises(TypeError, match="Column 'x': Gaussian without any variance"):
        constant.linear("a")
    one = Model.train(Schema({"x": Categorical()}), {"x": ["u"]}, ["a"])
    with pytest.raises(ValueError, match="'a' is the only class, so there is no rest"):
        one.linear("a")
    with pytest.raises(ValueError, match="There is no class 'b'; the classes are 'a'"):
        one.against_rest("b")


def test_weights_are_a_mapping_with_a_short_repr():
    linear = Model.train(Schema({"x": Categorical()}), {"x": list(range(100))}, ["a", "b"] * 50).linear("b")
    assert linear.weights["x"]["1"] == pytest.approx(math.log(2.0))
    assert list(linear.weights["x"])[:3] == ["0", "1", "10"]
    assert repr(linear) == "'b' against 'a': intercept 0\nx  Weights of 100 slots"
    with pytest.raises(KeyError, match="101"):
        linear.weights["x"]["101"]


def test_shared_variance_equals_linear_discriminant_analysis():
    x = np.concatenate([RNG.normal(0.0, 1.0, 30), RNG.normal(2.0, 3.0, 50), RNG.normal(5.0, 0.5, 20)])
    y = np.repeat(["a", "b", "c"], [30, 50, 20])
    model = Model.train(Schema({"x": Gaussian(m=0.0, plugin=True, shared=True)}), {"x": x}, y)
    theirs = LinearDiscriminantAnalysis(solver="lsqr").fit(x[:, None], y)
    np.testing.assert_allclose(model.posterior({"x": x}), theirs.predict_proba(x[:, None]), atol=1e-10)
    within = sum(((x[y == label] - x[y == label].mean()) ** 2).sum() for label in "abc") / 100
    assert model.estimates("x")["variance"] == pytest.approx(dict.fromkeys("abc", within), rel=1e-12)


@pytest.mark.parametrize("family", [Gaussian, LogNormal])
def test_shared_variance_integrated_out_is_student(family):
    x = np.array([1.0, 3.0, 4.0, 9.0, 10.0])
    labels, m, mean0, variance0 = ["a", "a", "b", "b", "b"], 2.0, 1.5, 3.0
    model = Model.train(
        Schema({"x": family(m=m, mean=mean0, variance=variance0, shared=True)}),
        {"x": x if family is Gaussian else np.exp(x)},
        labels,
    )
    parts = [x[:2], x[2:]]
    spread = sum(
        ((part - part.mean()) ** 2).sum() + m * len(part) / (m + len(part)) * (part.mean() - mean0) ** 2
        for part in parts
    )
    variance = (m * variance0 + spread) / (m + 5)
    new = np.linspace(-2.0, 14.0, 9)
    said = model.evidence({"x": new if family is Gaussian else np.exp(new)})["x"]
    for c, part in enumerate(parts):
        weight = m + len(part)
        student = stats.t(m + 5, loc=(m * mean0 + part.sum()) / weight, scale=math.sqrt(variance * (1 + 1 / weight)))
        expected = student.logpdf(new) - (0.0 if family is Gaussian else new)
        np.testing.assert_allclose(said[:, c], expected, rtol=1e-11)
    posterior = model.parameters("x", "a")
    assert (posterior.kappa, posterior.shape) == (4.0, 3.5)
    assert posterior.scale == pytest.approx(3.5 * variance)


@pytest.mark.slow
@pytest.mark.parametrize("plugin", [False, True])
def test_shared_variance_obeys_the_laws(plugin):
    values = st.integers(-20, 20).map(float) | st.floats(-1e3, 1e3).map(lambda x: round(x, 6))
    check_belief(Gaussian(shared=True, plugin=plugin), values, total=over_line)
    check_belief(LogNormal(shared=True, plugin=plugin), st.floats(1e-3, 1e3), total=over_half_line)


def test_shared_variance_of_one_class_is_its_own():
    own, shared = (
        Model.train(Schema({"x": Gaussian(shared=shared)}), {"x": [1.0, 2.0, 5.0]}, ["a"] * 3)
        for shared in (False, True)
    )
    np.testing.assert_allclose(own.log_joint({"x": [0.0, 3.0]}), shared.log_joint({"x": [0.0, 3.0]}), rtol=1e-14)


def test_class_without_values_has_no_density_with_shared_variance():
    schema = Schema({"x": Gaussian(m=0.0, plugin=True, shared=True)}, prior="uniform")
    model = Model.train(schema, {"x": [1.0, 3.0, None]}, ["a", "a", "b"])
    expected = stats.norm(2.0, 1.0).logpdf(1.5)
    np.testing.assert_allclose(model.evidence({"x": [1.5]})["x"], [[expected, -np.inf]])
    assert model.linear("a").constants == {"x": math.inf}


def test_sharing_is_a_belief_and_is_saved(tmp_path):
    model = Model.train(Schema({"x": Gaussian()}), {"x": [1.0, 2.0, 5.0]}, ["a", "a", "b"])
    shared = model.believing(shared=True)
    assert shared != model
    save(shared, tmp_path / "shared.tally")
    assert load(tmp_path / "shared.tally") == shared
    with pytest.raises(ValueError, match="shared must be True or False"):
        Gaussian(shared=1.0)
