"""WordSequence: the laws, scores against plain fractions, sampling, and edge cases."""

import re
from collections import Counter, defaultdict
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from tallybayes import Model, Schema, WordSequence, digest
from tallybayes.model.left_out import left_out
from tallybayes.testing import check_family

START = "\x02"
WORDS = st.lists(st.sampled_from(["a", "b", "c", "no", "yes", "größe"]), max_size=7)
TEXTS = WORDS.map(" ".join)
CLASSES = st.sampled_from("xy")


class Reference:
    """Interpolated absolute discounting with fractions, slow. `rows` are lists of words and classes."""

    def __init__(self, rows, order, discount=None):
        self.order, self.given = order, discount
        self.counts = defaultdict(Counter)
        for words, label in rows:
            marked = (START, *words)
            for length in range(1, order + 2):
                for i in range(len(marked) - length + 1):
                    self.counts[label][marked[i : i + length]] += 1
        self.words = sorted({run[0] for runs in self.counts.values() for run in runs if len(run) == 1} - {START})

    def discount(self, label, length):
        if self.given is not None:
            return Fraction(self.given)
        found = Counter(n for run, n in self.counts[label].items() if len(run) == length and run != (START,))
        return (found[1] + Fraction(1, 2)) / (found[1] + 2 * found[2] + 1)

    def p(self, label, word, before):
        """P(word | class, preceding words)."""
        if before is None:
            return Fraction(1, len(self.words) + 1)
        runs = self.counts[label]
        behind = {run: n for run, n in runs.items() if run[:-1] == before and run != (START,)}
        shorter = self.p(label, word, before[1:] if before else None)
        total = sum(behind.values())
        if not total:
            return shorter
        d = self.discount(label, len(before) + 1)
        left = sum(min(d, n) for n in behind.values())
        kept = max(behind.get((*before, word), 0) - d, 0)
        return kept / Fraction(total) + Fraction(left) / total * shorter

    def text(self, label, words):
        marked, result = (START, *words), Fraction(1)
        for i in range(1, len(marked)):
            result *= self.p(label, marked[i], marked[max(i - self.order, 0) : i])
        return result


def words_of(text):
    return text.split()


def trained(rows, **settings):
    texts = [" ".join(words) for words, _ in rows]
    return Model.train({"text": WordSequence(**settings)}, {"text": texts}, [label for _, label in rows])


@pytest.mark.slow
@pytest.mark.parametrize("order", [1, 2, 3])
def test_obeys_the_laws(order):
    check_family(WordSequence(order=order), TEXTS, examples=8)


def test_obeys_the_laws_by_characters_and_with_a_given_discount():
    texts = st.text(st.sampled_from("ab ä\x02\n"), max_size=6)
    check_family(WordSequence(order=2, unit="characters", discount=0.25), texts, examples=8)


@settings(deadline=None)
@given(
    st.lists(st.tuples(WORDS, CLASSES), min_size=1, max_size=6),
    st.lists(st.sampled_from(["a", "b", "no", "zebra", "yeti"]), max_size=6),
    st.integers(1, 3),
    st.sampled_from([None, 0.5, 0.125]),
)
def test_scores_are_interpolated_absolute_discounting(rows, asked, order, discount):
    model = trained(rows, order=order, **({} if discount is None else {"discount": discount}))
    reference = Reference(rows, order, discount)
    found = model.evidence({"text": [" ".join(asked)]})["text"][0]
    expected = [float(reference.text(label, asked)) for label in model.classes]
    np.testing.assert_allclose(np.exp(found), expected, rtol=1e-12)


@settings(deadline=None)
@given(st.lists(st.tuples(WORDS, CLASSES), min_size=1, max_size=6), WORDS, st.integers(1, 3))
def test_next_word_probabilities_sum_to_one(rows, before, order):
    model = trained(rows, order=order)
    known = sorted({word for words, _ in rows for word in words})
    asked = [" ".join([*before, word]) for word in [*known, "zebra"]]
    said = model.evidence({"text": [*asked, " ".join(before)]})["text"]
    np.testing.assert_allclose(np.exp(said[:-1] - said[-1]).sum(axis=0), 1.0, rtol=1e-12)


def test_worked_example():
    model = trained([(["a", "b"], "x"), (["a", "a"], "x")], discount=0.5)
    uniform = Fraction(1, 3)
    a = (3 - Fraction(1, 2)) / 4 + Fraction(1, 4) * uniform  # two distinct words give half a count each
    first = (2 - Fraction(1, 2)) / 2 + Fraction(1, 4) * a  # this alone followed the start marker
    b = Fraction(1, 2) / 4 + Fraction(1, 4) * uniform
    second = Fraction(1, 2) / 2 + Fraction(1, 2) * b  # two distinct words followed, once each
    said = model.evidence({"text": ["a b"]})["text"][0]
    assert np.exp(said[0]) == pytest.approx(float(first * second), rel=1e-14)


def test_evidence_adds_up_and_names_the_context():
    model = trained([(words_of("the cat sat on the mat"), "x"), (words_of("a dog ran"), "y")], order=2)
    evidence = model.evidence({"text": ["the cat sat the cat sat quietly"]})
    parts = evidence.words(0)
    assert {part.word: part.times for part in parts} == {
        "<s> the": 1,
        "<s> the cat": 1,
        "the cat sat": 2,
        "cat sat the": 1,
        "sat the cat": 1,
        "cat sat quietly": 1,
    }
    np.testing.assert_allclose(sum(part.evidence for part in parts), evidence["text"][0], rtol=1e-13)


def test_perplexity_is_that_of_all_words_together():
    model = trained([(["a", "b"], "x"), (["b", "b"], "y")])
    said = model.evidence({"text": ["a b", "b"]})["text"].sum(axis=0)
    np.testing.assert_allclose(model.belief("text").perplexity(["a b", "b"]), np.exp(-said / 3))
    with pytest.raises(ValueError, match="no words"):
        model.belief("text").perplexity([""])


def test_estimates_are_ngram_probabilities():
    rows = [(words_of("a b a"), "x"), (words_of("b b"), "y")]
    found, reference = trained(rows).estimates("text"), Reference(rows, 1)
    assert list(found) == ["<s> a", "<s> b", "a", "a b", "b", "b a", "b b"]
    for run, by_class in found.items():
        *before, word = run.replace("<s>", START).split(" ")
        for label, p in by_class.items():
            assert p == pytest.approx(float(reference.p(label, word, tuple(before))), rel=1e-13)


def test_sampled_bigrams_have_their_probabilities():
    rows = [(words_of("a b a c a b"), "x"), (words_of("b a a c"), "x"), (words_of("c b"), "x")]
    reference = Reference(rows, 1)
    drawn = trained(rows).sample(4000, seed=5).rows.column("text").to_pylist()
    behind = defaultdict(Counter)
    for text in drawn:
        words = [START, *text.split()]
        for before, word in pairwise(words):
            behind[before][word] += 1
    for before, counts in behind.items():
        p = np.array([float(reference.p("x", word, (before,))) for word in reference.words])
        seen = [counts[word] for word in reference.words]
        assert stats.chisquare(seen, p / p.sum() * sum(seen)).pvalue > 1e-4  # the unknown word is not sampled


def test_sampled_trigrams_have_their_probabilities():
    rows = [(words_of("a b a c a b a b"), "x"), (words_of("b a a c b a"), "x"), (words_of("c b a b"), "x")]
    reference = Reference(rows, 2)
    drawn = trained(rows, order=2).sample(4000, seed=6).rows.column("text").to_pylist()
    behind = Counter(re.findall(r"(?=\bb a (\w))", "\n".join(drawn)))
    p = np.array([float(reference.p("x", word, ("b", "a"))) for word in reference.words])
    seen = [behind[word] for word in reference.words]
    assert stats.chisquare(seen, p / p.sum() * sum(seen)).pvalue > 1e-4


def test_samples_do_not_depend_on_learning_order():
    rows = [(words_of("a b c"), "x"), (words_of("c c a"), "y"), (words_of("b a"), "x")]
    one, other = (trained(found, order=2).sample(20, seed=1) for found in (rows, rows[::-1]))
    assert one.rows.equals(other.rows)
    assert one.labels.equals(other.labels)


@settings(deadline=None)
@given(st.lists(st.tuples(WORDS, CLASSES), min_size=2, max_size=6), st.integers(1, 3), st.booleans())
def test_leave_one_out_equals_retraining(rows, order, given):
    settings = {"order": order, **({"discount": 0.5} if given else {})}
    model = trained(rows, **settings)
    texts = {"text": [" ".join(words) for words, _ in rows]}
    found = left_out(model, texts, [label for _, label in rows])["text"]
    for i, (words, _) in enumerate(rows):
        reference = Reference(rows[:i] + rows[i + 1 :], order, 0.5 if given else None)
        for at, label in enumerate(model.classes):
            if any(other == label for _, other in rows[:i] + rows[i + 1 :]):
                assert np.exp(found[i, at]) == pytest.approx(float(reference.text(label, words)), rel=1e-10)


@pytest.mark.parametrize("order", [1, 2, 3])
def test_empty_text_is_uninformative_but_counted(order):
    model = trained([([], "x"), (["a"], "y")], order=order)
    assert model.evidence({"text": [""]})["text"].tolist() == [[0.0, 0.0]]
    assert model.columns["text"].lengths[0] == {"x": 1, "y": 0}
    # a class of empty texts gives all words the same probability: the one seen, and the unknown one
    assert np.exp(model.evidence({"text": ["a zebra"]})["text"][0, 0]) == pytest.approx(0.25)


def test_unseen_words_after_unseen_words_back_off():
    model = trained([(words_of("a b a b"), "x"), (words_of("b a"), "y")], order=3)
    one, two = model.evidence({"text": ["a zebra yeti", "a zebra"]})["text"]
    again = model.evidence({"text": ["b unicorn"]})["text"][0] - model.evidence({"text": ["b"]})["text"][0]
    alone = one - two  # after an unseen word, the unigrams of the class decide
    words = Reference([(words_of("a b a b"), "x"), (words_of("b a"), "y")], 3)
    np.testing.assert_allclose(np.exp(alone), [float(words.p(c, "yeti", ())) for c in "xy"], rtol=1e-12)
    assert (again < 0).all()


def test_a_long_text_does_not_underflow():
    model = trained([(words_of("a b c"), "x"), (words_of("d e"), "y")])
    said = model.evidence({"text": ["a b c " * 5000]})["text"][0]
    assert np.isfinite(said).all()
    assert said[0] > said[1]


def test_any_discount_leaves_unseen_words_possible():
    model = trained([(["a", "b"], "x"), (["b", "b"], "y")], discount=0)
    assert np.isneginf(model.evidence({"text": ["a a"]})["text"][0]).all()
    np.testing.assert_allclose(model.evidence({"text": ["a b"]})["text"][0], [0.0, -np.inf])


def test_given_tokens_may_not_contain_spaces():
    family = WordSequence()
    model = Model.train({"text": family}, {"text": [["New_York", "is"], ["it", "is"]]}, ["x", "y"])
    assert model.columns["text"].runs.slots  # "New_York" as given
    assert "New_York is" in model.columns["text"].slots
    for token in ("New York", "a\x02"):
        with pytest.raises(ValueError, match="separates words"):
            Model.train({"text": family}, {"text": [[token]]}, ["x"])


def test_start_marker_among_characters_is_a_space():
    family = {"text": WordSequence(unit="characters")}
    one, other = (Model.train(family, {"text": [f"a{mark}b"]}, ["x"]) for mark in (START, " "))
    assert digest(one) == digest(other)


def test_invalid_utf8_is_refused_or_replaced():
    cells = pa.array([b"a b", b"a \xff b"])
    with pytest.raises(ValueError, match="row 1"):
        Model.train({"text": WordSequence()}, {"text": cells}, ["x", "y"])
    model = Model.train({"text": WordSequence(errors="replace")}, {"text": cells}, ["x", "y"])
    assert model.columns["text"].runs.slots.count("a b") == 1


def test_impossible_forgetting_is_refused():
    model = trained([(words_of("a b"), "x")])
    before = digest(model)
    with pytest.raises(ValueError, match="would be negative"):
        model -= trained([(words_of("b a"), "x")])
    assert digest(model) == before


def test_invalid_settings_are_refused():
    for settings_ in ({"order": 0}, {"order": 4}, {"discount": 1.5}, {"discount": "none"}, {"unit": "letters"}):
        with pytest.raises(ValueError, match="WordSequence"):
            WordSequence(**settings_)
    with pytest.raises(ValueError, match="defines the tokens"):
        WordSequence(tokeniser=str.split, punctuation=True)


def test_word_order_is_informative():
    rows = [(words_of("not good at all"), "bad"), (words_of("good not bad at all"), "fine")]
    model = trained(rows)
    assert model.decide({"text": ["not good", "good not bad"]}) == ["bad", "fine"]
    assert Schema({"text": WordSequence()}) == Schema({"text": WordSequence(order=1)})


def test_class_of_empty_texts_draws_empty_texts():
    model = Model.train({"t": WordSequence()}, {"t": ["good day", "", "bad"]}, ["full", "empty", "full"])
    rows, labels = model.sample(20, seed=0)
    drawn = dict(zip(labels.to_pylist(), rows["t"].to_pylist(), strict=True))
    assert drawn["empty"] == ""
    assert drawn["full"] != ""
    assert 0.0 < model.bayes_error() < 0.5
