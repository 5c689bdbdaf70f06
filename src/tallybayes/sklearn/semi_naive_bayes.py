"""Naive Bayes that looks at columns together as well, as a scikit-learn classifier."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from tallybayes.data.matching import ERROR
from tallybayes.families import Family
from tallybayes.schema import Schema
from tallybayes.schema.class_prior import Prior
from tallybayes.schema.entries import Name
from tallybayes.schema.infer.dependence import AUTO
from tallybayes.sklearn.naive_bayes import NaiveBayes


class SemiNaiveBayes(NaiveBayes):
    """Naive Bayes that does not take columns to be independent: trees and pairs of columns are counted beside them.

    All of it is exact counts: `partial_fit` and `forget` change these, and nothing else. Trees ask yes/no questions of
    a row and count the classes of the rows in each leaf; every two columns are counted together. `fit` finds the
    questions on up to 30,000 rows, counts all rows, and weighs what columns, pairs and trees say by rows that are left
    out of the counts.

    Parameters
    ----------
    schema : Schema, mapping, Family or None, default=None
        What is counted, as `NaiveBayes` takes it. A `Schema` is taken as it is.
    dependence : {"auto", "trees", "pairs", "none"}, default="auto"
        What is counted of columns together, where the schema is not given.
    prior : {"frequencies", "uniform"}, float, mapping of classes to numbers, or Dirichlet, default=None
        What is believed of the classes.
    alpha : float, "fitted" or MEstimate, default=None
        Pseudo-counts of levels and words. None: as each family has it.
    absent : {"error", "missing"}, default="error"
        What to do where rows lack a column that was counted: an error, or all of its cells are missing.
    threads : int, default=None
        How many threads count and score. None: as many as there are processors, where it is worth it.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes, sorted.
    class_count_ : ndarray of shape (n_classes,)
        How many rows each class has.
    schema_ : Schema
        Which family counts which column or block, and why; its `weights` say how much each counts.
    model_ : Model
        The counts, under the beliefs that the parameters say.
    n_features_in_ : int
        How many columns `fit` was given.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Their names, if they had any.

    Notes
    -----
    The first rows settle the questions, the intervals and the weights; `partial_fit` and `forget` keep them. The counts
    forget a row, byte for byte; what the row helped to choose stays until the next `fit`.

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

    def _inferred(self, rows: Any, hints: Mapping[Name, Family | None]) -> Schema:
        return Schema.infer(rows, hints=hints, dependence=self.dependence)
