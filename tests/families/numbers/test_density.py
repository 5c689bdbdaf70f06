"""Kernel densities: heavy tails, little evidence far from the data, and a minimum bandwidth."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from one_column import train
from tallybayes import Density
from tallybayes.families.numbers.stretched import Stretched
from tallybayes.testing import over_line, predictive_adds_up_to_one


def log_loss(model, values, labels):
    posterior = model.posterior({"x": values})
    return -np.mean(np.log(posterior[np.arange(len(values)), [model.classes.index(label) for label in labels]]))


@pytest.mark.parametrize("seed", range(3))
def test_heavy_tailed_noise_is_uninformative(seed):
    rng = np.random.default_rng(seed)
    labels = rng.choice(["a", "b"], 2_000)
    noises = {
        (0.71, 0.73): rng.lognormal(5, 2, 2_000),
        (0.71, 0.72): rng.standard_cauchy(2_000),
        (0.70, 0.71): rng.normal(293.15, 0.5, 2_000),
        (0.71, 0.80): rng.pareto(0.3, 2_000),
    }
    for most, values in noises.items():
        for bandwidth, loss in zip(("rule", "leave one out"), most, strict=True):
            model = train(Density(bandwidth=bandwidth), values[:1_000], labels[:1_000])
            assert log_loss(model, values[1_000:], labels[1_000:]) < loss  # log 2 is 0.693


@pytest.mark.parametrize("bandwidth", ["rule", "leave one out", 0.3])
def test_far_from_all_values_no_class_is_certain(bandwidth):
    rng = np.random.default_rng(0)
    values = np.concatenate([rng.normal(0, 1, 500), rng.normal(3, 1, 500)])
    model = train(Density(bandwidth=bandwidth), values, ["near 0"] * 500 + ["near 3"] * 500)
    far = model.posterior({"x": [-1e300, -100.0, 100.0, 1e300]})
    np.testing.assert_allclose(far, 0.5, atol=1e-9)
    assert model.posterior({"x": [0.0, 3.0]}).max(axis=1).min() > 0.95


def test_constant_class_has_a_finite_bandwidth():
    rows = [(3.0, "b", 1.0)] * 3 + [(13.0, "a", 1.0)]
    for family in (Density(), Density(bandwidth="leave one out"), Density(bits=52)):
        predictive_adds_up_to_one(family, rows, over_line)
        widths = train(family, [3.0, 3.0, 3.0, 13.0], list("bbba")).estimates("x")["bandwidth"]
        assert min(widths.values()) > 0.05


@pytest.mark.parametrize("bandwidth", ["rule", "leave one out"])
def test_values_that_are_one_on_the_scale_of_the_column_are_one(bandwidth):
    found, same = (
        train(Density(bandwidth=bandwidth), [0.0, other, 1e300], list("aab")).estimates("x")["bandwidth"]
        for other in (1e-300, 0.0)
    )
    assert found == pytest.approx(same)


VALUES = st.integers(-20, 20).map(float) | st.floats(-1e3, 1e3).map(lambda x: round(x, 6)) | st.floats(290.0, 296.0)
ROWS = st.lists(st.tuples(VALUES, st.sampled_from("abc"), st.just(1.0)), min_size=1, max_size=12)
FAMILIES = st.builds(
    Density,
    bits=st.sampled_from([8, 12, 52]),
    bandwidth=st.sampled_from(["rule", "leave one out", 0.5, 20.0]),
    m=st.sampled_from([0.5, 1.0, 10.0]),
)


@settings(deadline=None)
@given(FAMILIES, ROWS)
def test_density_integrates_to_one(family, rows):
    predictive_adds_up_to_one(family, rows, lambda values: over_line(rounded(values, family.bits)))


def rounded(values, bits):
    return np.array([float(np.ldexp(np.round(np.ldexp(f, bits + 1)), e - bits - 1)) for f, e in map(np.frexp, values)])


@given(st.lists(st.floats(-1e300, 1e300), min_size=1, max_size=20), st.floats(-1e308, 1e308), st.booleans())
def test_stretched_scale_round_trips(values, x, again):
    scale = replace(Stretched.of(np.unique(values), np.ones(len(np.unique(values)))), again=again)
    t = scale.stretched(np.array([x]))
    assert np.isfinite(t).all()
    back = scale.back(t)[0]
    assert abs(back - x) <= 1e-9 * (abs(x) / 2.0 + abs(scale.median) / 2.0 + scale.spread / 2.0) or np.isinf(back)


@pytest.mark.parametrize("again", [False, True])
def test_slope_is_the_derivative_of_the_scale(again):
    scale, x = Stretched(3.0, 0.5, again), np.array([-1e6, -2.0, 2.9, 3.0, 4.0, 1e6])
    step = 1e-6 * np.maximum(np.abs(x), 1.0)
    slope = (scale.stretched(x + step) - scale.stretched(x - step)) / (2 * step)
    np.testing.assert_allclose(np.exp(scale.log_slope(x)), slope, rtol=1e-5)


def test_tail_is_cauchy():
    scale = Stretched.of(np.array([1.0, 2.0, 3.0, 4.0, 5.0]), np.array([1.0, 1.0, 1.0, 1.0, 1.0]))
    assert (scale.median, scale.spread) == (3.0, 1.0)
    x = np.array([-1e12, -5.0, 3.0, 3.5, 1e100])
    np.testing.assert_allclose(scale.log_cauchy(x), stats.cauchy(3.0, 1.0).logpdf(x))


def test_rounded_values_leave_no_gaps():
    """At eight binary digits, 293.15 ± 0.5 is one of about three values."""
    rng = np.random.default_rng(0)
    with pytest.warns(UserWarning, match="are counted in steps of"):
        model = train(Density(bits=8), rng.normal(293.15, 0.5, 100_000), ["a"] * 100_000)
    density = np.exp(model.evidence({"x": np.linspace(292.5, 293.8, 200)})["x"])
    assert density.max() < 4 * density.min()


def test_many_values_approach_their_distribution():
    rng = np.random.default_rng(0)
    model = train(Density(bandwidth="leave one out", bits=40), rng.normal(size=100_000), ["a"] * 100_000)
    x = np.linspace(-2.0, 2.0, 50)
    np.testing.assert_allclose(np.exp(model.evidence({"x": x})["x"][:, 0]), stats.norm.pdf(x), rtol=0.15)


def test_density_is_a_sum_of_kernels():
    data, width, asked = np.array([1.0, 2.0, 2.0, 5.0]), 0.7, np.arange(20.0)
    model = train(Density(bandwidth=width, m=0.0, bits=52), data)
    expected = np.log(np.mean([stats.norm(v, width).pdf(asked) for v in data], axis=0))
    np.testing.assert_allclose(model.evidence({"x": asked})["x"][:, 0], expected)


def test_leave_one_out_bandwidth_beats_the_rule_on_bimodal_data():
    rng = np.random.default_rng(0)
    data = np.concatenate([rng.normal(-20, 0.5, 100), rng.normal(20, 0.5, 100)])
    test = np.concatenate([rng.normal(-20, 0.5, 100), rng.normal(20, 0.5, 100)])
    by_rule, left_out = (
        train(Density(bandwidth=b), data).log_likelihood({"x": test}, ["a"] * 200) for b in ("rule", "leave one out")
    )
    assert left_out > by_rule + 50
