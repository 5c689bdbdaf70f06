"""Naive Bayes for numbered categories, a drop-in for scikit-learn's."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import Tags, assert_all_finite
from sklearn.utils.validation import check_non_negative, validate_data

from tallybayes.counts.exact import Floats
from tallybayes.families import Categorical
from tallybayes.schema import Schema
from tallybayes.sklearn.bag_nb import smoothing
from tallybayes.sklearn.columns import as_matrix
from tallybayes.sklearn.counting import CountingClassifier
from tallybayes.sklearn.learned import Learned
from tallybayes.sklearn.matrix import ClassPrior

MOST = 1 << 15  # below this, categories need less memory and are transposed faster


class CategoricalNB(ClassPrior, CountingClassifier):
    """Categorical naive Bayes, a drop-in for scikit-learn's: every column holds one of several categories, numbered
    from 0.

    An unseen category carries no evidence, and may be learned later. NaN is a missing cell.

    Parameters
    ----------
    alpha : float, default=1.0
        Pseudo-counts added to every category's count.
    force_alpha : bool, default=True
        If False, an `alpha` below 1e-10 is raised to 1e-10.
    fit_prior : bool, default=True
        Whether the class prior is learned from the frequencies; if not, it is uniform.
    class_prior : array-like of shape (n_classes,), default=None
        Probabilities of the classes.
    min_categories : int or array-like of shape (n_features,), default=None
        The minimum number of categories per column; None: one more than the largest seen.

    Attributes
    ----------
    classes_, class_count_, class_log_prior_ : ndarray of shape (n_classes,)
        The classes, the number of rows of each, and the log of its prior probability.
    n_categories_ : ndarray of shape (n_features,)
        The number of categories of each column.
    category_count_, feature_log_prob_ : list of ndarray of shape (n_classes, n_categories of the column)
        For every column the count of each category in every class, and log P(category | class).

    Examples
    --------
    >>> from tallybayes.sklearn import CategoricalNB
    >>> model = CategoricalNB().fit([[0, 1], [1, 2], [1, 0]], ["a", "b", "b"])
    >>> model.n_categories_
    array([2, 3])
    >>> model.predict([[1, 7]])
    array(['b'], dtype='<U1')
    """

    _beliefs: ClassVar[tuple[str, ...]] = ("alpha", "force_alpha", "fit_prior", "class_prior", "min_categories")

    def __init__(
        self,
        *,
        alpha: float = 1.0,
        force_alpha: bool = True,
        fit_prior: bool = True,
        class_prior: Any = None,
        min_categories: Any = None,
    ) -> None:
        self.alpha = alpha
        self.force_alpha = force_alpha
        self.fit_prior = fit_prior
        self.class_prior = class_prior
        self.min_categories = min_categories

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.categorical = True
        tags.input_tags.allow_nan = True
        tags.input_tags.positive_only = True
        tags.classifier_tags.poor_score = True
        return tags

    def _read(self, X: Any, *, reset: bool) -> NDArray[Any]:
        given = as_matrix(X, "CategoricalNB")
        matrix: NDArray[Any] = validate_data(self, given, reset=reset, dtype=None, ensure_all_finite="allow-nan")
        if matrix.dtype.kind not in "biu":
            matrix = np.trunc(_numbers(matrix))
            assert_all_finite(matrix, allow_nan=True, input_name="X")
        check_non_negative(matrix, "CategoricalNB (input X)")
        if matrix.dtype.kind == "f" and np.isnan(matrix).any():
            return matrix
        return matrix.astype(np.int16 if matrix.max(initial=0) < MOST else np.int64, copy=False)

    def _schema(self, rows: Any, weights: Floats | None, whole: bool) -> Schema:
        return Schema({str(i): Categorical() for i in range(self.n_features_in_)})

    def _believed(self, learned: Learned) -> Schema:
        alpha = smoothing(self.alpha, self.force_alpha, None)
        sizes = self._sizes(learned)
        columns = {
            str(i): Categorical(alpha=alpha, levels=tuple(map(str, range(size)))) for i, size in enumerate(sizes)
        }
        return Schema(columns, prior=self._prior(learned.classes()))

    def _sizes(self, learned: Learned) -> list[int]:
        """The number of categories of each column."""
        least = np.zeros(1, np.int64) if self.min_categories is None else np.asarray(self.min_categories)
        if not np.issubdtype(least.dtype, np.integer):
            raise ValueError(f"'min_categories' should have integral type. Got {least.dtype} instead.")
        if least.ndim == 0 and least < 1:
            raise ValueError(f"min_categories={self.min_categories!r}: give numbers of at least 1, or None.")
        if least.ndim > 1 or (least.ndim == 1 and len(least) not in (1, self.n_features_in_)):
            raise ValueError(
                f"'min_categories' should have shape ({self.n_features_in_},) when an array-like is provided. Got "
                f"{least.shape} instead."
            )
        tallies = [learned.model.columns[str(i)] for i in range(self.n_features_in_)]
        met = np.array([max(map(int, tally.canonical().slots), default=-1) + 1 for tally in tallies])
        return np.maximum(met, least).tolist()

    @property
    def n_categories_(self) -> NDArray[np.int64]:
        """The number of categories of each column."""
        return np.array(self._sizes(self._counted()))

    @property
    def category_count_(self) -> list[Floats]:
        """For every column the count of each category, a row for each class."""
        learned = self._counted()
        found = []
        for i, size in enumerate(self._sizes(learned)):
            tally = learned.model.columns[str(i)].aligned([str(level) for level in range(size)], learned.keys())
            found.append(np.ascontiguousarray(tally.sums["n"].round().T))
        return found

    @property
    def feature_log_prob_(self) -> list[Floats]:
        """For every column log P(category | class), a row for each class."""
        learned = self._asked()
        found = []
        for i, size in enumerate(self._sizes(learned)):
            belief: Any = learned.model.belief(str(i))
            at = {level: number for number, level in enumerate(belief.levels)}
            order = [at[str(level)] for level in range(size)]
            found.append(np.ascontiguousarray(learned.spread(belief.table[order], np.nan).T))
        return found


def _numbers(matrix: NDArray[Any]) -> Floats:
    try:
        if matrix.dtype.kind in "mM":
            raise ValueError(f"cells are of type {matrix.dtype}")
        return matrix.astype(np.float64)
    except ValueError as error:
        raise ValueError(
            f"CategoricalNB takes categories numbered from 0, but {error}. NaiveBayes(Categorical()) takes texts; "
            "sklearn.preprocessing.OrdinalEncoder numbers them."
        ) from None
