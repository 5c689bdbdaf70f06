"""Validates `y` and `sample_weight`, with scikit-learn's messages."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from sklearn.utils import assert_all_finite, check_array, column_or_1d
from sklearn.utils.multiclass import check_classification_targets

from tallybayes.counts.exact import Floats
from tallybayes.data.frames import is_text
from tallybayes.data.inputs import is_arrow
from tallybayes.data.labels import FROM_ONE_HOT, label_array, label_column
from tallybayes.data.objects import MISSING
from tallybayes.data.soft_labels import SoftLabels

CLASSES = "biuU"  # numpy's kinds that name classes without a look at their values
NULLABLE = ("b", "i", "u")  # its kinds of columns that may have a null mask


def checked_labels(y: Any, owner: str, what: str = "y") -> NDArray[Any]:
    """Labels as a numpy array of their own type: one per row, none missing, of one type, and not continuous."""
    _check_given(y, owner)
    labels = _one_per_row(_as_numpy(y))
    if labels.dtype == object:
        _check_objects(labels)
    elif labels.dtype.kind == "f":
        assert_all_finite(labels, input_name=what)
        if np.any(labels != np.floor(labels)):
            check_classification_targets(labels)
    elif labels.dtype.kind not in CLASSES:
        check_classification_targets(labels)
    return labels


def without_unknown(y: Any, owner: str) -> tuple[NDArray[Any], NDArray[np.bool_]]:
    """The known labels, and which rows have one: −1, None, NaN and pandas' NA stand for unknown ones."""
    _check_given(y, owner)
    given = _values(y)
    known = np.array([not _is_unknown(label) for label in given], bool)
    found = [label for label, is_known in zip(given, known.tolist(), strict=True) if is_known]
    return checked_labels(found or np.zeros(0, np.int64), owner), known


def _check_given(y: Any, owner: str) -> None:
    if y is None:
        raise ValueError(f"This {owner} estimator requires y to be passed, but the target y is None.")
    if isinstance(y, SoftLabels):
        raise TypeError(f"{owner} takes one label per row; soft labels are counted by Model.train(schema, X, y).")


def _values(y: Any) -> list[Any]:
    """Labels one by one. A column with a null mask keeps its type; as a numpy array, whole numbers would be floats, and
    masked ones known."""
    objects = getattr(y, "dtype", None) == np.dtype(object)
    is_typed = isinstance(y, (pa.Array, np.ma.MaskedArray)) or (is_arrow(y) and not objects)
    if is_typed and len(getattr(y, "shape", (0,))) == 1:
        return list(label_array(y).to_pylist())
    return list(_one_per_row(np.asarray(y, object)).tolist())


def _is_missing(label: Any) -> bool:
    return type(label).__name__ in MISSING or bool(label != label)


def _is_unknown(label: Any) -> bool:
    return _is_missing(label) or (not isinstance(label, (str, bytes, bool)) and bool(label == -1))


def _one_per_row(y: Any) -> NDArray[Any]:
    try:
        labels: NDArray[Any] = column_or_1d(y, warn=True)
    except ValueError as error:
        if np.ndim(y) == 0:
            given = np.asarray(y, object).item()
            raise ValueError(f"y is {given!r}; give a label for every row, such as X[name] of a column.") from None
        if np.ndim(y) != 2:
            raise
        raise ValueError(f"{str(error).rstrip('.')}; {FROM_ONE_HOT}.") from None
    return labels


def _as_numpy(y: Any) -> Any:
    """As arrays of numpy's own types, labels that it or scikit-learn would change: members of an Enum among texts would
    be cut, NaN among them would be a text, nullable integers would be floats, and masked labels not be missing."""
    if isinstance(y, (list, tuple)):
        cells = label_array(y)  # an error for mixed types
        return _complete(cells).to_numpy(zero_copy_only=False).astype(str) if is_text(cells.type) else y
    kind = getattr(getattr(y, "dtype", None), "kind", None)
    plain = isinstance(y, np.ndarray) and not isinstance(y, np.ma.MaskedArray) and kind != "T"
    changes = isinstance(y, np.ndarray) or kind in NULLABLE
    return _complete(label_array(y)).to_numpy(zero_copy_only=False) if changes and not plain else y


def _complete(cells: pa.Array) -> pa.Array:
    if cells.null_count:
        label_column(cells, 0)  # an error that says which
    return cells


def _check_objects(labels: NDArray[Any]) -> None:
    cells = _complete(label_array(labels))
    if not is_text(cells.type):
        check_classification_targets(cells.to_numpy(zero_copy_only=False))


def check_same_type(classes: NDArray[Any], labels: NDArray[Any]) -> None:
    """Raises an error unless the announced classes have the type of the labels."""
    announced, met = (label_column(label_array(some[:1]), 0).label_type for some in (classes, labels))
    if announced != met and len(classes) and len(labels):
        raise TypeError(
            f"The classes are of type {announced} ({classes.tolist()[0]!r}), the labels of type {met} "
            f"({labels.tolist()[0]!r})."
        )


def checked_weights(sample_weight: Any, labels: NDArray[Any], *, some: bool = False) -> Floats | None:
    """One number per label; with `some`, they must not all be zero."""
    if sample_weight is None:
        return None
    if isinstance(sample_weight, (int, float, np.number)):
        sample_weight = np.full(len(labels), sample_weight)
    if isinstance(sample_weight, np.ma.MaskedArray):
        sample_weight = np.ma.filled(sample_weight.astype(np.float64), np.nan)  # refused
    weights: Floats = check_array(
        sample_weight, ensure_2d=False, ensure_min_samples=0, dtype=np.float64, input_name="sample_weight"
    )
    if weights.ndim != 1:
        raise ValueError(f"Sample weights must be 1D array or scalar, got a {weights.ndim}D array.")
    if weights.shape != labels.shape:
        raise ValueError(f"sample_weight.shape == {weights.shape}, expected {labels.shape}!")
    if some and len(weights) and not weights.any():
        raise ValueError("Every row has sample weight zero, so nothing is counted.")
    return weights


def weightless(labels: NDArray[Any], weights: Floats | None) -> NDArray[Any]:
    """The classes of rows with weight 0: known, but not counted."""
    return labels[:0] if weights is None else np.unique(labels[weights == 0])


def checked_classes(classes: Any, labels: NDArray[Any], owner: str) -> NDArray[Any] | None:
    """The announced classes, sorted, if given."""
    if classes is None:
        return None
    given = np.sort(checked_labels(classes, owner, "classes"))
    check_same_type(given, labels)
    return given


def check_once(classes: NDArray[Any]) -> None:
    names = classes.tolist()
    twice = [one for one, other in pairwise(names) if one == other]
    if twice:
        raise ValueError(f"classes={names} has {twice[0]!r} more than once; give each class once.")


def check_among(labels: list[Any], classes: list[Any]) -> None:
    unknown = sorted(set(labels).difference(classes))
    if unknown:
        raise ValueError(
            f"The target label(s) {unknown} in y do not exist in the initial classes {sorted(classes)}. Give "
            "all classes in the first call to partial_fit, or none: then new ones may appear at any time."
        )
