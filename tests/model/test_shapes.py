"""The distribution of a column in each class: the numbers behind the plots."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from tallybayes import (
    Bernoulli,
    Categorical,
    Density,
    Each,
    Exponential,
    Gamma,
    Gaussian,
    Histogram,
    LogNormal,
    Model,
    NegativeBinomial,
    Pairs,
    Poisson,
    Schema,
    Words,
)
from tallybayes.model.shapes import observed, shape, shape_in
from tallybayes.plots.heaviest import word_probabilities
from tallybayes.plots.parameters import prior_of

NUMBERS = [2.0, 3.5, 4.0, 1.0, 6.0, 5.5, 7.0, 9.0]
LABELS = list("aaaabbbb")
REAL = [Gaussian(), Gamma(), Exponential(), LogNormal(), Histogram(intervals=4), Density(), Gaussian(plugin=True)]


def of(family, cells=NUMBERS, labels=LABELS):
    return Model.train({"x": family}, {"x": cells}, labels)


@pytest.mark.parametrize("family", REAL, ids=repr)
def test_curves_are_the_scored_densities(family):
    model = of(family)
    found = shape(model, "x")
    assert found.kind == "numbers"
    np.testing.assert_allclose(np.log(found.p).T, model.evidence({"x": found.x})["x"], rtol=1e-12)


@pytest.mark.parametrize("family", [Poisson(), NegativeBinomial()], ids=repr)
def test_counts_are_listed_with_their_probabilities(family):
    model = of(family, [0, 1, 2, 1, 4, 6, 3, 5])
    found = shape(model, "x")
    assert found.kind == "counts"
    np.testing.assert_array_equal(found.x, np.arange(len(found.x)))
    np.testing.assert_allclose(found.p.T, np.exp(model.evidence({"x": found.x})["x"]))
    assert found.p.sum(axis=1).min() > 0.95


def test_levels_are_listed_with_probabilities_and_beta_intervals():
    model = of(Categorical(alpha=1.0), ["u", "u", "v", "w", "u", "v", "v", "v"])
    found = shape(model, "x", mass=0.9)
    assert (found.kind, found.x) == ("levels", ["u", "v", "w"])
    estimates = model.estimates("x")
    np.testing.assert_allclose(found.p, [[estimates[level][label] for level in found.x] for label in "ab"])
    intervals = model.parameters("x", "a").interval(0.9)
    np.testing.assert_allclose(np.stack([found.low[0], found.high[0]], axis=1), [intervals[level] for level in found.x])


def test_band_of_an_exponential_at_zero_is_that_of_its_rate():
    """At zero the density is the rate itself, whose posterior is known."""
    model = of(Exponential())
    found = shape(model, "x", span=(0.0, 5.0), mass=0.5)
    low, high = model.parameters("x", "a").interval(0.5)["rate"]
    assert (found.low[0, 0], found.high[0, 0]) == pytest.approx((low, high), rel=0.05)


def test_band_of_a_histogram_is_that_of_its_interval():
    model = of(Histogram(intervals=2, alpha=1.0))
    found = shape(model, "x")
    share = found.p[0, 200] / model.belief("x").probability[0, 0]
    wide = stats.beta(4 + 1, 0 + 1).interval(0.95)
    at = int(np.searchsorted(found.x, 2.0))
    assert found.low[0, at] / found.p[0, at] == pytest.approx(wide[0] / (5 / 6))
    assert share > 0


@pytest.mark.parametrize("family", [Gamma(), Density()], ids=repr)
def test_no_posterior_no_band(family):
    assert np.isnan(shape(of(family), "x").low).all()


def test_ten_thousand_levels_show_the_most_frequent_and_the_rest():
    cells = ["often"] * 5000 + [f"level {i}" for i in range(10_000)]
    model = of(Categorical(alpha=0.0), cells, ["a", "b"] * 7500)
    found = shape(model, "x", top=20)
    assert len(found.x) == 20
    assert "often" in found.x
    assert found.more == 10_001 - 20
    np.testing.assert_allclose(found.rest + found.p.sum(axis=1), 1.0)


def test_subset_of_classes_has_the_same_curves():
    model = of(Categorical(alpha=1.0), ["u", "u", "v", "w", "u", "v", "v", "v"])
    every, one = shape(model, "x", mass=0.9), shape_in(model.beliefs(), "x", [1], mass=0.9)
    assert (one.classes, one.x) == (["b"], every.x)
    for some, whole in ((one.p, every.p), (one.low, every.low), (one.high, every.high)):
        np.testing.assert_array_equal(some[0], whole[1])


def test_single_class_uses_its_own_range():
    model = of(Gaussian(m=0.0), [1.0, 2.0, 1.5, 1.2, 1001.0, 1002.0, 1003.0, 1004.0])
    found = shape_in(model.beliefs(), "x", [1], points=50)
    assert (found.p.shape, found.x.shape) == ((1, 50), (50,))
    assert found.x[0] > 900
    np.testing.assert_allclose(np.log(found.p[0]), model.evidence({"x": found.x})["x"][:, 1], rtol=1e-12)
    assert np.isnan(found.low).all()  # not requested


def test_wide_integer_ranges_are_thinned():
    found = shape_in(of(Poisson(), [5000, 5100, 5200, 5300, 9000, 9100, 9200, 9300]).beliefs(), "x", points=100)
    assert 50 < len(found.x) <= 102
    assert len(set(np.diff(found.x))) == 1


@pytest.mark.parametrize("family", [Gaussian(), Gaussian(m=0.0), Histogram(), Density(), LogNormal()], ids=repr)
def test_a_column_of_one_value_has_a_shape(family):
    found = shape(of(family, [3.0] * 8), "x")
    assert np.isfinite(found.x).all()
    assert found.x[0] <= 3.0 <= found.x[-1]
    assert not np.isnan(found.p).any()


@pytest.mark.parametrize("family", [Gaussian(), Gaussian(m=0.0), Histogram(), Density(), Poisson()], ids=repr)
def test_class_without_cells_has_a_shape(family):
    found = shape(of(family, [1.0, 2.0, 3.0, 4.0, None, None, None, None]), "x")
    assert not np.isnan(found.p).any()
    assert found.p[0].max() > 0


def test_numbers_near_1e9_and_far_tails_have_a_finite_span():
    for cells in ([1e9, 1e9 + 1, 1e9 + 2, 1e9 + 3] * 2, [1e-300, 1.0, 1e150, -1e150] * 2):
        found = shape(of(Gaussian(), cells), "x")
        assert np.isfinite(found.x).all()
        assert found.x[0] < found.x[-1]


@pytest.mark.parametrize("family", [Words(), Each(Gaussian())], ids=repr)
def test_columns_without_single_values_are_refused(family):
    cells = ["one two"] * 8 if family == Words() else [[1.0, 2.0]] * 8
    with pytest.raises(TypeError, match=r"Column 'x' is counted by .* no density or probability of single values"):
        shape(of(family, cells), "x")


def test_blocks_are_refused():
    frame = {"x": ["u", "v"] * 4, "y": ["v", "u", "u", "v"] * 2}
    model = Model.train({("x", "y"): Pairs(structure="tree")}, frame, LABELS)
    with pytest.raises(TypeError, match="Column 'x, y' is counted by Pairs"):
        shape(model, "x")


def test_mass_is_a_probability():
    with pytest.raises(ValueError, match=r"mass=2: give a probability between 0 and 1, like 0\.95"):
        shape(of(Gaussian()), "x", mass=2)


def test_observed_rows_by_class_in_any_form():
    model = of(Gaussian())
    found = shape(model, "x")
    a, b = observed(model, found, {"x": [1.5, None, 2.5, 9.0]}, ["a", "a", "b", "never met"])
    assert (a.tolist(), b.tolist()) == ([1.5], [2.5])
    truth = of(Bernoulli(), [True, False] * 4)
    levels = observed(truth, shape(truth, "x"), {"x": ["yes", "no", "1"]}, ["a", "a", "b"])
    assert [n.tolist() for n in levels] == [[1.0, 1.0], [0.0, 1.0]]


@given(st.lists(st.tuples(st.sampled_from("uvw"), st.sampled_from("ab")), min_size=1, max_size=12))
def test_the_prior_is_the_posterior_without_rows(rows):
    cells, labels = zip(*rows, strict=True)
    model = Model.train({"x": Categorical(alpha=0.7)}, {"x": list(cells)}, list(labels))
    assert prior_of(model, "x").alpha == dict.fromkeys(sorted(set(cells)), 0.7)


@pytest.mark.parametrize("pair", [(1, 2), (True, False), (b"a", b"b"), (0.5, 1.5), (2**60, 1), (1e300, -1e300)])
def test_the_prior_with_labels_of_any_type(pair):
    model = Model.train({"x": Poisson(shape=3.0, rate=2.0)}, {"x": [1, 2, 3, 4]}, pair * 2)
    assert prior_of(model, "x").mean() == {"rate": 1.5}


def test_words_are_present_with_their_estimates():
    model = Model.train({"t": Words(reading="bernoulli", alpha=0)}, ["free prize", "lunch", "free"], ["s", "h", "s"])
    found = word_probabilities(model)
    assert (found.what, dict(zip(found.names, found.p.T.tolist(), strict=True))) == (
        "words",
        {"free": [0.0, 1.0], "lunch": [1.0, 0.0], "prize": [0.0, 0.5]},
    )
    with pytest.raises(ValueError, match="no text column and no boolean column"):
        word_probabilities(of(Gaussian()))


@pytest.mark.parametrize("reading", ["auto", "complement"])
def test_words_of_scores_are_shown_with_probabilities(reading):
    texts, labels = ["free free prize", "lunch", "free"], ["s", "h", "s"]
    schema = Schema({"t": Words(reading=reading)}, weights={"t": 0.5})
    found = word_probabilities(Model.train(schema, texts, labels)).p
    np.testing.assert_allclose(found.sum(axis=1), 1.0)


def test_word_order_does_not_depend_on_history():
    texts, labels = ["zebra apple", "mango", "apple"], ["s", "h", "s"]
    one = word_probabilities(Model.train({"t": Words()}, texts, labels))
    other = word_probabilities(Model.train({"t": Words()}, texts[::-1], labels[::-1]))
    assert one.names == other.names == ["apple", "mango", "zebra"]
    np.testing.assert_array_equal(one.p, other.p)


def test_heavy_tail_does_not_hide_the_bulk():
    values = np.linspace(4.0, 6.0, 50)
    model = Model.train({"x": Histogram(method="equal count")}, {"x": values}, ["a", "b"] * 25)
    assert 2.9 <= shape(model, "x").x.min() < 4.0
    assert 6.0 < shape(model, "x").x.max() <= 7.1
