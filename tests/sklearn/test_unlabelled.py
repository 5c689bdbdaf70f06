"""Unlabelled rows in scikit-learn's convention: −1."""

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.base import clone

from tallybayes import EM, Categorical, Gaussian, Model, NaiveBayes, SoftLabels, digest


def rows(n=120):
    random = np.random.default_rng(0)
    truth = random.integers(0, 2, n)
    frame = pd.DataFrame(
        {"x": random.normal(3.0 * truth), "c": np.where(random.random(n) < 0.8, truth, 1 - truth).astype(str)}
    )
    return frame, truth, np.where(np.arange(n) < 12, truth, -1)


SCHEMA = {"x": Gaussian(), "c": Categorical()}


def test_minus_one_is_unlabelled_with_em():
    frame, truth, y = rows()
    estimator = NaiveBayes(SCHEMA, unlabelled=EM()).fit(frame, y)
    assert estimator.classes_.tolist() == [0, 1]
    assert estimator.score(frame, truth) > 0.9
    labels = [None if label == -1 else int(label) for label in y]
    assert digest(estimator.model_.believing(weights=None)) == digest(
        Model.train(SCHEMA, frame, labels, unlabelled=EM())
    )
    assert estimator.model_.fitted.unlabelled == 108


def test_minus_one_is_a_label_by_default():
    frame, _, y = rows()
    assert NaiveBayes(SCHEMA).fit(frame, y).classes_.tolist() == [-1, 0, 1]


@pytest.mark.parametrize("unknown", [None, float("nan"), -1])
def test_text_labels_with_missing_values(unknown):
    frame, _, y = rows()
    labels = np.array([unknown if label == -1 else "ab"[label] for label in y], object)
    estimator = NaiveBayes(SCHEMA, unlabelled=EM()).fit(frame, labels)
    assert estimator.classes_.tolist() == ["a", "b"]
    assert estimator.predict(frame).dtype.kind == "U"


def test_no_labels_at_all_are_clusters():
    frame, truth, _ = rows()
    estimator = NaiveBayes(SCHEMA, unlabelled=EM(classes=2, restarts=3)).fit(frame, np.full(len(frame), -1))
    found = estimator.predict(frame)
    assert max((found == truth).mean(), (found != truth).mean()) > 0.85


def test_parameters_are_those_of_em():
    frame, _, y = rows()
    estimator = NaiveBayes(SCHEMA, unlabelled=EM(), alpha=5.0, weigh=False).fit(frame, y)
    given = {"x": Gaussian(), "c": Categorical(alpha=5.0)}
    labels = [None if label == -1 else int(label) for label in y]
    assert estimator.model_ == Model.train(given, frame, labels, unlabelled=EM())


def test_weighing_uses_the_labelled_rows():
    frame, truth, _ = rows(600)
    y = np.where(np.arange(600) < 300, truth, -1)
    estimator = NaiveBayes(SCHEMA, unlabelled=EM()).fit(frame, y)
    assert estimator.schema_.weights is not None
    assert estimator.model_.n == 600.0


def test_later_rows_need_labels():
    frame, truth, y = rows()
    estimator = clone(NaiveBayes(SCHEMA, unlabelled=EM())).fit(frame, y)
    with pytest.raises(ValueError, match="partial_fit needs labels, but 108 rows have none; use fit"):
        estimator.partial_fit(frame, y)
    assert estimator.partial_fit(frame, truth).class_count_.sum() == 240


def test_class_may_be_a_mixture():
    random = np.random.default_rng(0)
    X = np.concatenate([random.normal(-6, 1, 60), random.normal(6, 1, 60), random.normal(0, 1, 120)])[:, None]
    truth = np.repeat([1, 0], 120)
    y = np.where(np.arange(240) % 3, truth, -1)
    family = Gaussian(shared=True, plugin=True)
    one, two = (NaiveBayes(family, unlabelled=EM(components=n, restarts=3)).fit(X, y) for n in (1, 2))
    assert one.score(X, truth) < 0.8 < 0.97 < two.score(X, truth)
    assert (two.classes_.tolist(), two.class_count_.sum()) == ([0, 1], 240.0)
    probabilities = two.predict_proba(X)
    np.testing.assert_allclose(probabilities.sum(axis=1), 1.0)
    np.testing.assert_allclose(np.exp(two.predict_log_proba(X)), probabilities)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(two)).predict_proba(X), probabilities)
    np.testing.assert_array_equal(clone(two).fit(X, y).predict_proba(X), probabilities)
    assert two.evidence(X[:2]).classes == [0, 1]
    assert two.set_params(plugin=False).score(X, truth) > 0.97
    with pytest.raises(ValueError, match="labels do not say which component a row belongs to"):
        two.partial_fit(X, truth)


NUMBERS, TEXTS = [0, 0, 1, 1, None, None], ["a", "a", "b", "b", None, None]


@pytest.mark.parametrize(
    ("y", "classes"),
    [
        (pd.Series(NUMBERS, dtype="Int64"), [0, 1]),
        (pd.array(NUMBERS, dtype="Int64"), [0, 1]),
        (pd.Series([0, 0, 1, 1, -1, -1], dtype="Int64"), [0, 1]),
        (pd.Series([False, False, True, True, None, None], dtype="boolean"), [False, True]),
        (pd.Series([0, 0, 1, 1, pd.NA, pd.NA], dtype=object), [0, 1]),
        (pd.Series(pd.Categorical(NUMBERS)), [0, 1]),
        (pa.array(NUMBERS), [0, 1]),
        (pa.chunked_array([NUMBERS[:3], NUMBERS[3:]]), [0, 1]),
        (pl.Series(NUMBERS), [0, 1]),
        (pd.Series(TEXTS, dtype="string"), ["a", "b"]),
        (np.array(["a", "a", "b", "b", pd.NA, None], object), ["a", "b"]),
        (pl.Series(TEXTS), ["a", "b"]),
        (["a", "a", "b", "b", -1, None], ["a", "b"]),
    ],
)
def test_a_label_that_is_null_leaves_the_type_of_the_others(y, classes):
    estimator = NaiveBayes(unlabelled=EM()).fit([[0.0], [0.1], [5.0], [5.1], [0.2], [5.2]], y)
    assert estimator.classes_.tolist() == classes
    assert estimator.classes_.dtype.kind == np.array(classes).dtype.kind
    assert estimator.predict([[0.0], [5.0]]).tolist() == classes
    assert estimator.model_.fitted.unlabelled == 2.0


def test_known_labels_of_two_types_are_an_error():
    with pytest.raises(TypeError, match="mix int"):
        NaiveBayes(unlabelled=EM()).fit([[0.0], [0.1], [5.0]], ["a", 1, -1])


@pytest.mark.parametrize("unlabelled", [None, EM()])
def test_soft_labels_are_for_the_model(unlabelled):
    with pytest.raises(TypeError, match=r"NaiveBayes takes one label per row; soft labels are counted by Model\.train"):
        NaiveBayes(unlabelled=unlabelled).fit([[0.0], [1.0]], SoftLabels(np.eye(2)))


def test_clusters_far_apart_are_found_in_numbers():
    random = np.random.default_rng(0)
    truth = random.integers(0, 3, 300)
    X = np.stack([random.normal(8.0 * (truth == 1)), random.normal(8.0 * (truth == 2))], axis=1)
    for given, families in ((None, [Gaussian(m=0.1)] * 2), ({1: Gaussian()}, [Gaussian(m=0.1), Gaussian()])):
        model = NaiveBayes(given, unlabelled=EM(classes=3)).fit(X, [None] * 300)
        assert list(model.schema_.columns.values()) == families
        counts = np.array([np.bincount(model.predict(X)[truth == cluster], minlength=3) for cluster in range(3)])
        assert sorted(counts.argmax(axis=1)) == [0, 1, 2]
        assert counts.max(axis=1).sum() > 297
