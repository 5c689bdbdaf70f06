"""Cells as numbers and texts: an Arrow column, or for a single row a list of one plain value.

`numbers` and `texts` handle both, so that a family need not know which it is; `arrow` is for those that need Arrow.
"""

from __future__ import annotations

from contextlib import suppress
from math import isnan
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from tallybayes import kernels
from tallybayes.data.decimals import decimal_numbers
from tallybayes.data.errors import CellError, UnreadableError, quoted
from tallybayes.data.marks import MARKS
from tallybayes.data.objects import WrittenIntervals, WrittenOut, is_sure, number_text, object_cells, unencodable
from tallybayes.kernels.strings import index_strings, is_writable, string_buffers

Cells = Any  # an Arrow array, or a list of one number, bool, str or None; for a block, of one dictionary of these
CODES = (pa.int32(), pa.int8())  # of levels, in the forms that kernels take
LEVELS = pa.dictionary(pa.int32(), pa.string())  # a few distinct texts are counted faster by index
NOT_PLAIN = {
    pa.string_view().id,
    pa.binary_view().id,
    pa.list_view(pa.int32()).id,
    pa.large_list_view(pa.int32()).id,
    pa.run_end_encoded(pa.int32(), pa.string()).id,
}
NO_NUMBER = "{} is not a number. Give the column a family for categories."
FEW = 10_000  # cells: below this Arrow's overhead dominates
SHORT = 1024  # entries: a longer dictionary would cost more per block than it saves
SOME = 1 << 14  # cells that are checked first for having more levels than this


def arrow(cells: Cells) -> pa.Array:
    if type(cells) is not list:
        return cells
    try:
        return pa.array(cells, pa.string() if type(cells[0]) is str else None, from_pandas=True)
    except UnicodeEncodeError as error:
        raise CellError(None, unencodable(error)) from None


def is_missing(cells: Cells) -> NDArray[np.bool_]:
    """Which cells are missing; numpy unpacks bits faster than Arrow."""
    if type(cells) is list:
        return np.array([cell is None for cell in cells])
    bits = np.frombuffer(cells.is_null().buffers()[1], np.uint8)
    return np.unpackbits(bits, count=len(cells), bitorder="little").view(np.bool_)


def columns_of(cells: pa.Array) -> list[pa.Array]:
    """The columns of a block's cells; for a single column, just that."""
    return cells.flatten() if pa.types.is_struct(cells.type) else [cells]


def numbers(cells: Cells) -> NDArray[np.float64]:
    """Cells as doubles, NaN where missing; without a copy where they are doubles already."""
    if type(cells) is list and type(cells[0]) is not str:
        return np.array(cells, np.float64)
    cells = arrow(cells)
    kind = cells.type
    if not (pa.types.is_floating(kind) or pa.types.is_integer(kind) or pa.types.is_boolean(kind)):
        return _unlike_numbers(cells, kind)
    if len(cells) <= FEW and not cells.null_count and (pa.types.is_integer(kind) or pa.types.is_boolean(kind)):
        return cells.to_numpy(zero_copy_only=False).astype(np.float64)  # same result as Arrow's cast, but faster
    doubles = cells if pa.types.is_float64(kind) else pc.cast(cells, pa.float64(), safe=False)
    if len(doubles) <= FEW or not doubles.null_count:
        return np.asarray(doubles.to_numpy(zero_copy_only=False))
    held = np.frombuffer(doubles.buffers()[1], np.int64)[doubles.offset : doubles.offset + len(doubles)]
    bits = np.frombuffer(pa.allocate_buffer(8 * len(doubles)), np.int64)  # Arrow uses the same memory again
    np.negative(is_missing(doubles).view(np.int8), out=bits, dtype=np.int64)
    bits |= held  # all ones are a NaN; Arrow and numpy.where branch on every cell
    return bits.view(np.float64)


def _unlike_numbers(cells: pa.Array, kind: pa.DataType) -> NDArray[np.float64]:
    """The same for cells that are not stored as numbers."""
    if isinstance(kind, WrittenOut):
        return numbers(cells.storage)
    if pa.types.is_dictionary(kind):
        return numbers(decoded(cells))
    if pa.types.is_null(kind):
        return np.full(len(cells), np.nan)
    if is_text(kind):
        return _parsed(cells)
    _refuse_temporal(kind)
    if pa.types.is_decimal(kind):
        return decimal_numbers(cells)
    raise CellError(None, f"cells of type {kind} are not numbers. Convert them, or drop the column from the schema.")


def texts(cells: Cells) -> Any:
    """Cells as strings, in the form they came in: a level is its text, so the numbers 1 and 1.0 and the string "1" are
    one level."""
    if type(cells) is list:
        return [_plain_text(value) for value in cells]
    kind = cells.type
    if isinstance(kind, WrittenOut):
        return cells.storage
    if pa.types.is_dictionary(kind):
        words = texts(dictionary := cells.dictionary)
        if words is dictionary and _are_places(cells.indices, len(words)):
            return cells
        return pa.DictionaryArray.from_arrays(cells.indices, decoded(words))
    if pa.types.is_string(kind) or pa.types.is_large_string(kind):
        return cells
    if is_text(kind):
        return pc.cast(cells, pa.large_string())
    if pa.types.is_null(kind) or pa.types.is_boolean(kind) or pa.types.is_integer(kind):
        return pc.cast(cells, pa.string())
    _refuse_temporal(kind)
    if pa.types.is_decimal32(kind) or pa.types.is_decimal64(kind):
        return texts(pc.cast(cells, pa.decimal128(kind.precision, kind.scale)))
    if pa.types.is_floating(kind) or pa.types.is_decimal(kind):
        coded = pc.dictionary_encode(cells)
        found = coded.dictionary.to_pylist() if is_sure(kind) else coded.dictionary.to_numpy(zero_copy_only=False)
        words = [None if v is None or v != v else number_text(v) for v in found]
        return pa.DictionaryArray.from_arrays(coded.indices, pa.array(words, pa.string()))
    if is_interval(kind):
        return _interval_texts(cells)
    raise CellError(None, f"cells of type {kind} are not categories. Convert them, or drop the column from the schema.")


def _plain_text(value: Any) -> str | None:
    """The text of a plain value, as in an Arrow column."""
    if value is None or (type(value) is str and is_writable(value)):
        return value
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    if isinstance(value, (float, np.float32)):
        found: Any = value if type(value) is np.float32 else float(value)
        return None if isnan(found) else number_text(found)
    if type(value) is str:
        arrow([value])  # raises an error that says what is wrong
    return str(int(value))


def _are_places(indices: pa.Array, size: int) -> bool:
    """Whether these are numbers below `size`, as far as that can be told at once; Arrow takes longer."""
    if indices.type not in CODES or indices.null_count:
        return False
    codes = indices.to_numpy()
    return not len(codes) or int(codes.view(f"u{codes.itemsize}").max()) < size


def _interval_texts(cells: pa.ExtensionArray) -> pa.Array:
    """Intervals, as from `pandas.cut`, in pandas' notation."""
    opening = "[" if cells.type.closed in ("left", "both") else "("
    closing = "]" if cells.type.closed in ("right", "both") else ")"
    ends = cells.storage.to_pylist()
    return pa.array([cell and f"{opening}{cell['left']}, {cell['right']}{closing}" for cell in ends], pa.string())


def level_text(level: Any) -> str:
    """The text of a single level."""
    text = level if isinstance(level, str) else texts(object_cells([level]))[0].as_py()
    if text is None:
        raise CellError(None, f"{level!r} is a missing cell, not a level.")
    return str(text)


def value_type(kind: pa.DataType) -> pa.DataType:
    """The type of cells, whether or not they are in a dictionary array."""
    return kind.value_type if pa.types.is_dictionary(kind) else kind


def decoded(cells: pa.Array) -> pa.Array:
    """Cells that are in no dictionary array."""
    if not pa.types.is_dictionary(cells.type):
        return cells
    words = cells.dictionary
    return pc.take(pc.cast(words, pa.large_string()) if is_text(words.type) else words, cells.indices)


def is_plain(kind: pa.DataType) -> bool:
    """Whether kernels can read such cells, and Arrow take some of them."""
    if kind.id in NOT_PLAIN:
        return False
    if not pa.types.is_nested(kind):
        return True
    if pa.types.is_struct(kind):
        return all(is_plain(field.type) for field in kind)
    item = getattr(kind, "value_type", None)
    if item is None:
        return True
    words_at_intervals = pa.types.is_fixed_size_list(kind) and is_text(item)
    return is_plain(item) and not pa.types.is_dictionary(item) and not words_at_intervals


def plain(cells: pa.Array) -> pa.Array:
    """String and binary views as plain strings and bytes, runs of equal cells as single ones, and lists of any layout
    as plain lists; of words, if their items are levels."""
    kind = cells.type
    if is_plain(kind):
        return cells
    if pa.types.is_run_end_encoded(kind):
        return plain(pc.run_end_decode(cells))
    if pa.types.is_string_view(kind):
        return cells.cast(pa.large_string())
    if pa.types.is_binary_view(kind):
        return cells.cast(pa.large_binary())
    missing = cells.is_null()
    if pa.types.is_struct(kind):
        names = [field.name for field in kind]
        return pa.StructArray.from_arrays([plain(each) for each in cells.flatten()], names, mask=missing)
    items = decoded(plain(cells.flatten()))
    ends = np.cumsum(pc.fill_null(pc.list_value_length(cells), 0).to_numpy(zero_copy_only=False), dtype=np.int64)
    return pa.LargeListArray.from_arrays(pa.array(np.append(0, ends)), items, mask=missing)


def is_bytes(kind: pa.DataType) -> bool:
    return bool(pa.types.is_binary(kind) or pa.types.is_large_binary(kind) or pa.types.is_fixed_size_binary(kind))


def is_text(kind: pa.DataType) -> bool:
    return pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind)


def is_interval(kind: pa.DataType) -> bool:
    return isinstance(kind, WrittenIntervals) or getattr(kind, "extension_name", "") == "pandas.interval"


def is_time(kind: pa.DataType) -> bool:
    return pa.types.is_temporal(kind) or getattr(kind, "extension_name", "") == "pandas.period"


def _parsed(cells: pa.Array) -> NDArray[np.float64]:
    """Texts that are numbers; an empty one is missing, and so are the marks of files."""
    with suppress(UnicodeDecodeError):
        first = (cells[0].as_py() or "").strip() if len(cells) else ""
        if first and not _is_number(first) and first not in MARKS:  # as in most text columns
            raise UnreadableError(0, NO_NUMBER.format(quoted(first)))
    try:
        trimmed = pc.utf8_trim_whitespace(pc.cast(cells, pa.large_string()))
    except pa.ArrowInvalid as error:
        raise CellError(None, f"a text is not valid UTF-8: {error}.") from None
    present = pc.if_else(pc.equal(trimmed, ""), pa.scalar(None, pa.large_string()), trimmed)
    try:
        return np.asarray(pc.cast(present, pa.float64()).to_numpy(zero_copy_only=False))
    except pa.ArrowInvalid:
        marked = pc.is_in(present, pa.array(MARKS, pa.large_string()))
        if pc.any(marked).as_py():
            return _parsed(pc.if_else(marked, pa.scalar(None, pa.large_string()), present))
        half = len(present) // 2  # bisects: going through all cells takes long
        if not half:
            raise UnreadableError(0, NO_NUMBER.format(quoted(present[0].as_py()))) from None
        _parsed(present[:half])
        try:
            _parsed(present[half:])
        except UnreadableError as error:
            raise UnreadableError(half + (error.row or 0), error.reason) from None
        raise


def _is_number(text: str) -> bool:
    try:
        if "nan" not in text.lower():
            float(text)  # Arrow accepts no more than Python, and is slower to refuse
        pc.cast(pa.array([text]), pa.float64())
    except ValueError:
        return False
    return True


def _refuse_temporal(kind: pa.DataType) -> None:
    if is_time(kind):
        raise CellError(
            None,
            f"cells of type {kind} are times, which no family counts. Convert them to a number (days since "
            "some date) or a category (weekday, month), or leave the column out of the schema.",
        )


def by_level(cells: pa.Array) -> pa.Array:
    """Strings as a dictionary array; unchanged if too many are distinct.

    >>> by_level(pa.array(["rain", "sun", None, "rain"])).indices.to_pylist()
    [0, 1, None, 0]
    """
    if not (pa.types.is_string(cells.type) or pa.types.is_large_string(cells.type)):
        return cells
    index = kernels.StringIndex()
    codes: Any = index.encode_bytes(*string_buffers(cells))
    for some in (cells[:SOME], cells) if codes is None else ():
        codes = index.encode(*string_buffers(some), True)
        if len(index) > SHORT:
            return cells
    words = index_strings(index)
    try:
        words.validate(full=True)
    except pa.ArrowInvalid:  # not UTF-8, an error when they are counted
        return cells
    indices = pa.array(codes, mask=codes < 0 if cells.null_count else None)
    return pa.DictionaryArray.from_arrays(indices, words, safe=False)  # each is the index of a word
