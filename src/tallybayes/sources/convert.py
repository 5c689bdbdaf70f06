"""Typed cells converted to the wanted type. Lists of words, i.e. tokenised texts, are kept as lists."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from heapq import merge

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from tallybayes.data import frames
from tallybayes.data.errors import CellError
from tallybayes.data.marks import MARKS
from tallybayes.sources.base import ColumnTypes
from tallybayes.sources.paths import quoted

WORDS = pa.large_list(pa.large_string())
MIXED = pa.list_(pa.struct({"json": pa.string()}))  # lists and objects that have no common type, which no family counts
RARE = 20  # of so many values, one may be a list or an object without making the column mixed: it is a bad row


def converted(cells: pa.Array, kind: pa.DataType) -> pa.Array:
    """Cells as this type; texts may come as a dictionary array. A `CellError` if they cannot be converted."""
    if kind == WORDS:
        return words(cells)
    if cells.type == kind:
        return cells
    if is_texts(kind):
        return frames.texts(cells)
    if pa.types.is_float64(kind):
        if pa.types.is_floating(cells.type) or pa.types.is_integer(cells.type):
            return pc.cast(cells, kind, safe=False)
        return pa.array(frames.numbers(cells), from_pandas=True)
    plain = frames.decoded(cells)
    try:
        return pc.cast(plain, kind)
    except pa.ArrowException:
        bad = next(unreadable(plain, lambda some: pc.cast(some, kind)), None)
        shown = "these cells are" if bad is None else f"{quoted(str(plain[bad].as_py()))} is"
        raise CellError(bad, f"{shown} not of type {kind}, but of type {plain.type}.") from None


def is_texts(kind: pa.DataType) -> bool:
    """Whether cells of this type are texts, plain or dictionary-encoded."""
    return frames.is_text(frames.value_type(kind))


def like_number(decimal: str = ".") -> str:
    """A pattern for all texts that may be read as a number, or as the mark of a missing one, and few others."""
    point = re.escape(decimal)
    digits = rf"([0-9]+({point})?[0-9]*|{point}[0-9]+)([eE][+-]?[0-9]+)?"
    marks = "|".join(map(re.escape, MARKS))
    return rf"^\s*([+-]?({digits}|(?i:inf|infinity|nan|nan\(.*\)))|0[xX][0-9a-fA-F]+|{marks})\s*$"


def unlike_numbers(texts: pa.Array, decimal: str = ".") -> NDArray[np.bool_]:
    """Which texts, or their bytes, are certainly neither numbers nor marks of missing ones, so that none of them needs
    to be tried."""
    return ~np.asarray(pc.fill_null(pc.match_substring_regex(texts, like_number(decimal)), True))


def unreadable(
    cells: pa.Array, read: Callable[[pa.Array], object], hopeless: NDArray[np.bool_] | None = None
) -> Iterator[int]:
    """Which cells cannot be read: those known to be `hopeless`, which may be many, and others found by bisection, since
    they are usually few."""
    if hopeless is None or not hopeless.any():
        yield from _bisected(cells, read)
    else:
        others = np.flatnonzero(~hopeless)
        found = (int(others[at]) for at in _bisected(cells.take(pa.array(others)), read))
        yield from merge(np.flatnonzero(hopeless).tolist(), found)


def _bisected(cells: pa.Array, read: Callable[[pa.Array], object]) -> Iterator[int]:
    pieces = [(0, len(cells))]
    while pieces:
        start, stop = pieces.pop()
        try:
            if start < stop:
                read(cells[start:stop])
        except (pa.ArrowException, CellError):
            if stop - start == 1:
                yield start
            else:
                middle = (start + stop) // 2
                pieces += [(middle, stop), (start, middle)]


def as_found(types: ColumnTypes, found: ColumnTypes) -> ColumnTypes:
    """The wanted types, with lists of words in place of texts where the data has them."""
    lists = {name for name, kind in found.items() if _is_words(kind)}
    return {name: WORDS if kind == pa.string() and name in lists else kind for name, kind in types.items()}


def words(cells: pa.Array) -> pa.Array:
    """Lists of words, without missing ones."""
    lists = cells.cast(WORDS)
    known = lists.flatten().is_valid()
    if pc.all(known, min_count=0).as_py():
        return lists
    lengths = np.bincount(pc.list_parent_indices(lists).filter(known), minlength=len(lists))
    offsets = pa.array(np.concatenate([[0], np.cumsum(lengths)]), pa.int64())
    return pa.LargeListArray.from_arrays(offsets, lists.flatten().filter(known), mask=lists.is_null())


def _is_words(kind: pa.DataType) -> bool:
    """Whether these are lists of texts, or lists whose type is unknown because all were empty."""
    if not pa.types.is_nested(kind) or not hasattr(kind, "value_type"):
        return False
    return frames.is_text(kind.value_type) or bool(pa.types.is_null(kind.value_type))
