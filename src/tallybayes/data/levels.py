"""Dictionary-encoding of strings with few distinct values, for counting and sampling levels."""

from __future__ import annotations

import pyarrow as pa

from tallybayes import kernels
from tallybayes.kernels.strings import string_buffers

SHORT = 1024  # entries: a longer dictionary would cost more per block than it saves
SOME = 1 << 14  # cells that are checked first for having more levels than this


def by_level(cells: pa.Array) -> pa.Array:
    """Strings as a dictionary array; unchanged if too many are distinct.

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
    except pa.ArrowInvalid:  # not UTF-8, an error when they are counted
        return cells
    indices = pa.array(codes, mask=codes < 0 if cells.null_count else None)
    return pa.DictionaryArray.from_arrays(indices, words, safe=False)  # each is the index of a word
