"""Matches the data to the columns of a schema: by name, or as the only column.

`absent` is "error", or "missing": every cell of an absent column is missing, so it is not counted and is no evidence.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any

import pyarrow as pa

from tallybayes.data import frames
from tallybayes.data.cells import Cells
from tallybayes.data.inputs import is_column, series_row
from tallybayes.data.matrices import frame, is_matrix
from tallybayes.data.one_row import Row

ERROR, MISSING = "error", "missing"
ADVICE = "Rename the column, drop it from the schema, or treat it as missing with absent='missing'."


def named(data: Any, columns: Mapping[str, Any]) -> Any:
    """Bare texts, of which some may be missing, and matrices for a family of vectors are the cells of the only column;
    a pandas Series whose index names columns is a row. Anything else names its columns."""
    if type(data) is dict or not columns:
        return data
    if isinstance(data, (str, list, tuple)):
        kinds = {str} if isinstance(data, str) else {str if isinstance(text, str) else type(text) for text in data}
        alone = str in kinds and kinds <= {str, type(None)}
        if alone and len(columns) > 1:
            names = ", ".join(map(repr, columns))
            raise ValueError(f"Bare texts are given for the columns {names}. Give a dictionary of columns.")
        return dict.fromkeys(columns, data) if alone else data
    row = series_row(data, columns)
    if row is not None:
        return row
    if len(columns) == 1:
        ((name, family),) = columns.items()
        if is_column(data):
            return {name: data}
        if is_matrix(data):
            return frame(name, data) if family.takes_vectors else data
    return data


def check_absent(absent: Any) -> None:
    if absent not in (ERROR, MISSING):
        raise ValueError(f"absent={absent!r}: give {ERROR!r}, or {MISSING!r} to treat absent columns as missing.")


def completed(rows: Any, columns: Collection[str], absent: str) -> Any:
    """The same batch or row; if absent columns are "missing", with every cell of these missing. Data that has columns
    but none of these is always an error."""
    if absent == ERROR:
        return rows
    check_absent(absent)
    known = dict.fromkeys(rows if isinstance(rows, dict) else rows.schema.names)
    lacking = [name for name in columns if name not in known]
    if lacking and len(lacking) == len(columns) and not known.keys() <= {frames.NO_COLUMNS}:
        sought, has = (", ".join(map(repr, some)) for some in (columns, known))
        raise ValueError(f"The data has none of the columns {sought}; it has {has}. Rename its columns.")
    if isinstance(rows, dict):
        return rows | dict.fromkeys(lacking)
    nothing = [pa.nulls(rows.num_rows)] * len(lacking)
    return pa.RecordBatch.from_arrays([*rows.columns, *nothing], [*rows.schema.names, *lacking])


def matched(rows: pa.RecordBatch | Row, names: Iterable[str]) -> dict[str, Cells]:
    """The cells of these columns."""
    if isinstance(rows, dict):
        return {name: [rows[name]] if name in rows else frames.no_column(name, rows, ADVICE) for name in names}
    return frames.columns(rows, names, ADVICE)
