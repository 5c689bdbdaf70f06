"""reading="auto": a weighted mix of text models, against plain loops, and edge cases."""

import math
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import reference
from examples import some
from mails import ASKED, DOCUMENTS, train
from tallybayes import Mix, Model, Words
from tallybayes.counts.tally import Rows
from tallybayes.families.left_out import one_by_one
from tallybayes.families.text.mix import block_count
from tallybayes.testing import check_belief, check_family
from tallybayes.testing.laws import left_out_is_trained_without

WORD = st.sampled_from(["aa", "bb", "cc", "dd", "ee"])
TEXT = st.lists(WORD, max_size=8).map(" ".join)
NINE = st.lists(st.floats(-2.0, 2.0), min_size=9, max_size=9).map(tuple)
MIX = st.builds(
    Mix, st.tuples(NINE, NINE), st.floats(0.0, 1.0), st.floats(0.05, 5.0), st.just(1.0), st.floats(0.5, 9.0)
)


def tokens(text):
    return reference.runs(reference.words_of(text), 1, 2)


def unusual(**changes):
    rng = np.random.default_rng(3)
    theta = tuple(tuple(row) for row in rng.normal(size=(2, 9)).round(2).tolist())
    return Mix(**{"theta": theta, "gamma": 0.4, "a": 0.5, "p": 0.7, "length": 5.0, **changes})


@pytest.mark.slow
@pytest.mark.parametrize(
    "family",
    [
        Words(reading="auto"),
        Words(reading="auto", ngrams=2, alpha=0.3),
        Words(reading="auto", ngrams=2, mix=unusual()),
        Words(reading="auto", unit="characters", ngrams=(1, 3), presence=True),
        Words(reading="auto", ngrams=2, characters=(2, 3), shortest=1, punctuation=True),
        Words(reading="auto", vocabulary=("ab", "ba"), unknown=True, shortest=1),
    ],
    ids=repr,
)
def test_auto_obeys_the_laws(family):
    check = check_family if family.characters else check_belief  # other readings count the rest
    check(family, st.text(st.sampled_from("abAB é'ΣΣ_1.İß\n"), max_size=12), examples=20)


def test_rounding_is_no_information():
    """Its root was, and told a row left out from a model that never saw it."""
    family = Words(reading="auto", vocabulary=("ab", "ba"), unknown=True, shortest=1)
    rows = [("1", "a", 0.1), ("", "a", 3.0), ("ab", "c", 1.0), ("1 ab", "b", 0.1), ("1", "c", 1.0)]
    left_out_is_trained_without(family, rows, weighted=True)


@pytest.mark.slow
@pytest.mark.parametrize("width", [2, 3, 12])
@settings(max_examples=some(100))
@given(st.data())
def test_scores_equal_the_loops(width, data):
    classes = [f"c{i:02}" for i in range(width)]
    rows = data.draw(st.lists(st.tuples(TEXT, st.sampled_from(classes)), min_size=1, max_size=12))
    rows += [("aa bb", label) for label in classes]
    texts, labels = zip(*rows, strict=True)
    mix, asked = data.draw(MIX), data.draw(st.lists(TEXT, min_size=1, max_size=4))
    model = train(Words(reading="auto", ngrams=2, mix=mix), list(texts), list(labels))
    counts = reference.mixed_counts(map(tokens, texts), labels, classes)
    scales = reference.mixed_scales(counts)
    pieces = [reference.mixed_pieces(counts, scales, classes, tokens(text), mix.a) for text in asked]
    expected = [reference.mixed(*found, classes, mix) for found in pieces]
    np.testing.assert_allclose(
        model.evidence({"x": asked})["x"], expected, rtol=1e-9, atol=1e-6
    )  # √ of the rounding error


def test_default_mix_is_smoothed_by_alpha():
    model = train(Words(reading="auto", alpha=0.25))
    shares = (0.0,) * 6 + (1.8, 0.0, 0.0)
    told = model.believing(mix=Mix((shares,), gamma=0.6, a=0.25), alpha=7.0)
    assert np.array_equal(model.log_joint({"x": ASKED}), told.log_joint({"x": ASKED}))
    assert np.array_equal(told.believing(mix=None, alpha=0.25).log_joint({"x": ASKED}), model.log_joint({"x": ASKED}))


def test_lists_of_columns_omit_the_fitted_mix():
    family = Words(reading="auto", mix=Mix(((0.0,) * 6 + (1.8, 0.0, 0.0),), gamma=0.6, a=0.25))
    assert "mix=Mix(" in repr(family)
    assert family.brief == "Words(reading='auto')"


def spelled(text, low=2, high=3):
    """The character n-grams of a text's words, with a space before and after each word."""
    joined = f" {' '.join(reference.words_of(text))} " if reference.words_of(text) else ""
    return ["\3" + joined[i : i + n] for n in range(low, high + 1) for i in range(len(joined) - n + 1)]


@given(st.lists(TEXT, min_size=1, max_size=8), MIX, NINE)
def test_characters_are_a_separate_block(texts, mix, theta):
    labels = ["ham", "spam"] * len(texts)
    texts = [*texts, *reversed(texts)][: len(labels)]
    mix = replace(mix, theta=(*mix.theta, theta))
    model = train(Words(reading="auto", ngrams=2, characters=(2, 3), mix=mix), texts, labels[: len(texts)])
    words = [[*tokens(text), *spelled(text)] for text in texts]
    counts = reference.mixed_counts(words, labels[: len(texts)], ["ham", "spam"])
    scales = reference.mixed_scales(counts)
    asked = ["aa bb", "cc ee aa", texts[0]]
    pieces = [
        reference.mixed_pieces(counts, scales, ["ham", "spam"], [*tokens(text), *spelled(text)], mix.a)
        for text in asked
    ]
    expected = [reference.mixed(*found, ["ham", "spam"], mix) for found in pieces]
    np.testing.assert_allclose(model.evidence({"x": asked})["x"], expected, rtol=1e-9, atol=1e-6)


@pytest.mark.parametrize("ngrams", [1, 2])
def test_evidence_of_words_adds_up(ngrams):
    model = train(Words(reading="auto", ngrams=ngrams, mix=unusual() if ngrams == 2 else None))
    evidence = model.evidence({"x": ASKED})
    for row in range(len(ASKED)):
        said = [part.evidence for part in evidence.words(row)]
        np.testing.assert_allclose(np.sum(said, axis=0) if said else 0.0, evidence["x"][row], atol=1e-12)
        assert "" not in [part.word for part in evidence.words(row)]
    assert [part.times for part in evidence.words(0) if part.word == "money"] == [2]


def test_heaviest_words_and_parameter_count():
    model = train(Words(reading="auto"))
    assert {weight.word for weight in model.words("spam", 2)} <= {"free", "money", "claim"}
    assert set(model.estimates("x")) == set(train(Words()).estimates("x"))
    assert model.parameter_count()
    with pytest.raises(TypeError, match="has no posterior"):
        model.parameters("x", "spam")


def test_evidence_of_characters_is_assigned_to_their_words():
    model = train(Words(reading="auto", characters=(2, 4)))
    evidence = model.evidence({"x": ["free monney monney", "", None, "free"]})
    words = evidence.words()
    assert [(part.word, part.times) for part in words] == [("free", 1), ("monney", 2)]
    for row in range(4):
        said = [part.evidence for part in evidence.words(row)]
        np.testing.assert_allclose(np.sum(said, axis=0) if said else 0.0, evidence["x"][row], atol=1e-12)
    assert {weight.word for weight in model.words("spam", 2)} <= {"free", "money", "claim"}
    drawn = model.sample(200, seed=1).rows["x"].to_pylist()
    assert {word for text in drawn for word in text.split()} <= set(train(Words()).estimates("x"))
    lengths = [len(text.split()) for text in DOCUMENTS if text]
    assert abs(np.mean([len(text.split()) for text in drawn]) - np.mean(lengths)) < 1.5


@pytest.mark.parametrize(
    ("settings", "why"),
    [
        ({"characters": (0, 3)}, "from 1 to 8 characters"),
        ({"characters": (2, 9)}, "from 1 to 8 characters"),
        ({"characters": "23"}, "from 1 to 8 characters"),
        ({"characters": (2, 3), "unit": "characters"}, "leave characters=None"),
        ({"characters": (2, 3), "vocabulary": ("a",)}, "leave characters=None"),
        ({"characters": (2, 3), "mix": unusual()}, "3 lengths of n-grams, since ngrams=.* and characters"),
    ],
)
def test_invalid_characters_setting_is_refused(settings, why):
    with pytest.raises(ValueError, match=why):
        Words(**{"reading": "auto", "ngrams": 2, **settings})


def test_linear_view_is_refused():
    with pytest.raises(TypeError, match="depends on the length of the text"):
        train(Words(reading="auto")).linear("spam")


def test_samples_are_those_of_the_multinomial():
    model = train(Words(reading="auto"))
    assert model.sample(20, seed=1).rows.equals(model.believing(reading="multinomial").sample(20, seed=1).rows)
    with pytest.raises(TypeError, match="overlapping n-grams"):
        train(Words(reading="auto", ngrams=(2, 3))).sample(1, seed=1)


@pytest.mark.parametrize(("unit", "space"), [("words", " "), ("characters", "")])
def test_samples_with_ngrams_have_single_words_of_typical_length(unit, space):
    texts = [["a", "b"], ["b", "b", "c"], ["c"], [], ["a", "b", "c", "d", "e"]]
    family = Words(unit=unit, ngrams=3, shortest=1)
    model = train(family, [space.join(text) for text in texts], ["k"] * 5)
    rows, _ = model.sample(4000, seed=1)
    drawn = [text.split() if space else list(text) for text in rows["x"].to_pylist()]
    lengths = np.bincount([len(words) for words in drawn], minlength=6) / 4000
    np.testing.assert_allclose(lengths, [0.2, 0.2, 0.2, 0.2, 0, 0.2], atol=0.03)
    words = [word for text in drawn for word in text]
    p = np.array([words.count(word) for word in "abcde"]) / len(words)
    np.testing.assert_allclose(p, np.array([3, 5, 4, 2, 2]) / 16, atol=0.02)


def test_uninformative_texts_get_the_prior():
    model = train(Words(reading="auto", ngrams=2))
    prior = np.tile(list(model.prior().values()), (3, 1))
    np.testing.assert_allclose(model.posterior({"x": ["", "zork unmet", None]}), prior)
    assert model.evidence({"x": ["", None]})["x"].tolist() == [[0.0, 0.0], [0.0, 0.0]]


def test_single_class_and_class_without_texts():
    alone = train(Words(reading="auto"), ["aa bb", "aa"], ["k", "k"])
    assert alone.posterior({"x": ["aa", ""]}).tolist() == [[1.0], [1.0]]
    for width in (2, 3):
        labels = ["a", "b", "c"][:width]
        model = train(Words(reading="auto", ngrams=2), ["aa bb", *[None] * (width - 1)], labels)
        found = model.posterior({"x": ["aa bb", "bb"]})
        assert np.isfinite(found).all()
        assert (found[:, 0] > 1 / width - 1e-12).all()


def test_ignored_words_are_uninformative():
    model = train(Words(reading="auto", min_count=2.0))
    assert model.evidence("agenda")["x"].tolist() == [[0.0, 0.0]]
    limited = train(Words(reading="auto", limit=1))
    assert limited.belief("x").words() == ["money"]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"mix": Mix(((0.0,) * 9,))}, "a Mix of 2 lengths of n-grams, since ngrams=\\(1, 2\\)"),
        ({"mix": 3}, "mix must be a Mix, or None"),
        ({"alpha": {"aa": 1.0}}, "smooths all words equally"),
    ],
)
def test_invalid_mix_is_refused(given, said):
    with pytest.raises(ValueError, match=said):
        Words(reading="auto", ngrams=2, **given)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"theta": ((1.0,),)}, "9 numbers for each length of n-grams"),
        ({"theta": "nine"}, "9 numbers for each length of n-grams"),
        ({"gamma": 2.0}, "gamma must be a number from 0 to 1"),
        ({"a": 0.0}, "a must be a number from 1e-10"),
        ({"p": -1.0}, "p must be a number from 0"),
        ({"length": math.nan}, "length must be a number from"),
    ],
)
def test_mix_values_have_bounds(given, said):
    with pytest.raises(ValueError, match=said):
        Mix(**{"theta": ((0.0,) * 9,), **given})


def test_class_without_texts_changes_nothing():
    texts, labels = ["aa bb", "cc", "aa"], ["a", "b", "a"]
    plain = train(Words(reading="auto"), texts, labels)
    more = train(Words(reading="auto"), [*texts, None], [*labels, "c"])
    assert np.array_equal(more.evidence({"x": texts})["x"][:, :2], plain.evidence({"x": texts})["x"])


@pytest.mark.slow
@pytest.mark.parametrize(
    "settings_",
    [
        {},
        {"ngrams": 2},
        {"ngrams": 2, "characters": (2, 3)},
        {"ngrams": (2, 3), "alpha": 0.3},
        {"presence": True},
        {"vocabulary": ("aa", "bb", "zz"), "unknown": True},
        {"unit": "characters", "ngrams": (1, 3)},
    ],
    ids=repr,
)
@settings(max_examples=some(100))
@given(st.data())
def test_left_out_equals_counting_without_the_text(settings_, data):
    family = Words(reading="auto", **settings_)
    if data.draw(st.booleans()):
        theta = data.draw(st.lists(NINE, min_size=block_count(family), max_size=block_count(family)).map(tuple))
        family = replace(family, mix=data.draw(MIX.map(lambda mix: replace(mix, theta=theta))))
    row = st.tuples(st.none() | TEXT, st.sampled_from("pqr"), st.sampled_from([1.0, 2.0, 0.75]))
    texts, labels, weights = map(list, zip(*data.draw(st.lists(row, min_size=1, max_size=14)), strict=True))
    model = Model.train({"x": family}, {"x": pa.array(texts, pa.string())}, labels, weights=weights)
    cells, keys = family.encode(pa.array(texts, pa.string())), model.keys()
    rows = Rows(keys, np.array([keys.index(label) for label in labels], np.int32), np.array(weights))
    slow = one_by_one(family, model.columns["x"], keys)(cells, rows)
    fast = family.left_out(model.columns["x"], keys)(cells, rows)
    np.testing.assert_allclose(fast, slow, rtol=1e-9, atol=1e-6)  # √ of the rounding error
