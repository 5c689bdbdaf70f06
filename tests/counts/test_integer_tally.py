"""A tally of integers given as an array is the same as one of a dictionary, whatever is done with it."""

import pickle

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tallybayes import kernels
from tallybayes.counts.exact import Exact
from tallybayes.counts.integer_tally import IntegerTally
from tallybayes.counts.tally import Tally

CLASSES = ["ham", "spam"]
COUNTS = st.dictionaries(
    st.integers(-(2**62), 2**62), st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=0, max_size=30
)


def both(counts, classes=CLASSES):
    sums = {"n": Exact.counts(np.array(list(counts.values()), np.int64).reshape(len(counts), 2))}
    copied = {"n": Exact(sums["n"].limbs.copy())}
    return IntegerTally(classes, np.array(list(counts), np.int64), sums), Tally(classes, list(counts), copied)


@given(st.lists(COUNTS, min_size=1, max_size=5))
def test_it_adds_up_and_is_taken_away_like_any_tally(batches):
    total, expected = both(batches[0])
    for counts in batches[1:]:
        part, same = both(counts, CLASSES[::-1])
        total.add(part)
        expected.add(same)
    assert total == expected
    for counts in batches[1:]:
        part, same = both(counts, CLASSES[::-1])
        total.add(part, -1)
    assert total == both(batches[0])[1]
    assert pickle.dumps(total) == pickle.dumps(both(batches[0])[1])


@given(COUNTS, COUNTS)
def test_it_is_added_to_an_empty_tally_and_to_one_of_names(counts, more):
    empty = Tally.empty(["n"])
    empty.add(both(counts)[0])
    assert empty == both(counts)[1]
    used, expected = both(counts)
    assert used.slots == expected.slots  # makes the dictionary
    used.add(both(more)[0])
    expected.add(both(more)[1])
    assert used == expected
    assert len(used) == len({*counts, *more})


KEYS = st.integers(-(2**63), 2**63 - 1)


@given(st.lists(KEYS | st.integers(0, 9)), st.dictionaries(KEYS | st.integers(0, 9), st.integers(0, 2**40)))
def test_a_key_is_found_at_its_place(wanted, places):
    known = [np.array(each, np.int64) for each in (sorted(places), [places[key] for key in sorted(places)])]
    assert kernels.find_keys(np.array(wanted, np.int64), *known).tolist() == [places.get(key, -1) for key in wanted]


def test_threads_that_need_the_slots_at_once_find_the_same_dictionary():
    tally = IntegerTally(["ham"], np.array([7, 3]), {"n": Exact.counts(np.array([[1], [2]]))})
    late = tally.__getattr__
    first = tally._slots
    assert late("_slots") is first  # of a thread that looked before the first had made it
    assert first == {7: 0, 3: 1}
