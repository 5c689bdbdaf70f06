"""Worked examples of the lecture notes."""

import math
from fractions import Fraction

import numpy as np
import pytest

import reference
from tallybayes import Bernoulli, Categorical, Gaussian, Histogram, MEstimate, Model, Schema, SoftLabels, Words, digest
from tallybayes.cli.demo import NEW_DAY
from tallybayes.model.decide import bayes_error, error_probability
from tennis import COLUMNS, DAYS, tennis


def test_play_tennis_table():
    model = tennis()
    table = {
        "outlook": {"sunny": (2, 3), "overcast": (4, 0), "rain": (3, 2)},
        "temperature": {"hot": (2, 2), "mild": (4, 2), "cool": (3, 1)},
        "humidity": {"high": (3, 4), "normal": (6, 1)},
        "wind": {"strong": (3, 3), "weak": (6, 2)},
    }
    for column, levels in table.items():
        expected = {level: {"no": no / 5, "yes": yes / 9} for level, (yes, no) in levels.items()}
        assert model.estimates(column) == expected
    assert model.prior() == pytest.approx({"no": 5 / 14, "yes": 9 / 14})


def test_play_tennis_new_day():
    model = tennis()
    no, yes = np.exp(model.log_joint(NEW_DAY))[0]
    assert yes == pytest.approx(float(Fraction(9, 14) * Fraction(2, 9) * Fraction(3, 9) ** 3))
    assert no == pytest.approx(
        float(Fraction(5, 14) * Fraction(3, 5) * Fraction(1, 5) * Fraction(4, 5) * Fraction(3, 5))
    )
    assert (round(yes, 4), round(no, 4)) == (0.0053, 0.0206)
    assert model.decide(NEW_DAY) == ["no"]
    assert model.posterior(NEW_DAY)[0, 0] == pytest.approx(0.795, abs=5e-4)


def test_normalising_constant_is_the_sum_of_the_joint():
    """p(x) = Σ p(x | c) p(c)."""
    model = tennis()
    joint = model.log_joint(DAYS)
    assert math.exp(model.log_marginal(NEW_DAY)[0]) == pytest.approx(0.0053 + 0.0206, abs=5e-5)
    np.testing.assert_allclose(model.log_marginal(DAYS), np.log(np.exp(joint).sum(axis=1)), rtol=1e-12)
    np.testing.assert_allclose(np.exp(joint - model.log_marginal(DAYS)[:, None]), model.posterior(DAYS), rtol=1e-12)
    overcast = {**NEW_DAY, "wind": "hurricane", "outlook": "overcast"}
    assert model.log_marginal(overcast)[0] == pytest.approx(model.log_joint(overcast)[0, 1])  # no class but "yes"


def test_underflowing_probabilities_are_added_in_logarithms():
    """As log(e^−120 + e^−121) = log(1 + e^−1) − 120."""
    frame = {"x": ["u"] * 2 + ["v"] * 2}
    model = Model.train(Schema({"x": Words(alpha=0.0, shortest=1)}), frame, ["a", "b"] * 2)
    assert model.log_marginal("u " * 10_000)[0] == pytest.approx(10_000 * math.log(0.5))
    assert math.exp(10_000 * math.log(0.5)) == 0.0
    with pytest.raises(TypeError, match="Column 'x' gives scores, which are not log-likelihoods"):
        model.believing(reading="complement").log_marginal("u")


@pytest.mark.parametrize("alpha", [1, Fraction(1, 2), 3])
def test_smoothed_tennis(alpha):
    rows = list(zip(*(DAYS[name].to_pylist() for name in COLUMNS), strict=True))
    classes, joint = reference.naive_bayes(rows, DAYS["play"].to_pylist(), tuple(NEW_DAY.values()), alpha)
    found = np.exp(tennis(float(alpha)).log_joint(NEW_DAY))[0]
    assert classes == ["no", "yes"]
    np.testing.assert_allclose(found, [float(p) for p in joint])


def test_laplace_is_an_m_estimate():
    sizes = {"outlook": 3, "temperature": 3, "humidity": 2, "wind": 2}
    schema = Schema({name: Categorical(alpha=MEstimate(k)) for name, k in sizes.items()})
    np.testing.assert_allclose(Model.train(schema, DAYS, "play").posterior(DAYS), tennis(1.0).posterior(DAYS))


def cancer():
    """A thousand weighted people: 0.8 % ill; the test detects 98 % of them and clears 97 % of the others."""
    frame = {"test": [True, False, True, False]}
    weights = [0.008 * 0.98, 0.008 * 0.02, 0.992 * 0.03, 0.992 * 0.97]
    return Model.train(
        Schema({"test": Bernoulli(alpha=0.0)}),
        frame,
        ["cancer", "cancer", "healthy", "healthy"],
        weights=weights,
    )


def test_cancer_test():
    model = cancer()
    ill, healthy = np.exp(model.log_joint({"test": True}))[0]
    assert (ill, healthy) == pytest.approx((0.00784, 0.02976))
    assert (round(ill, 4), round(healthy, 4)) == (0.0078, 0.0298)
    assert model.decide({"test": True}) == ["healthy"]
    assert model.posterior({"test": True})[0, 0] == pytest.approx(0.00784 / 0.0376)
    assert model.posterior({"test": True})[0, 0] == pytest.approx(0.208, abs=1e-3)


def test_costly_false_negatives_change_the_decision():
    model = cancer()
    assert model.decide({"test": True}, costs={("cancer", "healthy"): 20.0}) == ["cancer"]
    assert model.decide({"test": True}, costs={("cancer", "healthy"): 3.0}) == ["healthy"]
    assert model.decide({"test": False}, costs={("cancer", "healthy"): 20.0}) == ["healthy"]
    assert model.decide({"test": [True, False]}, reject=0.1) == [None, "healthy"]


def test_without_features_the_prior_decides():
    inbox = Model.train(Schema({}), {"id": list(range(100))}, ["normal"] * 85 + ["spam"] * 15)
    assert inbox.prior() == pytest.approx({"normal": 0.85, "spam": 0.15})
    assert inbox.posterior({"id": [1, 2]}) == pytest.approx(np.array([[0.85, 0.15]] * 2))
    assert inbox.decide({"id": [1]}) == ["normal"]
    assert bayes_error(inbox.posterior({"id": [1, 2]})) == pytest.approx(0.15)


def test_class_as_indicator_variables():
    """Y = 2 of 3 is (0, 1, 0): the same counts, to the last byte."""
    frame, classes = {"money": [True, False, True, False]}, ["normal", "spam", "urgent"]
    indicators = np.array([[0, 1, 0], [1, 0, 0], [0, 0, 1], [1, 0, 0]])
    schema = Schema({"money": Bernoulli()})
    model = Model.train(schema, frame, SoftLabels(indicators, classes))
    assert model.prior() == {"normal": 0.5, "spam": 0.25, "urgent": 0.25}
    assert digest(model) == digest(Model.train(schema, frame, ["spam", "normal", "urgent", "normal"]))


def test_error_probability_is_the_rest():
    posterior = np.array([[0.92, 0.08], [0.5, 0.5], [1e-20, 1.0]])
    np.testing.assert_allclose(error_probability(posterior), [0.08, 0.5, 1e-20])
    assert bayes_error(posterior) == pytest.approx(0.58 / 3)


WEATHER = {
    "outlook": ["s", "s", "o", "r", "r", "r", "o", "s", "s", "r", "s", "o", "o", "r"],
    "temperature": [85, 80, 83, 70, 68, 65, 64, 72, 69, 75, 75, 72, 81, 71],
    "humidity": [85, 90, 86, 96, 80, 70, 65, 95, 70, 80, 70, 90, 75, 91],
    "windy": [w == "t" for w in ["f", "t", "f", "f", "f", "t", "t", "f", "f", "f", "t", "t", "f", "t"]],
}
PLAY = ["no", "no", "yes", "yes", "yes", "no", "yes", "no", "yes", "yes", "yes", "yes", "yes", "no"]


def gaussian(value, values):
    """The maximum-likelihood density: mean and variance in fractions, rounded once."""
    n = len(values)
    mean = Fraction(sum(values), n)
    variance = sum((v - mean) ** 2 for v in values) / n
    return math.exp(-float((value - mean) ** 2 / (2 * variance))) / math.sqrt(2 * math.pi * variance)


def test_weather_with_numbers():
    plain = {"m": 0.0, "plugin": True}
    schema = Schema(
        {
            "outlook": Categorical(alpha=1.0),
            "temperature": Gaussian(**plain),
            "humidity": Gaussian(**plain),
            "windy": Bernoulli(alpha=1.0),
        }
    )
    model = Model.train(schema, WEATHER, PLAY)
    new = {"outlook": "s", "temperature": 66, "humidity": 90, "windy": True}
    expected = []
    for label in ("no", "yes"):
        days = [i for i in range(14) if PLAY[i] == label]
        p = Fraction(len(days), 14)
        p *= Fraction(sum(WEATHER["outlook"][i] == "s" for i in days) + 1, len(days) + 3)
        p *= Fraction(sum(WEATHER["windy"][i] for i in days) + 1, len(days) + 2)
        p = float(p)
        p *= gaussian(66, [WEATHER["temperature"][i] for i in days])
        p *= gaussian(90, [WEATHER["humidity"][i] for i in days])
        expected.append(p)
    np.testing.assert_allclose(np.exp(model.log_joint(new))[0], expected, rtol=1e-13)
    without = Schema({name: family for name, family in schema.columns.items() if name != "humidity"})
    dropped, absent = model.log_joint({**new, "humidity": None}), Model.train(without, WEATHER, PLAY).log_joint(new)
    np.testing.assert_allclose(dropped, absent, rtol=1e-14)


def test_weather_in_intervals_of_equal_length():
    model = Model.train(Schema({"temperature": Histogram(intervals=3)}), WEATHER, PLAY)
    # 64 … 71 … 78 … 85; no: 85 80 65 72 71, yes: 83 70 68 64 69 75 75 72 81
    assert model.estimates("temperature") == {
        "[64, 71)": {"no": 2 / 8, "yes": 5 / 12},
        "[71, 78)": {"no": 3 / 8, "yes": 4 / 12},
        "[78, 85]": {"no": 3 / 8, "yes": 3 / 12},
    }
    assert len(model.believing(intervals=10).estimates("temperature")) == 10


def test_complete_log_likelihood():
    model = tennis(1.0)
    joint = model.log_joint(DAYS)
    at = [model.classes.index(label) for label in DAYS["play"].to_pylist()]
    assert model.log_likelihood(DAYS, "play") == pytest.approx(joint[np.arange(14), at].sum())
    assert model.log_likelihood(DAYS, ["maybe"] * 14) == -math.inf


def test_beta_and_dirichlet_posteriors():
    words = Model.train(Schema({"free": Bernoulli()}), {"free": [1, 1, 0, 1]}, ["spam"] * 4)
    beta = words.parameters("free", "spam")
    assert (beta.alpha, beta.beta) == (4.0, 2.0)
    classes = tennis().believing(prior=1.0).parameters(None)
    assert classes.alpha == {"no": 6.0, "yes": 10.0}
    assert classes.mean() == pytest.approx({"no": 6 / 16, "yes": 10 / 16})
