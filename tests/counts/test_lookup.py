"""Counts looked up by name: slot, sum where there are several, and class."""

import numpy as np
import pytest

from one_column import train
from tallybayes import Bag, Categorical, Gaussian, Histogram, Model, Schema, Words
from tennis import tennis


def test_counts_are_indexed_by_slot_and_class():
    model = tennis()
    counts = model.counts("outlook")
    assert counts["sunny"]["yes"] == 2
    assert counts["overcast"] == {"no": 0, "yes": 4}
    assert {level: counts[level] for level in counts} == {
        "overcast": {"no": 0, "yes": 4},
        "rain": {"no": 2, "yes": 3},
        "sunny": {"no": 3, "yes": 2},
    }
    assert list(counts) == list(model.estimates("outlook"))
    assert "sunny" in counts
    assert "hail" not in counts
    assert model.counts()["yes"] == 9
    assert list(model.counts()) == ["no", "yes"]


def test_several_sums_are_indexed_before_the_class():
    numbers = train(Gaussian(), [1.0, 0.1, 0.2], ["a", "b", "b"]).counts("x")
    assert numbers["n"] == {"a": 1, "b": 2}
    assert numbers["x"] == {"a": 1, "b": 0.1 + 0.2}
    assert numbers["xx"]["a"] == 1
    assert list(numbers) == ["n", "x", "xx"]
    texts = train(Words(), ["aa bb aa", None, "bb"], ["k", "k", "l"]).counts("x")
    assert texts["aa"]["n"] == {"k": 2, "l": 0}
    assert texts["bb"]["documents"] == {"k": 1, "l": 1}
    assert texts["bb"]["share"]["l"] == 1
    assert list(texts) == ["aa", "bb"]
    vectors = Model.train(Schema({"x": Bag()}), np.array([[3.0, 0.0], [1.0, 2.5]]), ["k", "k"]).counts("x")
    assert (vectors[0]["x"]["k"], vectors[1]["x"]["k"], vectors[0]["n"]["k"]) == (4, 2.5, 2)


def test_counts_beyond_float_precision_are_integers():
    model = train(Categorical(), ["u", "u"], ["a", "a"], weights=[2.0**60, 1.0])
    assert model.counts("x")["u"]["a"] == 2**60 + 1
    half = train(Categorical(), ["u", "v"], ["a", "b"], weights=[0.5, 1.0])
    assert half.counts("x")["u"] == {"a": 0.5, "b": 0}


def test_unknown_name_is_an_error_that_suggests_the_nearest():
    counts = tennis().counts("outlook")
    with pytest.raises(KeyError, match=r"There are no counts of 'suny'\. Did you mean 'sunny'\? There are 'overcast'"):
        counts["suny"]
    with pytest.raises(KeyError, match=r"There are no counts of 'maybe'\. There are 'no', 'yes'\."):
        tennis().counts()["maybe"]
    with pytest.raises(KeyError, match="There are no counts of 'zz'"):
        train(Words(), ["aa"], ["k"]).counts("x")["zz"]
    with pytest.raises(KeyError, match=r"There are .*, …\."):
        train(Histogram(), np.arange(20.0), ["a"] * 20).counts("x")["one"]


def test_forgotten_level_is_gone():
    model = train(Categorical(), ["u", "v"], ["a", "b"])
    model -= train(Categorical(), ["v"], ["b"])
    assert list(model.counts("x")) == ["u"]
    texts = train(Words(), ["aa", "bb"], ["a", "b"])
    texts -= train(Words(), ["bb"], ["b"])
    assert "bb" not in texts.counts("x")
