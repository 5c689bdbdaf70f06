"""Files of text models: permanent, and refused if their numbers are inconsistent."""

from pathlib import Path

import pytest

from tallybayes import Gaussian, Model, Words, WordSequence, load
from tallybayes.files import from_bytes, to_bytes
from tallybayes.files.tensors import FileError, arrays_of, file_bytes, text_of

TEXTS = Model.train(
    {"body": Words(reading="bernoulli", stop_words=("the",)), "size": Gaussian()},
    {"body": ["Free money, the FREE prize", "lunch on Monday", None, "ΟΔΟΣ"], "size": [1.0, 2.5, 3.0, 4.0]},
    ["spam", "ham", "ham", "spam"],
)


def edited(data, array, change):
    """The same file with one array changed and a valid checksum."""
    text = text_of(data)
    arrays = arrays_of(data, text)
    arrays[array] = change(arrays[array])
    return file_bytes(text, arrays)


def test_text_models_load_and_are_written_the_same():
    golden = Path(__file__).parent.parent / "golden" / "format-1-words.tally"
    assert load(golden) == TEXTS
    assert to_bytes(TEXTS) == golden.read_bytes()


@pytest.mark.parametrize("family", [Words(), Words(reading="dirichlet-multinomial"), WordSequence()])
@pytest.mark.parametrize("lengths", [range(0, 300, 3), range(250, 700), [0, 5000]])
def test_lengths_round_trip(family, lengths):
    """Lengths above 256 are rounded when counted, so some integers between them do not occur."""
    texts = [" ".join(f"word{i % 7}" for i in range(length)) for length in lengths]
    model = Model.train({"body": family}, {"body": texts}, ["a", "b"] * (len(texts) // 2))
    loaded = from_bytes(to_bytes(model))
    assert loaded == model
    assert to_bytes(loaded) == to_bytes(model)
    asked = {"body": ["word1 word2 never", "word3 " * 300]}
    assert (loaded.log_joint(asked) == model.log_joint(asked)).all()


@pytest.mark.parametrize(
    ("array", "change", "said"),
    [
        ("1/words/words", lambda a: a[::-1].copy(), "do not fit their counts"),
        ("1/words/words", lambda a: a + 99, "do not fit their counts"),
        ("1/words/classes", lambda a: a - 5, "do not fit their counts"),
        ("1/words/slots", lambda a: a[::-1].copy(), "."),
        ("1/words/sums/n", lambda a: a * 0, "cells that hold nothing|no document|number of its documents"),
        ("1/words/sums/n", lambda a: -a, "would be negative"),
        ("1/words/sums/documents", lambda a: -a, "would be negative"),
        ("1/words/sums/documents", lambda a: a + 5, "would not match the number of its documents"),
        ("1/words/sums/share", lambda a: -a, "would be negative"),
        ("1/lengths/slots", lambda a: a - 100, "lengths are invalid"),
        ("1/lengths/sums/n", lambda a: a * 9, "more values than there are rows"),
    ],
)
def test_inconsistent_word_counts_are_refused(array, change, said):
    with pytest.raises(FileError, match=said):
        from_bytes(edited(to_bytes(TEXTS), array, change))
