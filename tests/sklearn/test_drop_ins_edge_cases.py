"""Edge cases of the drop-ins: invalid parameters and rows, appearing and vanishing classes, odd matrices."""

import warnings

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
import sklearn.naive_bayes as original
from drop_in_data import DATA
from sklearn.ensemble import BaggingClassifier

import tallybayes.sklearn as ours
from tallybayes import digest

X = np.array([[1.0, 0.0, 2.0], [0.0, 3.0, 1.0], [2.0, 1.0, 0.0], [0.0, 0.0, 4.0]])
y = np.array([0, 1, 1, 0])
OURS = [*DATA, "PoissonNB", "GammaNB"]
SPARSE = ["GaussianNB", "MultinomialNB", "ComplementNB", "BernoulliNB", "PoissonNB"]
SMOOTHED = ["MultinomialNB", "ComplementNB", "BernoulliNB", "CategoricalNB"]
WRONG = [
    ("GaussianNB", {"priors": [0.5]}, "Number of priors must match number of classes"),
    ("GaussianNB", {"priors": [0.5, 0.6]}, "The sum of the priors should be 1"),
    ("GaussianNB", {"priors": [1.5, -0.5]}, "Priors must be non-negative"),
    ("GaussianNB", {"priors": "half"}, "priors"),
    ("GaussianNB", {"var_smoothing": -1.0}, "var_smoothing"),
    ("GaussianNB", {"var_smoothing": "a"}, "var_smoothing"),
    ("GaussianNB", {"var_smoothing": np.nan}, "var_smoothing"),
    *((name, {"alpha": -1.0}, "alpha") for name in SMOOTHED),
    *((name, {"alpha": "a"}, "alpha") for name in SMOOTHED),
    *((name, {"alpha": None}, "alpha") for name in SMOOTHED),
    *((name, {"alpha": np.inf}, "alpha") for name in SMOOTHED),
    *((name, {"fit_prior": "no"}, "fit_prior") for name in SMOOTHED),
    *((name, {"force_alpha": None}, "force_alpha") for name in SMOOTHED),
    *((name, {"class_prior": "a"}, "class_prior") for name in SMOOTHED),
    *((name, {"class_prior": [0.2, 0.3, 0.5]}, "Number of priors must match") for name in SMOOTHED),
    ("MultinomialNB", {"alpha": [1.0, 2.0]}, "When alpha is an array, it should contain"),
    ("MultinomialNB", {"alpha": [1.0, 2.0, -1.0]}, "alpha"),
    ("CategoricalNB", {"alpha": [1.0, 2.0, 3.0]}, "alpha"),
    ("ComplementNB", {"norm": "yes"}, "norm"),
    ("BernoulliNB", {"binarize": -1.0}, "binarize"),
    ("BernoulliNB", {"binarize": "a"}, "binarize"),
    ("BernoulliNB", {"binarize": np.nan}, "binarize"),
    ("CategoricalNB", {"min_categories": 0}, "min_categories"),
    ("CategoricalNB", {"min_categories": 1.5}, "min_categories"),
    ("CategoricalNB", {"min_categories": [1.0, 2.0, 3.0]}, "'min_categories' should have integral type"),
    ("CategoricalNB", {"min_categories": [[5, 5, 5]]}, "'min_categories' should have shape"),
]


def new(name, **settings):
    return getattr(ours, name)(**settings)


@pytest.mark.parametrize(("name", "settings", "message"), WRONG, ids=str)
def test_invalid_parameter_is_an_error_as_in_sklearn(name, settings, message):
    for face in (original, ours):
        with pytest.raises(ValueError, match=message):
            getattr(face, name)(**settings).fit(X, y)
    learned = new(name).fit(X, y).set_params(**settings)
    with pytest.raises(ValueError, match=message):
        learned.predict(X)


# Classes


@pytest.mark.parametrize("name", OURS)
def test_announced_classes_have_probability_zero_until_counted(name):
    prior = {"priors" if name == "GaussianNB" else "class_prior": [0.2, 0.3, 0.5]}
    learned = new(name, **prior).partial_fit(X, y, classes=[0, 1, 2])
    assert learned.classes_.tolist() == [0, 1, 2]
    with pytest.warns(UserWarning, match="no row has the class 2: a share of 0.5 goes to the other classes"):
        assert learned.predict_proba(X)[:, 2].tolist() == [0.0] * 4
    two = new(name, **{key: [0.4, 0.6] for key in prior}).fit(X, y)
    np.testing.assert_allclose(learned.predict_proba(X)[:, :2], two.predict_proba(X), rtol=1e-12)
    learned.partial_fit(X, [2, 2, 0, 2])
    three = new(name, **prior).fit(np.vstack([X, X]), [*y, 2, 2, 0, 2])
    assert digest(learned.model_) == digest(three.model_)
    np.testing.assert_allclose(learned.predict_proba(X), three.predict_proba(X), rtol=1e-12)


@pytest.mark.parametrize("name", OURS)
def test_rows_of_weight_zero_are_not_counted_but_their_class_is_known(name):
    weights = [1.0, 0.0, 0.0, 1.0]
    learned = new(name).fit(X, y, sample_weight=weights)
    alone = new(name).fit(X[[0, 3]], y[[0, 3]])
    assert digest(learned.model_) == digest(alone.model_)
    assert learned.classes_.tolist() == [0, 1]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = learned.predict_proba(X)
        if hasattr(original, name) and name != "ComplementNB":
            theirs = getattr(original, name)().fit(X, y, sample_weight=weights)
            np.testing.assert_array_equal(found, theirs.predict_proba(X))
    assert found.tolist() == [[1.0, 0.0]] * 4
    parts = new(name)
    for i in (1, 0, 2, 3):  # the first has weight zero
        parts.partial_fit(X[[i]], y[[i]], sample_weight=weights[i : i + 1])
    assert digest(parts.model_) == digest(alone.model_)
    assert parts.classes_.tolist() == [0, 1]
    with pytest.raises(ValueError, match="Could not convert"):
        parts.partial_fit(X[:1], ["a"], sample_weight=[0.0])
    assert parts.classes_.tolist() == [0, 1]


def test_bagging_with_sample_weights():
    bagged = BaggingClassifier(ours.GaussianNB(), 5, random_state=0).fit(X, y)
    assert bagged.predict_proba(X).shape == (4, 2)


@pytest.mark.parametrize("name", OURS)
def test_single_class_and_single_column(name):
    assert new(name).fit(X, y * 0).predict_proba(X).tolist() == [[1.0]] * 4
    learned = new(name).fit(X[:, :1], y)
    if hasattr(original, name):
        theirs = getattr(original, name)().fit(X[:, :1], y)
        np.testing.assert_allclose(learned.predict_proba(X[:, :1]), theirs.predict_proba(X[:, :1]), rtol=1e-9)


@pytest.mark.parametrize("name", OURS)
def test_class_or_everything_can_be_forgotten(name):
    learned = new(name).fit(X, y).forget(X[1:3], y[1:3])
    assert learned.classes_.tolist() == [0]
    assert learned.predict_proba(X[:1]).tolist() == [[1.0]]
    learned.forget(X[[0, 3]], y[[0, 3]])
    assert learned.class_count_.tolist() == []
    for question in (learned.predict, learned.predict_proba, learned.predict_log_proba):
        with pytest.raises(ValueError, match="The model has counted no rows"):
            question(X)
    assert digest(learned.partial_fit(X, y).model_) == digest(new(name).fit(X, y).model_)
    with pytest.raises(ValueError, match="cannot be forgotten"):
        learned.forget(np.vstack([X, X]), [*y, *y])
    assert digest(learned.model_) == digest(new(name).fit(X, y).model_)


# Rows


@pytest.mark.parametrize("name", OURS)
def test_columns_are_never_confused(name):
    frame = pd.DataFrame(X, columns=list("abc"))
    learned = new(name).fit(frame, y)
    assert learned.feature_names_in_.tolist() == ["a", "b", "c"]
    for question in (learned.predict, lambda rows: learned.partial_fit(rows, y), lambda rows: learned.forget(rows, y)):
        with pytest.raises(ValueError, match="must be in the same order as they were in fit"):
            question(frame[["b", "a", "c"]])
        with pytest.raises(ValueError, match="Feature names unseen at fit time"):
            question(frame.rename(columns={"c": "d"}))
    with pytest.warns(UserWarning, match="does not have valid feature names"):
        np.testing.assert_array_equal(learned.predict(X), learned.predict(frame))
    unnamed = new(name).fit(X, y)
    for rows in (X[:, :2], np.hstack([X, X]), X[:1, :2].astype(int)):
        with pytest.raises(ValueError, match=f"but {name} is expecting 3 features"):
            unnamed.predict(rows)


@pytest.mark.parametrize("name", OURS)
def test_infinities_are_an_error(name):
    learned = new(name).fit(X, y)
    for infinite in (np.inf, -np.inf):
        rows = np.where(X == 3.0, infinite, X)
        for question in (learned.predict, lambda rows: new(name).fit(rows, y)):
            with pytest.raises(ValueError, match=r"infinit|not a (finite )?number|Negative values"):
                question(rows)
            if name in SPARSE:
                with pytest.raises(ValueError, match=r"infinit|not a (finite )?number|Negative values"):
                    question(sp.csr_matrix(rows))


def odd(kind):
    """The same matrix in other valid representations."""
    entries = np.array([1.0, 2.0, 3.0, 1.0, 2.0, 1.0, 4.0]), np.array([0, 2, 1, 2, 0, 1, 2]), np.array([0, 2, 4, 6, 7])
    if kind == "explicit zeros":
        return sp.csr_matrix((X.ravel().copy(), np.tile([0, 1, 2], 4), np.arange(0, 13, 3)), shape=(4, 3))
    if kind == "duplicates":
        twice, ends = np.repeat(entries[0] / 2, 2), entries[2] * 2
        return sp.csr_matrix((twice, np.repeat(entries[1], 2), ends), shape=(4, 3))
    if kind == "unsorted":
        order = [1, 0, 3, 2, 5, 4, 6]
        return sp.csr_matrix((entries[0][order], entries[1][order], entries[2]), shape=(4, 3))
    result = sp.csr_matrix(entries, shape=(4, 3))
    result.indices, result.indptr = result.indices.astype(np.int64), result.indptr.astype(np.int64)
    return result


@pytest.mark.parametrize("kind", ["explicit zeros", "duplicates", "unsorted", "long indices"])
@pytest.mark.parametrize("name", SPARSE)
def test_any_sparse_representation_gives_the_same_answers(name, kind):
    dense = new(name).fit(X, y)
    assert digest(new(name).fit(odd(kind), y).model_) == digest(dense.model_)
    np.testing.assert_allclose(dense.predict_proba(odd(kind)), dense.predict_proba(X), rtol=1e-9)
    empty = sp.csr_matrix((2, 3))
    np.testing.assert_allclose(dense.predict_proba(empty), dense.predict_proba(empty.toarray()), rtol=1e-9)
    assert digest(new(name).fit(sp.csr_matrix((4, 3)), y).model_) == digest(new(name).fit(X * 0, y).model_)


def test_alpha_zero_makes_a_class_without_the_column_impossible():
    rows = np.where((y == 0)[:, None] & (np.arange(3) == 2), np.nan, X)
    learned = ours.GaussianNB().fit(rows, y)
    assert learned.predict_proba([[0.5, 0.0, 1.0]]).tolist() == [[0.0, 1.0]]
    assert learned.predict_proba([[0.5, 0.0, np.nan]])[0, 0] > 0.99


@pytest.mark.parametrize("unit", [1e152, 1e200, 1e300])
def test_squares_that_overflow_are_an_error_and_change_nothing(unit):
    """Not other probabilities than in another unit."""
    x, y = np.array([[1.0], [2.0], [4.0], [7.0]]), [0, 0, 1, 1]
    model = ours.GaussianNB().fit(x * 1e140, y)
    before = model.predict_proba(x * 1e140)
    np.testing.assert_allclose(before, ours.GaussianNB().fit(x, y).predict_proba(x), rtol=1e-9)
    with pytest.raises(ValueError, match=r"beyond 1e\+300 overflow\. Divide the column by a constant"):
        model.fit(x * unit, y)
    np.testing.assert_array_equal(model.predict_proba(x * 1e140), before)
