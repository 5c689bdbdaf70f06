"""The drop-ins and their originals: the same names, parameters, answers and fitted attributes."""

import inspect
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
import sklearn.naive_bayes as original
from drop_in_data import CATEGORIES, COLUMNS, COUNTS, DATA, LABELS, NUMBERS, WEIGHTS
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV

import tallybayes.sklearn as ours
from tallybayes import digest

EACH = np.linspace(0.1, 3.0, COLUMNS)
PRIOR = [0.2, 0.3, 0.5]
SMOOTHED = [
    {},
    {"alpha": 0.01},
    {"alpha": EACH},
    {"alpha": EACH.tolist()},
    {"alpha": 1e10},
    {"fit_prior": False},
    {"class_prior": PRIOR},
    {"class_prior": tuple(PRIOR), "fit_prior": False},
    {"class_prior": np.array(PRIOR)},
]
SETTINGS = {
    "GaussianNB": [
        {},
        {"priors": PRIOR},
        {"priors": tuple(PRIOR)},
        {"priors": np.array(PRIOR)},
        {"var_smoothing": 0},
        {"var_smoothing": 0.1},
    ],
    "MultinomialNB": [*SMOOTHED, {"alpha": 0.0}],
    "ComplementNB": [{k: v for k, v in each.items() if k != "class_prior"} for each in SMOOTHED] + [{"norm": True}],
    "BernoulliNB": [each for each in SMOOTHED if np.ndim(each.get("alpha", 1.0)) == 0]
    + [{"binarize": 0.5}, {"binarize": 1}, {"binarize": 2.5}],
    "CategoricalNB": [each for each in SMOOTHED if np.ndim(each.get("alpha", 1.0)) == 0]
    + [
        {"alpha": 0.0},
        {"min_categories": 7},
        {"min_categories": [5, 6, 7, 8, 9, 10]},
        {"min_categories": np.full(6, 5)},
    ],
}
CASES = [(name, settings) for name, all_settings in SETTINGS.items() for settings in all_settings]
MAKES = {
    "columns": np.asfortranarray,
    "every other row": lambda X: np.repeat(X, 2, axis=0)[::2],
    "whole numbers": lambda X: X.astype(np.int32),
    "bytes": lambda X: X.astype(np.uint8),
    "truths": lambda X: np.median(X, axis=0) < X,
    "a list": lambda X: X.tolist(),
    "pandas": lambda X: pd.DataFrame(X, columns=list("abcdef")),
    "polars": lambda X: pl.DataFrame(X, schema=list("abcdef")),
}


def pair(name, settings, X, y=LABELS, weights=None):
    """The original and the drop-in, fitted to the same rows."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs = getattr(original, name)(**settings).fit(X, y, sample_weight=weights)
    return theirs, getattr(ours, name)(**settings).fit(X, y, sample_weight=weights)


def check_answers(theirs, mine, X, rtol=1e-9):
    """ComplementNB's scores differ by a constant that all classes share: −log of the number of classes."""
    shared = np.log(len(mine.classes_)) if isinstance(mine, ours.ComplementNB) else 0.0
    with np.errstate(divide="ignore"):
        joint, logs, shares = theirs.predict_joint_log_proba(X), theirs.predict_log_proba(X), theirs.predict_proba(X)
    np.testing.assert_allclose(mine.predict_joint_log_proba(X) + shared, joint, rtol=rtol, atol=rtol)
    np.testing.assert_allclose(mine.predict_log_proba(X), logs, rtol=rtol, atol=rtol)
    np.testing.assert_allclose(mine.predict_proba(X), shares, rtol=rtol, atol=rtol)
    best = np.sort(shares, axis=1)
    clear = best[:, -1] > best[:, -2] + 1e-12  # rounding breaks ties
    np.testing.assert_array_equal(mine.predict(X)[clear], theirs.predict(X)[clear])
    assert mine.predict(X).dtype == theirs.predict(X).dtype


def check_attributes(theirs, mine, rtol=1e-9):
    names = [name for name in vars(theirs) if name.endswith("_")]
    assert {"classes_", "class_count_", "n_features_in_"} <= set(names)
    for name in names:
        if name == "class_log_prior_" and isinstance(mine, ours.ComplementNB):
            continue  # scikit-learn's is not the one it uses
        expected, found = getattr(theirs, name), getattr(mine, name)
        pairs = zip(expected, found, strict=True) if isinstance(expected, list) else [(expected, found)]
        for one, other in pairs:
            assert np.shape(one) == np.shape(other), name
            if np.asarray(one).dtype.kind in "OU":
                np.testing.assert_array_equal(other, one)
            else:
                np.testing.assert_allclose(other, one, rtol=rtol, atol=1e-12, err_msg=name)


@pytest.mark.parametrize("name", DATA)
def test_same_names_parameters_and_defaults(name):
    theirs, mine = getattr(original, name), getattr(ours, name)
    for method in ("__init__", "fit", "partial_fit", "predict", "predict_proba", "predict_log_proba", "score"):
        expected, found = (inspect.signature(getattr(each, method)).parameters for each in (theirs, mine))
        assert list(found) == list(expected)
        assert [p.default for p in found.values()] == [p.default for p in expected.values()]
        assert [p.kind for p in found.values()] == [p.kind for p in expected.values()]
    assert mine().get_params() == theirs().get_params()
    assert repr(mine()) == repr(theirs())


@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize(("name", "settings"), CASES, ids=str)
def test_same_answers_and_attributes(name, settings, weights):
    X = DATA[name]
    if name == "GaussianNB" and weights != "none" and settings.get("var_smoothing") != 0:
        pytest.skip("scikit-learn's epsilon_ does not look at weights: see test_differences_from_sklearn")
    theirs, mine = pair(name, settings, X, weights=WEIGHTS[weights])
    check_attributes(theirs, mine)
    check_answers(theirs, mine, X[:50] * 1.5 if name == "GaussianNB" else X[:50])


@pytest.mark.parametrize(
    "form", [sp.csr_matrix, sp.csr_array, sp.csc_matrix, sp.csc_array, sp.coo_matrix, sp.lil_array]
)
@pytest.mark.parametrize("name", ["MultinomialNB", "ComplementNB", "BernoulliNB"])
def test_sparse_matrices(name, form):
    for weights in WEIGHTS.values():
        theirs, mine = pair(name, {}, form(COUNTS), weights=weights)
        check_attributes(theirs, mine)
        check_answers(theirs, mine, form(COUNTS[:50]))
        dense = getattr(ours, name)().fit(COUNTS, LABELS, sample_weight=weights)
        assert digest(dense.model_) == digest(mine.model_)
        np.testing.assert_allclose(dense.predict_proba(form(COUNTS)), mine.predict_proba(COUNTS), rtol=1e-12)


@pytest.mark.parametrize("make", MAKES)
@pytest.mark.parametrize("name", DATA)
def test_rows_of_any_type(name, make):
    X = MAKES[make](NUMBERS.round() + 10.0 if name == "GaussianNB" else COUNTS)
    y = np.searchsorted(["a", "b", "c"], LABELS)
    theirs, mine = pair(name, {}, X, y)
    check_attributes(theirs, mine)
    check_answers(theirs, mine, X)


@pytest.mark.parametrize("name", DATA)
def test_float32_is_counted_exactly(name):
    X = DATA[name].astype(np.float32)
    theirs, mine = pair(name, {}, X)
    rough = 1e-3 if name == "GaussianNB" else 1e-9  # for which scikit-learn then uses float32
    check_answers(theirs, mine, X[:50], rough)
    assert digest(mine.model_) == digest(getattr(ours, name)().fit(X.astype(np.float64), LABELS).model_)
    assert mine.predict_proba(X).dtype == np.float64


def test_binarize_none_takes_zeros_and_ones_as_they_are():
    bits = COUNTS > 1
    for form in (np.array, sp.csr_matrix):
        theirs, mine = pair("BernoulliNB", {"binarize": None}, form(bits * 1.0))
        check_attributes(theirs, mine)
        check_answers(theirs, mine, form(bits[:50] * 1.0))


@pytest.mark.parametrize("name", ["MultinomialNB", "ComplementNB", "CategoricalNB"])
@pytest.mark.parametrize("alpha", [0.0, 1e-12])
def test_force_alpha_false_raises_alpha_to_1e_10(name, alpha):
    settings = {"alpha": alpha, "force_alpha": False}
    with pytest.warns(UserWarning, match="alpha too small"):
        theirs, mine = pair(name, settings, DATA[name])
    check_attributes(theirs, mine)
    check_answers(theirs, mine, DATA[name][:50])
    with warnings.catch_warnings(record=True) as said, pytest.warns(UserWarning, match="alpha too small"):
        getattr(original, name)(**settings).fit(DATA[name], LABELS)
    assert not said


@pytest.mark.parametrize("name", DATA)
def test_partial_fit_is_the_same_where_sklearn_is_right(name):
    theirs, mine = getattr(original, name)(), getattr(ours, name)()
    if name == "GaussianNB":
        theirs.var_smoothing = mine.var_smoothing = 0.0
    for rows in np.array_split(np.arange(len(LABELS)), 4):
        theirs.partial_fit(DATA[name][rows], LABELS[rows], classes=["a", "b", "c"])
        mine.partial_fit(DATA[name][rows], LABELS[rows], classes=["a", "b", "c"])
        check_answers(theirs, mine, DATA[name][:50])
    check_attributes(theirs, mine)


# Beliefs


@pytest.mark.parametrize(("name", "settings"), CASES, ids=str)
def test_beliefs_set_after_fitting_equal_a_fresh_fit(name, settings):
    if "binarize" in settings:
        pytest.skip("which says what is counted")
    learned = getattr(ours, name)().fit(DATA[name], LABELS)
    before = learned.predict_proba(DATA[name])
    fresh = getattr(ours, name)(**settings).fit(DATA[name], LABELS)
    learned.set_params(**settings)
    np.testing.assert_array_equal(learned.predict_proba(DATA[name]), fresh.predict_proba(DATA[name]))
    assert digest(learned.model_) == digest(fresh.model_)
    assert digest(clone(learned).fit(DATA[name], LABELS).model_) == digest(fresh.model_)
    learned.set_params(**getattr(ours, name)().get_params())
    np.testing.assert_array_equal(learned.predict_proba(DATA[name]), before)


@pytest.mark.parametrize(
    ("name", "grid"),
    [
        ("GaussianNB", {"var_smoothing": [0.0, 0.01, 1.0]}),
        ("MultinomialNB", {"alpha": [0.01, 1.0, 100.0], "fit_prior": [True, False]}),
        ("ComplementNB", {"alpha": [0.01, 1.0], "norm": [True, False]}),
        ("BernoulliNB", {"alpha": [0.01, 1.0], "binarize": [0.0, 1.0, 2.0]}),
        ("CategoricalNB", {"alpha": [0.01, 1.0], "min_categories": [5, 50]}),
    ],
)
def test_grid_search_finds_the_same(name, grid):
    X = CATEGORIES if name == "CategoricalNB" else np.abs(DATA[name])
    theirs, mine = (GridSearchCV(getattr(face, name)(), grid, cv=3).fit(X, LABELS) for face in (original, ours))
    np.testing.assert_allclose(mine.cv_results_["mean_test_score"], theirs.cv_results_["mean_test_score"], atol=0.011)
    assert mine.best_estimator_.predict(X).shape == (len(X),)
