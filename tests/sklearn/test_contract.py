"""scikit-learn's estimator checks: none may fail, and none is skipped by a false tag."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from tallybayes import Categorical, Each, Gaussian
from tallybayes.sklearn import (
    BernoulliNB,
    CategoricalNB,
    ComplementNB,
    GammaNB,
    GaussianNB,
    MultinomialNB,
    NaiveBayes,
    PoissonNB,
    SemiNaiveBayes,
)

pytestmark = pytest.mark.slow


@pytest.mark.thinned(3)
@parametrize_with_checks(
    [
        NaiveBayes(),
        NaiveBayes(Gaussian(), prior="uniform", m=0.5, threads=2),
        NaiveBayes(Categorical()),
        NaiveBayes(Each(Gaussian())),
        GaussianNB(),
        MultinomialNB(),
        ComplementNB(),
        BernoulliNB(),
        CategoricalNB(),
        PoissonNB(),
        GammaNB(),
        SemiNaiveBayes(),
    ]
)
def test_sklearn_contract(estimator, check):
    check(estimator)
