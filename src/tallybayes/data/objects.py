"""Columns of Python's values → Arrow, each cell by what it is itself.

Arrow looks for one type for a whole list. Where that type would change what a cell means by itself (a truth among
numbers would be 1, bytes among texts a text), the list is refused or read otherwise, in any order of its cells. So the
meaning of a cell never depends on its neighbours, nor on how rows are cut into batches.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa

from tallybayes.data.decimals import decimal_text

TRUTHS = frozenset((bool, np.bool_))
CUT_OFF = frozenset((np.float16, np.longdouble))  # Arrow takes such fractions for whole numbers, beside one
NUMBERS = int, float, Decimal, np.integer, np.floating
MISSING = ("NoneType", "NAType", "NaTType")  # by name: pandas is not imported here
MOST_DIGITS = 1000  # of a decimal that is written out


def object_cells(values: Any) -> pa.Array:
    """A list, or an array of objects, as one Arrow array. What mixes types is one of Arrow's errors."""
    values = values if isinstance(values, (list, np.ndarray)) else list(values)
    if len(values) and type(values[0]) is str:
        return _text_cells(values)
    kinds = kinds_of(values)
    try:
        cells = pa.array(values, from_pandas=True)
    except (pa.ArrowException, OverflowError, TypeError):
        texts = _written_out(values)
        if texts is None:
            raise
        return texts
    return as_objects(cells, values, kinds)


def kinds_of(values: Iterable[Any]) -> set[type]:
    """The types of these objects, if Arrow can be asked: a number of numpy's after a time of numpy's ends the process
    there."""
    kinds = set(map(type, values))
    if np.datetime64 in kinds and any(issubclass(kind, np.generic) for kind in kinds - {np.datetime64}):
        raise pa.ArrowInvalid("times stand among other values")
    return kinds


def as_objects(cells: pa.Array, values: Iterable[Any], kinds: set[type]) -> pa.Array:
    """What Arrow made of these objects, if that is what each of them is by itself. A float32 among objects is the
    double that it is: beside a double, Arrow makes it so."""
    if not (pa.types.is_floating(cells.type) or pa.types.is_integer(cells.type)):
        return cells
    if kinds & TRUTHS:
        raise pa.ArrowInvalid("true or false stands among numbers")
    if kinds & CUT_OFF and pa.types.is_integer(cells.type):
        return _written_out(values)
    return cells if is_sure(cells.type) else cells.cast(pa.float64())


def object_columns(data: Any) -> dict[Any, Any]:
    """The columns of a pandas frame that hold objects, as arrays of them."""
    if not hasattr(type(data), "_iter_column_arrays") or not data.columns.is_unique:
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
    """pandas hands its columns of objects to Arrow itself; their cells mean there what they mean in a list."""
    start = 0
    for batch in stream:
        for name, values in objects.items():
            at = batch.schema.get_field_index(str(name))
            given, own = batch.column(at), values[start : start + len(batch)]
            try:
                cells = as_objects(given, own, kinds_of(own))
            except pa.ArrowInvalid as error:
                raise mixed(name, error) from None
            batch = batch if cells is given else batch.set_column(at, str(name), cells)
        start += len(batch)
        yield batch


def mixed(name: Any, error: Exception) -> ValueError:
    return ValueError(f"Column {str(name)!r} mixes types, or has values that do not fit: {error}.")


def is_sure(kind: pa.DataType) -> bool:
    """Whether Arrow has this type for a list, too, in which one number more is a double."""
    return not (pa.types.is_float32(kind) or pa.types.is_float16(kind))


def number_text(value: float | Decimal) -> str:
    if isinstance(value, Decimal) and value.is_finite():
        return decimal_text(value)
    whole = value == value and abs(value) != float("inf") and value == int(value)
    return str(int(value)) if whole else str(value)


def _text_cells(values: Any) -> pa.Array:
    """A list that begins with a text, read as texts: that is quicker, and if it is something else, it is read again."""
    try:
        cells = pa.array(values, pa.string())
    except (pa.ArrowInvalid, pa.ArrowTypeError):
        kinds_of(values)
        return pa.array(values, from_pandas=True)
    if bytes in set(map(type, values)):  # Arrow took them for texts, which it does not where they come first
        return pa.array(values, pa.binary())
    return cells.cast(pa.large_string()).combine_chunks() if isinstance(cells, pa.ChunkedArray) else cells


def _written_out(values: Iterable[Any]) -> pa.Array | None:
    """Numbers for which Arrow has no type in common, as texts; nothing, if they are something else."""
    try:
        return pa.array(list(_texts(values)), pa.string())
    except TypeError:
        return None


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
