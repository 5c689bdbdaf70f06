"""Tokenisation: Python's words, the settings that change them, and the cells that texts come in."""

import re

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.feature_extraction.text import CountVectorizer

from examples import some
from mails import DOCUMENTS, LABELS, counted, tokens, train
from tallybayes import Gaussian, Model, Words, digest


@pytest.mark.parametrize("settings", [{"ngrams": 2}, {"ngrams": (2, 3)}, {"lower": False}, {"shortest": 1}])
def test_tokens_equal_count_vectorizer(settings):
    low, high = (
        settings.get("ngrams", 1) if isinstance(settings.get("ngrams"), tuple) else (1, settings.get("ngrams", 1))
    )
    vectors = CountVectorizer(
        ngram_range=(low, high),
        lowercase=settings.get("lower", True),
        token_pattern=r"(?u)\b\w+\b" if "shortest" in settings else r"(?u)\b\w\w+\b",
    )
    table = vectors.fit_transform(DOCUMENTS).toarray()
    counts = train(Words(**settings)).counts("x").words.dense()
    assert counts.slots == sorted(vectors.vocabulary_)
    spam = table[np.array(LABELS) == "spam"].sum(axis=0)
    by_word = {word: spam[i] for word, i in vectors.vocabulary_.items()}
    assert counts.sums["n"].round()[:, 1].tolist() == [by_word[word] for word in counts.slots]


@settings(max_examples=some(300))
@given(st.text())
def test_words_equal_pythons_regular_expression(text):
    expected = tokens(text)
    assert counted(Words(), text) == {word: expected.count(word) for word in expected}


@pytest.mark.slow
@pytest.mark.thinned(2)
@pytest.mark.parametrize("spell", ["{0}", "x{0}y{0}", "ΑΣ{0} Α{0}Σ", "{0}Σ{0}b", "ΑΣ{0}Α"])
def test_every_character_of_unicode_equals_python(spell):
    characters = [chr(code) for code in range(0x110000) if not 0xD800 <= code < 0xE000]
    text = " ".join(spell.format(character) for character in characters)
    expected = {}
    for word in tokens(text):
        expected[word] = expected.get(word, 0) + 1
    assert counted(Words(), text) == expected


def test_lower_case_of_two_characters():
    longer = [chr(code) for code in range(0x110000) if len(chr(code).lower()) > 1]
    assert longer == ["İ"]
    assert counted(Words(), "DİZİ İstanbul") == {"stanbul": 1, "di": 1, "zi": 1}


def test_custom_tokeniser(tmp_path):
    from tallybayes import load, save

    def cut(text):
        return text.split("-")

    model = train(Words(tokeniser=cut), ["a-b-a", "c"], ["k", "l"])
    assert model.counts("x").slots == ["a", "b", "c"]
    save(model, tmp_path / "m.tally")
    loaded = load(tmp_path / "m.tally")
    with pytest.raises(ValueError, match="files contain no code"):
        loaded.posterior({"x": ["a"]})
    again = loaded.believing(x=Words(tokeniser=cut))
    assert np.array_equal(again.posterior({"x": ["a-b"]}), model.posterior({"x": ["a-b"]}))


def test_stems_and_stop_words():
    pytest.importorskip("Stemmer")
    family = Words(stems="english", stop_words=("the", "are"), ngrams=2)
    assert counted(family, "The runners are running the races") == {
        "runner": 1,
        "run": 1,
        "race": 1,
        "runner run": 1,
        "run race": 1,
    }
    with pytest.raises(ValueError, match="Snowball supports"):
        Words(stems="klingon")


def test_character_ngrams_equal_count_vectorizer():
    vectors = CountVectorizer(analyzer="char", ngram_range=(1, 3))
    vectors.fit(["Ab  ç\tΣa"])
    assert counted(Words(unit="characters", ngrams=3), "Ab  ç\t\nΣa").keys() == set(
        vectors.build_analyzer()("Ab  ç  Σa")
    )


@pytest.mark.parametrize(
    "kind", [pa.string(), pa.large_string(), pa.string_view(), pa.dictionary(pa.int32(), pa.string()), pa.binary()]
)
def test_every_arrow_text_type_sliced_and_chunked(kind):
    cells = pa.array([*DOCUMENTS, None]).cast(kind)
    sliced = pa.concat_arrays([cells[:1], cells]).slice(1)
    chunked = pa.chunked_array([cells[:3], cells[3:]])
    expected = digest(train(Words()))
    for data in (sliced[:7], chunked[:7]):
        assert digest(Model.train({"x": Words()}, pa.table({"x": data}), LABELS)) == expected


def test_token_lists_are_tokenised_texts():
    lists = pa.array([tokens(text) for text in DOCUMENTS])
    assert train(Words(), lists).counts("x") == train(Words()).counts("x")
    assert train(Words(), pa.concat_arrays([lists[:2], lists]).slice(2)).counts("x") == train(Words()).counts("x")


def test_non_text_cells_are_an_error():
    with pytest.raises(ValueError, match="Column 'x': cells of type double are not text"):
        train(Words(), [1.0], ["a"])
    assert train(Words(), pa.nulls(2), ["a", "b"]).posterior("hello").tolist() == [[0.5, 0.5]]


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"reading": "gaussian"}, "reading must be one of 'multinomial'"),
        ({"ngrams": 6}, "from 1 to 5 words"),
        ({"ngrams": (2, 1)}, "the shortest and the longest"),
        ({"unit": "lines"}, "unit must be one of 'words', 'characters'"),
        ({"shortest": 0}, "shortest must be a whole number"),
        ({"unknown": True}, "needs a vocabulary"),
        ({"vocabulary": "abc"}, "must be a tuple of words"),
        ({"unit": "characters", "stop_words": ("a",)}, "has no words"),
        ({"tokeniser": 5}, "give a function"),
        ({"limit": 0}, "limit must be a whole number"),
        ({"min_count": -1}, "min_count must be a finite number"),
        ({"errors": "ignore"}, "errors must be one of 'strict', 'replace'"),
    ],
)
def test_invalid_settings_are_errors(wrong, said):
    with pytest.raises(ValueError, match=re.escape(said)):
        Words(**wrong)


def test_vocabulary_is_lower_cased_like_texts():
    family = Words(vocabulary=("Free", "MONEY"), stop_words=("The",), stems={"Monies": "money"})
    assert counted(family, "free the Monies MONEY") == {"free": 1, "money": 2}


def test_tokenisers_are_distinguished_by_name():
    one, two = Words(tokeniser=lambda text: text.split()), Words(tokeniser=lambda text: list(text))
    with pytest.raises(ValueError, match="these count differently"):
        train(one) + train(two)
    assert train(Words(tokeniser=str.split), ["a b"], ["k"]).counts("x").slots == ["a", "b"]
    with pytest.raises(ValueError, match="it must return a list of tokens"):
        train(Words(tokeniser=str.lower), ["a b"], ["k"])


def test_invalid_numbers_of_words_are_errors():
    with pytest.raises(ValueError, match="top=-1"):
        train(Words()).words("spam", -1)
    model = Model.train({"n": Gaussian()}, {"n": [1.0, 2.0]}, ["a", "b"])
    with pytest.raises(ValueError, match="There are no texts"):
        model.words("a")
    with pytest.raises(ValueError, match="There are no texts"):
        model.evidence({"n": [1.0]}).words()
