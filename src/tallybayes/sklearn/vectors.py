"""Which family counts a matrix without column names, such as a sparse one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from scipy import sparse

from tallybayes.families import Bag, Each, Family, Gaussian
from tallybayes.families.vectors.of_columns import for_matrix
from tallybayes.schema import Schema
from tallybayes.sklearn.matrix import COLUMN


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
