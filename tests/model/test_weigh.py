"""Evidence weights: their meaning, fitting, and robustness."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from weighed_rows import PLAY, SCHEMA, TENNIS, copies

from tallybayes import Categorical, Gaussian, Histogram, Model, Schema, Weights, Words, digest, kernels, weigh
from tallybayes.model.pieces import left_out_evidence, pieces_of
from tallybayes.model.weigh import most_rows, reweighed, sampled_rows


def softmax(scores):
    shifted = np.exp(scores - scores.max(axis=1, keepdims=True))
    return shifted / shifted.sum(axis=1, keepdims=True)


def test_weights_multiply_centred_evidence():
    plain = Model.train(SCHEMA, TENNIS, PLAY)
    weights = Weights({"outlook": 0.5, "temp": {"no": 0.25, "yes": 2.0}}, prior=0.75, offsets={"no": 0.1, "yes": -0.3})
    model = plain.believing(weights=weights)
    said = plain.evidence(TENNIS)
    outlook, temp = (said[name] - said[name].mean(axis=1, keepdims=True) for name in ("outlook", "temp"))
    scores = 0.75 * said.prior + [0.1, -0.3] + 0.5 * outlook + [0.25, 2.0] * temp
    np.testing.assert_allclose(model.log_joint(TENNIS), scores, rtol=1e-12)
    np.testing.assert_allclose(model.posterior(TENNIS), softmax(scores), rtol=1e-12)
    np.testing.assert_allclose(model.evidence(TENNIS).total(), scores, rtol=1e-12)


def test_unit_weights_are_naive_bayes():
    plain = Model.train(SCHEMA, TENNIS, PLAY)
    np.testing.assert_allclose(plain.believing(weights={}).posterior(TENNIS), plain.posterior(TENNIS), rtol=1e-12)
    assert plain.believing(weights={}).believing(weights=None) == plain


def test_missing_cell_has_its_own_evidence():
    """Of four rows each, one per class lacks a cell in one of the columns: (1 + 2q) / (4 + 2), q = 2/10."""
    model = Model.train(SCHEMA, TENNIS, PLAY).believing(
        weights=Weights({"outlook": 0.0, "temp": 0.0}, {"outlook": 2.0})
    )
    missing, present = np.log([0 + 0.4, 1 + 0.4]), np.log([4 + 1.6, 3 + 1.6])
    expected = 2.0 * np.array([missing - missing.mean(), present - present.mean()])
    found = model.evidence({"outlook": [None, "rain"], "temp": [1.0, None]})["outlook"]
    np.testing.assert_allclose(found, expected, rtol=1e-12)
    alone = model.log_joint({"outlook": None, "temp": 1.0})
    np.testing.assert_allclose(alone[0], np.log([0.5, 0.5]) + expected[0], rtol=1e-12)


def test_evidence_of_unseen_levels_is_clipped():
    model = Model.train({"x": Categorical(alpha=0)}, {"x": ["a", "a", "b"]}, [0, 0, 1])
    assert np.isneginf(model.log_joint({"x": ["a"]})[0, 1])
    np.testing.assert_allclose(model.believing(weights={"x": 0.5}).evidence({"x": ["a"]})["x"], [[15.0, -15.0]])


def test_words_are_weighed_individually():
    model = Model.train({"t": Words()}, ["win a prize", "lunch at noon", "free prize"], ["spam", "ham", "spam"])
    weighed = model.believing(weights={"t": 0.25})
    said = weighed.evidence("prize lunch prize")
    np.testing.assert_allclose(sum(part.evidence for part in said.words()), said["t"][0], rtol=1e-12)
    assert [part.word for part in said.words()] == ["prize", "lunch"]
    np.testing.assert_allclose(np.diff(said["t"][0]), 0.25 * np.diff(model.evidence("prize lunch prize")["t"][0]))


@example(rows=150, classes=140, pieces=2, seed=0)  # rows and classes of several blocks
@given(st.integers(1, 30), st.integers(2, 4), st.integers(1, 5), st.integers(0, 2**32 - 1))
def test_loss_and_gradient_equal_the_formula(rows, classes, pieces, seed):
    random = np.random.default_rng(seed)
    evidence, thetas = random.normal(size=(pieces, classes, rows)), random.random((classes, pieces))
    offsets, weights = random.normal(size=classes), random.random(rows)
    labels = random.integers(0, classes, rows).astype(np.int32)
    base = np.where(random.random((classes, rows)) < 0.2, -np.inf, 0.0)
    base[labels, np.arange(rows)] = 0.0
    found, slope = kernels.weighed_loss(evidence, base, labels, weights, thetas, offsets)
    p = softmax(base.T + offsets + np.einsum("pcr,cp->rc", evidence, thetas))
    own = p[np.arange(rows), labels]
    assert found == pytest.approx(-(weights * np.log(own)).sum(), rel=1e-10, abs=1e-12)
    p[np.arange(rows), labels] -= 1.0
    expected = np.einsum("r,rc,pcr->cp", weights, p, evidence).reshape(-1)
    np.testing.assert_allclose(slope, [*expected, *(weights @ p)], rtol=1e-9, atol=1e-12)

    against = np.ascontiguousarray(evidence[:, 1:] - evidence[:, :1])
    shared = np.ascontiguousarray(np.broadcast_to(thetas[0], thetas.shape))
    whole = kernels.weighed_loss(evidence, base, labels, weights, shared, offsets)
    found, slope = kernels.weighed_loss(against, base, labels, weights, shared, offsets)
    assert found == pytest.approx(whole[0], rel=1e-10, abs=1e-12)
    by_piece = [each[: classes * pieces].reshape(classes, pieces).sum(axis=0) for each in (slope, whole[1])]
    np.testing.assert_allclose(*by_piece, rtol=1e-9, atol=1e-12)
    for other in (evidence[:, [0, *range(classes)]], evidence[:, 2:]):  # a class more, or two fewer
        with pytest.raises(ValueError, match="the rows differ in length"):
            kernels.weighed_loss(np.ascontiguousarray(other), base, labels, weights, thetas, offsets)


@pytest.mark.parametrize("prior", ["uniform", {0: 0.25, 1: 0.75}, 2.0, "frequencies"])
def test_prior_is_left_out_if_it_is_that_of_the_counts(prior):
    frame, texts = copies(rows=40, columns=3)
    labels = np.asarray(texts).astype(int)
    model = Model.train(Schema(Schema.infer(frame).columns, prior=prior), frame, labels)
    rows = sampled_rows(model, frame, labels)
    known = left_out_evidence(model, rows, pieces_of(model))
    for at in rows.folds(10):
        left = np.bincount(labels, minlength=2) - np.bincount(rows.labels[at], rows.own[at], 2)
        first, second = model.schema.log_prior(left.astype(float), [0, 1])
        np.testing.assert_allclose(known.evidence[-1, 0, at], second - first)


def test_redundant_columns_count_once():
    frame, labels = copies()
    plain = Model.train(Schema.infer(frame), frame, labels)
    model = weigh(plain, frame, labels)
    weights = model.schema.weights
    copied = sum(weights.columns[f"copy {i}"] for i in range(6))
    assert 0.5 < copied < 1.5
    assert 0.5 < weights.columns["other"] < 1.5
    asked = {**{f"copy {i}": ["1"] for i in range(6)}, "other": ["0"]}
    assert plain.posterior(asked)[0, 1] > 0.99
    assert 0.5 < model.posterior(asked)[0, 1] < 0.75  # 0.8·0.3 / (0.8·0.3 + 0.2·0.7) is 0.63


def test_left_out_loss_never_increases():
    for seed in range(5):
        frame, labels = copies(rows=40, columns=3, seed=seed)
        plain = Model.train(Schema.infer(frame), frame, labels)
        model, found = reweighed(plain, sampled_rows(plain, frame, labels))
        assert found.weighed <= found.naive
        assert (found.weights is None) == (model.schema.weights is None)


@pytest.mark.slow
@given(st.permutations(range(60)), st.integers(1, 59), st.booleans())
def test_order_and_batching_do_not_change_the_weights(order, cut, dictionary):
    frame, labels = copies(rows=60, columns=2)
    random = np.random.default_rng(3)
    frame["x"] = np.where(random.random(60) < 0.1, np.nan, random.normal(size=60) + (labels == "1"))
    table = pa.table(frame)
    model = Model.train(Schema.infer(frame), frame, labels)
    expected = digest(weigh(model, frame, labels))
    shuffled = table.take(pa.array(order))
    mixed = labels[list(order)]
    first, second = shuffled[:cut], shuffled[cut:]
    if dictionary:
        second = second.set_column(0, "copy 0", second["copy 0"].dictionary_encode())
    pairs = [(first, mixed[:cut]), (second, mixed[cut:])]
    assert digest(weigh(model, pairs)) == expected


def test_number_of_left_out_rows_is_limited():
    frame, labels = copies(rows=3000, columns=2)
    model = Model.train(Schema.infer(frame), frame, labels)
    frame["x"] = np.arange(3000.0)
    schema = Schema({"x": Histogram(), "other": Categorical()})
    model = Model.train(schema, frame, labels)
    rows = sampled_rows(model, frame, labels, rows=100)
    assert len(rows) == 100
    assert set(rows.cells["x"].to_pylist()) <= set(range(3000))
    again = sampled_rows(
        model, [({k: v[i : i + 7] for k, v in frame.items()}, labels[i : i + 7]) for i in range(0, 3000, 7)], rows=100
    )
    assert again.cells["x"].equals(rows.cells["x"])


def test_fewer_rows_are_left_out_with_long_texts():
    """At 20 kB each, a thousand suffice; for any batching."""
    random = np.random.default_rng(0)
    frame = {"t": [f"{i} " + "word " * int(random.integers(3800, 4200)) for i in range(2300)]}
    labels = random.integers(0, 2, 2300)
    model = Model.train({"t": Words()}, frame, labels)
    rows = sampled_rows(model, frame, labels)
    assert len(rows) == 1000
    again = sampled_rows(model, [({"t": frame["t"][i : i + 90]}, labels[i : i + 90]) for i in range(0, 2300, 90)])
    assert again.cells.equals(rows.cells)
    short = {"t": [text[:300] for text in frame["t"]]}
    assert len(sampled_rows(Model.train({"t": Words()}, short, labels), short, labels)) == 2300


@given(st.integers(1, 10_000), st.integers(1, 10_000), st.integers(1, 2**26))
def test_memory_for_weighing_is_bounded(classes, pieces, cells):
    """However many classes and columns there are, some rows remain."""
    rows = most_rows(classes, pieces, cells)
    assert rows >= 200
    assert rows * classes * pieces <= max(cells, 200 * classes * pieces)


def test_many_classes_and_columns_are_weighed_on_fewer_rows():
    frame, labels = copies(rows=600, columns=6)
    model = Model.train(Schema(dict.fromkeys(frame, Categorical())), frame, labels)
    rows = sampled_rows(model, frame, labels)
    assert [reweighed(model, rows, cells)[1].rows for cells in (2 * 8 * 600, 2 * 8 * 600 - 1, 2 * 8 * 300, 1)] == [
        600,
        599,
        300,
        200,
    ]


def test_texts_of_many_classes_are_weighed_on_fewer_rows():
    """reading="auto" computes nine pieces of words and of pairs for every class, besides the column and the prior."""
    labels = [i % 30 for i in range(600)]
    frame = {"t": [f"a{c} b{i} c{i % 7}" for i, c in enumerate(labels)]}
    rows = {}
    for reading in ("auto", "multinomial"):
        model = Model.train({"t": Words(reading=reading, ngrams=(1, 2))}, frame, labels)
        rows[reading] = reweighed(model, sampled_rows(model, frame, labels), 30 * 20 * 300)[1].rows
    assert rows == {"auto": 300, "multinomial": 600}


def test_classes_of_few_rows_share_their_weights():
    """With 4 rows of each of 300 classes, a class has no weights of its own; with 3 classes of 400, it has."""
    for classes in (300, 3):
        labels = np.arange(1200) % classes
        frame = {"x": (labels + np.arange(1200) // 7 % 5) % classes * 1.0, "y": (labels % 2).astype(str)}
        model = Model.train(Schema({"x": Histogram(), "y": Categorical()}), frame, labels)
        weights = weigh(model, frame, labels).schema.weights
        assert isinstance(weights.columns["x"], dict) == (classes == 3)


def test_no_rows_cannot_be_weighed():
    model = Model.train({"x": Gaussian()}, {"x": [1.0, 2.0, 4.0]}, ["a", "b", "b"])
    with pytest.raises(ValueError, match="The data has no rows, so there is nothing to weigh"):
        weigh(model, {"x": np.array([])}, [])
