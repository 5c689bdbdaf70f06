"""Persistent word counts: a change makes a new version, and old versions stay the same."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tallybayes import kernels
from tallybayes.kernels.strings import index_words

SUMS = st.tuples(st.integers(0, 3), st.integers(0, 3), st.sampled_from([0.0, 0.5]))
CHANGE = st.dictionaries(st.tuples(st.integers(0, 300), st.integers(0, 4)), SUMS, max_size=30)


def changed(cells, change):
    words, classes = (np.array([pair[i] for pair in change], np.int32) for i in (0, 1))
    sums = np.array(list(change.values()), np.float64).reshape(-1, 3).T
    return cells.changed(words, classes, np.ascontiguousarray(sums))


def is_as(cells, held):
    """Whether the cells equal those of a plain dictionary."""
    starts, classes, sums = cells.of(np.arange(310, dtype=np.int32))
    words = np.repeat(np.arange(310), np.diff(starts)).tolist()
    found = list(zip(zip(words, classes.tolist(), strict=True), map(tuple, sums.T.tolist()), strict=True))
    met = [sum(pair[1] == c and sums[0] > 0 for pair, sums in held.items()) for c in range(len(cells.met()))]
    assert found == sorted(held.items())
    assert len(cells) == len(held)
    assert cells.words() == len({word for word, _ in held})
    assert cells.met().tolist() == met


@pytest.mark.slow
@given(st.lists(CHANGE, max_size=8))
def test_every_version_keeps_its_cells(changes):
    moments, held = [(kernels.WordCells(), {})], {}
    for change in changes:
        held = {pair: sums for pair, sums in {**held, **change}.items() if any(sums)}
        moments.append((changed(moments[-1][0], change), held))
    for cells, then in moments:
        is_as(cells, then)


def test_many_cells_in_any_order_equal_a_few_at_a_time():
    rng = np.random.default_rng(0)
    pairs = rng.permutation(50_000)
    words, classes = (pairs // 5).astype(np.int32), (pairs % 5).astype(np.int32)
    sums = rng.integers(1, 9, (3, len(pairs))).astype(np.float64)
    at_once, little_by_little = kernels.WordCells().changed(words, classes, sums), kernels.WordCells()
    for start in range(0, len(pairs), 1000):
        some = slice(start, start + 1000)
        little_by_little = little_by_little.changed(words[some], classes[some], np.ascontiguousarray(sums[:, some]))
    everything = np.arange(10_000, dtype=np.int32)
    for one, other in zip(at_once.of(everything), little_by_little.of(everything), strict=True):
        assert np.array_equal(one, other)
    starts, found, held = at_once.of(everything)
    assert np.array_equal(found, np.tile(np.arange(5), 10_000))
    assert np.array_equal(held, sums[:, np.argsort(pairs)])
    assert starts[-1] == len(at_once) == 50_000


def test_unknown_words_have_no_cells():
    cells = kernels.WordCells().changed(np.array([70], np.int32), np.zeros(1, np.int32), np.ones((2, 1)))
    starts, _, sums = cells.of(np.array([-1, 5, 69, 70, 71, 1 << 30], np.int32))
    assert starts.tolist() == [0, 0, 0, 0, 1, 1, 1]
    assert sums.tolist() == [[1.0], [1.0], [0.0]]


def test_words_are_looked_up_while_others_are_added():
    index = kernels.StringIndex()
    known = [f"word{i}" for i in range(1000)]
    index_words(index, known)

    def look_up():
        return [index_words(index, known, grow=False).tolist() for _ in range(200)]

    with ThreadPoolExecutor(2) as pool:
        found = pool.submit(look_up)
        for start in range(0, 100_000, 500):
            index_words(index, [f"more{i}" for i in range(start, start + 500)])
        assert all(codes == list(range(1000)) for codes in found.result())
    assert len(index) == 101_000
