"""Validates `X`, names its columns, and matches the columns of new rows to those of the first.

Frames of any kind are passed on unchanged; the model finds its columns by name, in any order. Arrays and lists, which
have no names, get columns "0", "1", …; bare texts are a column "text". Lazy frames and lists of rows become one table,
which scikit-learn's checks accept.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from decimal import Decimal
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from sklearn.utils import check_array

from tallybayes.data import frames
from tallybayes.data.decimals import EXACT
from tallybayes.data.errors import warn
from tallybayes.data.inputs import fetched, is_arrow, is_records, no_table, series_row
from tallybayes.data.matrices import is_sparse
from tallybayes.data.objects import REFUSALS, TRUTHS, object_cells

ARRAYS = ("shape", "__array__", "__array_interface__", "__arrow_c_stream__")  # every matrix has one of these
TEXT = "text"
MISSING = ("NAType", "NaTType")  # pandas' own types for missing values


def opened(X: Any) -> Any:
    """What every estimator takes: lists of dictionaries, lazy frames and datasets as one table, everything else as it
    is. Whatever is not a table is refused."""
    if is_sparse(X):  # one kind of which is a mapping
        return X
    X = fetched(X)
    if isinstance(X, pa.RecordBatchReader):
        return X.read_all()
    if is_records(X) or (hasattr(type(X), "dtype") and getattr(X.dtype, "fields", None)):  # of numpy, or of polars
        return whole(X)
    if isinstance(X, Mapping) and any(isinstance(values, Iterator) for values in X.values()):  # to be read twice
        return whole(X)
    if isinstance(X, str):
        raise TypeError("A str is not a table. Give a list of texts, as in [text]; tallybayes.open_source reads files.")
    sequence = isinstance(X, Sequence) and not isinstance(X, bytes)
    if sequence or isinstance(X, Mapping) or any(hasattr(type(X), name) for name in ARRAYS):
        return X
    raise no_table(X)


def as_matrix(X: Any, owner: str) -> Any:
    """The same for estimators of matrices: columns by name as a table, masked numbers as NaN."""
    X = opened(X)
    if isinstance(X, np.ma.MaskedArray) and X.dtype.kind in "biuf":
        return np.ma.filled(X.astype(np.float64), np.nan)
    if is_sparse(X):
        return X
    if isinstance(X, Mapping) or (is_arrow(X) and not hasattr(type(X), "__array__")):
        X = whole(X)
    labels = labels_of(X)
    if labels is not None:
        check_names([str(label) for label in labels], owner)
    return X


def whole(data: Any) -> pa.Table:
    """All of a frame as one table."""
    batches = list(frames.batches(data))
    return pa.Table.from_batches(batches) if batches else pa.table({})


def labels_of(rows: Any) -> list[Any] | None:
    """The names of the columns, if they have any."""
    if is_sparse(rows):
        return None
    if isinstance(rows, (pa.Table, pa.RecordBatch)):
        passed_over = frames.index_columns(rows.schema)
        return [name for name in rows.schema.names if name not in passed_over]
    if isinstance(rows, Mapping):
        return list(rows)
    if isinstance(rows, np.ndarray):
        return list(rows.dtype.names) if rows.dtype.names else None
    labels = None if len(getattr(rows, "shape", ())) == 1 else getattr(rows, "columns", None)
    if labels is None:
        return None
    return labels.tolist() if hasattr(labels, "tolist") else list(labels)


def check_names(names: list[str], owner: str) -> None:
    if not names:
        raise ValueError(f"Found a table with 0 feature(s) while a minimum of 1 is required by {owner}.")
    if len(set(names)) < len(names):
        twice = sorted({name for name in names if names.count(name) > 1})
        raise ValueError(
            f"X has more than one column called {', '.join(map(repr, twice))}. Rename or drop all but one of them."
        )


class Columns(NamedTuple):
    """Rows, and what their columns are called."""

    names: list[str]
    named: bool  # whether the names were given, rather than numbers
    rows: Any

    def renamed(self, names: Sequence[str]) -> Columns:
        """The same columns, in this order, under other names."""
        if isinstance(self.rows, Mapping):
            return Columns(list(names), self.named, dict(zip(names, self.rows.values(), strict=True)))
        table = whole(self.rows).select(self.names)
        return Columns(list(names), self.named, table.rename_columns(list(names)))


def columns_of(X: Any, owner: str, fitted: Columns | None = None) -> Columns:
    """Rows of any kind, as returned by `opened`; anything that is not a table is an error, in scikit-learn's words.
    Fitting needs at least one row."""
    row = None if fitted is None else series_row(X, fitted.names)
    rows = X if row is None else row
    labels = labels_of(rows)
    if labels is not None:
        if fitted is not None and fitted.named and labels == fitted.names:
            return Columns(labels, True, rows)
        names = [str(label) for label in labels]
        check_names(names, owner)
        return Columns(names, all(isinstance(label, str) for label in labels), rows)
    texts = _texts(rows)
    if texts is not None:
        return Columns([TEXT], False, {TEXT: texts})
    array = _matrix(rows, owner, least_rows=int(fitted is None))
    names = _numbers(array.shape[1])
    columns = {name: _cells(array[:, i]) for i, name in enumerate(names)} if array.dtype == object else array
    return Columns(names, False, columns)


def matched(given: Columns, fitted: Columns, needed: Collection[str], owner: str) -> Columns:
    """The given columns under the names they were fitted with: matched by name, or by position without names.

    A column that is not needed may be absent.
    """
    if given.names == fitted.names:
        return given
    known = set(fitted.names)
    if known == set(given.names):
        return given
    if not (given.named and fitted.named):
        if len(given.names) != len(fitted.names):
            raise ValueError(
                f"X has {len(given.names)} features, but {owner} is expecting {len(fitted.names)} features as input."
            )
        _warn_of_names(given.named, fitted.named, owner)
        return given.renamed(fitted.names)
    absent = [name for name in fitted.names if name in needed and name not in given.names]
    extra = [name for name in given.names if name not in known]
    if extra or absent:
        raise ValueError(_mismatch(owner, extra, absent))
    return given


def _mismatch(owner: str, extra: list[str], absent: list[str]) -> str:
    """Everything that differs from the columns fitted, and what to do."""
    sentences = ["The feature names should match those that were passed during fit."]
    if extra:
        sentences.append(
            f"X has columns that {owner} was not fitted with: {', '.join(map(repr, extra))}. "
            "Drop or rename them, or fit again with them."
        )
    if absent:
        sentences.append(
            f"X lacks columns that {owner} was fitted with: {', '.join(map(repr, absent))}. Add them, or treat their "
            "cells as missing with absent='missing'."
        )
    return " ".join(sentences)


def _warn_of_names(given: bool, fitted: bool, owner: str) -> None:
    """scikit-learn's own words."""
    if given:
        warn(f"X has feature names, but {owner} was fitted without feature names")
    elif fitted:
        message = f"X does not have valid feature names, but {owner} was fitted with feature names"
        warn(message)


def _texts(rows: Any) -> Any:
    """Bare texts, or None if it is something else."""
    if isinstance(rows, (list, tuple)):
        texts = any(isinstance(text, str) for text in rows)
        return list(rows) if texts and all(text is None or isinstance(text, str) for text in rows) else None
    if len(getattr(rows, "shape", ())) != 1 and not isinstance(rows, (pa.Array, pa.ChunkedArray)):
        return None
    try:
        cells = frames.one_array(pa.chunked_array(rows)) if is_arrow(rows) else pa.array(rows, from_pandas=True)
    except (pa.ArrowException, TypeError):
        return None
    return cells if frames.is_text(frames.value_type(cells.type)) else None


@cache
def _numbers(n: int) -> list[str]:
    return [str(i) for i in range(n)]


def _matrix(rows: Any, owner: str, least_rows: int) -> NDArray[Any]:
    """A matrix with its cells unchanged: missing and masked ones are allowed and stay missing."""
    if type(rows) is np.ndarray and rows.ndim == 2 and min(rows.shape) > 0 and rows.dtype.kind in "biuf":
        return rows  # scikit-learn would accept it too, but its checks are slow for one row
    found = _array(rows) if isinstance(rows, (list, tuple)) else rows
    if found is not rows and (found.dtype.kind in "US" or _unlike(rows, found)):
        found = np.asarray(rows, object)  # otherwise numbers among texts would become texts
    if isinstance(found, np.ma.MaskedArray) and found.ndim == 2:
        return found
    array: NDArray[Any] = check_array(
        found, dtype=None, ensure_all_finite=False, ensure_min_samples=least_rows, estimator=owner, input_name="X"
    )
    return array


def _array(rows: Sequence[Any]) -> NDArray[Any]:
    try:
        return np.asanyarray(rows)
    except ValueError:
        raise ValueError("The rows of X differ in length; give every row a cell for every column.") from None


def _unlike(rows: Any, found: NDArray[Any]) -> bool:
    """Whether numpy changed a cell to fit the others: True to 1, or a large whole number to a rounded double."""
    if found.ndim != 2 or found.dtype.kind not in "iuf":
        return False
    kinds = {type(cell) for row in rows for cell in row}
    rounded = found.dtype.kind == "f" and int in kinds and bool((np.abs(found) >= EXACT).any())
    return rounded or not kinds.isdisjoint(TRUTHS)


def _cells(objects: NDArray[Any]) -> pa.Array:
    """A column of anything. Mixtures without an Arrow type, such as numbers among texts, are read as texts."""
    try:
        return object_cells(objects)
    except REFUSALS:
        return pa.array([_level(cell) for cell in objects.tolist()], pa.large_string())


def _level(cell: Any) -> str | None:
    if cell is None or cell is np.ma.masked or type(cell).__name__ in MISSING:
        return None
    if isinstance(cell, (float, Decimal, np.floating)) and cell != cell:
        return None
    return frames.level_text(cell) if isinstance(cell, (bool, int, float, Decimal, np.generic)) else str(cell)
