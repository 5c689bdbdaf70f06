"""Leave-one-out formulas of every family equal believing again without the cell."""

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st

from examples import some
from mails import READINGS
from tallybayes import (
    Bag,
    Categorical,
    Density,
    Each,
    Gaussian,
    Histogram,
    MEstimate,
    Model,
    NegativeBinomial,
    Poisson,
    Schema,
    Words,
    left_out,
)
from tallybayes.families.left_out import distinct
from tallybayes.families.text.concentration import Document, concentration, concentration_without
from tallybayes.testing.laws import left_out_is_trained_without

ALPHAS = [0.0, 0.3, "fitted", MEstimate(3.0), MEstimate(3.0, "overall")]
BY_WORD = [{"aa": 2.0, "zz": 1.0}, MEstimate(2.0, {"aa": 0.5, "zz": 0.5})]
BY_POSITION = [{"0": 2.0, "5": 1.0}, MEstimate(2.0, {"0": 0.5, "3": 0.5})]
WEIGHTS = st.sampled_from([1.0, 1.0, 2.0, 0.75, 0.1])


def rows_of(values):
    return st.lists(st.tuples(st.none() | values, st.sampled_from("abc"), WEIGHTS), min_size=1, max_size=8)


TEXTS = st.lists(st.sampled_from(["aa", "aa", "aa", "bb", "bb", "cc", "dd"]), max_size=6).map(" ".join)
VECTORS = st.lists(st.sampled_from([0.0, 0.0, 1.0, 2.0, 0.5]), min_size=4, max_size=4)


@pytest.mark.slow
@pytest.mark.thinned(5)
@pytest.mark.parametrize("reading", [reading for reading in READINGS if reading != "auto"])
@pytest.mark.parametrize("alpha", ALPHAS + BY_WORD, ids=repr)
@settings(max_examples=some(50))
@given(rows_of(TEXTS), st.booleans(), st.sampled_from([{}, {"vocabulary": ("aa", "bb", "zz")}, {"coefficient": True}]))
def test_texts_in_every_reading_and_smoothing(reading, alpha, rows, weighted, more):
    left_out_is_trained_without(Words(reading=reading, alpha=alpha, **more), rows, weighted)


@pytest.mark.slow
@pytest.mark.thinned(4)
@pytest.mark.parametrize("reading", ["multinomial", "averaged", "bernoulli", "poisson", "complement"])
@pytest.mark.parametrize("alpha", ALPHAS + BY_POSITION, ids=repr)
@settings(max_examples=some(50))
@given(rows_of(VECTORS), st.booleans(), st.booleans())
def test_count_vectors_in_every_reading_and_smoothing(reading, alpha, rows, weighted, coefficient):
    left_out_is_trained_without(Bag(reading=reading, alpha=alpha, coefficient=coefficient), rows, weighted)


HOLES = st.lists(st.sampled_from([0.0, 1.0, 3.0, float("nan")]), min_size=4, max_size=4)


@pytest.mark.slow
@pytest.mark.parametrize(
    "family",
    [Bag(reading="bernoulli", alpha=0.0), Bag(reading="poisson"), Bag(reading="complement", norm=True)]
    + [Each(family) for family in (Gaussian(), Gaussian(m=0, plugin=True), Poisson(), NegativeBinomial())],
    ids=repr,
)
@given(rows_of(HOLES), st.booleans())
def test_vectors_with_missing_numbers(family, rows, weighted):
    left_out_is_trained_without(family, rows, weighted)


@pytest.mark.parametrize(
    "family", [Bag(), Bag(reading="bernoulli"), Bag(reading="averaged"), Each(Poisson(), size=30)], ids=repr
)
def test_sparse_and_dense_vectors_agree(family):
    matrix = scipy.sparse.random(40, 30, 0.1, format="csr", random_state=1)
    matrix.data = np.ceil(matrix.data * 3)
    labels = np.arange(40) % 2
    model = Model.train({"x": family}, matrix, labels)
    dense = matrix.toarray()
    np.testing.assert_allclose(left_out(model, matrix, labels)["x"], left_out(model, dense, labels)["x"], rtol=1e-11)
    kept = np.arange(40) != 7
    expected = Model.train({"x": family}, dense[kept], labels[kept]).log_joint(dense[7:8])[0]
    np.testing.assert_allclose(left_out(model, matrix, labels).total()[7], expected, rtol=1e-9)


def columns(rows=300):
    random = np.random.default_rng(3)
    labels = random.choice(["a", "b", "c"], rows, p=[0.5, 0.3, 0.2])
    shift = np.array([{"a": 0.0, "b": 1.0, "c": 3.0}[label] for label in labels])
    return random, labels, shift


@pytest.mark.parametrize("weighted", [False, True])
def test_fitted_smoothing_excludes_the_row(weighted):
    random, labels, shift = columns()
    levels = [f"level {k:.0f}" for k in np.clip(shift + random.normal(size=300), -1, 4)]
    weights = random.choice([1.0, 2.0, 0.5], 300) if weighted else np.ones(300)
    schema = Schema({"x": Categorical(alpha="fitted")})
    found = left_out(
        Model.train(schema, {"x": levels}, labels, weights=weights), {"x": levels}, labels, weights=weights
    )
    for row in range(0, 300, 29):
        kept = np.arange(300) != row
        rest = {"x": [level for level, there in zip(levels, kept, strict=True) if there]}
        without = Model.train(schema, rest, labels[kept], weights=weights[kept])
        np.testing.assert_allclose(found.total()[row], without.log_joint({"x": levels[row : row + 1]})[0], rtol=1e-10)


@pytest.mark.parametrize("alpha", [1.0, MEstimate(4.0, "overall"), "fitted"], ids=repr)
def test_intervals_stay_and_counts_exclude_the_row(alpha):
    """Cuts at the integers from 1 on: intervals are levels, except beyond the range."""
    random, labels, shift = columns()
    x = np.clip(np.round(shift + random.normal(size=300)), 0.0, 5.0) * 10.0
    x[:2] = [0.0, 50.0]
    histogram = Histogram(intervals=5, alpha=alpha)
    found = left_out(Model.train({"x": histogram}, {"x": x}, labels), {"x": x}, labels)["x"]
    codes = np.minimum(x // 10.0, 4.0).astype(int)
    levels = {"x": [str(code) for code in codes]}
    expected = left_out(Model.train({"x": Categorical(alpha=alpha)}, levels, labels), levels, labels)["x"]
    apart = found - expected  # log width and log mass inside, the same for all classes
    np.testing.assert_allclose(apart, np.repeat(apart[:, :1], 3, axis=1), atol=1e-9)
    inner = (codes > 0) & (codes < 4)
    np.testing.assert_allclose(apart[inner, 0], -np.log(10.0), rtol=1e-3)  # rounding steps are integers
    counts = np.bincount(codes) - 1.0
    for code in (0, 4):
        inside = np.log(1.0 - 1.0 / (2.0 + counts[code])) - np.log(10.0)
        np.testing.assert_allclose(apart[codes == code, 0], inside, atol=2e-3)


def test_bandwidths_stay_and_each_value_excludes_itself():
    random, labels, shift = columns(60)
    x = np.round(shift + random.normal(size=60), 3)
    x[0] = 400.0  # nothing is near
    model = Model.train({"x": Density(bandwidth=0.5, bits=52)}, {"x": x}, labels)
    found, scale = left_out(model, {"x": x}, labels)["x"], model.belief("x").scale
    for row in range(60):
        cauchy = np.exp(scale.log_cauchy(x[row]))
        for c, label in enumerate("abc"):
            others = x[(labels == label) & (np.arange(60) != row)]
            bumps = np.exp(-0.5 * ((x[row] - others) / 0.5) ** 2).sum() / (0.5 * np.sqrt(2.0 * np.pi))
            np.testing.assert_allclose(found[row, c], np.log((bumps + cauchy) / (len(others) + 1.0)), atol=1e-6)


@given(st.lists(st.tuples(st.integers(0, 40), st.integers(1, 9)), min_size=2, max_size=40), st.integers(0, 39))
def test_concentration_without_a_document(documents, which):
    lengths = np.array([length for length, _ in documents], np.float64)
    words = np.minimum(lengths, [words for _, words in documents])
    which %= len(documents)
    slots, at = np.unique(lengths, return_inverse=True)
    spread = np.bincount(at.reshape(-1), minlength=len(slots)).astype(np.float64)
    (start,) = concentration(slots, spread[:, None], np.array([words.sum()]))
    gone = Document(lengths[[which]], np.ones(1), words.sum() - words[[which]])
    rest = spread - (slots == lengths[which])
    expected = concentration(slots, rest[:, None], gone.left)
    np.testing.assert_allclose(concentration_without(slots, spread, start, gone), expected, rtol=1e-9)


@given(st.lists(st.integers(-5, 5) | st.integers(-(1 << 40), 1 << 40), max_size=30), st.booleans())
def test_kinds_are_numbered_by_first_occurrence(numbers, whole):
    given_numbers = np.array(numbers, np.int64 if whole else np.float64)
    firsts, kinds = distinct(given_numbers)
    assert given_numbers[firsts][kinds].tolist() == given_numbers.tolist()
    assert all(numbers.index(numbers[first]) == first for first in firsts)
    assert len(firsts) == len(set(numbers))


@pytest.mark.parametrize("family", [Gaussian(), Gaussian(shared=True)], ids=repr)
def test_values_too_far_apart_to_be_squared(family):
    rows = [(2.8e-153, "a", 1.0), (1.0, "a", 1.0), (2.8e-153, "a", 1.0), (-1e150, "a", 1.0)]
    left_out_is_trained_without(family, rows, False)
    left_out_is_trained_without(family, rows[:3], False)
