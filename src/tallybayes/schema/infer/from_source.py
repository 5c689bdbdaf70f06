"""A sample of a source, and the hints that the source itself gives, to infer a schema from."""

from __future__ import annotations

from collections.abc import Mapping

import pyarrow as pa

from tallybayes.data.row_source import RowSource
from tallybayes.families import Family
from tallybayes.schema.entries import Name, members, replaced
from tallybayes.schema.infer import FREE_TEXT
from tallybayes.schema.infer.nearly_numbers import read_marks


def sample_of(
    source: RowSource, label: str | None, hints: Mapping[Name, Family | None]
) -> tuple[pa.RecordBatch, dict[Name, Family | None]]:
    """Some rows, and the hints, including those of the source: which columns are free text, and which is not
    counted."""
    known: dict[Name, Family | None] = dict.fromkeys(source.texts, FREE_TEXT)
    if source.place is not None:
        known[source.place] = None
    known = replaced(known, hints)
    sample = source.sample()
    if source.untyped:
        sample = read_marks(source, sample, {label or "", *(column for name in known for column in members(name))})
    return sample, known
