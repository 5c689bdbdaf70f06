"""Naive Bayes for vectors of counts: multinomial, complement and Bernoulli, three readings of the same counts."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils import Tags, assert_all_finite

from tallybayes.counts.exact import Floats
from tallybayes.data.errors import warn
from tallybayes.families import Bag, Family
from tallybayes.schema.class_prior import UNIFORM, Prior
from tallybayes.sklearn.learned import Learned
from tallybayes.sklearn.matrix import ClassPrior, MatrixClassifier, check_truth

LEAST_ALPHA = 1e-10  # without force_alpha


class BagClassifier(ClassPrior, MatrixClassifier):
    """What the three share: smoothing, and scikit-learn's attributes for counts."""

    _beliefs: ClassVar[tuple[str, ...]] = ("alpha", "force_alpha", "fit_prior", "class_prior")
    _reading: ClassVar[str]

    def __init__(
        self, *, alpha: Any = 1.0, force_alpha: bool = True, fit_prior: bool = True, class_prior: Any = None
    ) -> None:
        self.alpha = alpha
        self.force_alpha = force_alpha
        self.fit_prior = fit_prior
        self.class_prior = class_prior

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = True
        return tags

    def _read(self, X: Any, *, reset: bool) -> Any:
        matrix = super()._read(X, reset=reset)
        assert_all_finite(matrix, allow_nan=True, input_name="X")  # lookup tables would not notice infinities
        return matrix

    def _family(self, learned: Learned | None) -> Family:
        alpha = smoothing(self.alpha, self.force_alpha, self.n_features_in_)
        norm = getattr(self, "norm", False)
        return Bag(reading=self._reading, alpha=alpha, norm=norm, size=self.n_features_in_)

    @property
    def feature_count_(self) -> Floats:
        """The sum of every column in every class."""
        return self._sums("x")

    @property
    def feature_log_prob_(self) -> Floats:
        """The evidence of one count in each column for every class."""
        return self._rows(self._belief().table)

    def _rows(self, table: Floats) -> Floats:
        """A copy of a table of columns by classes as scikit-learn shows it: a row for each class."""
        return self._asked().spread(table, np.nan).T.copy(order="K")


class MultinomialNB(BagClassifier):
    """Multinomial naive Bayes, a drop-in for scikit-learn's: for vectors of counts, especially of words in texts.

    Parameters
    ----------
    alpha : float or array-like of shape (n_features,), default=1.0
        Pseudo-counts added to every column's count. 0 is no smoothing: an unseen column rules a class out.
    force_alpha : bool, default=True
        If False, an `alpha` below 1e-10 is raised to 1e-10.
    fit_prior : bool, default=True
        Whether the class prior is learned from the frequencies; if not, it is uniform.
    class_prior : array-like of shape (n_classes,), default=None
        Probabilities of the classes.

    Attributes
    ----------
    classes_, class_count_, class_log_prior_ : ndarray of shape (n_classes,)
        The classes, the number of rows of each, and the log of its prior probability.
    feature_count_ : ndarray of shape (n_classes, n_features)
        The sum of every column in every class.
    feature_log_prob_ : ndarray of shape (n_classes, n_features)
        log P(column | class).

    Examples
    --------
    >>> from tallybayes.sklearn import MultinomialNB
    >>> model = MultinomialNB().fit([[2, 0, 1], [0, 3, 0]], ["ham", "spam"])
    >>> model.predict([[0, 1, 0]])
    array(['spam'], dtype='<U4')
    >>> model.forget([[2, 0, 1]], ["ham"]).feature_count_
    array([[0., 3., 0.]])
    """

    _reading: ClassVar[str] = "multinomial"


class ComplementNB(BagClassifier):
    """Complement naive Bayes, a drop-in for scikit-learn's: each class is scored by how badly all the others fit.

    Parameters
    ----------
    alpha, force_alpha : see `MultinomialNB`
        Smoothing; an `alpha` of 0 counts as 1e-10, since infinite scores cannot be compared.
    fit_prior : bool, default=True
        Has no effect here, as in scikit-learn.
    class_prior : array-like of shape (n_classes,), default=None
        Probabilities of the classes. None: uniform.
    norm : bool, default=False
        Whether the weights of each class are divided by their sum.

    Attributes
    ----------
    classes_, class_count_, class_log_prior_ : ndarray of shape (n_classes,)
        The classes, the number of rows of each, and the log of its prior probability.
    feature_count_ : ndarray of shape (n_classes, n_features)
        The sum of every column in every class.
    feature_all_ : ndarray of shape (n_features,)
        The same over all classes.
    feature_log_prob_ : ndarray of shape (n_classes, n_features)
        The weight of every column for every class.

    Examples
    --------
    >>> from tallybayes.sklearn import ComplementNB
    >>> ComplementNB().fit([[2, 0, 1], [0, 3, 0]], ["ham", "spam"]).predict([[0, 1, 0]])
    array(['spam'], dtype='<U4')
    """

    _beliefs: ClassVar[tuple[str, ...]] = ("alpha", "force_alpha", "fit_prior", "class_prior", "norm")
    _reading: ClassVar[str] = "complement"

    def __init__(
        self,
        *,
        alpha: Any = 1.0,
        force_alpha: bool = True,
        fit_prior: bool = True,
        class_prior: Any = None,
        norm: bool = False,
    ) -> None:
        super().__init__(alpha=alpha, force_alpha=force_alpha, fit_prior=fit_prior, class_prior=class_prior)
        self.norm = norm

    def _prior(self, classes: NDArray[Any]) -> Prior:
        given = super()._prior(classes)
        return UNIFORM if self.class_prior is None else given

    @property
    def feature_all_(self) -> Floats:
        """The total of every column in all classes."""
        return self.feature_count_.sum(axis=0)


class BernoulliNB(BagClassifier):
    """Bernoulli naive Bayes, a drop-in for scikit-learn's: every column is above a threshold or not.

    Parameters
    ----------
    alpha, force_alpha, fit_prior, class_prior : see `MultinomialNB`
        Smoothing, of both outcomes, and the classes' probabilities.
    binarize : float or None, default=0.0
        Values above this count as present. None: values above zero.

    Attributes
    ----------
    classes_, class_count_, class_log_prior_ : ndarray of shape (n_classes,)
        The classes, the number of rows of each, and the log of its prior probability.
    feature_count_ : ndarray of shape (n_classes, n_features)
        The number of rows of every class in which each column is present.
    feature_log_prob_ : ndarray of shape (n_classes, n_features)
        log P(present | class).

    Examples
    --------
    >>> from tallybayes.sklearn import BernoulliNB
    >>> BernoulliNB().fit([[1, 0], [1, 1], [0, 1]], [0, 0, 1]).feature_count_
    array([[2., 1.],
           [0., 1.]])
    """

    _reading: ClassVar[str] = "bernoulli"
    _positive: ClassVar[bool] = False

    def __init__(
        self,
        *,
        alpha: Any = 1.0,
        force_alpha: bool = True,
        binarize: float | None = 0.0,
        fit_prior: bool = True,
        class_prior: Any = None,
    ) -> None:
        super().__init__(alpha=alpha, force_alpha=force_alpha, fit_prior=fit_prior, class_prior=class_prior)
        self.binarize = binarize

    def _read(self, X: Any, *, reset: bool) -> Any:
        threshold = 0.0 if self.binarize is None else self.binarize
        if not isinstance(threshold, (int, float, np.number)) or not 0 <= threshold < np.inf:
            raise ValueError(f"binarize={threshold!r}: give a number of at least 0, or None.")
        return above(super()._read(X, reset=reset), threshold)

    @property
    def feature_log_prob_(self) -> Floats:
        """log P(present | class)."""
        return self._rows(self._belief().log_presence())


def above(matrix: Any, threshold: float) -> Any:
    """1 for every number above the threshold, 0 for others; missing ones stay missing."""
    if not sparse.issparse(matrix):
        return np.where(np.isnan(matrix), np.nan, matrix > threshold)
    result = matrix.astype(np.float64)  # a copy
    result.sum_duplicates()  # an entry is the sum of its duplicates
    result.data = np.where(np.isnan(result.data), np.nan, result.data > threshold)
    return result


def smoothing(alpha: Any, force: bool, columns: int | None) -> Any:
    """Pseudo-counts in the form that families take: a number, or one for each position."""
    check_truth("force_alpha", force)
    single = np.ndim(alpha) == 0
    try:
        each: Floats = np.asarray(alpha, np.float64).reshape(-1)
        fine = bool(np.all((each >= 0) & (each < np.inf))) and alpha is not None
    except (TypeError, ValueError):
        fine = False
    if not fine or (columns is None and not single):
        numbers = "a finite number" if columns is None else "finite numbers"
        raise ValueError(f"alpha={alpha!r}: give {numbers} of at least 0.")
    if not single and len(each) != columns:
        raise ValueError(
            f"When alpha is an array, it should contain one number for each of the {columns} features; it has "
            f"{len(each)}."
        )
    if not force and each.min() < LEAST_ALPHA:
        warn(
            f"alpha too small will result in numeric errors, setting alpha = {LEAST_ALPHA:.1e}. Use force_alpha=True "
            "to keep alpha unchanged."
        )
        each = np.maximum(each, LEAST_ALPHA)
    return float(each[0]) if single else dict(enumerate(each.tolist()))
