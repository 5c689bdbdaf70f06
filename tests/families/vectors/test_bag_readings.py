"""Count vectors in the readings of the lectures: averaged, Poisson, and with the multinomial coefficient."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from examples import some
from tallybayes import Bag, Model, Poisson, Schema, Words, digest, files
from tallybayes.counts.decay import LEAST_WEIGHT
from tallybayes.testing import check_belief, check_family

FORMS = [np.array, np.asfortranarray, sp.csr_array]
COUNTS = np.array([[1, 0, 0], [1, 3, 0], [0, 2, 2], [0, 0, 0], [4, 1, 1]], float)
LABELS = ["k", "k", "l", "l", "l"]
TEXTS = ["aa", "aa bb bb bb", "bb cc bb cc", "", "aa aa aa aa bb cc"]
VECTORS = st.lists(st.integers(0, 5).map(float), min_size=3, max_size=3)
# For larger weights the coefficient leaves few digits; smaller ones, left alone, are dropped as traces of decay.
WEIGHTS = st.lists(st.just(0.0) | st.floats(LEAST_WEIGHT, 1e4), min_size=3, max_size=3)
HOLES = st.lists(st.sampled_from([0.0, 1.0, 2.5, np.nan]), min_size=3, max_size=3)


def train(family, data=COUNTS, labels=LABELS, **options):
    return Model.train(Schema({"x": family}), data, labels, **options)


def vectors_of(total, size=3):
    """All vectors of integers with this sum."""
    everything = itertools.product(range(total + 1), repeat=size)
    return np.array([vector for vector in everything if sum(vector) == total], float)


@pytest.mark.slow
@pytest.mark.parametrize(("reading", "check"), [("averaged", check_family), ("poisson", check_belief)])
@pytest.mark.parametrize("values", [VECTORS, WEIGHTS, HOLES], ids=["whole", "any", "holes"])
def test_readings_obey_the_laws(reading, check, values):
    check(Bag(reading=reading, size=3, coefficient=True), values, examples=10)


def test_averaged_is_the_mean_of_shares():
    """k: (1, 0, 0) and (1/4, 3/4, 0); l: (0, 1/2, 1/2) and (2/3, 1/6, 1/6); a vector of zeros has no shares."""
    expected = {
        "k": [Fraction(5, 8), Fraction(3, 8), 0],
        "l": [Fraction(1, 3), Fraction(1, 3), Fraction(1, 3)],
    }
    for form in FORMS:
        model = train(Bag(reading="averaged", alpha=0.0), form(COUNTS))
        for label, shares in expected.items():
            found = [model.estimates("x")[str(i)][label] for i in range(3)]
            assert found == pytest.approx([float(share) for share in shares], rel=1e-14)
    pooled = model.believing(reading="multinomial")
    assert [pooled.estimates("x")[str(i)]["k"] for i in range(3)] == pytest.approx([2 / 5, 3 / 5, 0])


def test_averaged_shares_are_scaled_to_the_total_count():
    """k has 5 counts, of which the shares make 25/8, 15/8 and 0; one pseudo-count is added to each position."""
    found = train(Bag(reading="averaged")).estimates("x")
    assert [found[str(i)]["k"] for i in range(3)] == pytest.approx(
        [(25 / 8 + 1) / 8, (15 / 8 + 1) / 8, 1 / 8], rel=1e-14
    )


@pytest.mark.parametrize("reading", ["multinomial", "averaged", "bernoulli", "poisson", "complement"])
@pytest.mark.parametrize("alpha", [0.0, 1.0, 0.3])
@pytest.mark.parametrize("coefficient", [False, True])
def test_count_vectors_score_like_their_texts(reading, alpha, coefficient):
    settled = {"reading": reading, "alpha": alpha, "coefficient": coefficient}
    texts = Model.train(Schema({"x": Words(**settled)}), {"x": TEXTS}, LABELS)
    for form in FORMS:
        model = train(Bag(**settled), form(COUNTS))
        np.testing.assert_allclose(model.log_joint(form(COUNTS)), texts.log_joint({"x": TEXTS}), rtol=1e-12)
        assert list(model.estimates("x")["1"].values()) == pytest.approx(list(texts.estimates("x")["bb"].values()))


def test_poisson_closed_form():
    """The rate of each word is its count over the vectors of the class; p(x) = Π exp(−θ) θ^x / x!."""
    model = train(Bag(reading="poisson", alpha=0.0, coefficient=True))
    rates = np.array([COUNTS[:2].sum(axis=0) / 2, COUNTS[2:].sum(axis=0) / 3])
    found = np.array([list(rate.values()) for rate in model.estimates("x").values()])
    np.testing.assert_allclose(found, rates.T, rtol=1e-14)
    asked = np.array([[2.0, 1.0, 0.0], [0.0, 0.0, 0.0]])
    expected = [[stats.poisson(rate).logpmf(x).sum() for rate in rates] for x in asked]
    for form in FORMS:
        np.testing.assert_allclose(model.evidence(form(asked))["x"], expected, rtol=1e-12)


def test_missing_number_does_not_affect_its_rate():
    holes = np.where(COUNTS == 3.0, np.nan, COUNTS)
    columns = {str(i): column for i, column in enumerate(holes.T)}
    family = Poisson(shape=0.0, rate=0.0, plugin=True, whole=False)
    apart = Model.train(dict.fromkeys(columns, family), columns, LABELS)
    for form in FORMS:
        together = train(Bag(reading="poisson", alpha=0.0, coefficient=True, size=3), form(holes))
        np.testing.assert_allclose(together.log_joint(form(holes)), apart.log_joint(columns), rtol=1e-12)


@pytest.mark.parametrize("alpha", [0.0, 1.0])
@pytest.mark.parametrize("reading", ["multinomial", "averaged"])
@pytest.mark.parametrize("total", [0, 1, 4])
def test_multinomial_with_coefficient_sums_to_one(reading, alpha, total):
    model = train(Bag(reading=reading, alpha=alpha, coefficient=True))
    said = model.evidence(vectors_of(total))["x"]
    np.testing.assert_allclose(np.exp(said).sum(axis=0), 1.0, rtol=1e-12)
    theta = np.array([list(p.values()) for p in model.estimates("x").values()])
    expected = [[stats.multinomial(total, p).logpmf(x) for p in theta.T] for x in vectors_of(total)]
    np.testing.assert_allclose(said, expected, rtol=1e-9)


def test_poisson_with_coefficient_sums_to_one():
    model = train(Bag(reading="poisson", coefficient=True))
    said = np.exp(model.evidence(np.concatenate([vectors_of(total) for total in range(28)]))["x"])
    np.testing.assert_allclose(said.sum(axis=0), 1.0, atol=1e-6)


def test_lecture_example():
    """Lecture 000: P! Π θ^x / x! for a message of two, one and no words."""
    model = train(Bag(alpha=0.0, coefficient=True))
    expected = math.factorial(3) / math.factorial(2) * Fraction(2, 5) ** 2 * Fraction(3, 5)
    assert math.exp(model.evidence(np.array([[2.0, 1.0, 0.0]]))["x"][0, 0]) == pytest.approx(float(expected), rel=1e-14)


@settings(max_examples=some(30), deadline=None)
@given(st.lists(st.tuples(VECTORS | WEIGHTS, st.sampled_from("ab")), min_size=1, max_size=8), st.randoms())
def test_shares_are_the_same_bytes_in_every_form_and_order(rows, random):
    data, labels = np.array([vector for vector, _ in rows]), [label for _, label in rows]
    expected = digest(train(Bag(shares=True, size=3), data, labels))
    shuffled = random.sample(range(len(rows)), len(rows))
    for form in FORMS:
        model = train(Bag(shares=True, size=3), form(data[shuffled]), [labels[i] for i in shuffled], threads=2)
        assert digest(model) == expected
    whole = model.copy()
    whole += train(Bag(shares=True, size=3), data[:1] * 0.1, ["c"])
    whole -= train(Bag(shares=True, size=3), data[:1] * 0.1, ["c"])
    assert digest(whole) == expected


@given(WEIGHTS | st.lists(st.floats(0, 1.7e308), min_size=3, max_size=3))
def test_shares_are_truncated_fractions(vector):
    tally = train(Bag(shares=True, size=3), np.array([vector]), ["k"]).counts("x")
    total = sum(map(Fraction, vector))
    for position, value in enumerate(vector):
        if value > 0:
            found = tally.aligned([position], ["k"]).sums["share"].fractions()[0]
            assert found == pytest.approx(float(Fraction(value) / total), rel=1e-15, abs=2.0**-64)
            assert (found * 2**64).denominator == 1


def test_shares_are_counted_on_request():
    plain, shared = train(Bag()), train(Bag(shares=True))
    assert plain.counts("x")[0] == {"n": {"k": 2, "l": 1}, "x": {"k": 2, "l": 4}}
    assert shared.counts("x")[1]["share"]["k"] == 0.75
    assert b"share" not in files.to_bytes(plain)
    assert files.from_bytes(files.to_bytes(shared)) == shared
    assert shared.believing(reading="averaged").schema.columns["x"] == Bag(reading="averaged")
    with pytest.raises(ValueError, match=r"needs the shares of each vector, .*count again with Bag\(shares=True\)"):
        plain.believing(reading="averaged")
    with pytest.raises(ValueError, match=r"Bag\(shares=False\).*Bag\(shares=True\).*count differently"):
        plain + shared


def test_impossible_shares_are_refused():
    family = Bag(shares=True, size=2)
    model = train(family, np.eye(2).repeat(2, axis=0), ["k"] * 4)
    before = digest(model)
    with pytest.raises(ValueError, match="a position's share of its vectors would be more than 100 %"):
        model -= train(family, np.ones((1, 2)), ["k"])
    assert digest(model) == before


@pytest.mark.parametrize("reading", ["averaged", "poisson"])
def test_linear_view_equals_the_model(reading):
    model = train(Bag(reading=reading))
    view, said = model.linear("l"), model.log_joint(COUNTS)
    weights = np.array([view.weights["x"][str(i)] for i in range(3)])
    np.testing.assert_allclose(view.intercept + COUNTS @ weights, said[:, 1] - said[:, 0], rtol=1e-12)


@pytest.mark.parametrize("reading", ["averaged", "poisson"])
def test_samples_follow_the_scores(reading):
    model = train(Bag(reading=reading, alpha=0.0))
    rows, labels = model.sample(20_000, seed=1)
    drawn, mine = np.array(rows.column("x").to_pylist()), np.array(labels.to_pylist()) == "l"
    expected = np.array([value["l"] for value in model.estimates("x").values()])
    mean = drawn[mine].mean(axis=0)
    np.testing.assert_allclose(mean if reading == "poisson" else mean / mean.sum(), expected, atol=0.03)
