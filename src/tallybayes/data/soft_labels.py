"""Soft labels: a share of every row for every class."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from tallybayes.data import frames
from tallybayes.data.errors import CellError
from tallybayes.data.labels import label_array, label_column

Floats = NDArray[np.float64]

LEAST, MOST = 2.0**-100, 1e200  # of a share that is not 0, as of a row's weight
FEW = 5  # classes named in a message


class SharedLabels(NamedTuple):
    """The non-zero shares of some rows, row by row: see `counts.rows.SharedRows`."""

    label_type: pa.DataType
    keys: list[Any]
    codes: NDArray[np.int32]
    shares: Floats
    starts: NDArray[np.int64]


class SoftLabels:
    """How much of each row belongs to each class; it counts exactly that much.

    Give a mapping from every class to its shares, one for each row or the name of the column that holds them; or an
    array with a row for each row and a column for each of the `classes`, which are 0, 1, … if none are given. Shares
    are numbers of at least 0; they are counted as they are, whether or not those of a row add up to 1.

    >>> SoftLabels({"ham": [0.25, 1.0], "spam": [0.75, 0.0]})
    SoftLabels of 'ham', 'spam'
    >>> SoftLabels(np.array([[0.25, 0.75]]), classes=["ham", "spam"])
    SoftLabels of 'ham', 'spam'
    """

    def __init__(self, shares: Any, classes: Sequence[Any] | None = None) -> None:
        if isinstance(shares, Mapping):
            if classes is not None:
                raise ValueError("SoftLabels: a mapping already names the classes; omit `classes`.")
            named = dict(shares)
        else:
            named = _by_class(shares, classes)
        if not named:
            raise ValueError("SoftLabels: give the shares of at least one class.")
        self.columns = {key: given if isinstance(given, str) else _numbers(given, key) for key, given in named.items()}
        self.label_type, keys, codes = label_column(label_array(list(named)), 0)
        self.keys = [keys[code] for code in codes.tolist()]
        if len(set(self.keys)) < len(self.keys):
            raise ValueError(f"SoftLabels name a class twice: {list(named)!r}.")

    def __repr__(self) -> str:
        names = list(self.columns)
        return f"SoftLabels of {', '.join(map(repr, names[:FEW]))}{', …' * (len(names) > FEW)}"

    @property
    def rows(self) -> int | None:
        """The number of rows; None if all shares are columns of a frame."""
        lengths = {key: len(given) for key, given in self.columns.items() if not isinstance(given, str)}
        if len(set(lengths.values())) > 1:
            raise ValueError(f"The shares differ in length: {', '.join(f'{k!r} {n}' for k, n in lengths.items())}.")
        return next(iter(lengths.values()), None)

    def of_batch(self, cells: pa.RecordBatch, start: int) -> SharedLabels:
        """The shares of these rows, the first of which is number `start`."""
        rows = cells.num_rows
        if self.rows is not None and self.rows < start + rows:
            raise ValueError(f"There are {self.rows} soft labels for {start + rows} rows or more.")
        table = np.empty((rows, len(self.keys)))
        for at, (key, given) in enumerate(self.columns.items()):
            if isinstance(given, str):
                advice = f"Give the name of the column that holds the shares of {key!r}."
                table[:, at] = _numbers(frames.column(cells, given, advice), key)
            else:
                table[:, at] = given[start : start + rows]
        _check(table, list(self.columns), start)
        row, code = np.nonzero(table)
        starts = np.append(0, np.cumsum(np.bincount(row, minlength=rows))).astype(np.int64)
        return SharedLabels(self.label_type, self.keys, code.astype(np.int32), table[row, code], starts)


def _by_class(shares: Any, classes: Sequence[Any] | None) -> dict[Any, Any]:
    names = getattr(shares, "column_names", getattr(shares, "columns", None))
    if names is not None and classes is None:  # a table, whose columns are the classes
        return {name: shares[name] for name in names}
    try:
        table = np.asarray(shares, np.float64)
    except (TypeError, ValueError):
        raise TypeError("SoftLabels of an array that is not all numbers: give shares, a column per class.") from None
    if table.ndim != 2:
        raise ValueError(f"SoftLabels: the array has {table.ndim} dimensions; give two, rows by classes.")
    names = list(range(table.shape[1])) if classes is None else list(classes)
    if len(names) != table.shape[1]:
        raise ValueError(f"SoftLabels have {table.shape[1]} columns for {len(names)} classes.")
    if len(set(names)) < len(names):
        raise ValueError(f"SoftLabels name a class twice: {names!r}.")
    return {name: table[:, at] for at, name in enumerate(names)}


def _numbers(given: Any, key: Any) -> Floats:
    try:
        return np.asarray(frames.numbers(given if isinstance(given, pa.Array) else label_array(given, "shares")))
    except CellError:
        raise ValueError(f"The shares of class {key!r} are not all numbers.") from None


def _check(table: Floats, names: list[Any], start: int) -> None:
    bad = np.argwhere(~((table == 0) | ((table >= LEAST) & (table <= MOST))))
    if len(bad):
        row, at = bad[0].tolist()
        raise ValueError(
            f"The share of class {names[at]!r} in row {start + row} is {table[row, at]}; give 0, or a number from "
            f"{LEAST:.1g} to {MOST:g}."
        )
