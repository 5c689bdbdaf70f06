"""Columns of Python objects → Arrow, each cell by its own type.

Arrow looks for one type for a whole list. If that type would change the meaning of a cell (a boolean among numbers
would be 1, bytes among texts a text), the list is refused or read differently, whatever the order of its cells. So the
meaning of a cell never depends on its neighbours, nor on how rows are split into batches.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from decimal import Decimal
from typing import Any, ClassVar

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from tallybayes.data.decimals import decimal_text
from tallybayes.data.inputs import is_pandas
from tallybayes.data.refused import refused

TRUTHS = frozenset((bool, np.bool_))
CHARACTERS = {"U": np.uint32, "S": np.uint8}  # by the kind of a numpy array of texts or bytes
SETS = frozenset((set, frozenset))
CUT_OFF = frozenset((np.float16, np.longdouble))  # Arrow truncates these among whole numbers
NUMBERS = int, float, Decimal, np.integer, np.floating
NESTED = list, tuple, dict, set, frozenset, np.ndarray
REFUSALS = (pa.ArrowException, OverflowError, TypeError)  # Arrow's errors for a list without a common type
SLICE = 1 << 14  # cells passed to Arrow at a time
MOST_CHARACTERS = 1 << 25  # of texts passed to it at a time
MOST_BYTES = 1 << 30  # of texts in an array with 32-bit offsets
WIDER = {pa.string(): pa.large_string(), pa.binary(): pa.large_binary()}
MISSING = ("NoneType", "NAType", "NaTType")  # by name: pandas is not imported here
INTERVAL = "Interval"  # likewise
MOST_DIGITS = 1000  # of a decimal that is written out


class WrittenOut(pa.ExtensionType):  # type: ignore[misc]
    """Numbers without a common Arrow type, as their texts: levels, but not texts for `Words`."""

    name: ClassVar[str] = "tallybayes.numbers"

    def __init__(self) -> None:
        super().__init__(pa.string(), self.name)

    def __arrow_ext_serialize__(self) -> bytes:
        return b""

    @classmethod
    def __arrow_ext_deserialize__(cls, storage: pa.DataType, serialized: bytes) -> WrittenOut:
        return cls()


class WrittenIntervals(WrittenOut):
    """Intervals of pandas, likewise."""

    name = "tallybayes.intervals"


def object_cells(values: Any) -> pa.Array:
    """A list or an array as one Arrow array. Mixed types raise one of Arrow's errors."""
    if isinstance(values, np.ndarray) and values.dtype != object:
        return pa.array(native(values))
    values = values if isinstance(values, (list, np.ndarray)) else list(values)
    if len(values) and type(values[0]) is str:
        return _text_cells(values)
    kinds = kinds_of(values)
    if kinds & SETS:
        return in_slices(with_sorted_sets(values))
    try:
        cells = in_slices(values)
    except REFUSALS:
        texts = _intervals(values) if any(kind.__name__ == INTERVAL for kind in kinds) else _written_out(values)
        if texts is None:
            raise
        return texts
    return as_objects(cells, values, kinds)


def kinds_of(values: Iterable[Any]) -> set[type]:
    """The types of these objects; an error for those that Arrow must not see: a numpy number after a numpy time crashes
    it."""
    kinds: set[type] = set()
    for some in _slices(values):
        kinds.update(map(type, some))
    if np.datetime64 in kinds and any(issubclass(kind, np.generic) for kind in kinds - {np.datetime64}):
        raise pa.ArrowInvalid("times stand among other values")
    return kinds


def in_slices(values: Any, kind: pa.DataType | None = None) -> pa.Array:
    """A list or an array as Arrow. A long one is converted slice by slice, so that Ctrl-C takes effect, as long as all
    slices have one type: that is then the type that Arrow finds for the whole."""
    parts: list[pa.Array] = []
    with suppress(*REFUSALS):
        parts += [pa.array(some, kind, from_pandas=True) for some in _slices(values) if len(values) > SLICE]
    if len({part.type for part in parts}) != 1 or sum(map(len, parts)) < len(values):
        parts = [pa.array(values, kind, from_pandas=True)]
    return _one_array(parts)


def _one_array(parts: list[pa.Array | pa.ChunkedArray]) -> pa.Array:
    """Texts too long for 32-bit offsets, which come in chunks, get 64-bit ones."""
    if len(parts) == 1 and isinstance(parts[0], pa.Array):
        return parts[0]
    if parts[0].type in WIDER and sum(part.nbytes for part in parts) >= MOST_BYTES:
        parts = [part.cast(WIDER[part.type]) for part in parts]
    chunks = [chunk for part in parts for chunk in (part.chunks if isinstance(part, pa.ChunkedArray) else [part])]
    return pa.concat_arrays(chunks)


def is_long_text(values: Any) -> bool:
    """Whether this is a long list of nothing but texts, which can be split anywhere."""
    if not isinstance(values, (list, np.ndarray)) or len(values) <= SLICE or type(values[0]) is not str:
        return False
    return kinds_of(values) <= {str, type(None)}


def text_parts(columns: Sequence[Any], rows: int) -> Iterator[slice]:
    """Slices of rows in which these text columns are small enough to pass to Arrow at once."""
    start = size = 0
    for stop in range(SLICE, rows if columns else 0, SLICE):
        size += sum(sum(map(len, filter(None, texts[stop - SLICE : stop]))) for texts in columns)
        if size >= MOST_CHARACTERS:
            yield slice(start, stop)
            start, size = stop, 0
    yield slice(start, rows)


def _slices(values: Any) -> Iterator[Any]:
    return (values[start : start + SLICE] for start in range(0, len(values), SLICE))


def as_objects(cells: pa.Array, values: Iterable[Any], kinds: set[type]) -> pa.Array:
    """Arrow's conversion of these objects, if it keeps each one's own type. A float32 among objects becomes a double,
    as Arrow does next to a double."""
    if kinds & SETS:
        return in_slices(with_sorted_sets(values))
    if not (pa.types.is_floating(cells.type) or pa.types.is_integer(cells.type)):
        return cells
    if kinds & TRUTHS:
        raise pa.ArrowInvalid("true or false stands among numbers")
    if kinds & CUT_OFF and pa.types.is_integer(cells.type):
        return _written_out(values)
    return cells if is_sure(cells.type) else cells.cast(pa.float64())


def with_sorted_sets(values: Iterable[Any]) -> list[Any]:
    """Sets as sorted lists: their own order differs from process to process."""
    return [_sorted(value) if type(value) in SETS else value for value in values]


def _sorted(found: Iterable[Any]) -> list[Any]:
    try:
        return sorted(found)
    except TypeError:  # of several types, which Arrow refuses, or with a missing one
        return sorted(found, key=lambda each: (type(each).__name__, str(each)))


def object_columns(data: Any) -> dict[Any, Any]:
    """The columns of a pandas frame that hold objects, as arrays of them."""
    if not is_pandas(type(data)):
        return {}
    kinds = data.dtypes.items()
    found = {name: data[name].to_numpy() for name, kind in kinds if getattr(kind, "hasobject", False)}
    for name, values in found.items():
        try:
            kinds_of(values)
        except pa.ArrowInvalid as error:
            raise mixed(name, error) from None
    return found


def with_objects(stream: Iterable[pa.RecordBatch], objects: Mapping[Any, Any]) -> Iterator[pa.RecordBatch]:
    """pandas converts object columns itself; here their cells mean the same as in a list."""
    start = 0
    for batch in stream:
        for name, values in objects.items():
            at = batch.schema.get_field_index(str(name))
            given, own = batch.column(at), values[start : start + len(batch)]
            try:
                cells = as_objects(given, own, kinds_of(own))
            except pa.ArrowInvalid as error:
                cells = refused(mixed(name, error), len(batch))
            batch = batch if cells is given else batch.set_column(at, str(name), cells)
        start += len(batch)
        yield batch


def native(values: NDArray[Any]) -> NDArray[Any]:
    """Numbers in a byte order and size that Arrow has. Texts with a NUL become objects: Arrow would end them there."""
    if np.issubdtype(values.dtype, np.longdouble):
        return values.astype(np.float64)
    values = values if values.dtype.isnative else values.astype(values.dtype.newbyteorder("="))
    return values.astype(object) if values.dtype.kind in CHARACTERS and _has_inner_nul(values) else values


def _has_inner_nul(values: NDArray[Any]) -> bool:
    kind = np.dtype(CHARACTERS[values.dtype.kind])
    codes = np.ascontiguousarray(values).view(kind).reshape(len(values), values.dtype.itemsize // kind.itemsize)
    return bool(np.any((codes[:, :-1] == 0) & (codes[:, 1:] != 0)))


def unreadable(name: Any, values: Any, error: Exception) -> ValueError:
    """Why a column cannot be read: its values are of several types, or of one that nothing counts."""
    dtype = getattr(values, "dtype", None)
    if dtype is None or dtype == np.dtype(object):
        kind, *others = {type(value) for value in values if type(value).__name__ not in MISSING} or {float}
        if others or issubclass(kind, (*NUMBERS, *NESTED)):
            return mixed(name, error)
        dtype = kind.__name__
    return ValueError(
        f"Column {str(name)!r} is of type {dtype}, which no family counts. Convert it to numbers or text."
    )


def mixed(name: Any, error: Exception) -> ValueError:
    why = f"mixes types, or has values that do not fit: {str(error).rstrip('.')}"
    return ValueError(f"Column {str(name)!r} {why}. Convert its values to one type, such as text.")


def unencodable(error: UnicodeError) -> str:
    """What is wrong with a text that is not valid Unicode, by the error of a list or of a numpy array."""
    found = repr(error.object[error.start]) if isinstance(error, UnicodeEncodeError) else "a character"
    return f"{found} is a lone surrogate. Remove it, or decode the text with errors='replace'."


def is_sure(kind: pa.DataType) -> bool:
    """Whether Arrow would find this type for a list even with one more double in it."""
    return not (pa.types.is_float32(kind) or pa.types.is_float16(kind))


def number_text(value: float | Decimal) -> str:
    if isinstance(value, Decimal) and value.is_finite():
        return decimal_text(value)
    whole = value == value and abs(value) != float("inf") and value == int(value)
    return str(int(value)) if whole else str(value)


def _text_cells(values: Any) -> pa.Array:
    """A list that begins with a text, converted as texts: faster, and if that fails it is converted again."""
    try:
        cells = in_slices(values, pa.string())
    except (pa.ArrowInvalid, pa.ArrowTypeError):
        kinds_of(values)
        return in_slices(values)
    if bytes in kinds_of(values):  # Arrow reads them as texts, unless they come first
        return in_slices(values, pa.binary())
    return cells


def _written_out(values: Iterable[Any]) -> pa.Array | None:
    """Numbers without a common Arrow type; None if they are something else."""
    try:
        return pa.ExtensionArray.from_storage(WrittenOut(), pa.array(list(_texts(values)), pa.string()))
    except TypeError:
        return None


def _intervals(values: Iterable[Any]) -> pa.Array | None:
    """Intervals of pandas; None if there is something else among them."""
    present = [None if type(value).__name__ in MISSING or value != value else value for value in values]
    if {type(value).__name__ for value in present} - {INTERVAL, "NoneType"}:
        return None
    texts = pa.array([value and str(value) for value in present], pa.string())
    return pa.ExtensionArray.from_storage(WrittenIntervals(), texts)


def _texts(values: Iterable[Any]) -> Iterator[str | None]:
    for value in values:
        if type(value).__name__ in MISSING:
            yield None
        elif isinstance(value, Decimal):
            yield _decimal_text(value)
        elif isinstance(value, NUMBERS) and type(value) not in TRUTHS:
            number = float(value) if isinstance(value, (float, np.floating)) else int(value)
            yield number_text(number) if number == number else None
        else:
            raise TypeError(f"{value!r} is not a number")


def _decimal_text(value: Decimal) -> str | None:
    if value.is_nan():
        return None
    if value.is_infinite():
        return str(float(value))
    if abs(value.adjusted()) > MOST_DIGITS:
        raise TypeError(f"{value!r} has too many digits")
    return decimal_text(value)
