"""Samples follow the distribution that the model scores with."""

import itertools
import math
from collections import Counter

import numpy as np
import pyarrow as pa
import pytest
from scipy import stats

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
)
from tallybayes.testing import over_half_line, over_line

DRAWS = 20_000
LEAST = 1e-3  # p-value of a test: the seeds are fixed
LABELS = ["a", "a", "a", "a", "b", "b", "b"]
VALUES = [1.0, 2.0, 2.0, 9.0, 5.0, 6.5, 12.0]
COUNTS = [1, 2, 2, 9, 5, 6, 12]


def train(family, values, labels=LABELS):
    return Model.train(Schema({"x": family}), {"x": values}, labels)


def drawn(model, label, seed=0):
    """The cells of one class."""
    rows, labels = model.sample(2 * DRAWS, seed=seed)
    return rows.column("x").filter(pa.compute.equal(labels, label))


def density(model, label, x):
    return np.exp(model.evidence({"x": x})["x"][:, model.classes.index(label)])


def check_numbers(model, label, points):
    """Kolmogorov-Smirnov test against the integrated scores."""
    x, widths = points
    below = np.cumsum(density(model, label, x) * widths)
    assert below[-1] == pytest.approx(1.0, abs=1e-3)
    cells = drawn(model, label).to_numpy()
    assert stats.kstest(cells, lambda at: np.interp(at, x, below)).pvalue > LEAST


def check_levels(model, label, levels):
    """Chi-squared test against the scores of every level; expected counts below 5 are pooled."""
    expected = density(model, label, levels)
    cells = drawn(model, label).to_pylist()
    times = Counter(cells)
    seen = np.array([times[level] for level in levels], float)
    common = expected * len(cells) > 5
    seen = np.append(seen[common], len(cells) - seen[common].sum())
    expected = np.append(expected[common], 1.0 - expected[common].sum()) * len(cells)
    kept = expected > 1e-6
    assert seen[~kept].sum() == 0
    assert stats.chisquare(seen[kept], expected[kept], sum_check=False).pvalue > LEAST


@pytest.mark.parametrize("plugin", [False, True])
@pytest.mark.parametrize("label", ["a", "b"])
def test_numbers_follow_the_scores(label, plugin):
    check_numbers(train(Gaussian(plugin=plugin), VALUES), label, over_line(VALUES))
    check_numbers(train(Gaussian(plugin=plugin, m=3.0, mean=0.0), VALUES), label, over_line(VALUES))
    check_numbers(train(Gaussian(plugin=plugin, shared=True), VALUES), label, over_line(VALUES))
    for family in (Exponential, LogNormal, Gamma):
        check_numbers(train(family(plugin=plugin), VALUES), label, over_half_line(VALUES))


@pytest.mark.parametrize("label", ["a", "b"])
def test_kernel_densities_follow_the_scores(label):
    for family in (Density(), Density(m=0.0), Density(bandwidth=0.2, m=5.0)):
        check_numbers(train(family, VALUES), label, over_line(VALUES))


@pytest.mark.parametrize("label", ["a", "b"])
def test_histograms_follow_the_scores(label):
    for family in (Histogram(intervals=4), Histogram(intervals=3, method="equal count", alpha=0.0)):
        model = train(family, VALUES)
        check_numbers(model, label, over_intervals(model))


def over_intervals(model):
    """Many points in each interval, and ever wider steps beyond."""
    edges = model.belief("x").edges
    away = np.logspace(-9.0, 12.0, 20_000)
    inner = np.concatenate([np.linspace(low, high, 2_000) for low, high in itertools.pairwise(edges)])
    bounds = np.unique(np.concatenate([edges[0] - away, inner, edges[-1] + away]))
    return (bounds[:-1] + bounds[1:]) / 2, np.diff(bounds)


@pytest.mark.parametrize("plugin", [False, True])
@pytest.mark.parametrize("label", ["a", "b"])
def test_integers_follow_the_scores(label, plugin):
    for family in (Poisson, Geometric):
        check_levels(train(family(plugin=plugin), COUNTS), label, np.arange(2_000.0))


@pytest.mark.parametrize("label", ["a", "b"])
def test_levels_follow_the_scores(label):
    levels = ["u", "u", "v", "", "u", "w", "w"]
    for alpha in (0.0, 1.0, {"u": 3.0, "z": 1.0}):
        check_levels(train(Categorical(alpha=alpha), levels), label, ["", "u", "v", "w", "z"][: 5 - (alpha in (0, 1))])
    check_levels(train(Bernoulli(), [True, False, True, True, False, False, False]), label, [False, True])


def test_predictives_equal_scipy():
    poisson = train(Poisson(), COUNTS)
    cells = drawn(poisson, "a").to_numpy()
    assert cells.mean() == pytest.approx(15 / 5, rel=0.03)
    assert cells.var() == pytest.approx(stats.nbinom(15, 5 / 6).var(), rel=0.05)
    gaussian = train(Gaussian(m=2.0, mean=0.0, variance=4.0), VALUES)
    mean, variance = (gaussian.estimates("x")[name]["b"] for name in ("mean", "variance"))
    student = stats.t(5.0, loc=mean, scale=math.sqrt(variance * 1.2))
    assert stats.kstest(drawn(gaussian, "b").to_numpy(), student.cdf).pvalue > LEAST
    waiting = train(Exponential(shape=2.0, rate=3.0), VALUES)
    assert stats.kstest(drawn(waiting, "a").to_numpy(), stats.lomax(6.0, scale=17.0).cdf).pvalue > LEAST


MIXED = Schema(
    {
        "outlook": Categorical(),
        "windy": Bernoulli(),
        "temp": Gaussian(),
        "calls": Poisson(),
        "wait": Exponential(),
        "size": Gamma(),
    },
    prior={"in": 0.2, "out": 0.8},
)
FRAME = {
    "outlook": ["sun", "rain", "rain", None, "sun", "snow"],
    "windy": [True, False, True, True, None, False],
    "temp": [29.5, 18.0, 16.5, 21.0, 30.0, None],
    "calls": [4, 0, 1, 2, 5, 1],
    "wait": [0.5, 2.0, 0.0, 1.5, 0.25, 3.0],
    "size": [1.0, 2.0, 1.5, 4.0, 3.0, 2.5],
}
MODEL = Model.train(MIXED, FRAME, ["out", "in", "in", "in", "out", "out"])


def test_model_of_many_samples_recovers_the_estimates():
    plugin = MODEL.believing(plugin=True)
    again = Model.train(plugin.schema, *plugin.sample(100_000, seed=3)).believing(prior="frequencies")
    assert again.prior() == pytest.approx({"in": 0.2, "out": 0.8}, abs=0.01)
    for column in MIXED.columns:
        for name, by_class in plugin.estimates(column).items():
            assert again.estimates(column)[name] == pytest.approx(by_class, rel=0.05, abs=0.01), (column, name)


def test_same_seed_same_rows():
    rows, labels = MODEL.sample(50, seed=7)
    assert rows.schema.names == list(MIXED.columns)
    assert [str(kind) for kind in rows.schema.types] == ["string", "bool", "double", "int64", "double", "double"]
    assert rows.num_rows == len(labels) == 50
    assert MODEL.sample(50, seed=7) == (rows, labels)
    assert MODEL.sample(50, seed=8) != (rows, labels)
    turned = Schema(dict(reversed(MIXED.columns.items())), prior=MIXED.prior)
    other = Model.train(turned, FRAME, ["out", "in", "in", "in", "out", "out"])
    assert other.sample(50, seed=7).rows.select(list(MIXED.columns)) == rows


def test_labels_keep_their_type():
    for labels in ([1, 2, 2], [True, False, False], [1.5, 2.5, 2.5], np.array(["2024-01-01", "2024-02-01"] * 2)[:3]):
        model = Model.train(Schema({"x": Bernoulli()}), {"x": [1, 0, 1]}, labels)
        sample = model.sample(20, seed=0)
        assert sample.labels.type == model.label_type
        assert Model.train(model.schema, *sample).classes == model.classes


def test_no_rows_and_no_columns():
    rows, labels = MODEL.sample(0, seed=0)
    assert (rows.num_rows, len(labels), rows.schema.names) == (0, 0, list(MIXED.columns))
    bare = Model.train(Schema({}), {"x": [1, 2, 3]}, ["a", "a", "b"])
    assert Model.train(bare.schema, *bare.sample(1_000, seed=0)).prior() == pytest.approx(bare.prior(), abs=0.05)


def test_class_without_variance_yields_its_only_value():
    assert set(drawn(train(Gaussian(m=0.0), [3.0] * 7), "a").to_pylist()) == {3.0}
    assert set(drawn(train(Exponential(shape=0.0), [0.0] * 7), "a").to_pylist()) == {0.0}
    assert set(drawn(train(Poisson(shape=0.0), [0] * 7), "a").to_pylist()) == {0}
    assert set(drawn(train(Geometric(beta=0.0), [0] * 7), "a").to_pylist()) == {0}


def test_extreme_samples_are_finite_and_trainable():
    for family in (
        Gaussian(m=1e-3, mean=0.0, variance=1.0),
        LogNormal(m=1e-3, mean=0.0, variance=1e6),
        Exponential(shape=1e-3, rate=1e-3),
        Gamma(m=1e-3, mean=1.0, log_mean=-1e6),
        Geometric(alpha=1e-3),
        Poisson(shape=1e300, rate=1.0),
        Density(bandwidth=1e308),
    ):
        model = train(family, [None, 1, 1], ["a", "b", "b"]).believing(prior="uniform")
        sample = model.sample(500, seed=0)
        assert Model.train(model.schema, *sample).n == 500
        assert np.isfinite(model.log_joint(sample.rows)).any(axis=1).all()


def test_no_counts_and_no_prior_is_an_error():
    message = "Column 'x': there is nothing to draw from in class 'a'. It has no counts and there is no prior"
    for family in (
        Gaussian(m=0.0),
        Gaussian(m=0.0, plugin=True),
        Gaussian(m=0.0, shared=True),
        LogNormal(m=0.0),
        Gamma(m=0.0),
        Density(m=0.0),
        Poisson(shape=0.0, rate=0.0),
        Poisson(shape=1.0, rate=0.0, plugin=True),
        Poisson(shape=1.0, rate=0.0),
        Geometric(alpha=0.0, beta=0.0),
        Geometric(alpha=0.0, beta=1.0),
        Exponential(shape=0.0, rate=0.0),
        Exponential(shape=0.0, rate=1.0),
        Exponential(shape=0.0, rate=0.0, plugin=True),
    ):
        with pytest.raises(ValueError, match=message):
            train(family, [None, 1, 2], ["a", "b", "b"]).sample(100, seed=0)
    for family in (Categorical(), Histogram(), Density()):
        with pytest.raises(ValueError, match=message):
            train(family, pa.nulls(3, pa.float64()), ["a"] * 3).sample(1, seed=0)


def test_unsupported_sampling_is_an_error():
    for n in (-1, 2.5, "3", True, None):
        with pytest.raises(ValueError, match=rf"n={n!r}: give a whole number of at least 0 \(how many rows"):
            MODEL.sample(n, seed=0)
    for seed in (-1, 2.5, "3", None):
        with pytest.raises(ValueError, match=rf"seed={seed!r}: give a whole number of at least 0 \(the same seed"):
            MODEL.sample(1, seed=seed)
    with pytest.raises(ValueError, match="counted no rows"):
        Model(MIXED).sample(1, seed=0)
