"""The multinomial coefficient: the probability of a bag of words."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from test_words import texts

from mails import ASKED, READINGS, train
from tallybayes import Words
from tallybayes.families.text.multinomial_coefficient import log_orders
from tallybayes.testing import check_belief


@pytest.mark.slow
@pytest.mark.parametrize(
    "family", [Words(coefficient=True), Words(coefficient=True, reading="dirichlet-multinomial")], ids=repr
)
def test_the_coefficient_obeys_the_laws(family):
    check_belief(family, texts, examples=10)


COUNTS = st.integers(1, 40).map(float) | st.floats(0.01, 1e6)


@given(st.lists(st.tuples(st.integers(0, 3), COUNTS), max_size=30), st.randoms())
def test_coefficient_ignores_the_order_of_counts(cells, random):
    def orders(cells):
        row, counts = np.array(cells).reshape(-1, 2).T
        return log_orders(row.astype(np.intp), counts, 4)

    shuffled = random.sample(cells, len(cells))
    lengths = [math.fsum(n for at, n in cells if at == row) for row in range(4)]
    expected = [
        math.lgamma(length + 1.0) - math.fsum(math.lgamma(n + 1.0) for at, n in cells if at == row)
        for row, length in enumerate(lengths)
    ]
    np.testing.assert_allclose(orders(cells), expected, rtol=1e-9, atol=1e-9 * (1.0 + max(lengths)))
    if all(n == round(n) for _, n in cells):
        assert orders(shuffled).tolist() == orders(cells).tolist()


@pytest.mark.parametrize("reading", READINGS)
def test_coefficient_changes_no_posterior(reading):
    plain = train(Words(reading=reading))
    counted = plain.believing(coefficient=True)
    np.testing.assert_allclose(counted.posterior({"x": ASKED}), plain.posterior({"x": ASKED}), rtol=1e-9)
    for text in ASKED:
        np.testing.assert_allclose(counted.log_joint(text), counted.log_joint({"x": [text]}), rtol=1e-12)


@pytest.mark.parametrize("reading", ["multinomial", "averaged", "dirichlet-multinomial"])
@pytest.mark.parametrize("length", [0, 1, 3])
def test_bags_of_one_length_sum_to_one(reading, length):
    model = train(Words(reading=reading, coefficient=True), ["aa aa bb", "cc aa", "bb"], ["k", "k", "l"])
    bags = [" ".join(bag) for bag in itertools.combinations_with_replacement(["aa", "bb", "cc"], length)]
    np.testing.assert_allclose(np.exp(model.evidence({"x": bags})["x"]).sum(axis=0), 1.0, rtol=1e-12)


def test_multinomial_and_poisson_closed_forms():
    model = train(Words(coefficient=True, alpha=0.0), ["aa aa bb", "bb cc"], ["k", "k"])
    expected = stats.multinomial(4, [2 / 5, 2 / 5, 1 / 5]).logpmf([2, 1, 1])
    assert model.evidence("aa bb cc aa")["x"][0, 0] == pytest.approx(expected, rel=1e-12)
    rates = stats.poisson([1.0, 1.0, 0.5]).logpmf([2, 1, 1]).sum()
    assert model.believing(reading="poisson").evidence("aa bb cc aa")["x"][0, 0] == pytest.approx(rates, rel=1e-12)


def test_unseen_words_and_missing_texts():
    model = train(Words(coefficient=True), ["aa bb", "aa"], ["k", "l"])
    said = model.evidence({"x": ["aa bb", "aa zork zork bb", None, ""]})["x"]
    np.testing.assert_allclose(
        said[0], math.log(2) + train(Words(), ["aa bb", "aa"], ["k", "l"]).evidence("aa bb")["x"][0]
    )
    np.testing.assert_allclose(said[1], said[0])
    assert said[2:].tolist() == [[0.0, 0.0], [0.0, 0.0]]


def test_binary_reading_counts_each_word_once():
    model = train(Words(coefficient=True, presence=True), ["aa bb", "cc"], ["k", "l"])
    plain = model.believing(coefficient=False)
    for reading in ("multinomial", "binary"):
        more = model.believing(reading=reading).log_joint("aa aa bb aa") - plain.believing(reading=reading).log_joint(
            "aa bb"
        )
        np.testing.assert_allclose(more, math.log(2), rtol=1e-12)
