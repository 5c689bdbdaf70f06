"""The base class of estimators for matrices: rows of numbers, dense or sparse, and scikit-learn's forms of priors; and
which family counts a matrix without column names."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils import Tags
from sklearn.utils.validation import check_non_negative, validate_data

from tallybayes.counts.exact import Floats
from tallybayes.counts.slots import positions
from tallybayes.families import Bag, Each, Family, Gaussian
from tallybayes.families.vectors.each import for_matrix
from tallybayes.schema import Schema
from tallybayes.schema.class_prior import FREQUENCIES, UNIFORM, Prior
from tallybayes.sklearn.columns import as_matrix
from tallybayes.sklearn.counting import CountingClassifier
from tallybayes.sklearn.learned import Learned

COLUMN = "x"  # the only one: of vectors


def read_matrix(estimator: Any, X: Any, *, reset: bool, sparse: bool = True) -> Any:
    """A matrix checked by scikit-learn. NaN is a missing number; the model refuses infinite ones."""
    fine = type(X) is np.ndarray and X.ndim == 2 and X.dtype == np.float64 and min(X.shape) > 0
    if fine and not reset and not hasattr(estimator, "feature_names_in_") and X.shape[1] == estimator.n_features_in_:
        return X  # scikit-learn would accept it too, but its checks are slow for one row
    kinds = "csr" if sparse else False
    given = as_matrix(X, type(estimator).__name__)
    return validate_data(estimator, given, reset=reset, accept_sparse=kinds, ensure_all_finite=False)


class ClassPrior:
    """scikit-learn's parameters `class_prior` and `fit_prior`, and its attribute for what they define."""

    _priors: ClassVar[str | None] = "class_prior"
    _asked: Callable[[], Learned]
    class_prior: Any
    fit_prior: bool

    def _prior(self, classes: NDArray[Any]) -> Prior:
        check_truth("fit_prior", self.fit_prior)
        if self.class_prior is None:
            return FREQUENCIES if self.fit_prior else UNIFORM
        return given_prior("class_prior", self.class_prior, classes)

    @property
    def class_log_prior_(self) -> Floats:
        """The logarithm of the probability of every class."""
        return self._asked().log_prior()


class MatrixClassifier(CountingClassifier):
    """A classifier of the rows of a matrix, which one family counts as vectors."""

    _positive: ClassVar[bool] = True  # whether negative numbers are an error
    _sparse: ClassVar[bool] = True  # whether sparse matrices are accepted

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = self._sparse
        tags.input_tags.allow_nan = True
        tags.input_tags.positive_only = self._positive
        return tags

    @abstractmethod
    def _family(self, learned: Learned | None) -> Family:
        """The family that the parameters define, given what was learned."""

    def _read(self, X: Any, *, reset: bool) -> Any:
        matrix = read_matrix(self, X, reset=reset, sparse=self._sparse)
        if reset and self._positive:
            check_non_negative(matrix, f"{type(self).__name__} (input X)")
        return matrix

    def _schema(self, rows: Any, weights: Floats | None, whole: bool) -> Schema:
        return Schema({COLUMN: self._family(None)})

    def _believed(self, learned: Learned) -> Schema:
        return Schema({COLUMN: self._family(learned)}, prior=self._prior(learned.classes()))

    def _belief(self) -> Any:
        """The belief of the column of vectors."""
        return self._asked().model.belief(COLUMN)

    def _sums(self, name: str) -> Floats:
        """One of the sums, a row for each class and a column for each position."""
        learned = self._counted()
        sums = learned.model.columns[COLUMN].aligned(positions(self.n_features_in_), learned.keys()).sums
        return np.ascontiguousarray(sums[name].round().T)

    def _estimates(self, name: str) -> Floats:
        """An estimated parameter, likewise."""
        values = self._belief().estimates()[name]
        return np.ascontiguousarray(self._asked().spread(values.T, np.nan).T)


def given_prior(name: str, given: Any, classes: NDArray[Any]) -> Prior:
    """A probability for each class, in the order of the classes."""
    try:
        shares: Floats = np.asarray(given, np.float64).reshape(-1)
    except (TypeError, ValueError):
        raise ValueError(f"{name}={given!r}: give a probability for each class, or None.") from None
    if len(shares) != len(classes):
        raise ValueError(
            f"Number of priors must match number of classes: {len(shares)} are given for {len(classes)} classes."
        )
    if not np.all(shares >= 0) or not 0 < shares.sum() < np.inf:
        raise ValueError(f"Priors must be non-negative, and not all zero: {shares.tolist()} are given.")
    return dict(zip(classes.tolist(), (shares / shares.sum()).tolist(), strict=True))


def check_truth(name: str, value: Any) -> None:
    if not isinstance(value, (bool, np.bool_)):
        raise ValueError(f"{name}={value!r}: give True or False.")


def takes_vectors(schema: Any, labels: list[Any] | None = None) -> bool:
    """Whether an estimator's schema is for rows of a matrix, rather than for a column of that name."""
    columns = _columns(schema)
    vectors = len(columns) == 1 and all(isinstance(f, Family) and f.takes_vectors for f in columns.values())
    return vectors and (isinstance(schema, Family) or columns.keys().isdisjoint(map(str, labels or [])))


def counts_matrices(schema: Any) -> bool:
    """Whether a sparse matrix can be given."""
    columns = list(_columns(schema).values())
    if len(columns) != 1 or not isinstance(columns[0], Family):
        return schema is None
    try:
        return for_matrix(columns[0], 1).takes_vectors
    except TypeError:
        return False


def matrix_schema(given: Any, matrix: Any) -> Schema:
    """A schema of one column of vectors, from the estimator's schema and the first rows."""
    size, columns = matrix.shape[1], _columns(given)
    if given is None:
        numbers = matrix.data if sparse.issparse(matrix) else matrix
        if np.any(numbers < 0):
            return Schema({COLUMN: Each(Gaussian(), size=size)}, reasons={COLUMN: "a matrix of numbers"})
        return Schema({COLUMN: Bag(size=size)}, reasons={COLUMN: "a matrix of numbers of at least 0"})
    if len(columns) != 1:
        raise TypeError(f"schema={given!r}: a sparse matrix is counted by one family; give it as schema=Bag().")
    ((name, family),) = columns.items()
    if not isinstance(family, Family):
        raise TypeError(
            f"{family!r} does not count a sparse matrix; give Bag(), or a family of numbers, for its columns."
        )
    found = {name: for_matrix(family, size)}
    return Schema(found, prior=given.prior, reasons=given.reasons) if isinstance(given, Schema) else Schema(found)


def _columns(schema: Any) -> Mapping[Any, Any]:
    if isinstance(schema, Schema):
        return schema.columns
    if isinstance(schema, Mapping):
        return {str(name): family for name, family in schema.items()}
    return {} if schema is None else {COLUMN: schema}
