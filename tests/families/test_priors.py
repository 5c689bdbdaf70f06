"""Default priors in closed form, so that no default changes unnoticed."""

import numpy as np
import pytest
from scipy import special

from one_column import train
from tallybayes import Correlated, Density, Exponential, Gamma, Gaussian, Geometric, Histogram, Model, Poisson, Schema
from tallybayes.families.numbers.density import silverman
from tallybayes.model.decide import decide


def test_gaussian_prior_is_one_value_like_the_column():
    values, labels = [1.0, 2.0, 6.0, 7.0], ["a", "a", "a", "b"]
    model = train(Gaussian(), values, labels)
    mean, variance = np.mean(values), np.var(values)
    assert model.estimates("x")["mean"] == pytest.approx({"a": (mean + 9.0) / 4, "b": (mean + 7.0) / 2})
    single = (variance + 0.5 * (7.0 - mean) ** 2) / 2
    assert model.estimates("x")["variance"]["b"] == pytest.approx(single)


def test_constant_column_is_uninformative():
    values = {f"x{i}": [5.0] * 15 for i in range(20)}
    model = Model.train(Schema({name: Gaussian() for name in values}), values, ["a"] * 10 + ["b"] * 5)
    asked = {name: [5.0, 7.0] for name in values}
    assert model.posterior(asked) == pytest.approx(np.array([[2 / 3, 1 / 3]] * 2))


def test_exponential_prior_is_one_event_at_the_columns_rate():
    model = train(Exponential(), [1.0, 3.0, 8.0], ["a", "a", "b"])
    assert model.estimates("x")["rate"] == pytest.approx({"a": 3 / (4 + 4), "b": 2 / (4 + 8)})


def test_poisson_prior_is_one_event_in_one_unit():
    assert train(Poisson(), [3, 5], ["a", "b"]).estimates("x")["rate"] == pytest.approx({"a": 2.0, "b": 3.0})


def test_gamma_prior_is_one_value_like_the_column():
    values = np.array([1.0, 3.0, 8.0, 9.0])
    found = train(Gamma(), values, ["a", "a", "a", "b"]).estimates("x")
    mean, log_mean = (9.0 + values.mean()) / 2, (np.log(9.0) + np.log(values).mean()) / 2
    k = found["shape"]["b"]
    assert np.log(k) - special.digamma(k) == pytest.approx(np.log(mean) - log_mean)
    assert k * found["scale"]["b"] == pytest.approx(mean)


def test_silvermans_rule():
    values, counts = np.array([0.0, 1.0, 2.0, 3.0]), np.array([1.0, 2.0, 2.0, 1.0])
    sd = np.sqrt(np.average((values - 1.5) ** 2, weights=counts))
    assert silverman(values, counts) == pytest.approx(0.9 * min(sd, 1.0 / 1.34) * 6**-0.2)
    assert silverman(values * 1e200, counts) == pytest.approx(1e200 * silverman(values, counts))


def test_density_prior_is_one_cauchy_value():
    model = train(Density(bandwidth=1.0, bits=52), [0.0, 10.0], ["a", "b"])
    bump, tail = 1 / np.sqrt(2 * np.pi), 1 / (2 * np.pi * 5.0)  # half its height at the quartiles, 0 and 10
    assert np.exp(model.evidence({"x": [0.0]})["x"][0]) == pytest.approx([(bump + tail) / 2, tail / 2])


def test_leave_one_out_bandwidth_ignores_the_scale_of_weights():
    rng = np.random.default_rng(0)
    model = train(Density(bandwidth="leave one out"), rng.normal(size=200), ["a"] * 200)
    assert (model * 0.5).estimates("x")["bandwidth"]["a"] == pytest.approx(
        model.estimates("x")["bandwidth"]["a"], rel=0.5
    )


def test_mdl_cut_must_pay_for_its_description():
    labels = list("abaababbab")  # some cuts are informative, none enough
    assert len(train(Histogram(method="mdl"), list(range(10)), labels).estimates("x")) == 1
    many = [f"c{i}" for i in range(700)] * 2
    found = train(Histogram(method="mdl", bits=52), list(range(1400)), many).estimates("x")
    assert len(found) >= 1


def test_rejection_means_every_decision_costs_too_much():
    posterior = np.array([[0.75, 0.25]])
    assert decide(posterior, reject=0.25).tolist() == [0]
    assert decide(posterior, reject=0.2499).tolist() == [-1]
    assert decide(posterior, np.array([[0.0, 4.0], [1.0, 0.0]]), reject=0.25).tolist() == [0]
    for reject in (-1.0, float("nan"), "0.1"):
        with pytest.raises(ValueError, match="reject="):
            decide(posterior, reject=reject)


def test_without_costs_the_most_probable_class_wins_even_barely():
    rng = np.random.default_rng(0)
    posterior = 1 / 3 + rng.normal(0, 1e-16, (1000, 3))
    assert np.array_equal(decide(posterior), posterior.argmax(axis=1))


@pytest.mark.parametrize("family", [Gaussian(), Correlated()], ids=repr)
def test_mean_of_a_cauchy_posterior_is_undefined(family):
    """Student's t with one degree of freedom has a median, and no mean."""
    model = Model.train({"x": family}, {"x": [1.0, 2.0, 6.0, None]}, ["a", "a", "b", "c"])
    mean, variance = model.parameters("x", "c").mean().values()
    assert np.isnan(mean)
    assert variance == np.inf
    low, high = next(iter(model.parameters("x", "c").interval().values()))
    assert low + high == pytest.approx(6.0)
    assert next(iter(model.parameters("x", "b").mean().values())) == pytest.approx(4.5)


@pytest.mark.parametrize("family", [Geometric(alpha=0, beta=0), Gaussian(m=1e-3), Exponential(shape=0, rate=1)])
def test_intervals_of_hardly_any_prior_give_no_warnings(family):
    model = Model.train({"x": family}, {"x": [1, 2, 6, None]}, ["a", "a", "b", "c"])
    assert not np.isnan(model.credible({"x": [2, None]}, draws=20).low).any()
    if not isinstance(family, Geometric):
        assert len(model.parameters("x", "c").interval()) > 0
