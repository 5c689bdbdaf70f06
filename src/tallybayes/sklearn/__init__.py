"""The scikit-learn face: estimators that are exact counts, in place of scikit-learn's own.

`counting` and `answering` hold what all of them share, `naive_bayes` is the estimator for tables, and the files ending
in `_nb` are the drop-in replacements. Leans on `model` and the rooms below, on `report` for notebooks, and is the only
importer of scikit-learn.
"""

try:
    from sklearn.utils.validation import validate_data as _validate_data  # noqa: F401  since 1.6
except ImportError as error:
    raise ImportError(
        "tallybayes.sklearn needs scikit-learn 1.6 or newer; run: pip install 'tallybayes[sklearn]'"
    ) from error

from tallybayes.sklearn.bag_nb import BernoulliNB, ComplementNB, MultinomialNB
from tallybayes.sklearn.categorical_nb import CategoricalNB
from tallybayes.sklearn.naive_bayes import NaiveBayes
from tallybayes.sklearn.numeric_nb import GammaNB, GaussianNB, PoissonNB
from tallybayes.sklearn.semi_naive_bayes import SemiNaiveBayes

__all__ = [
    "BernoulliNB",
    "CategoricalNB",
    "ComplementNB",
    "GammaNB",
    "GaussianNB",
    "MultinomialNB",
    "NaiveBayes",
    "PoissonNB",
    "SemiNaiveBayes",
]
