"""Semi-naive Bayes, which also counts columns together, as a scikit-learn classifier."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from tallybayes.data.matching import ERROR
from tallybayes.families import Family
from tallybayes.schema import Schema
from tallybayes.schema.class_prior import Prior
from tallybayes.schema.infer.dependence import AUTO
from tallybayes.sklearn.naive_bayes import NaiveBayes


class SemiNaiveBayes(NaiveBayes):
    """Naive Bayes without the assumption that columns are independent: trees and pairs of columns are counted too.

    All of it is exact counts: `partial_fit` and `forget` change these and nothing else. Trees ask yes/no questions
    about a row and count the classes of the rows in each leaf; every pair of columns is counted together, and several
    numbers as correlated. `fit` finds the questions on up to 30,000 rows, counts all rows, and weighs the evidence of
    columns, numbers, pairs and trees on rows left out of the counts.

    Parameters
    ----------
    schema : Schema, mapping, Family or None, default=None
        What is counted, as for `NaiveBayes`. A `Schema` is used as it is.
    dependence : {"auto", "trees", "pairs", "none"}, default="auto"
        How columns are counted together, if no schema is given.
    prior : {"frequencies", "uniform"}, float, mapping of classes to numbers, or Dirichlet, default=None
        The prior of the classes.
    alpha : float, "fitted" or MEstimate, default=None
        Pseudo-counts of levels and words. None: each family's own.
    absent : {"error", "missing"}, default="error"
        What to do if rows lack a column that was counted: raise an error, or treat all of its cells as missing.
    threads : int, default=None
        The number of threads. None: the number of processors, if that is worthwhile.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes, sorted.
    class_count_ : ndarray of shape (n_classes,)
        The number of rows of each class.
    schema_ : Schema
        Which family counts which column or block, and why; with the `weights` of their evidence.
    model_ : Model
        The counts, under the current parameters.
    n_features_in_ : int
        The number of columns seen during `fit`.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Their names, if they have any.

    Notes
    -----
    The first rows determine the questions, the intervals and the weights; `partial_fit` and `forget` keep them. The
    counts forget a row, byte for byte; what the row helped to choose stays until the next `fit`.

    Examples
    --------
    >>> from tallybayes import SemiNaiveBayes
    >>> rows = {"a": [0, 0, 1, 1] * 50, "b": [0, 1, 0, 1] * 50}
    >>> parity = SemiNaiveBayes().fit(rows, ["even", "odd", "odd", "even"] * 50)
    >>> parity.predict({"a": [0, 1], "b": [1, 1]})
    array(['odd', 'even'], dtype='<U4')
    """

    _beliefs: ClassVar[tuple[str, ...]] = ("prior", "alpha")
    weigh = True
    reading = m = plugin = unlabelled = None

    def __init__(
        self,
        schema: Schema | Mapping[Any, Family | None] | Family | None = None,
        *,
        dependence: str = AUTO,
        prior: Prior | None = None,
        alpha: Any = None,
        absent: str = ERROR,
        threads: int | None = None,
    ) -> None:
        self.schema = schema
        self.dependence = dependence
        self.prior = prior
        self.alpha = alpha
        self.absent = absent
        self.threads = threads

    def _inferred(self, rows: Any, known: Mapping[str, Any]) -> Schema:
        return Schema.infer(rows, dependence=self.dependence, **known)
