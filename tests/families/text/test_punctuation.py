"""Punctuation as tokens: a setting fixed before counting."""

import numpy as np
import pytest
from hypothesis import strategies as st

from mails import counted, train
from tallybayes import Model, Words
from tallybayes.testing import check_family


@pytest.mark.slow
def test_punctuation_obeys_the_laws():
    check_family(Words(punctuation=True), st.text(st.sampled_from("ab !$.\n"), max_size=12), examples=10)


def test_vocabulary_of_the_lecture_examples():
    """Lecture 002, slide 9: the vocabulary is collected from all of them."""
    text = "The kids listen to the radio; it is rare!!! ($100)"
    words = {"the": 2, "kids": 1, "listen": 1, "to": 1, "radio": 1, "it": 1, "is": 1, "rare": 1, "100": 1}
    assert counted(Words(punctuation=True), text) == words | {";": 1, "!": 3, "(": 1, "$": 1, ")": 1}
    assert counted(Words(), text) == words


def test_long_and_single_texts_tokenise_the_same():
    family = Words(punctuation=True)
    model = train(family, ["Free!!! 100 € — now", "so what? fine."] * 50, ["spam", "ham"] * 50)
    for text in ("Free? " * 5_000, "wow" + "!" * 100_000, "…", "", "a 漢字。"):
        np.testing.assert_allclose(model.log_joint(text), model.log_joint({"x": [text, "other"]})[:1], rtol=1e-12)


def test_punctuation_with_other_settings():
    assert counted(Words(punctuation=True, stop_words=("!", "so")), "So good!?") == {"good": 1, "?": 1}
    assert counted(Words(punctuation=True, vocabulary=("free", "!")), "free lunch! $") == {"free": 1, "!": 1}
    assert counted(Words(punctuation=True, stems="english"), "runs, running.") == {"run": 2, ",": 1, ".": 1}
    assert counted(Words(punctuation=True, ngrams=(2, 2)), "buy now!") == {"buy now": 1, "now !": 1}
    assert counted(Words(punctuation=True, errors="replace"), b"caf\xe9!") == {"caf": 1, "�": 1, "!": 1}


def test_invalid_combinations_are_refused():
    with pytest.raises(ValueError, match=r"Words\(unit='characters'\) counts punctuation as it is"):
        Words(punctuation=True, unit="characters")
    with pytest.raises(ValueError, match=r"Words\(tokeniser=…\) defines the tokens itself"):
        Words(punctuation=True, tokeniser=str.split)
    with pytest.raises(ValueError, match=r"Words\(punctuation=1\): punctuation must be True or False"):
        Words(punctuation=1)


def test_punctuation_is_sampled_and_never_mixed():
    model = train(Words(punctuation=True))
    with pytest.raises(ValueError, match=r"Words\(punctuation=True\).*count differently"):
        model + train(Words())
    rows, labels = model.sample(50, seed=1)
    assert set(Model.train(model.schema, rows, labels).counts("x").slots) <= set(model.counts("x").slots)
