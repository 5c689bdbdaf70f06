"""The linear view of words and vectors, with possibly infinite weights."""

import math

import numpy as np
import pytest
import scipy.sparse as sp

from mails import ASKED, DOCUMENTS, tokens, train
from tallybayes import Bag, Categorical, Model, Poisson, Schema, Words, digest

TEXTS = ["aa bb", "aa cc", "aa", "bb cc", "aa bb cc", "", "dd", "zork"]


def of_text(text):
    return {"x": {word: text.split().count(word) for word in text.split()}}


@pytest.mark.parametrize("reading", ["multinomial", "binary", "averaged", "bernoulli", "poisson"])
@pytest.mark.parametrize("alpha", [0.0, 1.0])
@pytest.mark.parametrize("prior", ["frequencies", {"k": 0.9, "l": 0.1}])
def test_linear_view_of_words_equals_the_model_where_defined(reading, alpha, prior):
    """With α = 0 every document of k has 'aa', and only those of l have 'cc'."""
    schema = Schema({"x": Words(reading=reading, alpha=alpha, vocabulary=("aa", "bb", "cc", "dd"))}, prior=prior)
    model = Model.train(schema, {"x": ["aa bb", "aa", "aa aa cc", "cc bb"]}, ["k", "k", "l", "l"])
    view, joint = model.linear("k"), model.log_joint({"x": TEXTS})
    for text, (one, other) in zip(TEXTS, joint, strict=True):
        features = of_text(text)
        if reading in ("binary", "bernoulli"):
            features = {"x": dict.fromkeys(features["x"], 1)}
        if np.isfinite([one, other]).any():
            assert view.log_odds(features) == pytest.approx(one - other, rel=1e-12, abs=1e-12)
        else:
            assert np.isfinite(view.log_odds(features))
    assert view.log_odds({}) == view.prior


def test_word_in_every_document_of_a_class_rules_out_texts_without_it():
    schema = Schema({"x": Words(reading="bernoulli", alpha=0.0)})
    model = Model.train(schema, {"x": ["aa bb", "aa", "bb", "bb cc"]}, ["k", "k", "l", "l"])
    view = model.linear("k")
    assert view.absent["x"] == {"aa": -math.inf, "bb": math.inf}
    assert (view.weights["x"]["aa"], view.weights["x"]["cc"]) == (math.inf, -math.inf)
    assert view.log_odds(of_text("aa")) == math.inf
    assert view.log_odds(of_text("bb")) == -math.inf
    assert view.log_odds(of_text("")) == view.prior  # neither class has such a document
    other = model.linear("l")
    assert other.absent["x"] == {"aa": math.inf, "bb": -math.inf}


def test_word_in_every_document_rules_out_neither_class():
    model = Model.train(Schema({"x": Words(reading="bernoulli", alpha=0.0)}), {"x": ["aa bb", "aa"]}, ["k", "l"])
    assert model.linear("k").absent["x"] == {"bb": -math.inf}


@pytest.mark.parametrize("form", [np.array, sp.csr_array])
def test_linear_view_of_vectors_without_smoothing_is_never_nan(form):
    matrix = np.array([[1.0, 1.0, 0.0], [1.0, 0.0, 0.0], [1.0, 0.0, 1.0], [0.0, 1.0, 1.0]])
    model = Model.train(Schema({"x": Bag(reading="bernoulli", alpha=0.0)}), form(matrix), ["k", "k", "l", "l"])
    view = model.linear("k")
    asked = np.array(list(np.ndindex(2, 2, 2)), float)
    for vector, (one, other) in zip(asked, model.log_joint(form(asked)), strict=True):
        found = view.log_odds({"x": {str(i): value for i, value in enumerate(vector)}})
        expected = one - other if np.isfinite([one, other]).any() else view.prior
        assert found == pytest.approx(expected, rel=1e-12, abs=1e-12)


def test_zero_times_infinite_weight_is_zero():
    schema = Schema({"x": Categorical(alpha=0.0), "y": Poisson(shape=0.0, rate=0.0, plugin=True)})
    model = Model.train(schema, {"x": ["u", "v", "w"], "y": [0, 2, 3]}, ["a", "b", "b"])
    view = model.linear("a")
    assert view.log_odds({"y": {"x": 0}}) == pytest.approx(view.prior + 2.5)
    assert view.log_odds({"y": {"x": 1}}) == -math.inf
    assert view.log_odds({"x": {"u": 1, "v": 0}, "y": {"x": 0}}) == math.inf
    with pytest.raises(KeyError, match="z"):
        view.log_odds({"z": {"u": 1}})


@pytest.mark.parametrize("reading", ["multinomial", "averaged", "bernoulli", "poisson", "complement"])
def test_linear_view_of_text_equals_the_scores(reading):
    model = train(Words(reading=reading))
    linear = model.linear("spam")
    joint = model.log_joint(ASKED)
    for text, row in zip(ASKED, joint, strict=True):
        words = [word for word in tokens(text) if word in linear.weights["x"]]
        words = set(words) if reading == "bernoulli" else words
        score = linear.intercept + sum(linear.weights["x"][word] for word in words)
        assert score == pytest.approx(row[1] - row[0], rel=1e-12, abs=1e-12)


def test_one_against_the_rest():
    labels = ["spam", "work", "spam", "home", "spam", "work", "home"]
    model = train(Words(), DOCUMENTS, labels)
    linear, merged = model.linear("home"), model.against_rest("home")
    expected = train(Words(), DOCUMENTS, [label == "home" for label in labels])
    assert digest(merged) == digest(expected)
    for text, (rest, home) in zip(ASKED, merged.log_joint(ASKED), strict=True):
        words = [word for word in tokens(text) if word in linear.weights["x"]]
        score = linear.intercept + sum(linear.weights["x"][word] for word in words)
        assert score == pytest.approx(home - rest, rel=1e-12)


def test_dirichlet_multinomial_is_not_linear_and_says_why():
    with pytest.raises(TypeError, match="a word's second occurrence is weaker evidence"):
        train(Words(reading="dirichlet-multinomial")).linear("spam")
