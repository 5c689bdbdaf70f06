"""Lists of words, i.e. tokenised texts, which are kept as lists."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tallybayes.data import frames
from tallybayes.sources.base import ColumnTypes

WORDS = pa.large_list(pa.large_string())


def as_found(types: ColumnTypes, found: ColumnTypes) -> ColumnTypes:
    """The wanted types, with lists of words in place of texts where the data has them."""
    return {name: WORDS if kind == pa.string() and _is_words(found[name]) else kind for name, kind in types.items()}


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
