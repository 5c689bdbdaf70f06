"""Rows that were counted more than once must not vouch for themselves when they are left out."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tallybayes import (
    Gaussian,
    Histogram,
    Model,
    NaiveBayes,
    Schema,
    SemiNaiveBayes,
    Trees,
    Words,
    digest,
    prepare,
    weigh,
)
from tallybayes.data import frames
from tallybayes.model.pieces import left_out_evidence, pieces_of
from tallybayes.model.weigh import reweighed, sampled_rows

ROWS = 160
NUMBERS = dict.fromkeys(["x0", "x1", "x2", "x3"], Gaussian())


def noise(seed=0, rows=ROWS):
    """Numbers and levels that say nothing about the labels."""
    random = np.random.default_rng(seed)
    numbers = {f"x{i}": random.normal(size=rows) for i in range(4)}
    return pd.DataFrame({**numbers, "c": random.integers(0, 3, rows).astype(str)}), random.integers(0, 2, rows)


def informed(seed=0, rows=ROWS):
    frame, labels = noise(seed, rows)
    return frame.assign(x0=frame.x0 + labels, x1=frame.x1 * (1 + labels)), labels


def repeated(frame, labels, times):
    at = np.repeat(np.arange(len(labels)), times)
    return frame.iloc[at].reset_index(drop=True), labels[at]


def left_out_loss(schema, frame, labels, weights=None):
    model = Model.train(schema, frame, labels, weights=weights)
    return reweighed(model, sampled_rows(model, frame, labels, weights))[1].weighed


@pytest.mark.parametrize("dependence", ["none", "auto"])
@pytest.mark.parametrize("times", [2, 3, 25, "1-5", "upsampled"])
def test_repeated_rows_do_not_seem_to_predict_noise(dependence, times):
    frame, labels = noise()
    often = {"1-5": 1 + np.arange(ROWS) % 5, "upsampled": np.where(labels == 1, 30, 1)}.get(times, times)
    more, again = repeated(frame, labels, often)
    schema = prepare(Schema.infer(more, dependence=dependence), more, again)
    shares = np.bincount(again) / len(again)
    chance = -(shares * np.log(shares)).sum()
    assert left_out_loss(schema, more, again) > 0.9 * chance


@pytest.mark.parametrize("estimator", [NaiveBayes, SemiNaiveBayes])
@settings(max_examples=4, deadline=None)
@given(st.integers(0, 2**32 - 1), st.booleans())
def test_weight_k_is_k_copies_for_the_fitted_weights_too(estimator, seed, few):
    random = np.random.default_rng(seed)
    frame, labels = informed(seed, 80)
    frame = frame[["c"]].assign(d=frame.x0 > 0) if few else frame
    weights = random.integers(0, 4, len(labels))
    heavy = estimator().fit(frame, labels, sample_weight=weights)
    again = estimator().fit(*repeated(frame, labels, weights))
    assert digest(heavy.model_) == digest(again.model_)


@pytest.mark.parametrize("times", [2, 7])
def test_sample_of_repeated_rows_is_that_of_the_rows(times):
    frame, labels = informed()
    once, often = (
        sampled_rows(Model.train(NUMBERS, x, y), x, y) for x, y in ((frame, labels), repeated(frame, labels, times))
    )
    assert once.cells == often.cells
    assert once.labels.tolist() == often.labels.tolist()
    assert {*once.weights, *often.weights, *once.own} == {1.0}
    assert {*often.own} == {times}


@pytest.mark.parametrize("estimator", [NaiveBayes, SemiNaiveBayes])
@pytest.mark.parametrize("often", [3, 1 + np.arange(ROWS) % 5], ids=["thrice", "1-5"])
def test_new_rows_are_predicted_as_well_as_without_copies(estimator, often):
    frame, labels = informed()
    asked, truth = informed(1, 1_000)

    def loss(x, y):
        return -np.log(estimator().fit(x, y).predict_proba(asked)[np.arange(len(truth)), truth]).mean()

    assert loss(*repeated(frame, labels, often)) < loss(frame, labels) + 0.1


def test_left_out_rows_are_scored_as_if_no_copy_had_been_counted():
    frame, labels = informed()
    weights = 1 + np.arange(ROWS) % 4
    model = Model.train(NUMBERS, frame, labels, weights=weights)
    rows = sampled_rows(model, frame, labels, weights)
    assert len(rows) == ROWS
    assert rows.own.sum() == weights.sum()
    evidence = left_out_evidence(model, rows, pieces_of(model)).evidence[:, 0]
    for at in rows.folds(10):
        asked = frame.x0.isin(rows.cells["x0"].take(pa.array(at)).to_numpy())
        rest = Model.train(NUMBERS, frame[~asked], labels[~asked], weights=weights[~asked])
        parts = rest.evidence(rows.cells.take(pa.array(at)))
        for piece, name in enumerate(sorted(NUMBERS)):
            said = parts[name][:, 1] - parts[name][:, 0]
            np.testing.assert_allclose(evidence[piece, at], said, rtol=1e-9, atol=1e-9)


def test_equal_rows_of_several_classes_are_cases():
    frame, labels = informed()
    twice, other = repeated(frame, labels, 2)
    other[::2] = 1 - other[::2]
    model = Model.train(Schema.infer(twice), twice, other)
    rows = sampled_rows(model, twice, other)
    assert len(rows) == 2 * ROWS
    assert (rows.own == 1.0).all()


def test_equal_texts_of_one_class_are_copies_and_of_several_classes_cases():
    frame = {"text": ["aa bb", "aa bb", "cc dd", "cc dd", "cc dd", "ee ff"]}
    labels = [0, 0, 0, 0, 1, 1]
    rows = sampled_rows(Model.train({"text": Words()}, frame, labels), frame, labels)
    found = sorted(zip(rows.cells["text"].to_pylist(), rows.labels.tolist(), rows.own.tolist(), strict=True))
    assert found == [("aa bb", 0, 2.0), ("cc dd", 0, 1.0), ("cc dd", 0, 1.0), ("cc dd", 1, 1.0), ("ee ff", 1, 1.0)]


def test_names_that_every_class_has_once_speak_against_their_classes():
    """As with names of counties: a state has no two of the same name."""
    random = np.random.default_rng(0)
    names = np.array([f"{a}{b}ville" for a in "abcdefghijkl" for b in "klmnoprstuvw"])
    texts = np.concatenate([random.choice(names, 100, replace=False) for _ in range(6)])
    labels, asked = np.repeat(np.arange(6), 100), np.arange(600) % 4 == 0
    learned = {"text": texts[~asked]}
    model = Model.train({"text": Words(reading="auto", characters=(2, 5))}, learned, labels[~asked])
    weighed, gain = reweighed(model, sampled_rows(model, learned, labels[~asked]))
    loss = -np.log(weighed.posterior({"text": texts[asked]})[np.arange(150), labels[asked]]).mean()
    assert loss < np.log(6) - 0.5
    assert abs(loss - gain.weighed) < 0.1


@pytest.mark.parametrize("columns", [["customer"], ["customer", "state"]])
@pytest.mark.parametrize("estimator", [NaiveBayes, SemiNaiveBayes])
def test_list_that_maps_levels_to_classes_is_not_taken_for_copies(estimator, columns):
    random = np.random.default_rng(0)
    at = random.choice(300, 2_000, p=(1 / np.arange(1, 301)) / (1 / np.arange(1, 301)).sum())
    states, classes = random.integers(0, 12, 300), random.integers(0, 4, 300)
    frame = pd.DataFrame({"customer": [f"c{i}" for i in at], "state": [f"s{i}" for i in states[at]]})[columns]
    labels, asked = classes[at], np.arange(2_000) % 2 == 0

    def loss(model):
        p = model.fit(frame[~asked], labels[~asked]).predict_proba(frame[asked])
        return -np.log(p[np.arange(asked.sum()), labels[asked]]).mean()

    assert loss(estimator()) < loss(NaiveBayes(weigh=False)) + 0.01 < 0.2


@given(st.permutations(range(60)), st.integers(1, 59))
@settings(max_examples=10, deadline=None)
def test_order_and_batches_of_copies_do_not_matter(order, cut):
    frame, labels = informed(rows=30)
    frame, labels = repeated(frame, labels, 2)
    schema = Schema.infer(frame)
    model = Model.train(schema, frame, labels)
    expected = digest(weigh(model, frame, labels))
    x, y = frame.iloc[list(order)].reset_index(drop=True), labels[list(order)]
    parts = [(x[:cut], y[:cut]), (x[cut:], y[cut:])]
    assert digest(weigh(Model.train(schema, x, y), iter(parts))) == expected


def test_copies_of_any_weights_are_left_out_exactly():
    frame, labels = informed()
    labels[frame.x0.argmax()] = 2  # the only row of its class
    frame, labels = repeated(frame, labels, 1 + np.arange(ROWS) % 7)
    weights = np.random.default_rng(0).choice([0.1, 0.7, 1e-9, 3.3e15], len(labels))  # their sums are no doubles
    model = Model.train(NUMBERS, frame, labels, weights=weights)
    rows = sampled_rows(model, frame, labels, weights)
    assert len(rows) == ROWS
    for at in rows.folds(10):
        asked = frame.x0.isin(rows.cells["x0"].take(pa.array(at)).to_numpy()).to_numpy()
        part = Model(model.schema)
        part._count(rows.batch(at), 1)
        rest = Model.train(NUMBERS, frame[~asked], labels[~asked], weights=weights[~asked])
        assert digest(model.without(part)) == digest(rest)
    known = left_out_evidence(model, rows, pieces_of(model))
    assert len(known.labels) == ROWS - 1  # nothing is left of a class without its only row
    assert digest(weigh(model, frame, labels, weights=weights)) == digest(
        weigh(model, frame[::-1], labels[::-1], weights=weights[::-1])
    )


def test_batches_of_different_classes_do_not_matter_where_labels_do_not(monkeypatch):
    frame, _ = noise(rows=400)
    frame.loc[0, "c"] = "rare"
    frame, labels = repeated(frame, np.zeros(400), 2)
    table, labels = pa.Table.from_pandas(frame), np.array(["b", "a"] * 400)
    monkeypatch.setattr(frames, "BATCH_ROWS", 1)
    monkeypatch.setattr(frames, "BATCH_BYTES", 1)

    def prepared(order):
        cells = pa.Table.from_batches(table.take(pa.array(order)).combine_chunks().to_batches(max_chunksize=400))
        assert len(list(frames.batches(cells))) == 2
        return prepare({tuple(frame): Trees(n=5, questions="random")}, cells, labels[order])

    assert prepared(np.arange(800)) == prepared(np.argsort(labels, kind="stable"))


@pytest.mark.filterwarnings("error")
def test_copies_of_very_different_weights_leave_no_negative_counts():
    random = np.random.default_rng(0)
    levels = {name: random.integers(0, most, 250).astype(str) for name, most in {"c": 40, "d": 3, "e": 9}.items()}
    frame, labels = repeated(pd.DataFrame(levels), random.integers(0, 3, 250), random.integers(1, 6, 250))
    weights = 10.0 ** random.integers(-20, 20, len(labels))
    SemiNaiveBayes().fit(frame, labels, sample_weight=weights)


def test_weighing_again_after_forgetting_copies_is_as_if_they_had_never_been():
    frame, labels = noise()
    schema = dict.fromkeys(NUMBERS, Histogram(method="auto", alpha="fitted"))
    once = Model.train(schema, frame, labels)
    thrice = weigh(once + once + once, *repeated(frame, labels, 3))
    assert any(family.method == "steady" for family in thrice.schema.columns.values())
    thrice -= once + once
    assert digest(weigh(thrice, frame, labels)) == digest(weigh(once, frame, labels))
