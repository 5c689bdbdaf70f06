"""Strings between Arrow and the kernels: columns as the buffers they are, and indexes of distinct strings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from tallybayes import kernels

Codes = NDArray[np.int32]
WITH_ZEROS = "^ *[+-]?0[0-9]"


def index_words(index: kernels.StringIndex, words: Sequence[str] | pa.Array, grow: bool = True) -> Codes:
    """The numbers of words, which are added to the index; without `grow`, negative for unknown ones."""
    return index.encode(*string_buffers(pa.array(words, pa.large_string())), grow)


def index_strings(index: kernels.StringIndex) -> pa.Array:
    ends, data = index.strings()
    return pa.LargeStringArray.from_buffers(len(index), pa.py_buffer(ends), pa.py_buffer(data))


def string_buffers(cells: pa.Array) -> tuple[Any, bool, Any, Any, int, int]:
    """A column of strings in the form that kernels take."""
    validity, offsets, data = cells.buffers()
    return (
        np.frombuffer(offsets, np.uint8) if offsets else np.zeros(0, np.uint8),
        pa.types.is_large_string(cells.type) or pa.types.is_large_binary(cells.type),
        np.frombuffer(data, np.uint8) if data else np.zeros(0, np.uint8),
        np.frombuffer(validity, np.uint8) if cells.null_count else None,
        cells.offset,
        len(cells),
    )


def has_codes(texts: pa.Array) -> bool:
    """Whether one of them is a code like 007, which would lose its zeros as a number."""
    return bool(pc.any(pc.match_substring_regex(texts, WITH_ZEROS)).as_py())


def is_writable(text: str) -> bool:
    """Whether a text can be written as UTF-8: it holds no lone surrogate."""
    try:
        return text.isascii() or bool(text.encode())
    except UnicodeEncodeError:
        return False
