"""What is given, matched to the columns of a schema: by their names, or as the only one there is.

`absent` is "error", or "missing": every cell of a column that is not there is missing, so that it is not counted and
says nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import pyarrow as pa

from tallybayes.data import frames
from tallybayes.data.inputs import is_column, series_row
from tallybayes.data.matrices import frame, is_matrix

ERROR, MISSING = "error", "missing"
ADVICE = "Rename the column, drop it from the schema, or have it taken as missing with absent='missing'."


def named(data: Any, columns: Mapping[str, Any]) -> Any:
    """Texts by themselves, and matrices for a family of vectors, are cells of the only column; a pandas Series whose
    index names columns is a row. Anything else has names of its own."""
    row = series_row(data)
    if row is not None and not row.keys().isdisjoint(columns):
        return row
    if len(columns) == 1:
        ((name, family),) = columns.items()
        if is_column(data):
            return {name: data}
        if is_matrix(data):
            return frame(name, data) if family.takes_vectors else data
    texts = [data] if isinstance(data, str) else data
    alone = isinstance(texts, (list, tuple)) and bool(texts) and all(isinstance(text, str) for text in texts)
    if not alone or not columns:
        return data
    if len(columns) > 1:
        names = ", ".join(map(repr, columns))
        raise ValueError(f"Texts by themselves were given for the columns {names}. Give a dictionary of columns.")
    return dict.fromkeys(columns, texts)


def check_absent(absent: Any) -> None:
    if absent not in (ERROR, MISSING):
        raise ValueError(f"absent={absent!r}: give {ERROR!r}, or {MISSING!r} to take absent columns as missing.")


def matched(batch: pa.RecordBatch, names: Iterable[str], absent: str = ERROR) -> dict[str, pa.Array]:
    """The cells of these columns. A batch that has columns but none of these is an error in any case."""
    if absent == ERROR:
        return frames.columns(batch, names, ADVICE)
    wanted, known = list(names), batch.schema.names
    if wanted and not set(known) <= {frames.NO_COLUMNS} and set(known).isdisjoint(wanted):
        sought, has = (", ".join(map(repr, some)) for some in (wanted, known))
        raise ValueError(f"The data has none of the columns {sought}; it has {has}. Rename its columns.")
    nothing = pa.nulls(batch.num_rows)
    return {name: frames.column(batch, name) if name in known else nothing for name in wanted}
