"""Matrices as columns of vectors: the same counts in every form, and the laws."""

import numpy as np
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp
from hypothesis import strategies as st
from sklearn.naive_bayes import BernoulliNB, ComplementNB, GaussianNB, MultinomialNB

from tallybayes import (
    Bag,
    Bernoulli,
    Categorical,
    Each,
    Exponential,
    Gamma,
    Gaussian,
    Geometric,
    LogNormal,
    Model,
    Poisson,
    Schema,
    digest,
)
from tallybayes.files import from_bytes, to_bytes
from tallybayes.testing import check_belief, check_family

RANDOM = np.random.default_rng(4)
COUNTS = np.where(RANDOM.random((60, 7)) < 0.5, 0, RANDOM.integers(0, 6, (60, 7))).astype(float)
WEIGHTS = np.where(COUNTS > 0, RANDOM.random((60, 7)), 0.0)
LABELS = np.array(["a", "b", "c"])[np.arange(60) % 3]
VECTORS = st.lists(st.integers(0, 5).map(float), min_size=3, max_size=3)
NUMBERS = st.floats(-1e6, 1e6).map(lambda x: x if abs(x) > 1e-100 else 0.0)  # whose squares have all their digits
ANY = st.lists(NUMBERS, min_size=2, max_size=2)


def train(family, data, labels=LABELS, **options):
    return Model.train(Schema({"x": family}), data, labels, **options)


@pytest.mark.slow
@pytest.mark.parametrize("family", [Gaussian(), Gaussian(m=0.0, plugin=True), Gaussian(shared=True), Poisson()])
def test_each_obeys_the_laws(family):
    values = VECTORS if isinstance(family, Poisson) else ANY
    check_family(Each(family), values, examples=10)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("reading", "check"), [("multinomial", check_family), ("bernoulli", check_belief), ("complement", check_belief)]
)
def test_bag_obeys_the_laws(reading, check):
    check(Bag(reading=reading), VECTORS, examples=10)
    check(Bag(reading=reading), st.lists(st.floats(0, 1e9), min_size=3, max_size=3), examples=10)
    holes = st.lists(st.sampled_from([0.0, 1.0, np.nan]), min_size=3, max_size=3)
    check(Bag(reading=reading, size=3), holes, examples=10)


@pytest.mark.parametrize(
    "family",
    [
        Gaussian(),
        Gaussian(m=0.0, plugin=True, noise=0.5),
        Poisson(),
        Poisson(plugin=True),
        Geometric(),
        Exponential(),
        Gamma(),
        Gamma(m=0.0),
        LogNormal(),
    ],
    ids=repr,
)
def test_each_position_counts_like_a_column(family):
    matrix = COUNTS + 1.5 if family.support.open else COUNTS
    together = train(Each(family), matrix)
    apart = Model.train(Schema({str(i): family for i in range(7)}), matrix, LABELS)
    np.testing.assert_allclose(together.log_joint(matrix), apart.log_joint(matrix), rtol=1e-12)
    for i in range(7):
        for name, by_class in apart.estimates(str(i)).items():
            assert {label: values[i] for label, values in together.estimates("x")[name].items()} == by_class


def ways(matrix):
    """The same matrix in every form."""
    frame = pl.DataFrame({"x": matrix.tolist()})
    yield from (matrix, np.asfortranarray(matrix), matrix[::1, :], {"x": matrix}, {"x": sp.csr_array(matrix)}, frame)
    yield from (sp.csr_matrix(matrix), sp.csc_array(matrix), sp.coo_matrix(matrix), pa.table({"x": list(matrix)}))
    yield np.asfortranarray(np.hstack([matrix, matrix]))[:, : matrix.shape[1]]
    wide = sp.csr_array(matrix)
    wide.indices, wide.indptr = wide.indices.astype(np.int64), wide.indptr.astype(np.int64)
    yield wide
    twice = sp.coo_array(
        (np.tile(wide.data / 2, 2), (np.tile(wide.tocoo().row, 2), np.tile(wide.tocoo().col, 2))), matrix.shape
    )
    yield twice.tocsr()


@pytest.mark.parametrize("family", [Each(Gaussian(), size=7), Each(Poisson(), size=7), Bag(size=7)], ids=repr)
@pytest.mark.parametrize("weights", [None, RANDOM.random(60), RANDOM.integers(0, 3, 60)])
def test_every_form_of_a_matrix_gives_the_same_bytes_and_answers(family, weights):
    model = train(family, COUNTS, weights=weights)
    for data in ways(COUNTS):
        assert digest(train(family, data, weights=weights)) == digest(model)
        np.testing.assert_allclose(model.log_joint(data), model.log_joint(COUNTS), rtol=1e-12)
        assert np.array_equal(model.most_probable(data), model.log_joint(COUNTS).argmax(axis=1))


def test_weights_of_very_different_magnitude_are_exact():
    spread = WEIGHTS * 10.0 ** RANDOM.integers(-300, 300, WEIGHTS.shape)
    for matrix in (WEIGHTS, spread):
        whole = train(Bag(size=7), sp.csr_array(matrix))
        assert digest(whole) == digest(train(Bag(size=7), matrix))
        assert digest(whole) == digest(train(Bag(size=7), matrix[::-1], LABELS[::-1], threads=3))
        whole -= train(Bag(size=7), sp.csr_array(matrix[:1]), LABELS[:1])
        assert digest(whole) == digest(train(Bag(size=7), sp.csr_array(matrix[1:]), LABELS[1:]))


def test_sparse_vectors_cost_what_they_hold():
    wide = sp.csr_array(([3.0, 1.0], ([0, 0], [7, 99_999])), (1, 100_000))
    tally = Bag(size=100_000).tally(*_encoded(Bag(size=100_000), wide))
    assert tally.slots == [7, 99_999, -1]
    model = train(Bag(size=100_000), wide, ["a"])
    assert digest(model + model - model) == digest(model)
    assert from_bytes(to_bytes(model)) == model


def _encoded(family, data):
    from tallybayes.counts.tally import Rows

    batch = Schema({"x": family}).frame(data)
    return family.encode(batch.column(0)), Rows(["a"], np.zeros(data.shape[0], np.int32))


@pytest.mark.parametrize("alpha", [1.0, 0.3])
def test_readings_equal_sklearn(alpha):
    for reading, peer in [
        ("multinomial", MultinomialNB(alpha=alpha)),
        ("bernoulli", BernoulliNB(alpha=alpha)),
        ("complement", ComplementNB(alpha=alpha)),
    ]:
        prior = "uniform" if reading == "complement" else "frequencies"
        model = Model.train(Schema({"x": Bag(size=7, reading=reading, alpha=alpha)}, prior=prior), WEIGHTS, LABELS)
        np.testing.assert_allclose(model.posterior(WEIGHTS), peer.fit(WEIGHTS, LABELS).predict_proba(WEIGHTS))
    normal = Model.train(Schema({"x": Bag(size=7, reading="complement", norm=True)}, prior="uniform"), WEIGHTS, LABELS)
    peer = ComplementNB(norm=True).fit(WEIGHTS, LABELS)
    np.testing.assert_allclose(normal.posterior(WEIGHTS), peer.predict_proba(WEIGHTS))


def test_noise_equals_sklearns_var_smoothing():
    peer = GaussianNB(var_smoothing=0.1).fit(COUNTS, LABELS)
    model = train(Each(Gaussian(m=0.0, plugin=True, noise=peer.epsilon_)), COUNTS)
    np.testing.assert_allclose(model.posterior(COUNTS), peer.predict_proba(COUNTS))


def test_smoothing_by_position():
    alpha = {i: 0.1 * (i + 1) for i in range(7)}
    model = train(Bag(size=7, alpha=alpha), COUNTS)
    peer = MultinomialNB(alpha=np.array(list(alpha.values()))).fit(COUNTS, LABELS)
    np.testing.assert_allclose(model.posterior(COUNTS), peer.predict_proba(COUNTS))


def test_alpha_zero_unseen_rules_out_a_class_and_zeros_do_not():
    data, labels = np.array([[2.0, 0.0, 1.0], [0.0, 3.0, 1.0]]), ["a", "b"]
    asked = np.array([[0.0, 0.0, 2.0], [1.0, 0.0, 0.0], [0.0, 0.0, 0.0]])
    for form in (np.array, sp.csr_array):
        model = train(Bag(size=3, alpha=0.0), form(data), labels)
        a, b = 2.0 * np.log(1 / 3), 2.0 * np.log(1 / 4)
        expected = np.log(0.5) + np.array([[a, b], [np.log(2 / 3), -np.inf], [0.0, 0.0]])
        np.testing.assert_allclose(model.log_joint(form(asked)), expected)
        presence = model.believing(reading="bernoulli")
        np.testing.assert_array_equal(presence.posterior(form(data)), [[1.0, 0.0], [0.0, 1.0]])


def test_missing_numbers_and_vectors_are_ignored():
    holes = COUNTS.copy()
    holes[3, 2] = holes[4] = np.nan
    for family in (Each(Gaussian()), Each(Poisson())):
        model = train(family, holes)
        assert model.counts("x").sums["n"].round()[2].sum() == 58
        prior = np.log(list(model.prior().values()))
        np.testing.assert_allclose(model.log_joint(holes[[4]])[0], prior)
        stored = sp.csr_array(holes)
        assert digest(train(family, stored)) == digest(model)
        np.testing.assert_allclose(model.log_joint(stored), model.log_joint(holes), rtol=1e-12)
    nothing = sp.csr_array(([np.nan, np.nan], ([0, 2], [1, 1])), (3, 7))
    assert digest(train(Bag(size=7), nothing, ["a"] * 3)) == digest(train(Bag(size=7), nothing.toarray(), ["a"] * 3))
    assert digest(train(Bag(size=7), holes)) == digest(train(Bag(size=7), sp.csr_array(holes)))
    bag = train(Bag(), pa.table({"x": pa.array([*COUNTS[:59].tolist(), None])}))
    assert bag.counts("x").aligned([-1], bag.classes).sums["n"].round().tolist() == [[20.0, 20.0, 19.0]]
    np.testing.assert_allclose(bag.log_joint(pa.table({"x": pa.array([None, [0.0] * 7])})), np.log([[1 / 3] * 3] * 2))


@pytest.mark.parametrize("alpha", [1.0, 0.3, 0.0])
def test_missing_is_neither_zero_nor_one(alpha):
    holes = np.where(RANDOM.random(COUNTS.shape) < 0.2, np.nan, COUNTS > 0)
    truths = {str(i): pa.array(column, from_pandas=True).cast(pa.bool_()) for i, column in enumerate(holes.T)}
    apart = Model.train({name: Bernoulli(alpha=alpha) for name in truths}, truths, LABELS)
    together = train(Bag(reading="bernoulli", alpha=alpha, size=7), holes)
    assert digest(together) == digest(train(Bag(reading="bernoulli", alpha=alpha, size=7), sp.csr_array(holes)))
    assert from_bytes(to_bytes(together)) == together
    for form in (np.array, np.asfortranarray, sp.csr_array):
        np.testing.assert_allclose(together.log_joint(form(holes)), apart.log_joint(truths), rtol=1e-12)


def test_positions_never_counted_are_ignored():
    model = train(Each(Gaussian()), COUNTS)
    wider = np.hstack([COUNTS, COUNTS])
    np.testing.assert_array_equal(model.log_joint(wider), model.log_joint(COUNTS))
    bag = train(Bag(), COUNTS)
    for form in (np.array, sp.csr_array):
        np.testing.assert_allclose(bag.log_joint(form(wider)), bag.log_joint(COUNTS), rtol=1e-12)


@pytest.mark.parametrize(
    ("family", "data", "message"),
    [
        (Each(Poisson()), np.array([[1.0, 2.0], [3.0, 0.5]]), r"row 1: position 1: 0.5 is not a whole number"),
        (Each(Poisson()), sp.csr_array([[1.0, 2.0], [0.0, -1.0]]), r"row 1: position 1: -1.0 is not a whole number"),
        (Each(Gaussian()), np.array([[1.0, 2.0], [np.inf, 1.0]]), r"row 1: position 0: inf is not a finite number"),
        (Each(Gamma()), sp.csr_array([[1.0, 2.0]]), "sparse vectors contain zeros"),
        (Bag(), np.array([[1.0, 2.0], [3.0, -2.0]]), r"row 1: position 1: -2.0 is not a finite number of at least 0"),
        (Bag(), sp.csr_array([[1.0, 2.0], [0.0, np.inf]]), r"row 1: position 1: inf is not a finite number"),
        (Bag(size=3), np.ones((2, 2)), "the vectors have 2 numbers; 3 are expected"),
        (Bag(size=1), sp.csr_array(np.ones((2, 2))), "the vectors have 2 numbers; 1 are expected"),
        (Bag(), {"x": [None, []]}, "row 1: the vector is empty; give at least one number"),
        (Bag(), {"x": [{}, {}]}, "cells of type struct<> are not vectors"),
        (Bag(), {"x": [[1.0], [1.0, 2.0]]}, "row 1: the vector is of length 2; others are of length 1"),
        (Bag(), {"x": [1.0, 2.0]}, "cells of type double are not vectors"),
        (Bag(), np.ones((2, 2)) * 1j, "complex128 does not contain real numbers"),
        (Bag(), np.array([["a", "b"]] * 2), "does not contain real numbers"),
        (Bag(), np.ones((2, 0)), "has no columns"),
    ],
)
def test_invalid_numbers_are_refused_with_their_place(family, data, message):
    with pytest.raises(ValueError, match=message):
        train(family, data, ["a", "b"] if getattr(data, "shape", (2,))[0] == 2 else ["a"])


def test_infinities_are_refused_in_queries_too():
    asked = np.where(COUNTS.max() == COUNTS, np.inf, COUNTS)
    bags = [Bag(reading=reading) for reading in ("multinomial", "complement", "bernoulli")]
    for family in (Each(Gaussian()), Each(Gaussian(m=0.0, plugin=True)), Each(Poisson()), *bags):
        for form in (np.array, sp.csr_array):
            with pytest.raises(ValueError, match="the value is infinite"):
                train(family, COUNTS).posterior(form(asked))


def test_non_numeric_families_are_refused():
    with pytest.raises(TypeError, match="give a family of numbers"):
        Each(Categorical())
    with pytest.raises(ValueError, match="reading must be one of 'multinomial'"):
        Bag(reading="dirichlet-multinomial")
    with pytest.raises(TypeError, match="A sparse matrix is a column of vectors"):
        Model.train(Schema({"x": Gaussian()}), sp.csr_array([[1.0]]), ["a"])


def test_matrices_next_to_other_columns():
    schema = Schema({"x": Bag(size=7), "y": Gaussian(), "z": Categorical()})
    frame = {"x": sp.csr_array(COUNTS), "y": COUNTS[:, 0], "z": LABELS}
    model = Model.train(schema, frame, LABELS)
    evidence = model.evidence(frame)
    np.testing.assert_allclose(evidence["x"], train(Bag(size=7), COUNTS).evidence(COUNTS)["x"], rtol=1e-12)
    np.testing.assert_allclose(evidence.total(), model.log_joint(frame), rtol=1e-12)
    assert from_bytes(to_bytes(model)) == model


def test_beliefs_of_each_can_be_changed():
    model = train(Each(Gaussian(), size=7), COUNTS)
    assert model.believing(m=0.0, plugin=True).schema.columns["x"] == Each(Gaussian(m=0.0, plugin=True), size=7)
    assert from_bytes(to_bytes(model)).schema == model.schema
    with pytest.raises(ValueError, match="these count differently"):
        model + train(Each(Poisson(), size=7), COUNTS)


def test_samples_follow_the_scores():
    model = train(Each(Gaussian(m=0.0, plugin=True)), COUNTS)
    drawn = np.array(model.sample(4_000, seed=1).rows.column("x").to_pylist())
    np.testing.assert_allclose(drawn.mean(axis=0), COUNTS.mean(axis=0), atol=0.15)
    bag = train(Bag(alpha=0.0), COUNTS)
    vectors = np.array(bag.sample(4_000, seed=1).rows.column("x").to_pylist())
    np.testing.assert_allclose(vectors.mean(axis=0), COUNTS.mean(axis=0), atol=0.15)
    presence = np.array(bag.believing(reading="bernoulli").sample(4_000, seed=1).rows.column("x").to_pylist())
    np.testing.assert_allclose(presence.mean(axis=0), (COUNTS > 0).mean(axis=0), atol=0.05)
    with pytest.raises(TypeError, match="gives scores"):
        bag.believing(reading="complement").sample(1, seed=1)
