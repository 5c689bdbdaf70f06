"""The order of slots that are integers follows a tally as it grows."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tallybayes.counts.exact import Exact
from tallybayes.counts.tally import Tally


def counted(slots):
    return Tally(["a"], slots, {"n": Exact.counts(np.arange(1, len(slots) + 1)[:, None])})


@given(st.lists(st.lists(st.integers(-99, 99), unique=True, max_size=12), max_size=6), st.data())
def test_order_is_that_of_all_slots_whenever_it_was_asked(parts, data):
    tally, known = Tally.empty(["n"]), {}
    for part in parts:
        tally += counted(part) * data.draw(st.sampled_from([1, -1]))
        known |= dict.fromkeys(part)
        if data.draw(st.booleans()):
            keys, places = tally.ordered()
            assert keys.tolist() == sorted(known)
            assert [tally.slots[at] for at in places] == sorted(known)
    copied = tally.copy()
    for each in (tally, copied, tally + counted([100])):
        keys, places = each.ordered()
        assert [each.slots[at] for at in places] == keys.tolist() == sorted(each.slots)
