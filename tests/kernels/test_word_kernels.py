"""Document kernels against slow references."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import reference
from tallybayes import Words, kernels
from tallybayes.counts.exact import Exact
from tallybayes.counts.sparse import SparseTally
from tallybayes.counts.tally import Rows
from tallybayes.kernels.strings import index_strings, index_words, string_buffers

CHARACTERS = st.sampled_from("abcAB_1 .,!!$€«é́İΣ漢🙂️ⒶⅣ\n\t\x00�") | st.characters(exclude_categories=["Cs"])
TEXTS = st.none() | st.text(CHARACTERS, max_size=40)
WORDS = st.text(st.sampled_from("ab漢"), max_size=20)


@given(
    st.lists(st.tuples(TEXTS, st.integers(-1, 2)), max_size=8),
    st.sampled_from([(1, 1), (1, 2), (2, 3), (1, 5)]),
    st.integers(1, 3),
    st.booleans(),
    st.booleans(),
)
def test_words_are_counted(rows, ngrams, shortest, presence, punctuation):
    family = Words(ngrams=ngrams, shortest=shortest, presence=presence, punctuation=punctuation)
    cells = pa.array([text for text, _ in rows], pa.string())
    codes = np.array([code for _, code in rows], np.int32)
    counted = family.tally(family.encode(cells), Rows([0, 1, 2], codes)).words
    cut = reference.words_and_punctuation_of if punctuation else reference.words_of
    documents = [None if text is None else reference.runs(cut(text, shortest), *ngrams) for text, _ in rows]
    if presence:
        documents = [None if words is None else sorted(set(words)) for words in documents]
    expected = reference.count_words(documents, codes.tolist())
    words, classes, sums = counted.cells()
    names = counted.words().to_pylist()
    found = zip(*(sums[name].fractions() for name in ("n", "documents", "share")), strict=True)
    keys = [(names[w], c) for w, c in zip(words.tolist(), classes.tolist(), strict=True)]
    assert dict(zip(keys, found, strict=True)) == expected


@given(st.lists(st.lists(st.tuples(WORDS, st.integers(0, 3), st.integers(-9, 9)), max_size=12), max_size=4))
def test_sparse_tally_adds_like_a_dictionary(parts):
    total, expected = SparseTally.empty(["n"]), {}
    for part in parts:
        counts = {(word, key): n for word, key, n in part}
        total += SparseTally.of([0, 1, 2, 3], counts)
        for cell, n in counts.items():
            expected[cell] = expected.get(cell, 0) + n
    kept = {cell: n for cell, n in expected.items() if n}
    tidy = total.canonical()
    words, classes, sums = tidy.cells()
    names, keys = tidy.words().to_pylist(), tidy.classes
    cells = [(names[w], keys[c]) for w, c in zip(words.tolist(), classes.tolist(), strict=True)]
    assert dict(zip(cells, sums["n"].round().tolist(), strict=True)) == kept
    assert cells == sorted(cells)
    assert names == sorted({word for word, _ in kept})
    merged = total.merged({"low": [0, 1], "high": [2, 3]})
    for name, group in (("low", (0, 1)), ("high", (2, 3))):
        here = sum(n for (_, key), n in kept.items() if key in group)
        assert merged.sum_of("n", [name]).round().tolist() == [here]


@given(st.lists(WORDS, max_size=40), st.lists(WORDS, max_size=40))
def test_index_merges_another(here, there):
    first, second = kernels.StringIndex(), kernels.StringIndex()
    index_words(first, here)
    index_words(second, there)
    known = list(dict.fromkeys(here))
    assert second.find_all(first).tolist() == [list(dict.fromkeys(there)).index(w) if w in there else -2 for w in known]
    copy = first.copy()
    codes = first.merge(second)
    both = list(dict.fromkeys(here + there))
    assert sorted(index_strings(first).to_pylist()) == sorted(both)
    assert [index_strings(first)[code].as_py() for code in codes.tolist()] == list(dict.fromkeys(there))
    assert index_strings(copy).to_pylist() == known
    order = first.sorted()
    assert index_strings(first.subset(order)).to_pylist() == sorted(both)


def test_index_does_not_merge_with_itself_or_find_unknown_words():
    index = kernels.StringIndex()
    with pytest.raises(ValueError, match="merged with itself"):
        index.merge(index)
    with pytest.raises(IndexError, match="no string of this number"):
        index.subset(np.array([3], np.int32))


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), max_size=60))
def test_pairs_are_numbered_by_first_occurrence(pairs):
    index, known = kernels.PairIndex(), list(dict.fromkeys(pairs))
    a, b = (np.array([pair[i] for pair in pairs], np.int32) for i in (0, 1))
    assert index.encode(a, b, True).tolist() == [known.index(pair) for pair in pairs]
    assert index.encode(b, a, False).tolist() == [
        known.index(pair[::-1]) if pair[::-1] in known else -1 for pair in pairs
    ]
    assert len(index) == len(known)


@given(st.lists(st.integers(-(2**70), 2**70), min_size=1, max_size=9), st.integers(-1, 1).filter(bool))
def test_rows_are_added_in_place(numbers, sign):
    target = Exact.zeros((12,))
    places = np.arange(len(numbers), dtype=np.int64)[::-1].copy()
    other = Exact(np.array([[n % 2**32, n >> 32 & 0xFFFFFFFF, n >> 64] for n in numbers], np.int64))
    target.add_rows(places, other, sign)
    target.add_rows(places, other, sign)
    expected = [2 * sign * numbers[::-1][i] if i < len(numbers) else 0 for i in range(12)]
    assert [int(value) for value in target.fractions()] == expected


def test_large_sums_are_carried():
    target = Exact.zeros((1,))
    for _ in range(5):
        target.add_rows(np.zeros(1, np.int64), Exact(np.array([[1 << 61]])), 1)
    assert target.fractions() == [5 << 61]


@given(st.lists(TEXTS, max_size=6), st.booleans())
def test_score_is_the_sum_over_words(texts, once):
    rng = np.random.default_rng(1)
    index = kernels.StringIndex()
    known = ["ab", "aa", "ba", "abc", "漢漢", "a1"]
    index_words(index, known)
    table = rng.normal(size=(len(known), 3))
    cutter = Words().cutter
    documents = cutter.documents(cutter.encode(pa.array(texts, pa.string())))
    scores = np.zeros((3, len(texts)))
    lengths = kernels.WordScorer(index, table).add(
        documents, kernels.Reading(cutter.tokeniser, None, None, once, -1), scores
    )
    for row, text in enumerate(texts):
        words = [] if text is None else [w for w in reference.words_of(text) if w in known]
        words = list(dict.fromkeys(words)) if once else words
        assert lengths[row] == (-1 if text is None else len(words))
        np.testing.assert_allclose(scores[:, row], sum((table[known.index(w)] for w in words), np.zeros(3)), atol=1e-12)


URN_TEXTS = st.lists(st.sampled_from(["aa", "bb", "cc", "dd", "漢漢"]), max_size=40).map(" ".join)


@given(st.lists(st.none() | URN_TEXTS, max_size=5), st.lists(st.floats(-200.0, 20.0), min_size=12, max_size=12))
@example(["aa " * 5000, "bb bb"], [-300.0, 21.0, -80.0, 0.0, -709.0, 3.0, -1.0, 1.0, 2.0, 0.5, -0.5, 4.0])
def test_urn_score_equals_sequential_draws(texts, log_alphas):
    known, index = ["aa", "bb", "cc", "dd"], kernels.StringIndex()
    index_words(index, known)
    table = np.array(log_alphas).reshape(4, 3)
    table[3, 1] = -np.inf  # impossible however often it occurs
    cutter = Words().cutter
    documents = cutter.documents(cutter.encode(pa.array(texts, pa.string())))
    reading = kernels.Reading(cutter.tokeniser, None, None, False, -1)
    each = np.array([0.25, -1.0, 2.0])
    starts, classes = np.array([0, 3, 6, 9, 12]), np.tile(np.arange(3, dtype=np.int32), 4)
    otherwise, cells = np.array([-1.0, 2.0, 0.0, -np.inf]), table - each
    cells[:3] -= otherwise[:3, None]
    expected = np.array([reference.urn(text, known, table) for text in texts]).reshape(len(texts), 3).T
    for scorer in (
        kernels.WordScorer(index, table, True),
        kernels.WordScorer(index, starts, classes, cells.reshape(-1), otherwise, each, True),
    ):
        scores = np.zeros((3, len(texts)))
        scorer.add(documents, reading, scores)
        np.testing.assert_allclose(scores, expected, rtol=1e-11, atol=1e-9)


@given(st.lists(st.binary(max_size=12) | st.sampled_from([b"", b"\0", b"a", b"a\0", b"abcdefgh", b"abcdefgh\0"])))
def test_strings_are_sorted_by_bytes(strings):
    index = kernels.StringIndex()
    index.encode(*string_buffers(pa.array(strings, pa.large_binary())), True)
    met = list(dict.fromkeys(strings))
    assert [met[code] for code in index.sorted()] == sorted(met)
