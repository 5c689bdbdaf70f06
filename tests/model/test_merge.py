"""Merging many models, trained anywhere, in any order."""

import pickle
import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tallybayes import Categorical, Gaussian, Model, Words, digest, merge

FAMILIES = {"city": Categorical(), "age": Gaussian(), "text": Words()}
ROWS = st.lists(
    st.tuples(st.sampled_from("abc"), st.floats(-1e9, 1e9), st.text("xy ", max_size=8), st.sampled_from(["no", "yes"])),
    max_size=30,
)


def trained(rows):
    frame = {"city": [r[0] for r in rows], "age": np.array([r[1] for r in rows]), "text": [r[2] for r in rows]}
    return Model.train(FAMILIES, frame, np.array([r[3] for r in rows], object))


@given(ROWS.filter(len), st.integers(1, 9), st.randoms())
def test_parts_in_any_order_equal_the_model_of_all_rows(rows, parts, chance):
    pieces = [rows[i::parts] for i in range(parts) if rows[i::parts]]
    chance.shuffle(pieces)
    assert digest(merge(trained(piece) for piece in pieces)) == digest(trained(rows))


def test_iterator_is_consumed_lazily_and_models_stay_unchanged():
    under_way, seen = [], []
    models = [trained([("a", float(i), "x", "yes")]) for i in range(20)]
    before = [digest(model) for model in models]

    def one_by_one():
        for model in models:
            under_way.append(len(seen))
            yield model
            seen.append(model)

    assert merge(one_by_one()).n == 20
    assert under_way == list(range(20))
    assert [digest(model) for model in models] == before


def test_merged_model_learns_without_changing_its_parts():
    one = trained([("a", 1.0, "x", "yes")])
    alone = merge([one])
    alone += one
    assert (one.n, alone.n) == (1, 2)


def test_pickled_models_merge_to_the_same_bytes():
    rows = [(random.Random(i).choice("abc"), i / 7, "x y", "no") for i in range(50)]
    sent = [pickle.loads(pickle.dumps(trained(rows[i::7]))) for i in range(7)]
    assert digest(merge(sent)) == digest(trained(rows))


def test_incompatible_models_are_named():
    one = trained([("a", 1.0, "x", "yes")])
    other = Model.train({"city": Gaussian()}, {"city": [1.0]}, ["yes"])
    with pytest.raises(ValueError, match=r"There is nothing to merge\. Give at least one model\."):
        merge([])
    with pytest.raises(TypeError, match=r"There is only one model\."):
        merge(one)
    with pytest.raises(TypeError, match="Item 2 is a str, not a model"):
        merge([one, "m.tally"])
    with pytest.raises(ValueError, match="Model 3 cannot be added to those before it: "):
        merge([one, one, other])
