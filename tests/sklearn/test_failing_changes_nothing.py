"""A failed operation leaves an estimator unchanged: the same answers and the same pickle."""

import pickle

import numpy as np
import pytest
from drop_in_data import CATEGORIES, COUNTS, NUMBERS

import tallybayes.sklearn as ours
from tallybayes import Gaussian, NaiveBayes

LABELS = np.arange(40) % 2
DATA = {
    "GaussianNB": NUMBERS,
    "MultinomialNB": COUNTS,
    "ComplementNB": COUNTS,
    "BernoulliNB": COUNTS,
    "CategoricalNB": CATEGORIES.astype(float),
    "PoissonNB": COUNTS,
    "GammaNB": COUNTS + 1.0,
    "NaiveBayes": NUMBERS,
}
CHANGES = ["fit", "partial_fit", "forget"]


def fitted(name):
    X = DATA[name][:40]
    estimator = NaiveBayes(Gaussian()) if name == "NaiveBayes" else getattr(ours, name)()
    estimator.partial_fit(X[:20], LABELS[:20], classes=[0, 1]).partial_fit(X[20:], LABELS[20:])
    return estimator, X


def infinite(X):
    return np.where(np.arange(len(X))[:, None] == 7, np.inf, X)


FAULTS = {
    "infinite cells": lambda X: (infinite(X), LABELS),
    "no table": lambda X: (None, LABELS),
    "one dimension": lambda X: (X[:, 0], LABELS),
    "three dimensions": lambda X: (X[:, :, None], LABELS),
    "dates": lambda X: (np.full(X.shape, "2024-02-29", "M8[D]"), LABELS),
    "columns of different lengths": lambda X: ({"a": [1.0], "b": [1.0, 2.0]}, LABELS),
    "fewer labels": lambda X: (X, LABELS[:-1]),
    "more labels": lambda X: (X[:-1], LABELS),
    "no labels": lambda X: (X, None),
    "labels of mixed types": lambda X: (X, ["a", 1] * 20),
    "labels that are measured": lambda X: (X, LABELS + 0.5),
    "one-hot labels": lambda X: (X, np.eye(2)[LABELS]),
    "missing labels": lambda X: (X, np.where(LABELS, np.nan, 1.0)),
    "negative weights": lambda X: (X, LABELS, -np.ones(40)),
    "fewer weights": lambda X: (X, LABELS, np.ones(39)),
    "endless weights": lambda X: (X, LABELS, np.full(40, np.inf)),
    "weights that are texts": lambda X: (X, LABELS, ["heavy"] * 40),
}
LATER = {  # invalid only because of what was learned before
    "another number of columns": lambda X: (X[:, :2], LABELS),
    "labels of another type": lambda X: (X, np.where(LABELS, "yes", "no")),
    "labels beyond the classes": lambda X: (X, LABELS + 1),
}


def check_unchanged(estimator, X, change, error=(TypeError, ValueError)):
    said, before = estimator.predict_joint_log_proba(X), pickle.dumps(estimator)
    with pytest.raises(error):
        change()
    assert pickle.dumps(estimator) == before
    np.testing.assert_array_equal(estimator.predict_joint_log_proba(X), said)


@pytest.mark.slow
@pytest.mark.parametrize("name", DATA)
@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("fault", [*FAULTS, *LATER])
def test_invalid_rows_change_nothing(name, change, fault):
    if change == "fit" and fault in LATER:
        pytest.skip("these rows can be fitted")
    estimator, X = fitted(name)
    X_bad, y, *weights = {**FAULTS, **LATER}[fault](X)
    given = {"sample_weight": weights[0]} if weights else {}
    check_unchanged(estimator, X, lambda: getattr(estimator, change)(X_bad, y, **given))


@pytest.mark.parametrize("name", DATA)
def test_rows_never_learned_cannot_be_forgotten(name):
    estimator, X = fitted(name)
    check_unchanged(estimator, X, lambda: estimator.forget(np.vstack([X, X[:1]]), [*LABELS, 1]))
    check_unchanged(estimator, X, lambda: estimator.forget(X + 1.0, LABELS))


@pytest.mark.parametrize("name", DATA)
@pytest.mark.parametrize("classes", [[0, 1, 2], [0], [0, 0, 1], ["a", "b"], [[0, 1]], [None, 1], []])
def test_classes_other_than_announced_are_an_error_and_change_nothing(name, classes):
    estimator, X = fitted(name)
    check_unchanged(estimator, X, lambda: estimator.partial_fit(X, LABELS, classes=classes))


@pytest.mark.parametrize("name", sorted(DATA.keys() - {"NaiveBayes"}))
@pytest.mark.parametrize("priors", [[1.0], [0.2, 0.3, 0.5], [-1.0, 2.0], "flat", [[0.5], [0.5], [0.5]]])
def test_priors_that_do_not_match_the_classes_are_an_error_and_change_nothing(name, priors):
    estimator, X = fitted(name)
    setting = "priors" if name == "GaussianNB" else "class_prior"
    said, model = estimator.predict_proba(X), pickle.dumps(estimator.model_)
    estimator.set_params(**{setting: priors})
    with pytest.raises(ValueError, match="rior"):
        estimator.fit(X, LABELS)
    estimator.set_params(**{setting: None})
    np.testing.assert_array_equal(estimator.predict_proba(X), said)
    assert pickle.dumps(estimator.model_) == model


@pytest.mark.parametrize("name", DATA)
def test_failed_first_fit_leaves_it_unfitted(name):
    estimator = NaiveBayes(Gaussian()) if name == "NaiveBayes" else getattr(ours, name)()
    before = dict(vars(estimator))
    with pytest.raises(ValueError, match=r"nf"):
        estimator.fit(infinite(DATA[name][:40]), LABELS)
    assert vars(estimator) == before


def test_ctrl_c_during_fit_keeps_the_previous_fit():
    class Interrupting(dict):
        def items(self):
            raise KeyboardInterrupt

    columns = {"x": [1.0, 2.5], "z": [3.0, 4.5]}
    estimator = NaiveBayes(Gaussian()).fit(columns, [0, 1])
    check_unchanged(estimator, columns, lambda: estimator.fit(Interrupting(columns), [0, 1]), KeyboardInterrupt)


@pytest.mark.parametrize("name", ["GaussianNB", "MultinomialNB", "CategoricalNB"])
def test_class_without_a_prior_cannot_appear_later(name):
    X = DATA[name][:40]
    given = {"priors" if name == "GaussianNB" else "class_prior": [0.25, 0.75]}
    estimator = getattr(ours, name)(**given).fit(X, LABELS)
    check_unchanged(estimator, X, lambda: estimator.partial_fit(X[:1], [2]), ValueError)
