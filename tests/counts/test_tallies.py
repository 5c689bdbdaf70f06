"""All kinds of tallies obey one protocol: add, subtract, scale, pack and unpack; slots may be tuples."""

import copy
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tallybayes import Categorical, Model, digest
from tallybayes.counts.exact import Exact
from tallybayes.counts.packing import PackError
from tallybayes.counts.sparse import SparseTally
from tallybayes.counts.tallies import Tallies
from tallybayes.counts.tally import Tally
from tallybayes.files import from_bytes, to_bytes

CLASSES = ["ham", "spam"]
WORDS = st.sampled_from(["free", "größe", "the", "", "lunch"])
SLOTS = {
    "texts": WORDS,
    "numbers": st.integers(-3, 300),
    "pairs": st.tuples(WORDS, WORDS),
    "mixed": st.tuples(WORDS, st.integers(-3, 3), WORDS),
}


def dense(counts):
    slots = list(dict.fromkeys(slot for slot, _ in counts))
    table = np.zeros((len(slots), 2), np.int64)
    for (slot, key), n in counts.items():
        table[slots.index(slot), CLASSES.index(key)] = n
    return Tally(CLASSES, slots, {"n": Exact.counts(table)})


def sparse(counts):
    return SparseTally.of(CLASSES, counts)


def received(counts):
    """A sparse tally as it comes from another machine: its words have no index yet."""
    make, parts = sparse(counts).as_it_is()
    return make(*parts)


def several(counts):
    return Tallies(
        {"words": sparse(counts), "pairs": dense({((word, word), key): n for (word, key), n in counts.items()})}
    )


KINDS = {
    **{f"dense {name}": (dense, slots) for name, slots in SLOTS.items()},
    "sparse": (sparse, WORDS),
    "received": (received, WORDS),
    "several": (several, WORDS),
}


def counts_of(slots):
    return st.dictionaries(st.tuples(slots, st.sampled_from(CLASSES)), st.integers(1, 9), max_size=8)


def filed(tally, keys):
    """Packed into arrays and unpacked, with nothing left over."""
    arrays = {}
    about = tally.canonical().pack("0", keys, arrays)
    found = (tally - tally).unpacked("0", about, keys, arrays)
    assert arrays == {}
    return found


@pytest.mark.parametrize("kind", KINDS)
@given(data=st.data())
def test_every_tally_obeys_the_protocol(kind, data):
    make, slots = KINDS[kind]
    a, b = (make(data.draw(counts_of(slots))) for _ in range(2))
    assert a + b == b + a
    assert (a + b) - b == a
    assert (-a) + a == a - a
    assert a * 2 == a + a
    assert a * 0.5 + a * 0.5 == a
    assert (a + b).filled() == sorted({*a.filled(), *b.filled()})
    assert (a + b).only(["ham"]) + (a + b).only(["spam"]) == a + b
    assert a.renamed(["spam", "ham"]).renamed(["ham", "spam"]) == a
    both = {"all": CLASSES}
    assert a.merged(both) + b.merged(both) == (a + b).merged(both)
    assert (a + b - b).canonical().slots == a.canonical().slots
    left = a + b
    left -= b
    left.drop_traces(b)
    for again in (filed(a, CLASSES), filed(left, CLASSES), copy.deepcopy(left), pickle.loads(pickle.dumps(left))):
        assert again == a
        assert again.canonical().slots == a.canonical().slots


def test_pair_is_indexed_by_its_two_parts():
    tally = dense({(("free", "lunch"), "ham"): 2, (("free", "prize"), "spam"): 3})
    assert tally["free", "lunch"] == {"ham": 2, "spam": 0}
    assert tally["free", "prize"]["spam"] == 3
    with pytest.raises(KeyError, match="There are no counts of"):
        tally["lunch", "free"]


@pytest.mark.parametrize(
    ("array", "change", "said"),
    [
        ("0/codes", lambda a: a[::-1].copy(), "not sorted"),
        ("0/codes", lambda a: a + 1, "do not fit their parts"),
        ("0/codes", lambda a: a[:, :1].copy(), "do not fit their parts"),
        ("0/codes", lambda a: a[:0].copy(), "do not fit their parts"),
        ("0/0/ends", lambda a: a[::-1].copy(), "do not fit their bytes"),
        ("0/sums/n", lambda a: a[:1].copy(), "do not fit its labels"),
    ],
)
def test_non_canonical_tuples_are_refused(array, change, said):
    tally = dense({(("free", "lunch"), "ham"): 2, (("free", "prize"), "spam"): 3, (("a", "b"), "spam"): 1})
    arrays = {}
    about = tally.canonical().pack("0", CLASSES, arrays)
    arrays[array] = change(arrays[array])
    with pytest.raises(PackError, match=said):
        Tally.empty(["n"]).unpacked("0", about, CLASSES, arrays)


def test_tallies_of_other_sums_or_parts_are_refused():
    arrays = {}
    about = dense({("free", "ham"): 2}).canonical().pack("0", CLASSES, arrays)
    with pytest.raises(PackError, match="it has sums of n, not of n, x"):
        Tally.empty(["n", "x"]).unpacked("0", about, CLASSES, dict(arrays))
    with pytest.raises(PackError, match="there are no slots of kind 'text'"):
        SparseTally.empty(["n"]).unpacked("0", about, CLASSES, dict(arrays))
    with pytest.raises(PackError, match="not of words, pairs"):
        several({}).unpacked("0", about, CLASSES, dict(arrays))


def test_many_levels_are_sorted_and_scored_like_few():
    levels = [f"{letter}{i}" for i in range(3_000) for letter in ("é", "\uffee", "\U0001f600", "z")]
    labels = ["ham" if i % 3 else "spam" for i in range(len(levels))]
    model = Model.train({"x": Categorical()}, {"x": levels[::-1]}, labels[::-1])
    assert model.counts("x").slots == sorted(levels)
    assert list(model.estimates("x")) == sorted(levels)
    said = np.exp(model.evidence({"x": levels[:9]})["x"])
    spam = np.array([label == "spam" for label in labels[:9]])
    np.testing.assert_allclose(said[:, 0], (2.0 - spam) / (8_000 + 12_000))
    np.testing.assert_allclose(said[:, 1], (1.0 + spam) / (4_000 + 12_000))
    again = from_bytes(to_bytes(model))
    assert digest(again) == digest(model)
    np.testing.assert_array_equal(again.evidence({"x": levels})["x"], model.evidence({"x": levels})["x"])
