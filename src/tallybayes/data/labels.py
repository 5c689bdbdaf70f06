"""Class labels of any type: kept as keys that sort and hash the same everywhere, and returned as they were given."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence, Set
from decimal import Decimal
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from tallybayes import kernels
from tallybayes.data.decimals import decimal_text, shifted
from tallybayes.data.errors import NoLabelError, quoted
from tallybayes.data.frames import decoded, is_bytes, is_text, one_array
from tallybayes.data.inputs import is_arrow, is_iterable
from tallybayes.data.objects import MISSING, REFUSALS, as_objects, in_slices, kinds_of, native, unencodable
from tallybayes.data.one_row import WIDEST
from tallybayes.kernels.strings import index_strings, is_writable, string_buffers

PLACES = 10  # of a decimal label: one scale for all, so that batches agree
WIDEST_WHOLE = 2.0**52  # below this, all whole numbers are doubles
NEAR = 64  # whole numbers within this range are their own codes; unused codes stay empty
TEXT = pa.string()
PLAIN = {str: TEXT, bool: pa.bool_(), int: pa.int64(), float: pa.float64()}  # labels that are their own keys
CLASS_TYPES = "strings, integers or booleans"
WEIGHTS = "weights"
FROM_ONE_HOT = "if the labels are one-hot, numpy.asarray(y).argmax(axis=1) is the number of each row's class"


class LabelColumn(NamedTuple):
    """Labels by index, `keys[codes[row]]`, with keys that sort and hash the same everywhere."""

    label_type: pa.DataType
    keys: list[Any]
    codes: NDArray[np.int32]


def label_array(labels: Any, what: str = "labels") -> pa.Array:
    """Labels (or weights) of any kind as one Arrow array."""
    if isinstance(labels, pa.Array):
        return labels
    _check_one_per_row(labels, what)
    given = labels if isinstance(labels, np.ndarray) or is_arrow(labels) else list(labels)
    try:
        if is_arrow(given):
            return one_array(pa.chunked_array(given))
        if isinstance(given, np.ndarray) and given.dtype != object:
            return in_slices(native(given))
        return _as_labels(given)
    except UnicodeError as error:
        raise ValueError(f"The {what}: {unencodable(error)}") from None
    except REFUSALS as error:
        raise _unreadable(list(given), what, error) from None


def _unreadable(labels: list[Any], what: str, error: Exception) -> TypeError:
    """Why these are not labels: they are of several types, or of one that is none of Arrow's."""
    examples = {type(label).__name__: label for label in labels[::-1] if type(label).__name__ not in MISSING}
    shown = " and ".join(f"{kind} ({quoted(label)})" for kind, label in examples.items())
    if len(examples) > 1:
        return TypeError(f"The {what} mix {shown}. Give {what} of one type.")
    if isinstance(error, OverflowError):
        return TypeError(
            f"The {what} have a number of 2⁶³ or more. Give smaller numbers{', or strings' * (what != WEIGHTS)}."
        )
    return TypeError(f"The {what} are of type {shown}. Give {'numbers' if what == WEIGHTS else CLASS_TYPES}.")


def _check_one_per_row(labels: Any, what: str) -> None:
    shape = getattr(labels, "shape", (0,))
    if len(shape) != 1:
        raise ValueError(f"The {what} have {len(shape)} dimensions; give one per row{_as_one(shape)}.")
    if isinstance(labels, (Mapping, Set)):
        kind = type(labels).__name__
        raise TypeError(f"The {what} are a {kind}, which does not assign them to rows; give a list, one per row.")
    if isinstance(labels, bytes) or not is_iterable(labels):
        raise TypeError(f"The {what} are {labels!r}; give one per row, or the name of the column that holds them.")


def _as_one(shape: Sequence[int]) -> str:
    """How to turn two-dimensional labels into one dimension."""
    if len(shape) != 2:
        return ""
    return ", as in numpy.ravel(y)" if shape[1] == 1 else f"; {FROM_ONE_HOT}"


def _as_labels(given: Sequence[Any]) -> pa.Array:
    """A list as an Arrow array; an error if Arrow would convert a label to another's type: True to 1, or b"a" to
    "a"."""
    kinds = kinds_of(given)
    found = in_slices(given)
    if pa.types.is_binary(found.type) and str in kinds:
        raise pa.ArrowInvalid("texts stand among bytes")
    return as_objects(found, given, kinds)


def single_label(labels: Any) -> LabelColumn | None:
    """The label of a single row, if it is a text, a boolean or a number: a shortcut, since Arrow would cost more than
    counting the row."""
    if type(labels) not in (list, np.ndarray) or getattr(labels, "ndim", 1) != 1 or len(labels) != 1:
        return None
    (label,) = labels
    if isinstance(label, np.generic) and label.dtype.kind in "biufU":
        label = label.item()
    kind = type(label)
    if kind not in PLAIN or label != label:
        return None
    if (kind is str and not is_writable(label)) or (kind is int and not -WIDEST <= label < WIDEST):
        return None
    key = label + 0.0 if kind is float else label  # −0.0 and 0.0 are one label
    return LabelColumn(PLAIN[kind], [key], np.zeros(1, np.int32))


def label_column(labels: pa.Array, start: int, unlabelled: bool = False) -> LabelColumn:
    """Typed labels as codes. A missing label is an error that says where, or −1 if rows may be `unlabelled`."""
    if pa.types.is_dictionary(labels.type):
        complete = not labels.null_count and not labels.dictionary.null_count
        if complete and is_text(labels.dictionary.type) and len(labels.dictionary) <= len(labels):
            kind, keys, codes = label_column(labels.dictionary, start)
            return LabelColumn(kind, keys, codes[labels.indices.to_numpy()])
        labels = decoded(labels)
    if pa.types.is_float64(labels.type) and (whole := _whole_doubles(labels)) is not None:
        return whole
    if pa.types.is_floating(labels.type):
        labels = pc.if_else(pc.is_nan(labels), pa.scalar(None, labels.type), labels)
    if labels.null_count and unlabelled:
        return _with_gaps(labels)
    if labels.null_count:
        raise _no_labels(labels, start)
    kind, stored = _stored(labels)
    if pa.types.is_int64(stored.type) and len(stored):
        numbers = stored.to_numpy()
        low, high = int(numbers.min()), int(numbers.max())
        if high - low < NEAR:
            codes = np.subtract(numbers, low, out=np.empty(len(numbers), np.int32), casting="unsafe")
            return LabelColumn(kind, list(range(low, high + 1)), codes)
    if len(stored) == 1:  # a single row
        return LabelColumn(kind, _keys(stored, kind), np.zeros(1, np.int32))
    if is_text(stored.type):
        index = kernels.StringIndex()
        codes = index.encode(*string_buffers(stored), True)
        return LabelColumn(kind, _keys(index_strings(index), kind), codes)
    coded = stored.dictionary_encode()
    return LabelColumn(kind, _keys(coded.dictionary, kind), coded.indices.to_numpy().astype(np.int32, copy=False))


def _no_labels(labels: pa.Array, start: int) -> NoLabelError:
    without = start + np.flatnonzero(labels.is_null().to_numpy(zero_copy_only=False))
    error = NoLabelError(
        int(without[0]),
        "the row has no label. Drop it, or give it a label.",
        f"{len(without)} of {len(labels)} rows have no label, the first in row {without[0]}. "
        "Drop these rows, or give them a label.",
    )
    error.rows = without
    return error


def _whole_doubles(labels: pa.Array) -> LabelColumn | None:
    """Doubles that are close together and whole numbers apart, as Spark's labels are: a shortcut."""
    if labels.null_count or not len(labels):
        return None
    numbers = labels.to_numpy()
    low, high = float(numbers.min()) + 0.0, float(numbers.max())  # NaN if any is
    if not (high - low < NEAR and abs(low) < WIDEST_WHOLE):
        return None
    codes = np.subtract(numbers, low, out=np.empty(len(numbers), np.int32), casting="unsafe")
    if not np.array_equal(codes + low, numbers):
        return None
    return LabelColumn(pa.float64(), [float(low + code) for code in range(int(high - low) + 1)], codes)


def _with_gaps(labels: pa.Array) -> LabelColumn:
    """The codes of labels, −1 for missing ones."""
    known = labels.is_valid().to_numpy(zero_copy_only=False)
    codes = np.full(len(labels), -1, np.int32)
    if not known.any():
        kind = pa.null() if pa.types.is_null(labels.type) else _stored(labels.slice(0, 0))[0]
        return LabelColumn(kind, [], codes)
    if is_text(labels.type):  # of which some kinds cannot be filtered
        labels = labels.cast(pa.string())
    kind, keys, codes[known] = label_column(labels.drop_null(), 0)
    return LabelColumn(kind, keys, codes)


def _keys(stored: pa.Array, kind: pa.DataType) -> list[Any]:
    try:
        keys = stored.to_pylist()
    except UnicodeDecodeError as error:
        raise ValueError(f"A label is not valid UTF-8: {error}.") from None
    return [int(shifted(key, kind.scale)) for key in keys] if pa.types.is_decimal(kind) else list(keys)


def label_values(kind: pa.DataType, keys: Sequence[Any]) -> list[Any]:
    """Keys → the labels as they were given."""
    labels = list(_restored(kind, keys).to_pylist())
    return [Decimal(decimal_text(label)) for label in labels] if pa.types.is_decimal(kind) else labels


def label_keys(kind: pa.DataType, values: Sequence[Any]) -> list[Any]:
    """Labels as given → keys; the inverse of `label_values`."""
    column = label_column(pa.array(values, kind), 0)
    return [column.keys[code] for code in column.codes.tolist()]


def key_to_json(key: Any) -> Any:
    return {"bytes": key.hex()} if isinstance(key, bytes) else key


def key_from_json(key: Any) -> Any:
    return bytes.fromhex(key["bytes"]) if isinstance(key, dict) else key


def kind_from_name(name: str) -> pa.DataType:
    """The Arrow type that prints as `name`."""
    if found := re.fullmatch(r"timestamp\[(s|ms|us|ns)(?:, tz=([\w/+:-]+))?\]", name):
        return pa.timestamp(found[1], found[2])
    if found := re.fullmatch(r"decimal128\((\d{1,2}), (-?\d{1,2})\)", name):
        return pa.decimal128(int(found[1]), int(found[2]))
    return pa.type_for_alias({"double": "float64"}.get(name, name))


def _stored(labels: pa.Array) -> tuple[pa.DataType, pa.Array]:
    """The canonical type of labels, and the array that their keys are made from."""
    kind = labels.type
    if is_text(kind):
        return pa.string(), labels if pa.types.is_string(kind) else pc.cast(labels, pa.string())
    if pa.types.is_integer(kind):
        try:
            return pa.int64(), pc.cast(labels, pa.int64())
        except pa.ArrowInvalid:
            raise ValueError("A label is 2⁶³ or more; give smaller numbers, or strings.") from None
    if pa.types.is_floating(kind):
        return pa.float64(), pc.add(pc.cast(labels, pa.float64()), 0.0)  # −0.0 and 0.0 are one label
    if pa.types.is_boolean(kind):
        return kind, labels
    if pa.types.is_decimal(kind):
        return _cast(labels, pa.decimal128(38, PLACES), f"decimals of at most {38 - PLACES} digits and {PLACES} places")
    if is_bytes(kind):
        return pa.binary(), pc.cast(labels, pa.binary())
    if (unit := _in_one_unit(kind)) != kind:
        return _stored(_cast(labels, unit, "times without nanoseconds, or texts")[1])
    if pa.types.is_temporal(kind) and not pa.types.is_interval(kind):
        return kind, labels.view(pa.int32() if kind.bit_width == 32 else pa.int64())
    advice = f"; {FROM_ONE_HOT}" if pa.types.is_list(kind) or pa.types.is_fixed_size_list(kind) else ""
    raise TypeError(f"Labels of type {kind} cannot name classes; give {CLASS_TYPES}{advice}.")


def _in_one_unit(kind: pa.DataType) -> pa.DataType:
    """Times in one unit, whatever library made them; dates stay dates."""
    if pa.types.is_timestamp(kind):
        return pa.timestamp("us", kind.tz)
    if pa.types.is_duration(kind):
        return pa.duration("us")
    if pa.types.is_time(kind):
        return pa.time64("us")
    return pa.date32() if pa.types.is_date64(kind) else kind


def _cast(labels: pa.Array, kind: pa.DataType, wanted: str) -> tuple[pa.DataType, pa.Array]:
    try:
        return kind, pc.cast(labels, kind)
    except pa.ArrowInvalid as error:
        raise ValueError(f"A label of type {labels.type} does not fit ({error}); give {wanted}.") from None


def _restored(kind: pa.DataType, keys: Sequence[Any]) -> pa.Array:
    if pa.types.is_temporal(kind):
        return pa.array(keys, pa.int32() if kind.bit_width == 32 else pa.int64()).view(kind)
    if pa.types.is_decimal(kind):
        return pa.array([shifted(Decimal(key), -kind.scale) for key in keys], kind)
    return pa.array(keys, kind)
