"""The heaviest evidence for a class: log-odds in closed form, over columns of every kind."""

import math

import numpy as np
import pytest

from tallybayes import Bag, Bernoulli, Categorical, Density, Each, Gaussian, Histogram, Model, Poisson, Schema, Words
from tallybayes.model.heaviest import Weight, heaviest

FRAME = {
    "text": ["free prize now", "free free", "see you now", "see you", "hello now"],
    "city": ["Rome", "Rome", "Oslo", "Oslo", "Rome"],
    "paid": [True, True, False, None, False],
    "age": [1.0, 2.0, 9.0, 10.0, 10.0],
    "calls": [1, 2, 3, 4, 5],
}
LABELS = ["spam", "spam", "ham", "ham", "work"]
SCHEMA = Schema(
    {
        "text": Words(),
        "city": Categorical(),
        "paid": Bernoulli(),
        "age": Histogram(intervals=3),
        "calls": Poisson(),
    }
)
MODEL = Model.train(SCHEMA, FRAME, LABELS)


def against(spam, ham, work):
    """Log-odds for spam against the others, weighted two to one."""
    return math.log(spam) - math.log(2 / 3 * ham + 1 / 3 * work)


def test_log_odds_equal_the_closed_form():
    assert heaviest(MODEL, "spam") == [
        Weight("text", "free", 3.0, pytest.approx(against(4 / 11, 1 / 11, 1 / 8))),  # of 5, 5 and 2 words
        Weight("age", "[1, 4)", 2.0, pytest.approx(against(3 / 5, 1 / 5, 1 / 4))),
        Weight("paid", "true", 2.0, pytest.approx(against(3 / 4, 1 / 3, 1 / 3))),
        Weight("city", "Rome", 2.0, pytest.approx(against(3 / 4, 1 / 4, 2 / 3))),
        Weight("text", "prize", 1.0, pytest.approx(against(2 / 11, 1 / 11, 1 / 8))),
    ]


def test_words_have_the_models_weights():
    for label in MODEL.classes:
        said = [Weight("text", *word) for word in MODEL.words(label) if word.n > 0 and word.log_odds > 0]
        assert heaviest(MODEL, label, column="text") == [
            Weight(weight.column, weight.value, weight.n, pytest.approx(weight.log_odds)) for weight in said
        ]


def test_limit_takes_the_first():
    for top in range(8):
        assert heaviest(MODEL, "spam", top) == heaviest(MODEL, "spam")[:top]
    merged = [weight for name in SCHEMA.columns for weight in heaviest(MODEL, "spam", column=name)]
    assert sorted(merged, key=lambda weight: -weight.log_odds) == heaviest(MODEL, "spam")


@pytest.mark.parametrize("alpha", [0.0, 0.5, 1.0, "fitted"])
def test_levels_use_their_beliefs(alpha):
    random = np.random.default_rng(5)
    labels = random.choice(["a", "b", "c"], 400, p=[0.2, 0.3, 0.5])
    levels = [f"{label} {number}" for label, number in zip(labels, random.integers(0, 3, 400), strict=True)]
    cells = [level if random.random() < 0.5 else "z" for level in levels]
    model = Model.train({"u": Categorical(alpha=alpha)}, {"u": cells}, labels)
    prior, believed = model.prior(), model.estimates("u")
    counts = {level: sum(pair == (level, "b") for pair in zip(cells, labels, strict=True)) for level in believed}
    wanted = {}
    for level, p in believed.items():
        others = (prior["a"] * p["a"] + prior["c"] * p["c"]) / (prior["a"] + prior["c"])
        odds = math.inf if others == 0 else math.log(p["b"] / others) if p["b"] else -math.inf
        if odds > 0 and counts[level]:
            wanted[level] = odds
    found = heaviest(model, "b")
    assert {weight.value: weight.log_odds for weight in found} == pytest.approx(wanted)
    assert {weight.value: weight.n for weight in found} == {level: counts[level] for level in wanted}


def test_unseen_words_are_skipped_whatever_their_weight():
    frame = {"u": ["a"] * 5 + ["b"] * 95 + ["a"] * 2 + ["c"] * 2}
    model = Model.train({"u": Categorical(levels=("d", "e", "f"))}, frame, ["big"] * 100 + ["small"] * 4)
    known = model.belief("u").heaviest(1, np.log([0.5, 0.5]), 6)
    assert [(word.word, word.n) for word in known] == [("c", 2), ("d", 0), ("e", 0), ("f", 0), ("a", 2), ("b", 0)]
    assert heaviest(model, "small", 2) == [
        Weight("u", "c", 2.0, pytest.approx(math.log(3 / 10) - math.log(1 / 106))),
        Weight("u", "a", 2.0, pytest.approx(math.log(3 / 10) - math.log(6 / 106))),
    ]
    assert heaviest(model, "small", 3) == heaviest(model, "small", 2)


def test_numbers_have_no_values_to_list():
    columns = {"x": Gaussian(), "d": Density(), "p": Poisson(), "v": Each(Gaussian())}
    frame = {"x": [1.0, 2.0], "d": [1.0, 2.0], "p": [1, 2], "v": np.eye(2)}
    model = Model.train(columns, frame, ["a", "b"])
    assert heaviest(model, "a") == []
    assert heaviest(model, "a", column="x") == []


def test_vector_positions_are_named_by_number():
    model = Model.train({"v": Bag()}, {"v": np.array([[0, 3.0], [2.0, 0]])}, ["a", "b"])
    assert heaviest(model, "a") == [Weight("v", "1", 3.0, pytest.approx(math.log(4 / 5) - math.log(1 / 4)))]


def test_single_class_and_impossible_classes():
    assert heaviest(Model.train({"u": Categorical()}, {"u": ["a"]}, ["only"]), "only") == []
    for prior in ({"a": 1.0, "b": 0.0}, {"a": 0.0, "b": 1.0}):
        model = Model.train(Schema({"u": Categorical()}, prior=prior), {"u": ["v", "w"]}, ["a", "b"])
        assert heaviest(model, "a") == [Weight("u", "v", 1.0, pytest.approx(math.log(2.0)))]
        texts = Model.train(Schema({"t": Words()}, prior=prior), {"t": ["vv", "ww"]}, ["a", "b"])
        assert texts.words("a")[0].log_odds == pytest.approx(math.log(2.0))


def test_unknown_names_are_errors():
    with pytest.raises(ValueError, match="There is no class 'eggs'; the classes are 'ham', 'spam', 'work'"):
        heaviest(MODEL, "eggs")
    with pytest.raises(ValueError, match="There is no column 'town'; there are 'text'"):
        heaviest(MODEL, "spam", column="town")
    with pytest.raises(ValueError, match="top=-1: give a whole number"):
        heaviest(MODEL, "spam", -1)
    with pytest.raises(ValueError, match="has counted no rows"):
        heaviest(Model(SCHEMA), "spam")
