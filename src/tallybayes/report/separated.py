"""Answers as CSV that is safe to open in a spreadsheet: possible formulas are prefixed with an apostrophe."""

from __future__ import annotations

import csv
import io
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from tallybayes.report.characters import clean
from tallybayes.report.plain import to_text

FORMULA = r"(?s)^[=+\-@\t\r＝＋－＠]."  # what a spreadsheet may take for a formula …
NUMBER = r"^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$"  # … unless it is a number


def csv_of(batch: pa.RecordBatch, header: bool, keep_formulas: bool = False) -> bytes:
    """The lines of a batch of simple cells, after a line of names if `header`."""
    import pyarrow.csv

    if not keep_formulas:
        names = pa.array(batch.schema.names, pa.string())
        columns = [_guarded(column) if pa.types.is_string(column.type) else column for column in batch.columns]
        batch = pa.RecordBatch.from_arrays(columns, names=_guarded(names).to_pylist())
    first = io.StringIO()
    if header:  # pyarrow would put every name in quotes
        csv.writer(first, lineterminator="\n").writerow(batch.schema.names)
    written = pa.BufferOutputStream()
    try:
        pyarrow.csv.write_csv(batch, written, pyarrow.csv.WriteOptions(include_header=False, quoting_style="none"))
    except pa.ArrowInvalid:  # some cell needs quotes; "needed" quotes every text
        written = pa.BufferOutputStream()
        pyarrow.csv.write_csv(batch, written, pyarrow.csv.WriteOptions(include_header=False, quoting_style="needed"))
    return first.getvalue().encode("utf-8", "backslashreplace") + written.getvalue().to_pybytes()


def _guarded(cells: pa.Array) -> pa.Array:
    """An apostrophe before what could be a formula."""
    risky = pc.and_not(pc.match_substring_regex(cells, FORMULA), pc.match_substring_regex(cells, NUMBER))
    return pc.if_else(risky, pc.binary_join_element_wise("'", cells, ""), cells)


def in_cells(batch: pa.RecordBatch, cleaned: bool = False) -> pa.RecordBatch:
    """A batch whose cells are numbers, booleans, times or texts."""

    def text(value: Any) -> str | None:
        found = None if value is None else to_text(value)
        return clean(found) if cleaned and found is not None else found

    def cells(column: pa.Array) -> pa.Array:
        if _is_simple(column.type) or (pa.types.is_string(column.type) and not cleaned):
            return column
        return pa.array([text(value) for value in column.to_pylist()], pa.string())

    names = [clean(name) if cleaned else name for name in batch.schema.names]
    return pa.RecordBatch.from_arrays(list(map(cells, batch.columns)), names=names)


def _is_simple(kind: pa.DataType) -> bool:
    if pa.types.is_duration(kind) or pa.types.is_interval(kind):  # Arrow writes a number without a unit, or nothing
        return False
    tests = (pa.types.is_integer, pa.types.is_floating, pa.types.is_boolean, pa.types.is_temporal, pa.types.is_decimal)
    return any(test(kind) for test in tests)
