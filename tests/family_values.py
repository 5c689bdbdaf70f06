"""For every family, strategies for values in its support."""

import numpy as np
from hypothesis import strategies as st

from tallybayes import FAMILIES
from tallybayes.counts.tally import Rows
from tallybayes.families.blocks.growing import grow

REAL = st.floats(-1e6, 1e6) | st.integers(-5, 5).map(float)
POSITIVE = st.floats(1e-6, 1e6) | st.integers(1, 5).map(float)
WHOLE = st.integers(0, 300).map(float)
WORD = st.sampled_from(["free", "prize", "lunch", "monday", "größe", "the"]) | st.text(
    st.characters(categories=["L", "Nd"]), max_size=8
)

VALUES = {  # families whose cells are not numbers, or blocks of them
    "Bag": st.lists(st.integers(0, 4).map(float) | st.floats(0, 10), min_size=3, max_size=3),
    "Bernoulli": st.booleans(),
    "Categorical": st.text(st.characters(exclude_categories=["Cs"]), max_size=4),
    "Correlated": REAL,
    "Crossed": st.text(st.characters(exclude_categories=["Cs"]), max_size=4),
    "Each": st.lists(REAL, min_size=3, max_size=3),
    "WordSequence": st.lists(WORD, max_size=6).map(" ".join),
    "Pairs": REAL,
    "Several": REAL,
    "Trees": REAL,
    "Tuples": REAL,
    "Words": st.lists(WORD, max_size=6).map(" ".join),
}

CODES = ((-1.5, 0.0, 2.5),)


def _grown():
    """Questions of three trees about one column, for any labels."""
    codes = np.repeat(np.arange(5, dtype=np.uint8), 4)[:, None]
    rows = Rows(["a", "b"], np.arange(20, dtype=np.int32) % 2)
    return {
        "n": 3,
        "questions": "random",
        "codes": CODES,
        "grown": grow(codes, rows, CODES, n=3, questions="random", seed=0),
    }


PREPARED = {
    "Pairs": {"codes": CODES},
    "Trees": _grown(),
    "Tuples": {"codes": CODES},
}  # what must be chosen before counting
PREPARED["Several"] = {"members": tuple(FAMILIES[name](**PREPARED[name]) for name in ("Trees", "Pairs"))}


def family_of(name, *arguments, **settings):
    """A family ready to count."""
    return FAMILIES[name](*arguments, **{**PREPARED.get(name, {}), **settings})


def takes_numbers(name):
    return FAMILIES[name]().support is not None


def takes_whole_numbers(name):
    return takes_numbers(name) and FAMILIES[name]().support.whole


def values_of(name):
    """A strategy for the cells of a family."""
    if not takes_numbers(name):
        return VALUES[name]
    if takes_whole_numbers(name):
        return WHOLE
    return REAL if FAMILIES[name]().support.lowest < 0 else POSITIVE


def rows_of(name, least=0, most=8):
    """A strategy for rows: cells, some of them missing, and labels."""
    cells = st.none() | values_of(name)
    return st.lists(st.tuples(cells, st.sampled_from(["a", "b", "c"])), min_size=least, max_size=most)


names = sorted(FAMILIES)
