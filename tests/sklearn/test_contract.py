"""scikit-learn's own checks, all of them: none is expected to fail, none is skipped by a tag that is not true."""

from sklearn.utils.estimator_checks import parametrize_with_checks

from tallybayes import Categorical, Gaussian
from tallybayes.sklearn import NaiveBayes


@parametrize_with_checks(
    [NaiveBayes(), NaiveBayes(Gaussian(), prior="uniform", m=0.5, threads=2), NaiveBayes(Categorical())]
)
def test_scikit_learns_contract(estimator, check):
    check(estimator)
