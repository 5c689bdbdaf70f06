"""One safe, canonical model file: equal models are equal bytes, and nothing in a file is ever executed.

`model_file` saves and loads, `row_counts` writes the counts of one row, `tensors` turns a text and the arrays of
tallies into bytes, and `replacing` replaces a file atomically, under a lock. Leans on `model`.
"""

from tallybayes.files.model_file import (
    changing,
    counts_digest,
    digest,
    from_bytes,
    is_model,
    load,
    load_version,
    save,
    to_bytes,
)
from tallybayes.files.row_counts import RowCounts
from tallybayes.files.tensors import FileError

__all__ = [
    "FileError",
    "RowCounts",
    "changing",
    "counts_digest",
    "digest",
    "from_bytes",
    "is_model",
    "load",
    "load_version",
    "save",
    "to_bytes",
]
