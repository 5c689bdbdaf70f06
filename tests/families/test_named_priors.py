"""Priors name levels and classes as cells and labels do; impossible names are refused."""

import warnings
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

from tallybayes import Bag, Bernoulli, Categorical, MEstimate, Model, Schema, Words, digest

CELLS = [1, 1, 0, 1, None]


def estimates(family, cells, names):
    model = Model.train(Schema({"x": family}), {"x": cells}, ["a"] * len(cells))
    found = model.estimates("x")
    return [Fraction(found[name]["a"]).limit_denominator(1000) for name in names]


NAMES = [(1, 0), (True, False), ("1", "0"), ("true", "false"), ("yes", "no"), (" TRUE", "0.0")]
NAMES += [(1.0, Decimal("0.00")), (np.int64(1), np.float32(0)), (np.True_, np.False_)]


@pytest.mark.parametrize("names", NAMES)
@pytest.mark.parametrize("cells", [CELLS, [True, True, False, True, None], ["yes", "1", "no", "true", ""]])
def test_booleans_in_a_prior_are_named_as_in_cells(names, cells):
    yes, no = names
    assert estimates(Bernoulli(alpha={yes: 2, no: 5}), cells, ["true", "false"]) == [
        Fraction(5, 10 + 1),
        Fraction(6, 11),
    ]
    spread = Bernoulli(alpha=MEstimate(7, {yes: 0.25, no: 0.75}))
    assert estimates(spread, cells, ["true", "false"]) == [Fraction(19, 44), Fraction(25, 44)]


def test_equal_priors_are_equal_bytes_whatever_their_names():
    families = [Bernoulli(alpha=alpha) for alpha in ({1: 2, 0: 5}, {"false": 5, "true": 2}, {False: 5.0, True: 2.0})]
    models = [Model.train(Schema({"x": family}), {"x": CELLS}, ["a"] * 5) for family in families]
    assert len(set(map(digest, models))) == 1


@pytest.mark.parametrize("names", [(1, 2.5), ("1", "2.5"), (1.0, Decimal("2.50")), (np.int8(1), np.float64(2.5))])
def test_levels_in_a_prior_are_named_as_in_cells(names):
    one, other = names
    found = estimates(Categorical(alpha={one: 3, other: 1, "never": 2}), [1.0, 1.0, 2.5], ["1", "2.5", "never"])
    assert found == [Fraction(5, 9), Fraction(2, 9), Fraction(2, 9)]


def test_booleans_and_numbers_are_distinct_levels_in_a_prior():
    assert Categorical(alpha={True: 2, "1": 5}) == Categorical(alpha={"true": 2, 1: 5})


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Bernoulli(alpha={"tru": 2}), r"Bernoulli\(alpha=\{'tru': 2\}\): 'tru' is neither true nor false"),
        (lambda: Bernoulli(alpha={2: 1, 1: 1}), r"Bernoulli\(alpha=\{2: 1, …\}\): '2' is neither true nor false"),
        (lambda: Bernoulli(alpha={"": 2}), "'' is neither true nor false"),
        (lambda: Bernoulli(alpha=MEstimate(7, {"tru": 0.5, "false": 0.5})), "'tru' is neither true nor false"),
        (lambda: Bernoulli(alpha={1: 2, "true": 5}), "1 is counted as 'true' too; give one number for both"),
        (lambda: Categorical(alpha={1: 2, "1": 5}), "1 is counted as '1' too; give one number for both"),
        (lambda: MEstimate(7, {1: 0.5, "1": 0.5}), r"MEstimate\(p=.*1 is counted as '1' too"),
        (lambda: Categorical(alpha={None: 2}), "None is a missing cell, not a level"),
        (lambda: Categorical(alpha={float("nan"): 2}), "nan is a missing cell, not a level"),
        (lambda: Categorical(alpha={(1, 2): 2}), r"Categorical\(alpha=\{\(1, 2\): 2\}\): cells of type list"),
        (lambda: Categorical(levels=("a", "b"), alpha={"c": 1}), "'c' is not among the levels 'a', 'b'. Correct"),
        (lambda: Categorical(levels=("a", "b"), alpha=MEstimate(1, {"c": 1})), "'c' is not among the levels"),
        (lambda: Words(alpha={"Free": 1, "free": 2}), "'Free' is counted as 'free' too; give one number for both"),
        (lambda: Words(alpha={"the": 1}, stop_words=["the"]), "'the' is among the stop_words, which are not counted"),
        (lambda: Words(alpha={"foo": 1}, vocabulary=["bar"]), "'foo' is not in the vocabulary"),
        (lambda: Bag(alpha={"x": 1}), "'x' is not a position; positions are the numbers from 0"),
        (lambda: Bag(alpha={-1: 1}), "'-1' is not a position"),
        (lambda: Bag(alpha={4: 1}, size=4), "'4' is not a position; positions are the numbers from 0 to 3"),
    ],
)
def test_impossible_level_in_a_prior_is_refused(make, message):
    with pytest.raises(ValueError, match=message):
        make()


def test_impossible_belief_is_refused_later_too():
    model = Model.train(Schema({"x": Bernoulli()}), {"x": CELLS}, ["a"] * 5)
    assert model.believing(alpha={1: 2, 0: 5}).estimates("x")["true"]["a"] == pytest.approx(5 / 11)
    with pytest.raises(ValueError, match="'tru' is neither true nor false"):
        model.believing(alpha={"tru": 2})


def test_position_in_a_prior_exists_without_any_vector():
    model = Model.train(Schema({"x": Bag(alpha={0: 1, 3: 4})}), {"x": np.array([[2.0, 1.0]])}, ["a"])
    found = [model.estimates("x")[str(at)]["a"] for at in range(4)]
    assert found == pytest.approx([3 / 8, 1 / 8, 0.0, 4 / 8])
    sized = Model.train(Schema({"x": Bag(alpha={0: 1, 3: 4}, size=4)}), {"x": np.array([[2.0, 1.0, 0, 0]])}, ["a"])
    assert [sized.estimates("x")[str(at)]["a"] for at in range(4)] == pytest.approx(found)


def trained(prior, labels=("ham", "spam", "ham")):
    return Model.train(Schema({"x": Categorical()}, prior=prior), {"x": ["u", "v", "u"]}, list(labels))


def test_share_of_an_absent_class_goes_to_the_others_with_a_warning():
    model = trained({"ham": 0.5, "spam": 0.3, "phish": 0.2})
    with pytest.warns(UserWarning, match=r"no row has the class 'phish': a share of 0\.2 goes to the other classes"):
        assert model.prior() == pytest.approx({"ham": 5 / 8, "spam": 3 / 8})
    model += trained({"ham": 0.5, "spam": 0.3, "phish": 0.2}, ["phish", "spam", "ham"])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert model.prior() == pytest.approx({"ham": 0.5, "phish": 0.2, "spam": 0.3})
        assert trained({"ham": 0.5, "spam": 0.5, "phish": 0.0}).prior() == pytest.approx({"ham": 0.5, "spam": 0.5})


@pytest.mark.parametrize(
    ("prior", "labels", "message"),
    [
        ({"ham": 0.5, "spma": 0.5}, ["ham", "spam", "ham"], "for class 'spam'.*no row has the class 'spma'. Correct"),
        ({"ham": 1.0}, ["ham", "spam", "ham"], "for class 'spam'; it has {'ham': 1.0}. Add it to the prior"),
        ({"1": 0.5, "0": 0.5}, [1, 0, 1], "for class 0;.*no row has one of the classes '1', '0'. Correct the labels"),
    ],
)
def test_class_without_a_probability_is_an_error_that_names_unknown_ones(prior, labels, message):
    with pytest.raises(ValueError, match=message):
        trained(prior, labels).prior()
