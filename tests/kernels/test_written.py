"""The sums of a row as bytes, against a slow reference, and invalid bytes."""

from contextlib import suppress

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

import reference
from tallybayes import kernels
from tallybayes.counts.exact import Exact

LIMB = st.integers(-(1 << 61), 1 << 61) | st.integers(-3, 3) | st.just(0) | st.sampled_from([1 << 32, -(1 << 32)])
LABELS = st.lists(st.binary(max_size=12), unique=True, max_size=6)


@st.composite
def cells(draw):
    """Labels with a number of every kind."""
    labels, sums = draw(LABELS), []
    for _ in range(draw(st.integers(1, 3))):
        width = draw(st.integers(1, 4))
        row = st.lists(LIMB, min_size=width, max_size=width)
        limbs = draw(st.lists(row, min_size=len(labels), max_size=len(labels)))
        sums.append((np.array(limbs, np.int64).reshape(len(labels), width), draw(st.integers(-6, 6))))
    return labels, sums


def numbers(sums):
    return [Exact(limbs, low).fractions() for limbs, low in sums]


@given(cells())
def test_cells_equal_the_reference_and_round_trip(given):
    labels, sums = given
    data = kernels.write_labels(labels, sums)
    assert data == reference.written(labels, numbers(sums))
    again, found = kernels.read_labels([data], len(sums))
    held = [i for i in sorted(range(len(labels)), key=labels.__getitem__) if any(kind[i] for kind in numbers(sums))]
    assert again == [labels[i] for i in held]
    assert numbers(found) == [[kind[i] for i in held] for kind in numbers(sums)]
    assert all(Exact(limbs, low).is_canonical() for limbs, low in found)


@given(st.lists(st.dictionaries(st.binary(max_size=3), LIMB.filter(bool), max_size=4), max_size=5))
def test_many_are_read_as_their_sum(texts):
    data = [
        kernels.write_labels(list(text), [(np.array([*text.values()], np.int64).reshape(-1, 1), 0)]) for text in texts
    ]
    labels, found = kernels.read_labels(data, 1)
    expected = {label: sum(text.get(label, 0) for text in texts) for text in texts for label in text}
    assert dict(zip(labels, numbers(found)[0], strict=True)) == expected
    index, words = kernels.read_words(data, 1)
    assert (len(index), numbers(words)) == (len(labels), numbers(found))


@given(st.lists(st.text(max_size=6), unique=True, max_size=6))
def test_words_are_written_as_bytes(words):
    index = kernels.StringIndex()
    codes = index.encode_few(words, True)
    ones = np.ones((len(words), 1), np.int64)
    data = kernels.write_words(index, codes, [(ones, 0)])
    assert data == kernels.write_labels([word.encode() for word in words], [(ones, 0)])
    again, ((limbs, low),) = kernels.read_words([data], 1)
    assert (len(again), limbs.tolist(), low) == (len(words), ones.tolist(), 0)


@given(st.binary(max_size=60), st.integers(1, 3))
@example(b"\xff" * 20, 1)
@example(b"\x01\x00\x81\x80\x80\x80\x80\x80\x80\x80\x01", 1)
def test_other_bytes_are_refused_or_read(data, kinds):
    for read in (kernels.read_labels, kernels.read_words):
        with suppress(ValueError):
            read([data], kinds)
