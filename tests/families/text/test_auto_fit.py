"""Fitting the mix of reading="auto" on left-out documents, independent of their order."""

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import reference
from examples import some
from mails import train
from tallybayes import Categorical, Words, weigh
from tallybayes.counts.tally import Rows
from tallybayes.families.text.corpus import Corpus
from tallybayes.families.text.left_out_documents import left_out_documents
from tallybayes.families.text.mix import Mix, usual_mix
from tallybayes.families.text.mix_fit import PieceMaker, Problem, fit_words
from tallybayes.families.text.word_statistics import seen_words
from tallybayes.families.text.word_tally import FIELDS

pytestmark = pytest.mark.slow

PAIRS = Words(reading="auto", ngrams=2)
TEXT = st.lists(st.sampled_from(["aa", "bb", "cc", "dd"]), max_size=6).map(" ".join)


def made_up(rows=400, width=2, seed=0):
    """Texts with weakly informative words and some wrong labels."""
    random = np.random.default_rng(seed)
    words = np.array([f"w{i}" for i in range(60)])
    texts, labels = [], []
    for _ in range(rows):
        label = int(random.integers(width))
        p = np.ones(60)
        p[label * 5 : label * 5 + 5] = 6.0
        texts.append(" ".join(random.choice(words, random.integers(2, 20), p=p / p.sum())))
        labels.append("abcdefgh"[label if random.random() > 0.1 else int(random.integers(width))])
    return texts, labels


def rows_of(labels, weights=None):
    classes = sorted(set(labels))
    return Rows(classes, np.array([classes.index(label) for label in labels], np.int32), weights)


def fit(texts, labels, family=PAIRS, weights=None, model=None):
    model = model or train(family, texts, labels, weights=weights)
    rows = rows_of(labels, None if weights is None else np.array(weights))
    return family.fit_left_out(model.columns["x"], family.encode(pa.array(texts)), rows, model.keys())[0]


def loss(model, texts, labels):
    at = [model.classes.index(label) for label in labels]
    return -np.log(model.posterior({"x": texts})[np.arange(len(at)), at]).mean()


def left_out(texts, labels, family=PAIRS, a=1.0):
    """The components of all these documents, each left out."""
    model = train(family, texts, labels)
    keys = model.keys()
    seen = seen_words(family, Corpus.of(model.columns["x"], keys, FIELDS, None))
    documents, _ = left_out_documents(family, family.encode(pa.array(texts)), rows_of(labels), keys, seen)
    return PieceMaker(family, seen)(documents, a)


@pytest.mark.parametrize("width", [2, 3])
@settings(max_examples=some(100))
@given(st.data())
def test_leave_one_out_excludes_the_text(width, data):
    classes = "abc"[:width]
    rows = data.draw(st.lists(st.tuples(TEXT, st.sampled_from(classes)), min_size=2, max_size=8))
    rows += [("aa bb cc", label) for label in classes] + [("dd aa", label) for label in classes]
    texts, labels = map(list, zip(*rows, strict=True))
    found = left_out(texts, labels)
    tokens = [reference.runs(reference.words_of(text), 1, 2) for text in texts]
    scales = reference.mixed_scales(reference.mixed_counts(tokens, labels, classes))
    expected = []
    for row in set(rows):
        text, own = row
        others = [i for i in range(len(rows)) if i != rows.index(row)]
        counts = reference.mixed_counts([tokens[i] for i in others], [labels[i] for i in others], classes)
        asked = reference.runs(reference.words_of(text), 1, 2)
        pieces, known = reference.mixed_pieces(counts, scales, classes, asked, 1.0)
        said = [pieces[c, *piece] for c in classes for piece in np.ndindex(2, 3, 3)]
        held = [rows.count(row) if c == own else 0 for c in classes]
        expected.append([*held, known, *said])
    got = np.concatenate([found.held, found.lengths[:, None], found.values.reshape(len(found.held), -1)], axis=1)
    order = [sorted(map(tuple, np.round(table, 5).tolist())) for table in (got, np.array(expected))]
    np.testing.assert_allclose(*order, atol=3e-5)


@pytest.mark.parametrize("width", [2, 3])
def test_copies_are_left_out_by_their_weight(width):
    """With one base and γ = 0, the scales exclude the row too: the same as trained without it."""
    texts, labels = made_up(40, width)
    texts, labels = [*texts, *["w1 w2 w9"] * 6], [*labels, *"abcdefgh"[:width] * 3][: 40 + 6]
    weights = 1.0 + np.arange(46) % 3
    mix = Mix(theta=((0.5, 0.25, 0.125, 0, 0, 0, 0, 0, 0),) * 2, a=0.7)
    family, model = replace(PAIRS, mix=mix), train(PAIRS, texts, labels, weights=weights)
    seen = seen_words(PAIRS, Corpus.of(model.columns["x"], model.keys(), FIELDS, None))
    cells, rows = PAIRS.encode(pa.array(texts)), rows_of(labels, weights)
    documents, of_row = left_out_documents(PAIRS, cells, rows, model.keys(), seen)
    assert documents.held.sum() == weights.sum()
    found = PieceMaker(PAIRS, seen).evidence(documents, mix)[of_row]
    for row in range(46):
        left = [i for i in range(46) if i != row]
        rest = train(family, [texts[i] for i in left], [labels[i] for i in left], weights=weights[left])
        np.testing.assert_allclose(found[row], rest.evidence({"x": [texts[row]]})["x"][0], rtol=1e-9)


@pytest.mark.parametrize("width", [2, 4])
def test_order_does_not_change_the_mix(width):
    texts, labels = made_up(width=width)
    texts[7], labels[7] = texts[3], labels[3]
    found = fit(texts, labels)
    assert found.mix is not None
    order = np.random.default_rng(1).permutation(len(texts))
    half = len(texts) // 2
    parts = train(PAIRS, texts[half:], labels[half:]) + train(PAIRS, texts[:half], labels[:half])
    shuffled = [texts[i] for i in order], [labels[i] for i in order]
    assert fit(*shuffled) == found == fit(*shuffled, model=parts)


@pytest.mark.parametrize(("rows", "width"), [(40, 2), (400, 2), (400, 4)])
def test_fit_is_never_worse_than_the_default_mix(rows, width):
    texts, labels = made_up(rows, width)
    mix = fit(texts, labels).mix
    usual = left_out(texts, labels).loss(usual_mix(PAIRS, 1.0, width))
    assert left_out(texts, labels, a=mix.a).loss(mix) <= usual


def test_fitted_mix_improves_on_new_texts():
    texts, labels = made_up(600)
    new, truth = made_up(600, seed=1)
    model = train(PAIRS, texts, labels)
    fitted = model.believing({"x": fit(texts, labels)})
    assert loss(fitted, new, truth) < loss(model, new, truth)


def test_words_that_hardly_recur_are_not_relied_upon():
    """Left out, few texts have a word that others have; in a new text, every word of the others is known."""
    random = np.random.default_rng(3)
    names = ["".join(random.choice(list("abcdefghij"), 7)) for _ in range(400)]
    texts = [f"{name} first{i // 3}" if i < 30 else name for i, name in enumerate(names)]
    labels = random.choice(["a", "b"], 400, p=[0.4, 0.6]).tolist()
    family = Words(reading="auto", shortest=1)
    said = train(fit(texts, labels, family), texts, labels).posterior({"x": names})
    assert said.max() < 0.9


@pytest.mark.parametrize(("words", "rows"), [(7, 200), (7, 3000), (12, 300), (500, 300), (500, 1000)])
def test_texts_without_information_predict_nothing(words, rows):
    """Pieces of opposite sign would cancel all but the trace of a document's own words, which are left out."""
    random = np.random.default_rng(words)
    texts = [" ".join(f"w{i}" for i in random.integers(words, size=6)) for _ in range(rows + 1000)]
    labels = random.choice(["a", "b"], rows + 1000).tolist()
    family = replace(PAIRS, characters=(2, 5))
    model = weigh(train(family, texts[:rows], labels[:rows]), {"x": texts[:rows]}, labels[:rows])
    assert loss(model, texts[rows:], labels[rows:]) < np.log(2.0) + 0.02


def test_gradient_equals_finite_differences():
    random = np.random.default_rng(0)
    held = np.eye(4)[random.integers(0, 4, 10)] * 1.5
    problem = Problem(
        random.normal(size=(40, 5)), random.normal(size=(10, 4)), held, random.normal(size=10), held[0], 0.5
    )
    problem = replace(problem, usual=random.normal(size=5))
    x, step = np.append(random.normal(size=5), [0.7, 0.3]), 1e-6
    slopes = [(problem(x + step * e)[0] - problem(x - step * e)[0]) / (2 * step) for e in np.eye(7)]
    np.testing.assert_allclose(problem(x)[1], slopes, atol=1e-7)


def test_weights_count_as_rows():
    texts, labels = made_up(100)
    texts += [f"{text} w0" for text in texts[:20]] + texts[:5]  # some in several classes
    labels += labels[:20] + labels[5:10]
    twice = weigh(train(PAIRS, texts * 2, labels * 2), {"x": texts * 2}, labels * 2)
    assert twice == weigh(train(PAIRS, texts, labels, weights=[2.0] * 125), {"x": texts}, labels, weights=[2.0] * 125)


@pytest.mark.parametrize(
    ("texts", "labels"),
    [
        (["aa bb"], ["k"]),
        (["aa", "bb"], ["k", "l"]),
        (["aa bb cc"] * 50, ["k"] * 50),
        (["", None] * 30, ["k", "l"] * 30),
        (["aa bb"] * 50 + ["cc"] * 50, ["k", "l"] * 50),
    ],
)
def test_nothing_to_learn_changes_nothing(texts, labels):
    assert fit(texts, labels).mix is None


def test_edge_cases():
    texts, labels = made_up(100, 3)
    for changed in (
        (["", None, *texts], ["a", "b", *labels]),  # empty and missing
        ([*texts, "only one"], [*labels, "z"]),  # a class of one row
        ([f"{label}{i % 5} word" for i, label in enumerate(labels)], labels),  # separable
        ([*texts, *texts], [*labels, *labels[::-1]]),  # contradictory duplicates
    ):
        family = fit(*changed)
        assert family.mix is None or np.isfinite([*family.mix.theta[0], family.mix.p]).all()
        assert np.isfinite(train(family, *changed).posterior({"x": [*texts[:5], "", "zork"]})).all()


@pytest.mark.parametrize(
    "family",
    [
        Words(reading="auto"),
        Words(reading="auto", ngrams=2, min_count=3.0, limit=100),
        Words(reading="auto", unit="characters", ngrams=(2, 4)),
        Words(reading="auto", presence=True),
        Words(reading="auto", vocabulary=("w1", "w2", "w7"), unknown=True),
        Words(reading="auto", stems={"w1": "w2"}, stop_words=("w3",)),
        Words(reading="auto", tokeniser=str.split),
    ],
    ids=repr,
)
def test_every_words_setting_can_be_fitted(family):
    texts, labels = made_up(200)
    found = fit(texts, labels, family)
    assert replace(found, mix=None) == family
    assert loss(train(found, texts, labels), texts, labels) < np.log(2.0)


def test_token_lists_are_fitted_like_texts():
    texts, labels = made_up(200)
    lists = [text.split() for text in texts]
    model = train(PAIRS, lists, labels)
    found, _ = fit_words(PAIRS, model.columns["x"], PAIRS.encode(pa.array(lists)), rows_of(labels), model.keys())
    assert found.mix is not None


def test_other_readings_and_families_are_not_fitted():
    texts, labels = made_up(50)
    assert fit(texts, labels, Words()) == Words()
    family = Categorical()
    model = train(family, texts, labels)
    assert family.fit_left_out(model.columns["x"], None, rows_of(labels), model.keys()) == (family, None)


@given(st.integers(0, 39), st.sampled_from([20, 30, 45, 60]))
@settings(max_examples=some(40), deadline=None)
def test_class_of_one_text_leaves_a_mix_of_moderate_weights(seed, rows):
    """The fold without it has one class only, whose words have no information, up to rounding."""
    texts, _ = made_up(rows, seed=seed)
    labels = ["b" if row == seed % rows else "a" for row in range(rows)]
    for family in (PAIRS, Words(reading="auto", characters=(2, 4))):
        mix = fit(texts, labels, family).mix
        assert mix is None or np.abs(mix.theta).max() < 1e3
