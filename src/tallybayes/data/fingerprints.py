"""A hash for every row, equal for equal rows in any order and on any machine, to choose samples."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from contextlib import suppress
from itertools import groupby
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from tallybayes import kernels
from tallybayes.data import frames
from tallybayes.data.cells import CODES
from tallybayes.data.errors import CellError
from tallybayes.kernels.strings import string_buffers

Marks = NDArray[np.uint64]
Numbers = NDArray[np.float64]

Column = Numbers | tuple[NDArray[Any], Numbers]  # numbers, or codes and the number of each

NUMERIC = (pa.types.is_integer, pa.types.is_floating, pa.types.is_decimal, pa.types.is_boolean, pa.types.is_null)
FALSE_TRUE = np.array([0.0, 1.0])  # the numbers that booleans are
BLOCK = 1 << 16  # rows that are converted to numbers at a time
SPARE = np.uint64(11)  # bits of a mark beyond those that a double holds
LARGE = 2.0**53  # doubles represent larger integers with gaps


def fingerprints(
    cells: pa.RecordBatch, columns: Iterable[str], marks: Marks | None = None, numeric: Collection[str] = ()
) -> Marks:
    """The fingerprint of every row, over those of these columns that are present, in any order; written to `marks`, if
    they are given, which are zeros. Texts in `numeric` columns are the numbers they stand for."""
    names = sorted(set(columns).intersection(cells.schema.names))
    marks = np.zeros(cells.num_rows, np.uint64) if marks is None else marks
    given_columns = (_parsed(frames.column(cells, name), name in numeric) for name in names)
    for ready, some in groupby(given_columns, key=_is_ready):
        given, step = list(some), max(len(marks), 1) if ready else BLOCK
        for start in range(0, len(marks), step):
            part = marks[start : start + step]
            kernels.mix_columns([each for one in given for each in _columns(one.slice(start, len(part)))], part)
    return marks


def _parsed(cells: pa.Array, numeric: bool) -> pa.Array:
    """The cells of a column; as numbers, if they are texts of numbers."""
    if numeric and frames.is_text(frames.value_type(cells.type)):
        with suppress(CellError):  # which whoever counts them will raise with its row
            return pa.array(frames.numbers(cells))
    return cells


def _is_ready(cells: pa.Array) -> bool:
    """Whether kernels take these cells as they are."""
    kind = cells.type
    plain = pa.types.is_float64(kind) or (pa.types.is_dictionary(kind) and cells.indices.type in CODES)
    return plain and not cells.null_count


def _columns(cells: pa.Array) -> Iterator[Column]:
    """The columns of numbers that stand for some cells: of records, one for each field."""
    kind = cells.type
    if pa.types.is_struct(kind):
        for child in cells.flatten():
            yield from _columns(child)
    elif pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind):
        yield _of_lists(cells)
    elif pa.types.is_boolean(kind):
        yield _codes(cells.cast(pa.int8())), FALSE_TRUE
    elif pa.types.is_dictionary(kind):
        indices = cells.indices
        yield _codes(indices if indices.type in CODES else indices.cast(pa.int32())), _numbers(cells.dictionary)
    else:
        yield _numbers(cells)


def _codes(codes: pa.Array) -> NDArray[Any]:
    return (codes.fill_null(-1) if codes.null_count else codes).to_numpy()


def _numbers(cells: pa.Array) -> Numbers:
    """A number for each cell: its value, or a hash of its text, if that may say more than a double."""
    kind = cells.type
    if not any(is_such(kind) for is_such in NUMERIC):
        return _hashed(cells)
    numbers = np.ascontiguousarray(frames.numbers(cells), np.float64)
    if pa.types.is_decimal(kind) or (pa.types.is_integer(kind) and kind.bit_width == 64):
        large = np.flatnonzero(np.abs(numbers) >= LARGE)
        if len(large):
            numbers = numbers.copy()
            numbers[large] = _hashed(cells.take(pa.array(large)))
    return numbers


def _hashed(cells: pa.Array) -> Numbers:
    """A number for each text."""
    marks = np.zeros(len(cells), np.uint64)
    kernels.mix_strings(*string_buffers(_strings(cells)), marks)
    numbers = (marks >> SPARE).astype(np.float64)
    if cells.null_count:
        numbers[np.asarray(cells.is_null())] = np.nan
    return numbers


def _strings(cells: pa.Array) -> pa.Array:
    """Cells as texts, or as the bytes they are."""
    cells = frames.plain(cells)
    if pa.types.is_binary(cells.type) or pa.types.is_large_binary(cells.type):
        return cells
    if pa.types.is_temporal(cells.type):
        return cells.cast(pa.string())
    return frames.decoded(frames.texts(cells))


def _of_lists(cells: pa.Array) -> Numbers:
    """Each list by its items and their positions; a missing one is like an empty one."""
    values = cells.flatten()
    lengths = np.asarray(cells.value_lengths().fill_null(0), np.int64)
    ends = np.cumsum(lengths)
    marks = (np.arange(len(values)) - np.repeat(ends - lengths, lengths) + 1).astype(np.uint64)
    kernels.mix_columns(list(_columns(values)), marks)
    sums = np.append(np.uint64(0), np.cumsum(marks))  # wraps around, which is fine
    return ((sums[ends] - sums[ends - lengths]) >> SPARE).astype(np.float64)
