"""N-gram kernels against slow references."""

import re
from collections import Counter

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import reference
from tallybayes import WordSequence, kernels
from tallybayes.counts.tally import Rows
from tallybayes.families.text.run_tally import words_of

START = "\x02"
TEXTS = st.none() | st.text(st.sampled_from("abAB éΣ_1.\n漢"), max_size=30)


def units_of(text, characters):
    """The words of a text; or its characters, with white space collapsed to one space."""
    return list(re.sub(r"\s+", " ", text.lower())) if characters else reference.words_of(text, 1)


def runs_of(text, order, characters):
    """The n-grams of a text, starting with the start marker."""
    marked = [START, *units_of(text, characters)]
    between = "" if characters else " "
    lengths = range(1, order + 2)
    return [between.join(marked[i : i + n]) for n in lengths for i in range(len(marked) - n + 1)]


@given(
    st.lists(st.tuples(TEXTS, st.integers(-1, 2)), max_size=8),
    st.integers(1, 3),
    st.sampled_from(["words", "characters"]),
)
def test_ngrams_are_counted(rows, order, unit):
    family = WordSequence(order=order, unit=unit)
    cells = pa.array([text for text, _ in rows], pa.string())
    codes = np.array([code for _, code in rows], np.int32)
    counted = family.tally(family.encode(cells), Rows([0, 1, 2], codes))
    expected, lengths = Counter(), Counter()
    for text, code in rows:
        if text is not None and code >= 0:
            expected.update((run, code) for run in runs_of(text, order, unit == "characters"))
            lengths[len(units_of(text, unit == "characters")), code] += 1
    runs, classes, sums = counted.runs.cells()
    names = counted.runs.words().to_pylist()
    keys = [(names[run], c) for run, c in zip(runs.tolist(), classes.tolist(), strict=True)]
    assert dict(zip(keys, sums["n"].round().tolist(), strict=True)) == expected
    table = counted.lengths.canonical()
    found = {
        (length, c): int(n)
        for length, row in zip(table.slots, table.sums["n"].round(), strict=True)
        for c, n in zip(table.classes, row, strict=True)
        if n
    }
    assert found == lengths


@given(st.integers(0, 5000), st.integers(1, 3))
def test_ngrams_are_counted_by_length(words, order):
    runs = sum(max(words + 2 - length, 0) for length in range(1, order + 2))
    assert words_of(np.array([runs, -1]), order).tolist() == [words, -1]


def test_mismatched_cells_are_refused():
    index, none, number = kernels.StringIndex(), np.zeros(0, np.int32), np.zeros(1, np.int32)
    kernels.Chain(index, False, none, none, np.zeros(0), 2, 1, -1.0, False)
    with pytest.raises(ValueError, match="no such cell"):
        kernels.Chain(index, False, number, number, np.ones(1), 2, 1, -1.0, False)
    with pytest.raises(ValueError, match="no such runs"):
        kernels.Chain(index, False, none, none, np.zeros(0), 2, 4, -1.0, False)
    with pytest.raises(ValueError, match="do not fit"):
        kernels.Chain(index, False, none, number, np.ones(1), 2, 1, -1.0, False)
