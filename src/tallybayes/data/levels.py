"""Texts of which few differ, as numbers of these: what a column of levels is counted and sampled by."""

from __future__ import annotations

import pyarrow as pa

from tallybayes import kernels
from tallybayes.kernels.strings import string_buffers

SHORT = 1024  # a dictionary up to this long saves looking up every cell; a longer one would cost more for every block
SOME = 1 << 14  # cells from which one sees that there are more levels than these


def by_level(cells: pa.Array) -> pa.Array:
    """Texts as a dictionary; as they are, if too many differ.

    >>> by_level(pa.array(["rain", "sun", None, "rain"])).indices.to_pylist()
    [0, 1, None, 0]
    """
    if not (pa.types.is_string(cells.type) or pa.types.is_large_string(cells.type)):
        return cells
    index = kernels.StringIndex()
    for some in (cells[:SOME], cells):
        codes = index.encode(*string_buffers(some), True)
        if len(index) > SHORT:
            return cells
    ends, data = index.strings()
    words = pa.LargeStringArray.from_buffers(len(index), pa.py_buffer(ends), pa.py_buffer(data))
    try:
        words.validate(full=True)
    except pa.ArrowInvalid:  # not UTF-8, which whoever counts them will say
        return cells
    return pa.DictionaryArray.from_arrays(pa.array(codes, mask=codes < 0 if cells.null_count else None), words)
