"""Pairs of levels as words: what a row counts, and the usual laws."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_trees import LAWS

from tallybayes import Categorical, Crossed, Model, Schema, SemiNaiveBayes, Words, left_out, weigh

ROWS = {
    "verb": ["eat", "eat", "see", "see", None, "hit"],
    "noun": ["pizza", "soup", "man", "man", "man", None],
    "prep": ["with", "with", "with", "in", "in", "on"],
}
LABELS = ["v", "v", "n", "n", "n", "v"]
BLOCK = ("noun", "prep", "verb")


def word(one, a, other, b):
    return f"{one}\x1e{a}\x1f{other}\x1e{b}"


def trained(rows=ROWS, labels=LABELS, family=None):
    return Model.train({BLOCK: family or Crossed()}, rows, labels)


def test_every_pair_of_levels_is_a_word():
    counts = trained().counts(BLOCK)
    assert counts[word("noun", "man", "prep", "in")]["documents"]["n"] == 2
    assert counts[word("noun", "man", "verb", "see")]["documents"]["n"] == 2
    assert counts[word("prep", "with", "verb", "eat")]["documents"]["v"] == 2
    assert len(counts.slots) == 11  # a pair with a missing cell is none


def test_of_selects_the_paired_columns():
    counts = trained(family=Crossed(of=("verb", "noun"))).counts(BLOCK)
    assert sorted(slot.count("\x1e") for slot in counts.slots) == [2, 2, 2]
    assert all("prep" not in slot for slot in counts.slots)
    with pytest.raises(ValueError, match=r"of must be some of 'noun', 'prep', 'verb'"):
        trained(family=Crossed(of=("colour",)))
    for invalid in (5, "verb", {"verb": 1}, ("verb", 1)):
        with pytest.raises(ValueError, match="of must be a tuple of columns' names"):
            Crossed(of=invalid)
    assert Crossed(of=iter(["verb", "noun"])).of == ("noun", "verb")


@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.__name__)
@given(data=st.data())
def test_obeys_the_laws(law, data):
    """Those of trees: where all cells are missing, there is a text without words."""
    law(Crossed().over(("a", "b", "c")), *(data.draw(strategy) for strategy in LAWS[law]))


def test_evidence_equals_that_of_words():
    listed = [
        [
            word(a, row[a], b, row[b])
            for a, b in (("noun", "prep"), ("noun", "verb"), ("prep", "verb"))
            if row[a] is not None and row[b] is not None
        ]
        for row in ({name: column[at] for name, column in ROWS.items()} for at in range(len(LABELS)))
    ]
    words = Words(lower=False, shortest=1, reading="binary")
    wanted = Model.train({"w": words}, {"w": listed}, LABELS)
    found = trained(family=Crossed(words=words))
    np.testing.assert_array_equal(found.posterior(ROWS), wanted.posterior({"w": listed}))
    alone, beside = left_out(wanted, {"w": listed}, LABELS), left_out(found, ROWS, LABELS)
    np.testing.assert_allclose(beside.total(), alone.total())


def table(n=600):
    """Parity of the sum of two levels, which neither tells alone."""
    rng = np.random.default_rng(0)
    a, b = rng.integers(0, 150, n), rng.integers(0, 150, n)
    return {"a": [f"a{i}" for i in a], "b": [f"b{i}" for i in b]}, np.where((a + b) % 2, "odd", "even")


def test_weighing_and_inference():
    rows, labels = table()
    schema = Schema.infer(rows, dependence="auto")
    assert [type(each).__name__ for each in schema.columns["a", "b"].members] == ["Trees", "Pairs", "Crossed"]
    model = SemiNaiveBayes().fit(rows, labels)
    assert "Crossed" in model.schema_.weights.parts["a", "b"]
    plain = Model.train({"a": Categorical(), "b": Categorical(), ("a", "b"): Crossed()}, rows, labels)
    assert weigh(plain, rows, labels).posterior(rows).shape == (600, 2)
