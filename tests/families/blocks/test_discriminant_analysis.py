"""`Correlated` against scikit-learn's linear and quadratic discriminant analysis."""

import math

import numpy as np
import pytest
import sklearn
from sklearn.datasets import load_iris, load_wine
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
from test_correlated import frame, trained

from tallybayes import Correlated, NaiveBayes

OLD = tuple(map(int, sklearn.__version__.split(".")[:2])) < (1, 8)  # whose quadratic analysis divides by n − 1


@pytest.mark.parametrize(("load", "least"), [(load_iris, 1e-12), (load_wine, 1e-9)])
def test_equals_sklearn_linear_discriminant_analysis(load, least):
    x, y = load(return_X_y=True)
    model = trained(x, y, Correlated(covariance="shared", m=0, plugin=True))
    theirs = LinearDiscriminantAnalysis(solver="lsqr").fit(x, y)
    np.testing.assert_allclose(model.posterior(frame(x)), theirs.predict_proba(x), rtol=0, atol=least)


def test_equals_sklearn_with_priors_if_classes_have_those_weights():
    """scikit-learn's priors also weight the class covariances; here a prior concerns the classes alone."""
    x, y = load_wine(return_X_y=True)
    priors = np.array([0.2, 0.5, 0.3])
    weights = (priors / np.bincount(y))[y]
    model = trained(x, y, Correlated(covariance="shared", m=0, plugin=True), weights=weights)
    theirs = LinearDiscriminantAnalysis(solver="lsqr", priors=priors).fit(x, y)
    np.testing.assert_allclose(model.posterior(frame(x)), theirs.predict_proba(x), rtol=0, atol=1e-9)


@pytest.mark.parametrize("load", [load_iris, load_wine])
def test_equals_sklearn_quadratic_discriminant_analysis(load):
    x, y = load(return_X_y=True)
    model = trained(x, y, Correlated(m=0, plugin=True, unbiased=OLD)).believing(prior="uniform")
    theirs = QuadraticDiscriminantAnalysis(priors=np.full(3, 1 / 3)).fit(x, y)
    np.testing.assert_allclose(model.posterior(frame(x)), theirs.predict_proba(x), rtol=0, atol=1e-9)


def test_shared_covariance_has_sklearns_coefficients():
    x, y = load_wine(return_X_y=True)
    x, y = x[y < 2], y[y < 2]
    view = trained(x, y, Correlated(covariance="shared", m=0, plugin=True)).linear(1)
    theirs = LinearDiscriminantAnalysis(solver="lsqr").fit(x, y)
    np.testing.assert_allclose(list(view.weights[tuple(frame(x))].values()), theirs.coef_[0], rtol=1e-8)
    np.testing.assert_allclose(view.intercept, theirs.intercept_[0], rtol=1e-8)


def test_linear_view_equals_the_model():
    x, y = load_iris(return_X_y=True)
    model = trained(x[50:], y[50:], Correlated(covariance="shared", plugin=True))
    view, name = model.linear(1), tuple(frame(x))
    said = view.log_odds({name: dict(zip(name, x[77], strict=True))})
    joint = model.log_joint(frame(x[77:78]))[0]
    assert math.isclose(said, joint[0] - joint[1], rel_tol=1e-10)


def test_only_a_shared_and_estimated_covariance_is_linear():
    x, y = load_iris(return_X_y=True)
    for family in (Correlated(plugin=True), Correlated(covariance="shared")):
        with pytest.raises(TypeError, match="use covariance='shared' and plugin=True"):
            trained(x, y, family).linear(0)


def test_estimator_with_all_columns_in_one_block():
    x, y = load_iris(return_X_y=True)
    ours = NaiveBayes(Correlated(covariance="shared"), m=0, plugin=True, weigh=False).fit(x, y)
    assert list(ours.schema_.columns) == [("0", "1", "2", "3")]
    theirs = LinearDiscriminantAnalysis(solver="lsqr").fit(x, y)
    np.testing.assert_allclose(ours.predict_proba(x), theirs.predict_proba(x), rtol=0, atol=1e-12)
