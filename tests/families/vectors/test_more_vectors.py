"""Vectors: inference, pickles, evidence, and large matrices."""

import copy
import pickle
import tracemalloc

import numpy as np
import pytest
import scipy.sparse as sp
from test_vectors import COUNTS, LABELS, RANDOM, train

from tallybayes import Bag, Each, Gaussian, Model, Schema, Words, digest
from tallybayes.counts.slots import positions


def test_families_are_inferred_for_vectors():
    frame = {"words": sp.csr_array(COUNTS), "numbers": COUNTS - 1.0, "deltas": sp.csr_array(COUNTS - 1.0)}
    schema = Schema.infer(frame)
    assert schema.columns == {"words": Bag(), "numbers": Each(Gaussian()), "deltas": Each(Gaussian())}
    assert schema.reasons["words"] == "sparse vectors of numbers of at least 0"
    model = Model.train(schema, frame, LABELS)
    assert np.isfinite(model.log_joint(frame)).all()
    assert Schema.infer({"x": [[[1.0]], [[2.0]]]}).columns == {}


def test_lists_of_words_are_words():
    tokens = {"x": [["a", "free", "prize"], ["a", "meeting"]]}
    assert Schema.infer(tokens).columns["x"] == Words(reading="auto", shortest=1)
    assert Model.train(Schema.infer(tokens), tokens, ["spam", "ham"]).decide({"x": [["prize"]]}) == ["spam"]


def test_unpickled_model_shares_its_positions():
    model = train(Bag(size=7), COUNTS)
    again = pickle.loads(pickle.dumps(model))
    assert digest(again) == digest(model)
    assert again.columns["x"]._slots is positions(7, True)
    assert copy.deepcopy(model).columns["x"]._slots is positions(7, True)


@pytest.mark.parametrize("reading", ["multinomial", "averaged", "bernoulli", "poisson", "complement"])
def test_evidence_of_positions_adds_up(reading):
    model = train(Bag(size=7, reading=reading, coefficient=reading in ("averaged", "poisson")), COUNTS)
    for data in (COUNTS[:5], sp.csr_array(COUNTS[:5])):
        evidence = model.evidence(data)
        for row in range(5):
            parts = evidence.words(row)
            np.testing.assert_allclose(sum(part.evidence for part in parts), evidence["x"][row])
            held = {part.word: part.times for part in parts if part.word}
            assert held == {str(i): n for i, n in enumerate(COUNTS[row]) if n}


def test_heaviest_positions_of_a_class():
    data = np.array([[5.0, 1.0, 0.0], [0.0, 1.0, 7.0]])
    model = train(Bag(size=3), sp.csr_array(data), ["a", "b"])
    first, second, third = model.words("b", column="x")
    assert [first.word, second.word, third.word] == ["2", "1", "0"]
    assert first.n == 7.0
    assert first.log_odds == pytest.approx(np.log((8 / 11) / (1 / 9)))


@pytest.mark.parametrize("weights", [None, RANDOM.random(2000)])
def test_counting_fractions_needs_little_extra_memory(weights):
    matrix = RANDOM.random((2000, 500))
    labels = np.arange(2000) % 3
    tracemalloc.start()
    train(Bag(), matrix, labels, weights=weights, threads=1)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 6 * matrix.nbytes


def test_sparse_counts_are_believed_with_little_extra_memory():
    size = 1 << 20
    vectors = sp.csr_array(([1.0, 2.0, 0.5], ([0, 1, 1], [5, 7, size - 1])), shape=(2, size))
    model = train(Bag(size=size), vectors, ["a", "b"])
    tracemalloc.start()
    joint = model.log_joint(vectors)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 6 * 16 * size  # doubles for two classes
    expected = np.log(0.5) + np.log([2 / (1 + size), 1 / (2.5 + size)])
    np.testing.assert_allclose(joint[0], expected)


def test_weighted_wide_matrix_equals_single_columns():
    matrix = np.where(RANDOM.random((9, 7000)) < 0.1, np.nan, RANDOM.normal(size=(9, 7000)) * 1e3)
    labels, weights = list("abcabcabc"), RANDOM.random(9)
    wide = train(Each(Gaussian()), matrix, labels, weights=weights)
    for position in (0, 1, 5460, 5461, 5462, 6999):  # a step is 2¹⁴ / 3 columns
        alone = train(Each(Gaussian()), matrix[:, [position]], labels, weights=weights)
        for name, sums in alone.columns["x"].aligned([0], list("abc")).sums.items():
            assert sums == wide.columns["x"].aligned([position], list("abc")).sums[name]


def test_infinity_in_a_weighted_matrix_is_located():
    matrix = RANDOM.random((5, 3))
    matrix[3, 1] = np.inf
    with pytest.raises(ValueError, match="row 3: position 1: inf"):
        train(Each(Gaussian()), matrix, list("ababa"), weights=[1.0, 0.5, 1.0, 1.0, 1.0])


def test_too_many_cells_is_an_error():
    matrix = sp.csr_array(([1.0] * 3, ([0, 1, 2], [0, 5, 1 << 29])), shape=(3, 1 << 30))
    with pytest.raises(OverflowError, match="1073741824 values × 3 classes in one batch are more than 2³¹"):
        train(Each(Gaussian(), size=1 << 30), matrix, list("abc"))


@pytest.mark.parametrize("weights", [None, [0.5, 2.0]])
def test_vectors_with_only_missing_numbers_are_counted(weights):
    matrix = sp.csr_array(([np.nan], ([0], [1])), shape=(2, 3))
    sparse, dense = (train(Bag(size=3), form, ["a", "b"], weights=weights) for form in (matrix, matrix.toarray()))
    assert digest(sparse) == digest(dense)


def test_counts_beyond_float_precision():
    heavy = sp.csr_array([[2.0**31 - 1, 1.0], [2.0**53, 1.0]])
    model = train(Bag(size=2), heavy, ["a", "a"])
    assert model.counts("x").sums["x"].fractions()[-2:] == [2**53 + 2**31 - 1, 2]


def test_linear_view_of_counts():
    model = train(Bag(size=7), COUNTS).against_rest("a")
    view = model.linear(True)
    said = model.log_joint(COUNTS)
    expected = said[:, 1] - said[:, 0] if model.classes == [False, True] else said[:, 0] - said[:, 1]
    weights = np.array([view.weights["x"][str(i)] for i in range(7)])
    np.testing.assert_allclose(view.intercept + COUNTS @ weights, expected)
