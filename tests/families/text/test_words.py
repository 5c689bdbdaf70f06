"""Text columns: the laws, the lectures' numbers, scikit-learn's answers, and queries."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import strategies as st
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.naive_bayes import BernoulliNB, ComplementNB, MultinomialNB

from mails import ASKED, DOCUMENTS, LABELS, READINGS, train
from tallybayes import JEFFREYS, Categorical, Gaussian, MEstimate, Model, Schema, Words, digest
from tallybayes.testing import check_belief, check_family

texts = st.text(st.sampled_from("abAB é'ΣΣ_1.İß\n"), max_size=12)


@pytest.mark.slow
@pytest.mark.parametrize(
    "family",
    [
        Words(),
        Words(ngrams=(1, 2), reading="averaged"),
        Words(unit="characters", ngrams=(1, 3), reading="dirichlet-multinomial"),
        Words(presence=True, shortest=1, lower=False, reading="poisson"),
        Words(vocabulary=("ab", "ba"), unknown=True, shortest=1),
        Words(stems={"ab": "a", "aa": "a"}, stop_words=("bb",)),
    ],
    ids=repr,
)
def test_text_obeys_the_laws(family):
    check_family(family, texts, examples=20)


@pytest.mark.slow
@pytest.mark.parametrize(
    "family", [Words(reading="binary", alpha="fitted"), Words(reading="bernoulli", alpha=JEFFREYS)], ids=repr
)
def test_readings_of_the_same_counts_obey_the_laws(family):
    check_belief(family, texts, examples=20)


@pytest.mark.parametrize("reading", ["multinomial", "bernoulli", "poisson"])
def test_words_are_listed_in_alphabetical_order_whatever_was_met_first(reading):
    family = Words(reading=reading, alpha=0.0 if reading == "bernoulli" else 1.0)
    model, shuffled = train(family), train(family, DOCUMENTS[::-1], LABELS[::-1])
    label = model.classes[0]
    found, again = model.estimates("x"), shuffled.estimates("x")
    assert list(found) == sorted(found)
    assert list(found.items()) == list(again.items())
    against = [each.linear(label) for each in (model, shuffled)]
    assert [repr(each) for each in against] == [repr(against[0])] * 2
    assert [list(each.absent["x"]) for each in against] == [list(against[0].absent["x"])] * 2
    if reading == "multinomial":
        posteriors = [each.parameters("x", label) for each in (model, shuffled)]
        assert list(posteriors[0].mean().items()) == list(posteriors[1].mean().items())


@pytest.mark.parametrize("alpha", [0.1, 1.0, 2.5])
@pytest.mark.parametrize(
    ("reading", "peer", "binary", "prior"),
    [
        ("multinomial", MultinomialNB, False, "frequencies"),
        ("binary", MultinomialNB, True, "frequencies"),
        ("bernoulli", BernoulliNB, True, "frequencies"),
        ("complement", ComplementNB, False, "uniform"),
    ],
)
def test_posteriors_equal_sklearn(reading, peer, binary, prior, alpha):
    vectors = CountVectorizer(binary=binary)
    table = vectors.fit_transform(DOCUMENTS)
    expected = peer(alpha=alpha).fit(table, LABELS).predict_proba(vectors.transform(ASKED))
    model = Model.train(Schema({"x": Words(reading=reading, alpha=alpha)}, prior=prior), {"x": DOCUMENTS}, LABELS)
    np.testing.assert_allclose(model.posterior({"x": ASKED}), expected, rtol=0, atol=1e-9)


def test_radio_and_tv():
    """The vocabulary, stems and numbers of the lecture."""
    tv = ["TV programs are not interesting - TV is annoying.", "Kids like TV.", "We receive TV by radio waves."]
    radio = [
        "It i interesting to listen to the radio.",
        "On the waves, kids programs are rare.",
        "The kids listen to the radio; it is rare!",
    ]
    words = ("tv", "program", "interesting", "kids", "radio", "wave", "listen", "rare")
    family = Words(vocabulary=words, stems={"programs": "program", "waves": "wave"})
    model = train(family, tv + radio, ["tv"] * 3 + ["radio"] * 3)
    assert model.prior() == {"radio": 0.5, "tv": 0.5}
    assert model.counts("x").words.sum_of("n", ["tv", "radio"]).round().tolist() == [9.0, 11.0]
    expected = {"tv": [4, 1, 1, 1, 1, 1, 0, 0], "radio": [0, 1, 1, 2, 2, 1, 2, 2]}
    table = model.estimates("x")
    for label, n in (("tv", 9), ("radio", 11)):
        for word, count in zip(words, expected[label], strict=True):
            assert table[word][label] == pytest.approx(float(Fraction(count + 1, n + 8)), rel=1e-14)


def test_dictionary_with_an_unknown_entry():
    words = ("john", "mary", "sex", "money", "send", "meeting")
    family = Words(vocabulary=words, unknown=True, presence=True)
    model = train(family, ["John sent money to Mary after the meeting about money"], ["mail"])
    met = dict(zip(model.counts("x").slots, model.counts("x").sums["n"].round(), strict=True))
    assert [met.get(word, 0.0) for word in (*words, "<unknown>")] == [1, 1, 0, 1, 0, 1, 1]


def test_spam_example_unsmoothed_and_smoothed():
    spam, normal = ["dear dear friend money money money money"], ["dear " * 8 + "friend " * 5 + "lunch " * 3 + "money"]
    model = train(Words(alpha=0.0), spam + normal, ["spam", "normal"])
    table = {word: row["spam"] for word, row in model.estimates("x").items()}
    assert table == pytest.approx({"dear": 2 / 7, "friend": 1 / 7, "money": 4 / 7, "lunch": 0.0})
    smoothed = {word: row["spam"] for word, row in model.believing(alpha=1.0).estimates("x").items()}
    assert smoothed == pytest.approx({"dear": 3 / 11, "friend": 2 / 11, "money": 5 / 11, "lunch": 1 / 11})
    assert model.posterior("lunch money money money money")[0].tolist() == [1.0, 0.0]


def test_mortgage_fifteen_times_in_three_hundred_words():
    model = train(Words(alpha=0.0), ["mortgage " * 15 + "other " * 285], ["all"])
    assert model.estimates("x")["mortgage"]["all"] == pytest.approx(1 / 20, rel=1e-14)


def test_multinomial_and_averaged_differ_with_lengths():
    """Two documents: 'aa' alone, and 'aa bb bb bb'. Multinomial 2/5; averaged (1 + 1/4) / 2 = 5/8."""
    model = train(Words(alpha=0.0), ["aa", "aa bb bb bb"], ["k", "k"])
    assert model.estimates("x")["aa"]["k"] == pytest.approx(2 / 5, rel=1e-14)
    averaged = model.believing(reading="averaged")
    assert averaged.estimates("x")["aa"]["k"] == pytest.approx(5 / 8, rel=1e-14)
    share = model.counts("x").words.dense().sums["share"].fractions()
    assert share[0] == 1 + Fraction(1, 4)
    thirds = train(Words(), ["aa bb cc"], ["k"]).counts("x").words.dense().sums["share"].fractions()
    assert thirds == [Fraction(2**64 // 3, 2**64)] * 3


def test_poisson_rate_is_the_mean_per_document():
    model = train(Words(alpha=0.0, reading="poisson"), ["aa aa bb", "aa", ""], ["k", "k", "k"])
    assert model.estimates("x")["aa"]["k"] == pytest.approx(1.0, rel=1e-14)
    assert model.estimates("x")["bb"]["k"] == pytest.approx(1 / 3, rel=1e-14)
    # P(aa aa bb, in this order) = e^(-4/3) · 1² · 1/3 / 3!
    assert model.evidence("aa aa bb")["x"][0, 0] == pytest.approx(-4 / 3 + np.log(1 / 3 / 6), rel=1e-13)


def test_alpha_zero_gives_minus_infinity():
    model = train(Words(alpha=0.0))
    assert model.log_joint("prize")[0].tolist()[0] == -np.inf
    with pytest.warns(UserWarning, match="impossible in every class"):
        assert model.posterior("prize meeting")[0].tolist() == pytest.approx([4 / 7, 3 / 7])


def test_bernoulli_requires_a_word_that_every_document_has():
    model = train(Words(alpha=0.0, reading="bernoulli"), ["aa bb", "aa", "cc"], ["k", "k", "l"])
    assert model.evidence({"x": ["aa", "bb", "aa bb", None]})["x"][:, 0].tolist() == [
        pytest.approx(np.log(0.5)),
        -np.inf,
        pytest.approx(np.log(0.5)),
        0.0,
    ]


def test_long_documents_do_not_underflow_and_empty_ones_get_the_prior():
    model = train(Words())
    assert model.posterior("money " * 100_000)[0].tolist() == [0.0, 1.0]
    assert model.posterior({"x": ["", None, "zork"]}).tolist() == [pytest.approx([4 / 7, 3 / 7])] * 3


def test_min_count_and_limit_are_beliefs():
    model = train(Words())
    assert set(model.believing(min_count=3).estimates("x")) == {"free", "money", "the"}
    assert set(model.believing(limit=2).estimates("x")) == {"free", "money"}
    frequent = CountVectorizer(max_features=3)
    table = frequent.fit_transform(DOCUMENTS)
    expected = MultinomialNB().fit(table, LABELS).predict_proba(frequent.transform(ASKED))
    assert set(model.believing(limit=3).estimates("x")) == set(frequent.vocabulary_)
    np.testing.assert_allclose(model.believing(limit=3).posterior({"x": ASKED}), expected, atol=1e-12)


def test_many_classes_are_scored_sparsely(monkeypatch):
    from tallybayes.families.text import word_table

    rng = np.random.default_rng(5)
    words = [f"w{i}" for i in range(200)]
    documents = [" ".join(rng.choice(words, 8)) for _ in range(300)]
    labels = [f"class {i % 30}" for i in range(300)]
    asked = {"x": [*documents[:50], "", None, "w3 w3 zork"]}
    for reading in READINGS:
        for alpha in (1.0, 0.0, MEstimate(10.0, "overall")):
            family = Words(alpha=alpha, reading=reading)
            dense = train(family, documents, labels).log_joint(asked)
            with monkeypatch.context() as patch:
                patch.setattr(word_table, "DENSE", 0)
                sparse = train(family, documents, labels)
                np.testing.assert_allclose(sparse.log_joint(asked), dense, rtol=1e-12, atol=1e-12)
                heaviest = sparse.words("class 3", 5)
            assert [w.log_odds for w in heaviest] == pytest.approx(
                [w.log_odds for w in train(family, documents, labels).words("class 3", 5)]
            )


def test_evidence_lists_the_words():
    for reading in READINGS:
        model = train(Words(reading=reading))
        evidence = model.evidence({"x": ["free lunch money money zork"]})
        parts = evidence.words(0)
        money = 1 if reading in ("binary", "bernoulli") else 2
        assert {part.word: part.times for part in parts if part.word} == {"free": 1, "lunch": 1, "money": money}
        np.testing.assert_allclose(sum(part.evidence for part in parts), evidence["x"][0], rtol=1e-12)
    parts = train(Words()).evidence("free lunch money money").words()
    assert [part.word for part in parts] == ["money", "free", "lunch"]  # most informative first


def test_heaviest_words_of_a_class():
    model = train(Words())
    first, second = model.words("spam", 2)
    spam, ham, v = 14, 20, len(model.estimates("x"))
    assert (first.word, first.n) == ("money", 5.0)
    assert first.log_odds == pytest.approx(np.log((5 + 1) / (spam + v)) - np.log(1 / (ham + v)))
    assert (second.word, second.n) == ("free", 3.0)
    assert model.words("ham", 1)[0].word == "the"
    with pytest.raises(ValueError, match="There is no class 'eggs'"):
        model.words("eggs")


def test_text_next_to_other_columns():
    frame = {"body": DOCUMENTS, "sender": list("abacabd"), "length": [float(len(d)) for d in DOCUMENTS]}
    schema = Schema({"body": Words(), "sender": Categorical(), "length": Gaussian()})
    model = Model.train(schema, frame, LABELS)
    alone = [Model.train({name: family}, {name: frame[name]}, LABELS) for name, family in schema.columns.items()]
    together = model.log_joint(frame) - np.log(list(model.prior().values()))
    parts = sum(m.log_joint(frame) - np.log(list(m.prior().values())) for m in alone)
    np.testing.assert_allclose(together, parts, rtol=1e-12)
    with pytest.raises(ValueError, match="Bare texts are given for the columns"):
        model.posterior("free money")


def test_complement_scores_are_marked_and_never_mixed_silently():
    model = train(Words(reading="complement"))
    assert "x (a score)" in repr(model.evidence("free money"))
    with pytest.raises(TypeError, match="gives scores"):
        model.log_likelihood({"x": DOCUMENTS}, LABELS)
    frame = {"x": DOCUMENTS, "y": LABELS}
    mixed = Model.train({"x": Words(reading="complement"), "y": Categorical()}, frame, LABELS)
    with pytest.warns(UserWarning, match="complement scores, which are not log-likelihoods"):
        mixed.posterior(frame)


def test_learning_and_forgetting_mails_leaves_no_trace():
    model = train(Words())
    before = digest(model)
    model += train(Words(), ["entirely new words"], ["eggs"])
    model -= train(Words(), ["entirely new words"], ["eggs"])
    assert digest(model) == before
    with pytest.raises(ValueError, match="never learned: in column 'x' a count would be negative"):
        model -= train(Words(), ["money meeting"], ["ham"])
    assert digest(model) == before


def test_sampled_texts_follow_the_scored_distribution():
    documents = ["aa bb", "aa aa cc", "bb", "cc cc cc aa"]
    model = train(Words(), documents, ["k", "k", "l", "l"])
    shuffled = train(Words(), documents[::-1], ["l", "l", "k", "k"])
    rows, labels = model.sample(20_000, seed=7)
    assert rows.equals(shuffled.sample(20_000, seed=7).rows)
    again = Model.train(model.schema, rows, labels)
    for word, expected in model.estimates("x").items():
        for label in ("k", "l"):
            assert again.estimates("x")[word][label] == pytest.approx(expected[label], abs=0.01)
    for reading in ("bernoulli", "poisson"):
        believed = model.believing(reading=reading)
        again = Model.train(believed.schema, *believed.sample(20_000, seed=7))
        for word, expected in believed.estimates("x").items():
            assert again.estimates("x")[word]["k"] == pytest.approx(expected["k"], abs=0.02)
    for family, said in (
        (Words(reading="complement"), "not a distribution to draw"),
        (Words(ngrams=(2, 3)), "overlap"),
        (Words(presence=True), "once per text"),
    ):
        with pytest.raises(TypeError, match=said):
            train(family).sample(3, seed=0)


def test_ignored_words_are_not_sampled():
    texts = train(Words(limit=1), ["aa aa aa bb"] * 3, ["k"] * 3).sample(2_000, seed=1).rows.column(0).to_pylist()
    assert {word for text in texts for word in text.split()} == {"aa"}
    assert np.mean([len(text.split()) for text in texts]) == pytest.approx(3.0, abs=0.1)


def test_class_without_words_is_uniform_dense_and_sparse(monkeypatch):
    from tallybayes.families.text import word_table

    joint = train(Words(alpha=0.0), ["aa bb", ""], ["k", "l"]).log_joint("aa")
    np.testing.assert_allclose(joint, [[np.log(0.25), np.log(0.25)]])
    monkeypatch.setattr(word_table, "DENSE", 0)
    np.testing.assert_allclose(train(Words(alpha=0.0), ["aa bb", ""], ["k", "l"]).log_joint("aa"), joint)


@pytest.mark.filterwarnings("ignore:Some rows")
@pytest.mark.parametrize("alpha", [0.5, 0])
@pytest.mark.parametrize("reading", READINGS)
def test_the_first_question_and_later_ones_have_the_same_answer(reading, alpha):
    model = train(Words(reading=reading, alpha=alpha))
    asked = [*ASKED, "no-such-word", None]
    all_at_once = model.copy().log_joint({"x": asked})
    for _ in range(3):  # by the words of a text, by a table of all words, and directly by its scorer
        found = [model.log_joint({"x": [text]})[0] for text in asked]
        np.testing.assert_array_equal(found, all_at_once)
