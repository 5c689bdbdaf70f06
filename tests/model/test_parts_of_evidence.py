"""The evidence of a text is split into its words, that of a block into its columns; the parts add up to the whole."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tallybayes import (
    Bag,
    Categorical,
    Correlated,
    Crossed,
    Model,
    Pairs,
    Schema,
    Several,
    Trees,
    Tuples,
    Weights,
    Words,
    WordSequence,
    prepare,
    weigh,
)
from tallybayes.model.evidence import TOGETHER

BLOCK = ("x", "y", "z")
RANDOM = np.random.default_rng(5)
N = 90
LABELS = RANDOM.choice(["p", "q", "r"], N)
KIND = np.unique(LABELS, return_inverse=True)[1]
FRAME = pd.DataFrame({name: RANDOM.normal(KIND * at, 1.0).round(1) for at, name in enumerate(BLOCK)})
FRAME = FRAME.mask(RANDOM.random(FRAME.shape) < 0.1)
FRAME["t"] = [" ".join(RANDOM.choice(["aa", "bb", "cc", "dd"], 1 + kind)) for kind in KIND]
FRAME.loc[::7, "t"] = None

ENTRIES = [
    ("t", Words()),
    ("t", Words(reading="bernoulli")),
    ("t", Words(reading="auto")),
    ("t", WordSequence()),
    (BLOCK, Correlated()),
    (BLOCK, Correlated(covariance="shared", plugin=True)),
    (BLOCK, Correlated(m=0.0, plugin=True)),
    (BLOCK, Pairs(structure="tree")),
    (BLOCK, Pairs(structure="averaged")),
    (BLOCK, Tuples()),
    (BLOCK, Crossed()),
    (BLOCK, Trees(n=10)),
    (BLOCK, Several(members=(Trees(n=10), Pairs(), Correlated()))),
]


@pytest.mark.parametrize(("entry", "family"), ENTRIES, ids=str)
@pytest.mark.parametrize("weighed", [False, True])
def test_parts_add_up(entry, family, weighed):
    model = Model.train({entry: family}, FRAME, LABELS)
    model = weigh(model, FRAME, LABELS) if weighed else model
    evidence = model.evidence(FRAME)
    for row in range(0, N, 3):
        parts = [part.evidence for part in evidence.words(row, entry)]
        np.testing.assert_allclose(sum(parts, np.zeros(3)), evidence[entry][row], rtol=1e-9, atol=1e-7)


SEVERAL = prepare({BLOCK: Several(members=(Trees(n=10), Pairs(), Correlated()))}, FRAME, LABELS)


@given(st.lists(st.sampled_from([0.0, 0.5, 1.0, 20.0]), min_size=6, max_size=6), st.integers(0, N - 1))
def test_parts_of_several_families_are_weighed_as_their_evidence_is(numbers, row):
    names = SEVERAL.columns[BLOCK].parts
    weights = Weights(parts={BLOCK: dict(zip(names, numbers, strict=True))})
    model = Model.train(Schema(SEVERAL.columns, weights=weights), FRAME, LABELS)
    evidence = model.evidence(FRAME.iloc[[row]])
    parts = {part.word: part.evidence for part in evidence.words(0, BLOCK)}
    np.testing.assert_allclose(sum(parts.values(), np.zeros(3)), evidence[BLOCK][0], atol=1e-7)
    assert set(parts) <= {*BLOCK, TOGETHER}
    twice = model.believing(weights=Weights(parts={BLOCK: dict(zip(names, 2 * np.array(numbers), strict=True))}))
    doubled = {part.word: part.evidence for part in twice.evidence(FRAME.iloc[[row]]).words(0, BLOCK)}
    for word in parts | doubled:
        np.testing.assert_allclose(doubled.get(word, 0.0), 2 * parts.get(word, np.zeros(3)), atol=1e-6)
    if not any(numbers[:-1]):  # all that counts is `Correlated`
        (alone,) = SEVERAL.columns[BLOCK].members[2:]
        one = Model.train(Schema({BLOCK: alone}, weights=Weights({BLOCK: numbers[-1]})), FRAME, LABELS)
        for part in one.evidence(FRAME.iloc[[row]]).words(0, BLOCK) if numbers[-1] else ():
            np.testing.assert_allclose(parts.get(part.word, 0.0), part.evidence, atol=1e-7)


def test_correlated_columns_share_the_distance_from_the_mean():
    frame = {"x": [0.0, 2.0, 0.0, 2.0], "y": [0.0, 0.0, 1.0, 1.0]}
    model = Model.train(
        {("x", "y"): Correlated(m=0.0, plugin=True)}, frame, ["p"] * 4
    )  # mean (1, ½), variances 1 and ¼
    parts = {part.word: part.evidence.tolist() for part in model.evidence({"x": [4.0], "y": [1.0]}).words()}
    assert parts == {
        "x": pytest.approx([-0.5 * 9.0]),
        "y": pytest.approx([-0.5 * 1.0]),
        TOGETHER: pytest.approx([-np.log(2.0 * np.pi * 0.5)]),
    }


def test_missing_text_that_is_weighed_speaks_under_the_empty_word():
    weights = Weights({"t": 0.5}, missing={"t": 1.0})
    model = Model.train(Schema({"t": Words()}, weights=weights), FRAME[["t"]], LABELS)
    evidence = model.evidence({"t": [None]})
    (part,) = evidence.words()
    assert part.word == ""
    np.testing.assert_allclose(part.evidence, evidence["t"][0])
    assert np.ptp(part.evidence) > 0


def test_impossible_parts_stay_impossible():
    frame = {"a": ["u", "v"], "b": ["u", "v"]}
    model = Model.train({("a", "b"): Pairs(alpha=0, m=0.0), "c": Categorical()}, {**frame, "c": ["1", "2"]}, ["p", "q"])
    evidence = model.evidence({"a": ["u"], "b": ["v"], "c": ["1"]})
    said = sum(part.evidence for part in evidence.words(0, ("a", "b")))
    np.testing.assert_array_equal(said, evidence["a", "b"][0])
    assert np.isneginf(said).all()


def test_vectors_are_split_into_positions():
    model = Model.train({"v": Bag()}, {"v": [[2, 0, 1], [0, 3, 1]]}, ["p", "q"])
    evidence = model.evidence({"v": [[1, 1, 0]]})
    np.testing.assert_allclose(sum(part.evidence for part in evidence.words()), evidence["v"][0], rtol=1e-9)
