"""NaiveBayes equals its model: learning, forgetting, beliefs and answers, alone and inside scikit-learn."""

import copy
import io
import pickle
from concurrent.futures import ThreadPoolExecutor

import joblib
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from mixed_table import MAKES, SCHEMA, rows, table
from sklearn.base import clone

from tallybayes import Categorical, Gaussian, Histogram, Model, NaiveBayes, Schema, Words, digest

COLUMNS, LABELS = table(300)
NEW, _ = table(40, seed=1)


def fitted(**settings):
    return NaiveBayes(SCHEMA, **settings, weigh=False).fit(COLUMNS, LABELS)


# The law


@pytest.mark.parametrize("make", MAKES)
def test_equals_the_model_of_the_same_rows_for_every_frame_type(make):
    model = Model.train(SCHEMA, COLUMNS, LABELS)
    learned = NaiveBayes(SCHEMA, weigh=False).fit(MAKES[make](COLUMNS), LABELS)
    assert digest(learned.model_) == digest(model)
    assert learned.schema_ == SCHEMA
    assert learned.classes_.tolist() == model.classes == ["leaves", "moves", "stays"]
    assert learned.class_count_.tolist() == [np.sum(label == LABELS) for label in model.classes]
    new = MAKES[make](NEW)
    np.testing.assert_array_equal(learned.predict_proba(new), model.posterior(NEW))
    np.testing.assert_array_equal(learned.predict_joint_log_proba(new), model.log_joint(NEW))
    np.testing.assert_allclose(learned.predict_log_proba(new), np.log(model.posterior(NEW)), rtol=1e-12, atol=1e-14)
    np.testing.assert_array_equal(learned.evidence(new)["note"], model.evidence(NEW)["note"])
    assert learned.predict(new).tolist() == model.decide(NEW)
    costs = {("leaves", "stays"): 7.0}
    assert learned.decide(new, costs=costs).tolist() == model.decide(NEW, costs=costs)
    assert learned.decide(new, reject=0.05).tolist() == model.decide(NEW, reject=0.05)
    assert None in learned.decide(new, reject=0.05)


def test_partial_fit_equals_fit():
    whole = digest(fitted().model_)
    learned = NaiveBayes(SCHEMA, weigh=False)
    for start in (0, 1, 2, 100, 299):
        stop = {0: 1, 1: 2, 2: 100, 100: 299, 299: 300}[start]
        learned.partial_fit(rows(COLUMNS, start, stop), LABELS[start:stop])
    assert digest(learned.model_) == whole
    assert (
        digest(NaiveBayes(SCHEMA, weigh=False).fit(rows(COLUMNS, 0, 50), LABELS[:50]).fit(COLUMNS, LABELS).model_)
        == whole
    )


def test_weight_two_equals_two_rows_and_weights_are_forgotten():
    weights = np.arange(300) % 3
    often = {name: np.repeat(np.array(cells, object), weights).tolist() for name, cells in COLUMNS.items()}
    weighted = NaiveBayes(SCHEMA, weigh=False).fit(COLUMNS, LABELS, sample_weight=weights)
    assert digest(weighted.model_) == digest(
        NaiveBayes(SCHEMA, weigh=False).fit(often, np.repeat(LABELS, weights)).model_
    )
    weighted.partial_fit(COLUMNS, LABELS, sample_weight=np.full(300, 0.1))
    weighted.forget(COLUMNS, LABELS, sample_weight=np.full(300, 0.1))
    assert weighted.class_count_.tolist() == [weights[label == LABELS].sum() for label in weighted.classes_]


def test_number_of_threads_does_not_matter():
    for threads in (1, 2, 5):
        learned = fitted(threads=threads)
        assert digest(learned.model_) == digest(fitted().model_)
        np.testing.assert_array_equal(learned.predict_proba(NEW), fitted().predict_proba(NEW))


def test_concurrent_queries():
    learned = fitted().set_params(alpha=0.25)
    expected = fitted(alpha=0.25).predict_proba(NEW)
    with ThreadPoolExecutor(8) as pool:
        for found in pool.map(lambda _: learned.predict_proba(NEW), range(64)):
            np.testing.assert_array_equal(found, expected)


def test_extracted_model_does_not_change():
    learned = NaiveBayes(SCHEMA, weigh=False).fit(rows(COLUMNS, 0, 200), LABELS[:200])
    before, taken = digest(learned.model_), learned.model_
    learned.partial_fit(rows(COLUMNS, 200, 300), LABELS[200:])
    assert digest(taken) == before
    taken += taken
    assert digest(learned.model_) == digest(fitted().model_)
    assert learned.model_ is learned.model_


# Classes


def test_classes_need_not_be_announced():
    learned = NaiveBayes({"x": Categorical()}, weigh=False).partial_fit({"x": ["a", "b"]}, [3, 3])
    assert learned.classes_.tolist() == [3]
    learned.partial_fit({"x": ["never met"]}, [-1])
    assert learned.classes_.tolist() == [-1, 3]
    assert learned.class_count_.tolist() == [1.0, 2.0]


def test_announced_classes_have_probability_zero_until_counted():
    learned = NaiveBayes({"x": Categorical()}, weigh=False).partial_fit(
        {"x": ["a", "b"]}, ["m", "m"], classes=["z", "m", "a"]
    )
    assert learned.classes_.tolist() == ["a", "m", "z"]
    assert learned.class_count_.tolist() == [0.0, 2.0, 0.0]
    assert learned.predict_proba({"x": ["a"]}).tolist() == [[0.0, 1.0, 0.0]]
    assert learned.predict_log_proba({"x": ["a"]}).tolist() == [[-np.inf, 0.0, -np.inf]]
    assert learned.predict_joint_log_proba({"x": ["a"]})[0, [0, 2]].tolist() == [-np.inf, -np.inf]
    assert learned.decide({"x": ["a"]}, costs={("m", "z"): -1.0}).tolist() == ["z"]
    learned.partial_fit({"x": ["a"]}, ["z"], classes=["a", "z", "m"])
    assert learned.classes_.tolist() == ["a", "m", "z"]
    np.testing.assert_allclose(learned.predict_proba({"x": [None]}), [[0.0, 2 / 3, 1 / 3]], rtol=1e-15)
    unannounced = NaiveBayes({"x": Categorical()}, weigh=False).fit({"x": ["a", "b", "a"]}, ["m", "m", "z"])
    assert digest(learned.model_) == digest(unannounced.model_)


@pytest.mark.parametrize(
    "labels",
    [
        np.array([1, 0, 1], np.int8),
        np.array([7, 2**40, 7]),
        np.array(["b", "a", "b"]),
        np.array(["b", "a", "b"], object),
        np.array([True, False, True]),
        np.array([2.0, 1.0, 2.0]),
        np.array([2, 1, 2], object),
    ],
    ids=lambda labels: str(labels.dtype),
)
def test_labels_keep_their_type(labels):
    learned = NaiveBayes({"x": Categorical()}, weigh=False).fit({"x": ["p", "q", "p"]}, labels)
    assert learned.classes_.dtype == labels.dtype
    assert learned.predict({"x": ["p", "q"]}).tolist() == labels.tolist()[:2]
    assert learned.predict({"x": ["p"]}).dtype == labels.dtype
    assert learned.decide({"x": ["p"]}, reject=0.0).tolist() == [None]


def test_longer_labels_in_later_rows_are_not_truncated():
    learned = NaiveBayes({"x": Categorical()}, weigh=False).fit({"x": ["p"]}, np.array(["a"]))
    learned.partial_fit({"x": ["q"]}, np.array(["much longer"]))
    assert learned.classes_.tolist() == ["a", "much longer"]
    learned = NaiveBayes({"x": Categorical()}, weigh=False).fit({"x": ["p"]}, np.array([1], np.int8))
    assert learned.partial_fit({"x": ["q"]}, np.array([1000])).classes_.tolist() == [1, 1000]


# Schemas and beliefs


def test_schema_inferred_partial_given_or_one_family_for_all():
    chosen = NaiveBayes(weigh=False).fit(COLUMNS, LABELS)
    assert chosen.schema_ == Schema.infer(COLUMNS)
    assert chosen.schema_.reasons == Schema.infer(COLUMNS).reasons
    settled = NaiveBayes({"age": Histogram(), "note": None}, weigh=False).fit(COLUMNS, LABELS)
    assert settled.schema_ == Schema.infer(COLUMNS, hints={"age": Histogram(), "note": None})
    given = Schema({"calls": Gaussian()}, prior="uniform")
    assert NaiveBayes(given, weigh=False).fit(COLUMNS, LABELS).schema_ == given
    numbered = NaiveBayes({0: Histogram(), 1: None}, weigh=False).fit([[1.5, 2.5], [2.5, 3.5]], [0, 1])
    assert numbered.schema_ == Schema({"0": Histogram()})
    numbers = {"age": COLUMNS["age"], "calls": COLUMNS["calls"]}
    assert NaiveBayes(Gaussian(), weigh=False).fit(numbers, LABELS).schema_ == Schema(
        {"age": Gaussian(), "calls": Gaussian()}
    )


def test_beliefs_can_be_set_without_refitting():
    learned = fitted()
    for settings in ({"alpha": 0.25}, {"plugin": True, "m": 0.5}, {"reading": "bernoulli"}, {"prior": "uniform"}):
        learned.set_params(**settings)
        believed = {**learned.get_params(), **settings}
        beliefs = {k: believed[k] for k in ("prior", "alpha", "m", "plugin", "reading") if believed[k] is not None}
        model = Model.train(SCHEMA, COLUMNS, LABELS).believing(**beliefs)
        assert digest(learned.model_) == digest(model)
        np.testing.assert_array_equal(learned.predict_proba(NEW), model.posterior(NEW))
        assert digest(fitted(**beliefs).model_) == digest(model)
    learned.set_params(prior=None, alpha=None, m=None, plugin=None, reading=None)
    assert digest(learned.model_) == digest(fitted().model_)
    learned.set_params(alpha=0.5).forget(rows(COLUMNS, 0, 100), LABELS[:100])
    rest = NaiveBayes(SCHEMA, alpha=0.5, weigh=False).fit(rows(COLUMNS, 100, 300), LABELS[100:])
    assert digest(learned.model_) == digest(rest.model_)


def test_reasons_survive_other_beliefs():
    learned = NaiveBayes(weigh=False).fit(COLUMNS, LABELS)
    assert learned.set_params(alpha=0.5).schema_.reasons == Schema.infer(COLUMNS).reasons


def test_unknown_belief_changes_nothing():
    numbers = {"age": COLUMNS["age"]}
    plain = NaiveBayes(Gaussian(), weigh=False).fit(numbers, LABELS)
    assert digest(NaiveBayes(Gaussian(), alpha=0.5, weigh=False).fit(numbers, LABELS).model_) == digest(plain.model_)


def test_columns_may_be_named_like_settings():
    schema = Schema({"prior": Categorical(), "alpha": Categorical(), "self": Gaussian()})
    columns = {"prior": ["a", "b"], "alpha": ["c", "d"], "self": [1.0, 2.0]}
    learned = NaiveBayes(schema, weigh=False).fit(columns, [0, 1]).set_params(alpha=0.5, prior="uniform")
    model = Model.train(schema, columns, [0, 1]).believing(alpha=0.5).believing(prior="uniform")
    assert digest(learned.model_) == digest(model)


# Input types


def test_arrays_lists_and_unnamed_frames_agree():
    random = np.random.default_rng(0)
    matrix, labels = random.normal(size=(50, 3)), random.integers(0, 2, 50)
    expected = digest(Model.train({str(i): Gaussian() for i in range(3)}, matrix, labels))
    for X in (matrix, np.asfortranarray(matrix), matrix.astype(object), matrix.tolist(), pd.DataFrame(matrix)):
        learned = NaiveBayes(Gaussian(), weigh=False).fit(X, labels)
        assert digest(learned.model_) == expected
        assert learned.n_features_in_ == 3
        assert not hasattr(learned, "feature_names_in_")
        np.testing.assert_array_equal(learned.predict_proba(X), learned.predict_proba(matrix))


def test_masked_cells_are_missing():
    learned = NaiveBayes(Gaussian(), weigh=False).fit(
        np.ma.MaskedArray([[1.0], [99.0], [2.0]], [[0], [1], [0]]), ["a", "a", "b"]
    )
    assert (
        learned.model_.estimates("0")["mean"]["a"]
        == NaiveBayes(Gaussian(), weigh=False)
        .fit([[1.0], [None], [2.0]], ["a", "a", "b"])
        .model_.estimates("0")["mean"]["a"]
    )


def test_numbers_next_to_texts_stay_numbers():
    learned = NaiveBayes(weigh=False).fit([[1.5, "a"], [2.5, "b"], [None, "a"], [4.25, None]], [0, 1, 0, 1])
    assert learned.schema_ == Schema({"0": Gaussian(), "1": Categorical(alpha="fitted")})
    assert learned.predict([[1.5, "a"], [2.5, "b"]]).tolist() == [0, 1]


def test_numbers_among_texts_are_levels():
    cells = [1, 1.0, "1", True, None, float("nan"), "a", {"b": 2}]
    learned = NaiveBayes(Categorical(), weigh=False).fit(np.array([[cell] for cell in cells], object), [0] * 8)
    levels = ["1", "1", "1", "true", None, None, "a", "{'b': 2}"]
    assert digest(learned.model_) == digest(Model.train({"0": Categorical()}, {"0": levels}, [0] * 8))


@pytest.mark.parametrize(
    "make",
    [list, tuple, np.array, lambda t: np.array(t, object), pd.Series, pa.array, lambda t: pa.chunked_array([t])],
    ids=["list", "tuple", "array", "objects", "Series", "Arrow", "chunked"],
)
def test_bare_texts_are_one_column(make):
    texts, labels = COLUMNS["note"], LABELS
    learned = NaiveBayes(Words(), weigh=False).fit(make(texts), labels)
    assert digest(learned.model_) == digest(Model.train({"text": Words()}, texts, labels))
    assert learned.n_features_in_ == 1
    named = NaiveBayes({"mail": Words()}, weigh=False).fit(make(texts), labels)
    assert digest(named.model_) == digest(Model.train({"mail": Words()}, texts, labels))
    np.testing.assert_array_equal(named.predict_proba(make(texts)), learned.model_.posterior(texts))


def test_copies_give_the_same_answers():
    learned = fitted(alpha=0.5)
    file = io.BytesIO()
    joblib.dump(learned, file)
    file.seek(0)
    for other in (pickle.loads(pickle.dumps(learned)), copy.deepcopy(learned), joblib.load(file)):
        assert digest(other.model_) == digest(learned.model_)
        np.testing.assert_array_equal(other.predict_proba(NEW), learned.predict_proba(NEW))
        other.forget(rows(COLUMNS, 0, 100), LABELS[:100]).set_params(alpha=1.0)
    assert digest(learned.model_) == digest(fitted(alpha=0.5).model_)
    again = clone(learned)
    assert not hasattr(again, "classes_")
    assert digest(again.fit(COLUMNS, LABELS).model_) == digest(learned.model_)
