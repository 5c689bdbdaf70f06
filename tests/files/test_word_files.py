"""Files of text models: permanent, and refused if their numbers are inconsistent."""

import tracemalloc
from pathlib import Path

import numpy as np
import pytest

from tallybayes import Gaussian, Model, Words, WordSequence, load
from tallybayes.counts import cells
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


@pytest.mark.parametrize("at", range(6))
@pytest.mark.parametrize(("array", "said"), [("n", "number of its documents"), ("documents", "more documents than")])
def test_every_cell_is_checked_if_only_some_are_at_a_time(monkeypatch, at, array, said):
    """A word of which a class has more documents than it has, or fewer occurrences than documents."""
    monkeypatch.setattr(cells, "SOME", 2)
    texts = ["one two three", "one two three", "two one three", "three two one"]
    model = Model.train({"body": Words()}, {"body": texts}, ["a", "a", "b", "b"])

    def change(sums):
        sums = sums.copy()
        sums[at] = 1 if array == "n" else 3
        return sums

    data = to_bytes(model)
    if array == "documents":
        data = edited(data, "1/words/sums/n", lambda sums: sums + 1)
    with pytest.raises(FileError, match=said):
        from_bytes(edited(data, f"1/words/sums/{array}", change))


def test_loading_takes_little_more_memory_than_the_file():
    random = np.random.default_rng(0)
    texts = [" ".join(f"w{i}" for i in random.integers(0, 100_000, 100)) for _ in range(1000)]
    data = to_bytes(Model.train({"body": Words()}, {"body": texts}, random.integers(0, 5, 1000)))
    from_bytes(data)  # imports what it needs
    tracemalloc.start()
    try:
        from_bytes(data)
        assert tracemalloc.get_traced_memory()[1] < 3 * len(data)
    finally:
        tracemalloc.stop()
