"""Strings and their numbers, against a slow reference."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import reference
from tallybayes import kernels
from tallybayes.families.levels.categorical import lookup
from tallybayes.kernels.strings import index_strings, index_words, string_buffers

ENDS = ["", "\0", "a", "a\0", "a\0\0", "abcdefgh", "abcdefgh\0", "abcdefghi", "0123456789abcdef", "0123456789abcdefg"]
TEXTS = st.text(max_size=20) | st.sampled_from(ENDS)


@given(st.lists(st.none() | st.text(max_size=20) | st.sampled_from(["a", "abcdefgh", "abcdefghi", ""]), max_size=80))
def test_strings_are_numbered_by_first_occurrence(strings):

    for kind in (pa.string(), pa.large_string()):
        known, index = [], kernels.StringIndex()
        cells = pa.array([None, *strings, "x"], kind)[1:-1]  # a slice: the buffers do not start at its first cell
        assert lookup(index, cells, grow=True).tolist() == reference.encode(strings, known)
        assert len(index) == len(known)
        assert lookup(index, pa.array(["never met before"], kind)).tolist() == [-2]


def test_index_finds_all_of_many_strings():

    index = kernels.StringIndex()
    words = pa.array([f"{'long ' * (i % 9)}{i}" for i in range(50_000)])
    assert np.array_equal(lookup(index, words, grow=True), np.arange(50_000))
    assert np.array_equal(lookup(index, words), np.arange(50_000))


@given(st.lists(TEXTS, min_size=1, max_size=30), st.integers(0, 2**32), st.integers(500, 1500), st.booleans())
def test_strings_of_a_long_column_are_numbered_by_first_occurrence(levels, seed, rows, gaps):
    random = np.random.default_rng(seed)
    strings = [None if gaps and random.random() < 0.1 else levels[i] for i in random.integers(0, len(levels), rows)]
    known, some = [], strings[: rows // 2]
    expected = reference.encode(some, known), reference.encode(strings, list(known))
    for kind in (pa.string(), pa.large_string()):
        index = kernels.StringIndex()
        assert lookup(index, pa.array(some, kind), grow=True).tolist() == expected[0]
        found = [code if code < len(known) else -2 for code in expected[1]]
        assert lookup(index, pa.array(strings, kind)).tolist() == found
        assert lookup(index, pa.array(strings, kind), grow=True).tolist() == expected[1]


@given(
    st.lists(TEXTS, min_size=1, max_size=9),
    st.integers(0, 2**32),
    st.integers(500, 1500),
    st.sampled_from([0.01, 0.5, 0.99, 1.0]),
    st.integers(0, 70),
)
def test_missing_cells_are_not_numbered_whatever_bytes_they_hold(levels, seed, rows, share, start):
    random = np.random.default_rng(seed)
    texts = [levels[i] if random.random() < 0.9 else f"new {i}" for i in random.integers(0, len(levels), rows)]
    missing = random.random(rows) < share
    held = pa.array(texts)
    bits = pa.py_buffer(np.packbits(~missing, bitorder="little").tobytes())
    cells = pa.StringArray.from_buffers(rows, *held.buffers()[1:], bits)[start:]
    known = []
    expected = reference.encode(cells.to_pylist(), known)
    index = kernels.StringIndex()
    assert lookup(index, cells, grow=True).tolist() == expected
    assert index_strings(index).to_pylist() == known
    assert lookup(index, cells).tolist() == expected


@given(st.lists(TEXTS, min_size=1, max_size=9), st.integers(0, 2**32), st.integers(0, 200_000), st.booleans())
def test_few_strings_are_numbered_in_bytes(levels, seed, rows, gaps):
    numbers = np.random.default_rng(seed).integers(-1 if gaps else 0, len(levels), rows)
    cells = pa.array([*levels, None]).take(pa.array(np.where(numbers < 0, len(levels), numbers)))
    index, other = kernels.StringIndex(), kernels.StringIndex()
    found = index.encode_bytes(*string_buffers(cells))
    assert found.dtype == np.int8
    assert np.array_equal(found, lookup(other, cells, grow=True))
    assert index_strings(index) == index_strings(other)


@pytest.mark.parametrize("count", [127, 128, 5000])
def test_bytes_number_up_to_127_strings(count):
    numbers = np.append(np.zeros(100_000, int), np.arange(count))
    found = kernels.StringIndex().encode_bytes(*string_buffers(pa.array(list(map(str, numbers.tolist())))))
    assert np.array_equal(found, numbers) if count == 127 else found is None


@pytest.mark.parametrize("size", [1, 3, 300, 3_000, 60_000])
@pytest.mark.parametrize("prefix", ["", "city ", "street no "])
def test_strings_that_recur_keep_their_numbers(size, prefix):
    random = np.random.default_rng(size)
    numbers = np.concatenate([np.arange(size), random.integers(0, size, 100_000)])
    cells = pa.array([f"{prefix}{number}" for number in numbers.tolist()])
    index = kernels.StringIndex()
    assert np.array_equal(lookup(index, cells, grow=True), numbers)
    assert np.array_equal(lookup(index, cells), numbers)


@pytest.mark.parametrize("kind", [np.int32, np.int64])
@pytest.mark.parametrize("wrong", [-1, 0, 700, 2_000, 1 << 30])
def test_offsets_in_disorder_are_refused(kind, wrong):
    offsets = np.arange(1001, dtype=kind)
    offsets[600] = wrong
    data = np.frombuffer(b"abcdefghij" * 100, np.uint8)
    with pytest.raises(IndexError, match="offsets do not fit"):
        kernels.StringIndex().encode(offsets.view(np.uint8), kind == np.int64, data, None, 0, 1000, True)


@given(st.lists(st.none() | st.text(max_size=20), max_size=9), st.booleans())
def test_few_strings_have_the_numbers_of_a_column(texts, grow):
    few, column = kernels.StringIndex(), kernels.StringIndex()
    for index in (few, column):
        index_words(index, ["", "a", "Zürich"])
    expected = column.encode(*string_buffers(pa.array(texts, pa.string())), grow)
    assert few.encode_few(texts, grow).tolist() == expected.tolist()
    assert index_strings(few) == index_strings(column)


def test_non_strings_are_refused():
    index = kernels.StringIndex()
    for bad, error in (("\ud800", UnicodeEncodeError), (1, TypeError), (b"a", TypeError)):
        with pytest.raises(error):
            index.encode_few([bad], True)
