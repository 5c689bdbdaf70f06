"""Naive Bayes for tables with any mixture of columns, as a scikit-learn classifier."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils import Tags

from tallybayes.counts.exact import Floats
from tallybayes.data.dataframes import small_frame
from tallybayes.data.errors import NoLabelError, warn
from tallybayes.data.matching import ERROR, check_absent
from tallybayes.families import Categorical, Family, Gaussian, Words
from tallybayes.model import Model
from tallybayes.model.em.settings import EM
from tallybayes.model.mixture import Mixture
from tallybayes.model.sample import RowSample
from tallybayes.model.weigh import sample_for
from tallybayes.schema import Schema
from tallybayes.schema.class_prior import Prior
from tallybayes.schema.entries import Name, checked_name, members
from tallybayes.schema.infer.choice import NO_CELLS
from tallybayes.schema.infer.inferred import for_clusters
from tallybayes.sklearn.columns import Columns, columns_of, labels_of, matched, opened
from tallybayes.sklearn.counting import CountingClassifier
from tallybayes.sklearn.learned import Learned
from tallybayes.sklearn.matrix import check_truth, counts_matrices, matrix_schema, read_matrix, takes_vectors
from tallybayes.sklearn.targets import without_unknown

ENOUGH = 20  # rows needed to weigh evidence
FEW = 5  # columns named in a warning
CHECKING = {"alpha": Categorical, "m": Gaussian, "plugin": Gaussian, "reading": Words}  # families with these settings


class NaiveBayes(CountingClassifier):
    """Naive Bayes with a family for every column: numbers, counts, categories, booleans and texts together.

    Training is counting, and the counts are exact: `partial_fit` gives the same model, byte for byte, as `fit` on all
    rows under the same schema, and `forget` the same as if those rows had never been learned. Missing cells (NaN, None,
    null) are allowed anywhere and carry no evidence.

    Parameters
    ----------
    schema : Schema, mapping, Family or None, default=None
        What is counted. None: chosen from the first rows, by each column's type and values, and kept. A mapping gives
        the families of some columns (None leaves one out); the others are chosen. A `Schema` is used as it is; columns
        that it does not have are not counted. A single family applies to every column; a block family (`Correlated`)
        counts all columns together. A sparse matrix, or a family of vectors (`Bag`, `Each`), counts all columns
        together as vectors.
    prior : {"frequencies", "uniform"}, float, mapping of classes to numbers, or Dirichlet, default=None
        The prior of the classes, in any form that `Schema` takes; a number is added to every class's count. None: that
        of the schema, by default "frequencies".
    alpha : float, "fitted" or MEstimate, default=None
        Pseudo-counts of levels and words. This and the next three apply to every column whose family has the setting;
        None: each family's own.
    m : float, default=None
        How many values the prior of numbers is worth.
    plugin : bool, default=None
        Whether to score with estimated parameters instead of integrating them out.
    reading : str, default=None
        The event model of words ("multinomial", "binary", "averaged", "bernoulli", …).
    weigh : bool, default=True
        Whether `fit` fits the weight of each column's evidence on rows left out of the counts; needs at least 20 rows.
        Columns that repeat each other then count less, and probabilities are calibrated. `partial_fit` and `forget`
        keep the weights fitted by `fit`.
    unlabelled : EM, default=None
        How `fit` counts rows without a label, whose `y` is −1, None or NaN, for example `EM(weight="chosen")`. None:
        all rows have labels, and −1 is an ordinary label. With `EM(components=2)` every class is a mixture of two; the
        evidence is then not weighed, and `partial_fit` and `forget` are not available.
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
        Which family counts which column, and why.
    model_ : Model
        The counts, under the current parameters.
    n_features_in_ : int
        The number of columns seen during `fit`.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Their names, if they have any.

    Notes
    -----
    `prior`, `alpha`, `m`, `plugin`, `reading` and `weigh` are beliefs: `set_params` changes them in a fitted estimator
    without fitting again. With `schema=None` the schema depends on the first rows, so `fit(A).partial_fit(B)` and
    `fit(A + B)` count the same only if they choose the same one; give a schema to be sure.

    Examples
    --------
    >>> from tallybayes import NaiveBayes
    >>> weather = {"outlook": ["sunny", "sunny", "rain", "rain"], "temperature": [30.5, 28.0, 19.5, None]}
    >>> play = NaiveBayes().fit(weather, ["no", "no", "yes", "yes"])
    >>> play.schema_
    outlook      Categorical(alpha='fitted')  text, 2 levels in 4 cells
    temperature  Gaussian()                   numbers from 19.5 to 30.5
    (class)      frequencies
    >>> play.predict({"outlook": ["rain"], "temperature": [21.0]})
    array(['yes'], dtype='<U3')
    >>> play.forget({"outlook": ["rain"], "temperature": [None]}, ["yes"]).class_count_
    array([2., 1.])
    """

    _beliefs: ClassVar[tuple[str, ...]] = ("prior", "alpha", "m", "plugin", "reading", "weigh")

    def __init__(
        self,
        schema: Schema | Mapping[Any, Family | None] | Family | None = None,
        *,
        prior: Prior | None = None,
        alpha: Any = None,
        m: float | None = None,
        plugin: bool | None = None,
        reading: str | None = None,
        weigh: bool = True,
        unlabelled: EM | None = None,
        absent: str = ERROR,
        threads: int | None = None,
    ) -> None:
        self.schema = schema
        self.prior = prior
        self.alpha = alpha
        self.m = m
        self.plugin = plugin
        self.reading = reading
        self.weigh = weigh
        self.unlabelled = unlabelled
        self.absent = absent
        self.threads = threads

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        tags.input_tags.dict = True
        tags.input_tags.sparse = counts_matrices(self.schema)
        return tags

    def _read(self, X: Any, *, reset: bool) -> Any:
        X = opened(X)
        if reset:
            self._check_parameters()
            self._vectors = sparse.issparse(X) or takes_vectors(self.schema, labels_of(X))
        if self._vectors:
            return read_matrix(self, X, reset=reset)
        owner = type(self).__name__
        check_absent(self.absent)
        fitted = None if reset else self._columns
        given = columns_of(X, owner, fitted)
        if fitted is None:
            rows = self._first(given).rows
            return small_frame(rows) or rows  # read twice: to choose what to count, and to count it
        needed = self._learned.schema.by_column if self.absent == ERROR else ()
        return matched(given, fitted, needed, owner).rows

    def _first(self, given: Columns) -> Columns:
        """Keeps the names of the columns. Bare texts are the only column of a schema that has one."""
        columns = self.schema.columns if isinstance(self.schema, Schema) else self.schema
        alone = isinstance(columns, Mapping) and len(columns) == 1 and [n for n in columns if not isinstance(n, tuple)]
        if alone and len(given.names) == 1 and not given.named:
            given = given.renamed([str(name) for name in alone])
        self._columns = Columns(given.names, given.named, None)
        self.n_features_in_ = len(given.names)
        if given.named:
            self.feature_names_in_ = np.array(given.names, object)
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_
        return given

    def _schema(self, rows: Any, weights: Floats | None, whole: bool) -> Schema:
        if self._vectors:
            return matrix_schema(self.schema, rows)
        given, names = self.schema, self._columns.names
        if isinstance(given, Family):
            return Schema({tuple(names): given} if given.takes_blocks else dict.fromkeys(names, given))
        if given is not None and not isinstance(given, (Schema, Mapping)):
            raise TypeError(f"schema={given!r}: give a Schema, a mapping of columns to families, a family, or None.")
        wanted = given.columns if isinstance(given, Schema) else {_named(k): v for k, v in (given or {}).items()}
        absent = [name for entry in wanted for name in members(entry) if name not in names]
        if absent:
            shown, has = (", ".join(map(repr, some)) for some in (absent, names))
            raise ValueError(f"X lacks columns of the schema: {shown}; it has {has}. Rename them.")
        known = {"hints": wanted, "weights": weights, "whole": whole}
        return given if isinstance(given, Schema) else _told(self._inferred(rows, known))

    def _inferred(self, rows: Any, known: Mapping[str, Any]) -> Schema:
        """The schema chosen for these rows, given what is known about them."""
        found = Schema.infer(rows, **known)
        finds_classes = isinstance(self.unlabelled, EM) and isinstance(self.unlabelled.classes, int)
        return for_clusters(found, known["hints"]) if finds_classes else found

    def _check_parameters(self) -> None:
        """Checks those that no family may have, too."""
        check_truth("weigh", self.weigh)
        for name, family in CHECKING.items():
            if getattr(self, name) is not None:
                try:
                    family(**{name: getattr(self, name)})
                except ValueError as error:
                    raise ValueError(str(error).replace(family.__name__, type(self).__name__, 1)) from None

    def _believed(self, learned: Learned) -> Schema:
        """A setting that no family has is ignored: a grid of alphas may be tried on a table without levels."""
        self._check_parameters()
        return self._under(learned.weighed if self.weigh or learned.schema.overlaps else learned.schema)

    def _under(self, schema: Schema) -> Schema:
        """The schema under the parameters."""
        settings = {k: v for k, v in zip(self._beliefs, self._settings(), strict=True) if v is not None}
        known = {name for family in schema.columns.values() for name in family.beliefs()} if settings else set()
        changes = {k: v for k, v in settings.items() if k == "prior" or k in known}
        if not changes:
            return schema
        believed = schema.believing(changes)
        believed.reasons = dict(schema.reasons)
        return believed

    def _targets(self, y: Any) -> tuple[NDArray[Any], NDArray[Any]]:
        if self.unlabelled is None:
            try:
                return super()._targets(y)
            except NoLabelError as error:
                raise (error.in_training() if "unlabelled" in self.get_params(deep=False) else error) from None
        if not isinstance(self.unlabelled, EM):
            raise TypeError(f"unlabelled={self.unlabelled!r}: give EM(), or None if all rows have labels.")
        labels, known = without_unknown(y, type(self).__name__)
        every = np.full(len(known), None, object)
        every[known] = labels.tolist()
        return labels, every

    def _train(self, schema: Schema, rows: Any, labels: NDArray[Any], how: dict[str, Any]) -> Model:
        if self.unlabelled is None:
            return super()._train(schema, rows, labels, how)
        if self.unlabelled.components > 1:
            del how["sample"]
            return Mixture.train(self._under(schema), rows, labels, self.unlabelled, **how).model
        return Model.train(self._under(schema), rows, labels, unlabelled=self.unlabelled, **how)

    def _sample(self, schema: Schema, rows: float) -> RowSample | None:
        if self.unlabelled is not None and self.unlabelled.components > 1:
            return None
        wanted = schema.overlaps or (self.weigh and rows >= ENOUGH)
        return sample_for(schema) if wanted and schema.weights is None else None


def _told(schema: Schema) -> Schema:
    """The same schema. Warnings say if it counts nothing, since every answer is the prior then, and what was chosen for
    columns that have no cells yet."""
    for name in [name for name, reason in schema.reasons.items() if name in schema.columns and reason == NO_CELLS]:
        family = type(schema.columns[name]).__name__
        warn(
            f"Column {name!r} has no values in the first rows, so its type alone makes it a {family}. If it is "
            "something else, give its family, or a schema."
        )
    if not schema.columns:
        why = "; ".join(f"{name!r}: {reason}" for name, reason in list(schema.reasons.items())[:FEW])
        warn(f"No column is counted, so every answer is the prior. {why}.")
    return schema


def _named(name: Any) -> Name:
    """An entry of a schema; columns may be given by number."""
    return checked_name(tuple(map(str, name)) if isinstance(name, tuple) else str(name))
