"""Columns by name: checks that the wanted ones exist, and makes batches of them."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence

import pyarrow as pa

from tallybayes.data.naming import hint, those_there
from tallybayes.sources.base import SourceError
from tallybayes.sources.paths import quoted

WORDS = re.compile(r"\W+")


def check_wanted(file: str, names: Sequence[str], wanted: Iterable[str] | None, optional: Collection[str] = ()) -> None:
    """Raises an error if one of the wanted columns does not exist. Optional ones may be absent, but not all of them."""
    there = set(names)
    allowed = () if there.isdisjoint(optional) else optional
    for name in wanted or ():
        if name not in there and name not in allowed:
            raise SourceError(
                f"{file} has no column {quoted(name)}; it has {those_there(names)}.{hint(name, names)}"
                f"{_about_header(names, name)}"
            )


def _about_header(names: Sequence[str], wanted: str) -> str:
    """Advice if the only column is named by several words, of which this is one, or if a comment names the columns."""
    if len(names) == 1 and wanted in WORDS.split(names[0]):
        return " If these are several columns, give --delimiter."
    return " If its first line is a comment, remove it." if names and names[0].startswith("#") else ""


def check_unique(file: str, names: Sequence[str]) -> None:
    places: dict[str, int] = {}
    for place, name in enumerate(names, 1):
        if name in places:
            raise SourceError(
                f"{file} has two columns called {quoted(name)}, number {places[name]} and number {place}. Rename one."
            )
        places[name] = place


def batch_of(columns: Mapping[str, pa.Array], rows: int) -> pa.RecordBatch:
    """A batch of `rows` rows, even without columns."""
    if not columns:
        return pa.RecordBatch.from_struct_array(pa.StructArray.from_buffers(pa.struct([]), rows, [None]))
    return pa.RecordBatch.from_arrays(list(columns.values()), names=list(columns))


def one_batch(table: pa.Table) -> pa.RecordBatch:
    """A table as a single batch."""
    found = table.to_batches()
    if len(found) > 1:
        found = table.combine_chunks().to_batches()
    return found[0] if found else empty_batch(table.schema)


def empty_batch(schema: pa.Schema) -> pa.RecordBatch:
    return pa.RecordBatch.from_arrays([pa.array([], kind) for kind in schema.types], schema=schema)
