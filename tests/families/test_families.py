"""Every family obeys the laws and agrees with scipy."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import integrate, stats

from one_column import train
from tallybayes import (
    JEFFREYS,
    Bernoulli,
    Categorical,
    Density,
    Exponential,
    Gamma,
    Gaussian,
    Geometric,
    Histogram,
    LogNormal,
    MEstimate,
    Model,
    NegativeBinomial,
    Poisson,
    Schema,
)
from tallybayes.families.numbers.gaussian import student_constant
from tallybayes.families.numbers.moments import Moments
from tallybayes.families.numbers.negative_binomial import Dispersed
from tallybayes.families.numbers.statistics import LogTotals, Totals
from tallybayes.families.numbers.values import value_keys, values_of_keys
from tallybayes.kernels.special import log_rising
from tallybayes.testing import check_belief, check_family, over_counts, over_half_line, over_levels, over_line

NUMBERS = st.integers(-20, 20).map(float) | st.floats(-1e3, 1e3).map(lambda x: round(x, 6))
POSITIVE = st.integers(1, 20).map(float) | st.floats(1e-3, 1e3)
COUNTS = st.integers(0, 50).map(float)
LEVELS = st.sampled_from(["red", "green", "blue", "", "ünïcode"])


def over_both(values):
    return ["false", "true"], np.ones(2)


def over_line_as_counted(values):
    """Kernels are centred on the counted values, rounded to twelve binary digits, and may be narrower than that."""
    return over_line(values_of_keys(value_keys(np.array(values), 12), 12))


FAMILIES_OF_VALUES = [
    (Bernoulli(), st.booleans(), over_both),
    (Categorical(), LEVELS, over_levels),
    (Poisson(shape=2.0, rate=0.5), COUNTS, over_counts),
    (Geometric(alpha=2.0), COUNTS, over_counts),
    (NegativeBinomial(), COUNTS, over_counts),
    (Gaussian(), NUMBERS, over_line),
    (LogNormal(), POSITIVE, over_half_line),
    (Gamma(), POSITIVE, None),
    (Exponential(), POSITIVE, over_half_line),
    (Histogram(bits=52), NUMBERS, None),
    (Histogram(method="mdl"), NUMBERS, None),
    (Density(), NUMBERS, over_line_as_counted),
]
OTHER_BELIEFS = [
    (Bernoulli(alpha=MEstimate(3.0, {"true": 0.25, "false": 0.75})), st.booleans(), over_both),
    (Categorical(alpha=JEFFREYS), LEVELS, over_levels),
    (Categorical(alpha=MEstimate(2.0, "overall")), LEVELS, over_levels),
    (Categorical(alpha="fitted"), LEVELS, over_levels),
    (Poisson(plugin=True), COUNTS, over_counts),
    (Geometric(plugin=True), COUNTS, over_counts),
    (NegativeBinomial(m=0.5, mean=2.0, variance=9.0, plugin=True), COUNTS, over_counts),
    (Gaussian(plugin=True), NUMBERS, over_line),
    (Gaussian(m=2.0, mean=1.0, variance=4.0), NUMBERS, over_line),
    (Exponential(plugin=True, shape=2.0, rate=1.0), POSITIVE, over_half_line),
    (Histogram(method="equal count", intervals=4, alpha=0.5), NUMBERS, None),
    (Histogram(method="mdl", alpha="fitted"), NUMBERS, None),
    (Histogram(method="fitted", alpha="fitted"), NUMBERS, None),
    (Histogram(method="auto", alpha="fitted"), NUMBERS, None),
    (Density(bandwidth=0.5), NUMBERS, over_line_as_counted),
    (Density(bandwidth="leave one out", m=0.5), NUMBERS, over_line_as_counted),
]


def named(given):
    return repr(given) if hasattr(given, "counts") else ""


@pytest.mark.slow
@pytest.mark.parametrize(("family", "values", "total"), FAMILIES_OF_VALUES, ids=named)
def test_obeys_the_laws(family, values, total):
    check_family(family, values, total=total)


@pytest.mark.slow
@pytest.mark.parametrize(("family", "values", "total"), OTHER_BELIEFS, ids=named)
def test_other_settings_obey_the_laws(family, values, total):
    check_belief(family, values, total=total)


X = np.arange(20.0)


def test_poisson_predictive_is_negative_binomial():
    s = Totals(n=np.array(9.0), x=np.array(29.0))
    np.testing.assert_allclose(Poisson().log_predictive(s, X), stats.nbinom(30.0, 10 / 11).logpmf(X))


def test_poisson_plug_in_is_poisson():
    s = Totals(n=np.array(9.0), x=np.array(27.0))
    mle = Poisson(shape=0.0, rate=0.0, plugin=True)
    np.testing.assert_allclose(mle.log_likelihood(s, X), stats.poisson(3.0).logpmf(X))


def test_poisson_keeps_its_digits_with_much_data():
    s = Totals(n=np.array(1e12), x=np.array(3e12))
    np.testing.assert_allclose(Poisson().log_predictive(s, X), stats.poisson(3.0).logpmf(X), rtol=1e-8)


def test_large_counts_keep_their_digits():
    """The numbers were computed to sixty digits."""
    s = Totals(n=np.array(1e6), x=np.array(1e12))
    np.testing.assert_allclose(Poisson().log_predictive(s, np.array([1e6])), -7.8267, atol=1e-4)
    s = Totals(n=np.array(1e6), x=np.array(3e15))
    np.testing.assert_allclose(Poisson().log_predictive(s, np.array([3e9])), -11.831, atol=1e-3)
    s = Totals(n=np.array(1e6), x=np.array(1e12))
    np.testing.assert_allclose(Geometric().log_predictive(s, np.array([1e6])), -14.8155, atol=1e-4)


@given(st.floats(1e-3, 1e6), st.integers(0, 1000))
def test_rising_factorials(a, x):
    expected = math.fsum(math.log(a + i) for i in range(x))
    np.testing.assert_allclose(log_rising(a, float(x)), expected, rtol=1e-9, atol=1e-9)


@pytest.mark.slow
def test_geometric_equals_scipy():
    s = Totals(n=np.array(4.0), x=np.array(12.0))
    mle = Geometric(alpha=0.0, beta=0.0, plugin=True)
    np.testing.assert_allclose(mle.log_likelihood(s, X), stats.geom(0.25, loc=-1).logpmf(X))

    def likelihood(p, x):
        return stats.geom(p, loc=-1).pmf(x) * stats.beta(5, 13).pdf(p)

    predictive = [integrate.quad(likelihood, 0, 1, args=(x,))[0] for x in X]
    np.testing.assert_allclose(Geometric().log_predictive(s, X), np.log(predictive), rtol=1e-7)


def test_negative_binomial_equals_scipy():
    data = np.array([0.0, 0.0, 1.0, 2.0, 3.0, 12.0])
    mean, variance = data.mean(), data.var()
    dispersion = (variance - mean) / mean**2
    model = train(NegativeBinomial(m=0.0, plugin=True), data)
    assert model.estimates("x") == {"mean": {"a": mean}, "dispersion": {"a": pytest.approx(dispersion, rel=1e-15)}}
    plugin = stats.nbinom(1 / dispersion, 1 / (1 + dispersion * mean))
    np.testing.assert_allclose(model.evidence({"x": X})["x"][:, 0], plugin.logpmf(X))
    found = np.exp(model.believing(plugin=False).evidence({"x": np.arange(4000.0)})["x"][:, 0])
    x = np.arange(4000.0)
    np.testing.assert_allclose([found.sum(), found @ x], [1.0, mean], rtol=1e-9)
    np.testing.assert_allclose(found @ (x - mean) ** 2, variance * (1 + 1 / 6), rtol=1e-9)


def test_negative_binomial_without_overdispersion_is_poisson():
    data = [2.0, 3.0, 3.0, 4.0]
    model = train(NegativeBinomial(m=0.0, plugin=True), data)
    np.testing.assert_allclose(model.evidence({"x": X})["x"][:, 0], stats.poisson(3.0).logpmf(X), rtol=1e-12)
    new = model.believing(plugin=False).evidence({"x": X})["x"][:, 0]  # the Poisson family without a prior
    np.testing.assert_allclose(new, stats.nbinom(12.0, 4 / 5).logpmf(X), rtol=1e-12)


def test_negative_binomial_keeps_its_digits_for_large_counts():
    s = Moments(n=np.array(1e6), mean=np.array(1e6), scatter=np.array(1e6 * (1e6 + 1e-3 * 1e12)))
    family = NegativeBinomial(m=0.0, plugin=True)
    expected = stats.nbinom(1e3, 1 / (1 + 1e3)).logpmf([9e5, 1e6, 1.1e6])
    known = Dispersed(*(value[None] for value in family.updated(s, s)))
    np.testing.assert_allclose(family.log_likelihood(known, np.array([9e5, 1e6, 1.1e6])), expected, rtol=1e-8)


def test_exponential_predictive_is_lomax():
    s = Totals(n=np.array(4.0), x=np.array(8.0))
    family = Exponential(shape=2.0, rate=3.0)
    np.testing.assert_allclose(family.log_predictive(family.updated(s, s), X), stats.lomax(6.0, scale=11.0).logpdf(X))
    mle = Exponential(shape=0.0, rate=0.0, plugin=True)
    np.testing.assert_allclose(mle.log_likelihood(s, X), stats.expon(scale=2.0).logpdf(X))


def test_students_constant_keeps_its_digits():
    """Closed forms, and far out the difference from the Gaussian; scipy has six digits fewer there."""
    nu = np.array([1.0, 2.0, 4.0, 1e9])
    expected = [-math.log(math.pi), -1.5 * math.log(2.0), math.log(0.375), -0.5 * math.log(2.0 * math.pi) - 0.25 / 1e9]
    np.testing.assert_allclose(student_constant(nu, np.ones(4)), expected, rtol=2e-15)


def test_gaussian_predictive_is_student():
    data = np.array([1.0, 2.0, 4.0, 9.0])
    s = Moments(n=np.array(4.0), mean=np.array(4.0), scatter=np.array(np.sum((data - 4.0) ** 2)))
    kappa, nu, mean0, variance0 = 2.0, 2.0, 1.0, 3.0
    mean = (kappa * mean0 + data.sum()) / (kappa + 4)
    scale = (nu * variance0 + 38.0 + kappa * 4 / (kappa + 4) * (4.0 - mean0) ** 2) / (nu + 4)
    student = stats.t(nu + 4, loc=mean, scale=math.sqrt(scale * (1 + 1 / (kappa + 4))))
    family = Gaussian(m=2.0, mean=mean0, variance=variance0)
    np.testing.assert_allclose(family.log_predictive(family.updated(s, s), X), student.logpdf(X))


def test_gaussian_maximum_likelihood():
    data = np.array([1.0, 2.0, 4.0, 9.0])
    model = Model.train(Schema({"x": Gaussian(m=0.0, plugin=True)}), {"x": data}, ["a"] * 4)
    assert model.estimates("x") == {"mean": {"a": 4.0}, "variance": {"a": 9.5}}
    expected = stats.norm(4.0, math.sqrt(9.5)).logpdf(X)
    np.testing.assert_allclose(model.evidence({"x": X})["x"][:, 0], expected)


def test_lognormal_equals_scipy():
    data = np.array([1.0, 2.0, 4.0, 9.0])
    x = X + 0.5
    mean, variance = np.log(data).mean(), np.log(data).var()
    model = Model.train(Schema({"x": LogNormal(m=0.0, plugin=True)}), {"x": data}, ["a"] * 4)
    expected = stats.lognorm(math.sqrt(variance), scale=math.exp(mean)).logpdf(x)
    np.testing.assert_allclose(model.evidence({"x": x})["x"][:, 0], expected)


@given(st.lists(st.floats(0.1, 100.0), min_size=3, max_size=30, unique=True))
def test_gamma_equals_scipys_maximum_likelihood(data):
    s = LogTotals(n=np.array(len(data)), x=np.sum(data), log_x=np.sum(np.log(data)))
    family = Gamma(m=0.0)
    s = family.updated(s, s)
    found = family.estimate(s)
    shape, _, scale = stats.gamma.fit(data, floc=0)
    np.testing.assert_allclose(found["shape"], shape, rtol=1e-5)
    np.testing.assert_allclose(found["scale"], scale, rtol=1e-5)
    np.testing.assert_allclose(
        family.log_predictive(s, X + 0.5), stats.gamma(found["shape"], scale=found["scale"]).logpdf(X + 0.5)
    )


def test_gamma_maximises_the_likelihood():
    data = stats.gamma(2.5, scale=3.0).rvs(500, random_state=1)
    s = LogTotals(n=np.array(500.0), x=data.sum(), log_x=np.log(data).sum())
    best = Gamma(m=0.0).estimate(Gamma(m=0.0).updated(s, s))
    likelihood = stats.gamma(best["shape"], scale=best["scale"]).logpdf(data).sum()
    for shape, scale in ((1.001, 1.0), (0.999, 1.0), (1.0, 1.001), (1.0, 0.999)):
        other = stats.gamma(best["shape"] * shape, scale=best["scale"] * scale).logpdf(data).sum()
        assert other < likelihood


def test_every_kind_of_smoothing():
    values = ["u", "u", "u", "v"]
    cases = [
        (0.0, {"u": 3 / 4, "v": 1 / 4}),
        (1.0, {"u": 4 / 6, "v": 2 / 6}),
        (0.5, {"u": 3.5 / 5, "v": 1.5 / 5}),
        ({"u": 1.0, "v": 3.0}, {"u": 4 / 8, "v": 4 / 8}),
        ({"u": 1.0, "w": 5.0}, {"u": 4 / 10, "v": 1 / 10, "w": 5 / 10}),
        (MEstimate(2.0), {"u": 4 / 6, "v": 2 / 6}),
        (MEstimate(4.0, "overall"), {"u": 6 / 8, "v": 2 / 8}),
        (MEstimate(4.0, {"u": 0.25, "v": 0.75}), {"u": 4 / 8, "v": 4 / 8}),
    ]
    for alpha, expected in cases:
        found = train(Categorical(alpha=alpha), values).estimates("x")
        assert {level: p["a"] for level, p in found.items()} == pytest.approx(expected)


def test_named_levels_are_levels():
    found = train(Categorical(levels=("u", "v", "w")), ["u", "u"]).estimates("x")
    assert {level: p["a"] for level, p in found.items()} == pytest.approx({"u": 3 / 5, "v": 1 / 5, "w": 1 / 5})


def test_bernoulli_parses_many_spellings_of_booleans():
    expected = {"false": {"a": 0.4}, "true": {"a": 0.6}}
    for values in ([True, True, False], [1, 1, 0], [1.0, 1.0, 0.0], ["TRUE", "yes", "0"]):
        assert train(Bernoulli(), values).estimates("x") == expected
    with pytest.raises(ValueError, match=r"Column 'x', row 1: 2 is neither true nor false"):
        train(Bernoulli(), [1, 2])
    with pytest.raises(ValueError, match="row 0: 'maybe' is neither"):
        train(Bernoulli(), ["maybe"])


def test_posteriors_of_the_parameters():
    beta = train(Bernoulli(), [True, True, False]).parameters("x", "a")
    assert (beta.alpha, beta.beta) == (3.0, 2.0)
    assert beta.interval(0.9)["true"] == pytest.approx(stats.beta(3, 2).interval(0.9))
    dirichlet = train(Categorical(alpha=0.5), ["u", "u", "v"]).parameters("x", "a")
    assert dirichlet.alpha == {"u": 2.5, "v": 1.5}
    assert dirichlet.interval()["u"] == pytest.approx(stats.beta(2.5, 1.5).interval(0.95))
    assert dirichlet.mean() == pytest.approx({"u": 2.5 / 4, "v": 1.5 / 4})
    rate = train(Poisson(), [2, 3, 4]).parameters("x", "a")
    assert (rate.shape, rate.rate) == (10.0, 4.0)
    assert rate.interval()["rate"] == pytest.approx(stats.gamma(10.0, scale=0.25).interval(0.95))
    assert train(Exponential(rate=2.0), [2.0, 4.0]).parameters("x", "a").mean() == pytest.approx({"rate": 3 / 8})
    assert train(Geometric(), [3, 0]).parameters("x", "a").mean() == pytest.approx({"probability": 3 / 7})
    nig = train(Gaussian(m=1.0, mean=0.0, variance=1.0), [1.0, 3.0]).parameters("x", "a")
    assert (nig.location, nig.kappa, nig.shape) == pytest.approx((4 / 3, 3.0, 1.5))
    assert nig.scale == pytest.approx((1.0 + 2.0 + 2 / 3 * 4.0) / 2)
    assert nig.interval(0.5)["variance"] == pytest.approx(stats.invgamma(1.5, scale=nig.scale).interval(0.5))
    width = math.sqrt(nig.scale / (1.5 * 3.0))
    assert nig.interval(0.5)["mean"] == pytest.approx(stats.t(3.0, loc=4 / 3, scale=width).interval(0.5))
    with pytest.raises(ValueError, match="mass=95"):
        beta.interval(95)
