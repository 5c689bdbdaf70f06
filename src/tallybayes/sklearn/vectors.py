"""Which family counts a matrix whose columns have no names of their own, such as a sparse one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from scipy import sparse

from tallybayes.families import Bag, Bernoulli, Each, Family, Gaussian
from tallybayes.families.numbers.numeric import Measured
from tallybayes.families.smoothing import named_levels
from tallybayes.schema import Schema
from tallybayes.sklearn.matrix import COLUMN


def takes_vectors(schema: Any, labels: list[Any] | None = None) -> bool:
    """Whether a schema, as an estimator is given it, is for rows of a matrix, rather than for one of the columns that
    are called so."""
    columns = _columns(schema)
    vectors = len(columns) == 1 and all(isinstance(f, Family) and f.takes_vectors for f in columns.values())
    return vectors and (isinstance(schema, Family) or columns.keys().isdisjoint(map(str, labels or [])))


def counts_matrices(schema: Any) -> bool:
    """Whether a sparse matrix can be given."""
    columns = list(_columns(schema).values())
    fits = len(columns) == 1 and (isinstance(columns[0], (Measured, Bernoulli)) or takes_vectors(schema))
    return schema is None or fits


def matrix_schema(given: Any, matrix: Any) -> Schema:
    """A schema of one column of vectors, from what the estimator is given and the first rows."""
    size, columns = matrix.shape[1], _columns(given)
    if given is None:
        numbers = matrix.data if sparse.issparse(matrix) else matrix
        if np.any(numbers < 0):
            return Schema({COLUMN: Each(Gaussian(), size=size)}, reasons={COLUMN: "a matrix of numbers"})
        return Schema({COLUMN: Bag(size=size)}, reasons={COLUMN: "a matrix of numbers of at least 0"})
    if len(columns) != 1:
        raise TypeError(f"schema={given!r}: a sparse matrix is counted by one family; give it as schema=Bag().")
    ((name, family),) = columns.items()
    found = {name: _of_size(family, size)}
    return Schema(found, prior=given.prior, reasons=given.reasons) if isinstance(given, Schema) else Schema(found)


def _of_size(family: Any, size: int) -> Family:
    """A family of vectors so long: for one of numbers, each of them has it."""
    if isinstance(family, (Bag, Each)):
        return family if family.size is not None else replace(family, size=size)
    if isinstance(family, Measured):
        return Each(family, size=size)
    if isinstance(family, Bernoulli):
        if named_levels(family.alpha):
            raise TypeError(f"{family!r}: for the columns of a matrix, give alpha as one number for true and false.")
        return Bag(reading="bernoulli", alpha=family.alpha, size=size)
    raise TypeError(f"{family!r} does not count a sparse matrix; give Bag(), or a family of numbers, for its columns.")


def _columns(schema: Any) -> Mapping[str, Any]:
    if isinstance(schema, Schema):
        return schema.columns
    if isinstance(schema, Mapping):
        return {str(name): family for name, family in schema.items()}
    return {} if schema is None else {COLUMN: schema}
