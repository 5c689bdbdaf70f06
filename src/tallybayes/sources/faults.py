"""Diagnosis of a CSV chunk that pyarrow cannot read: which rows are bad, in which column, and why."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterator
from functools import partial
from itertools import islice
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from tallybayes.data.cells import value_type
from tallybayes.data.row_source import MOST_MARKS
from tallybayes.data.written_numbers import unmarked, written_numbers
from tallybayes.sources.base import REMEMBERED, BadRow, ColumnTypes
from tallybayes.sources.convert import is_texts, unlike_numbers, unreadable
from tallybayes.sources.layout import Layout, RowPlaces
from tallybayes.sources.paths import quoted
from tallybayes.sources.read_options import ReadOptions
from tallybayes.sources.text import ENCODING, NO_QUOTES

Numbers = NDArray[np.int64]

SKIP = "or skip such rows with --skip-bad-rows"
QUOTES = f"or {NO_QUOTES}"
COMMA = "if numbers have a decimal comma, give --decimal ,; "


class Fault(NamedTuple):
    row: int
    column: str | None
    reason: str
    wrong_type: bool = True  # whether another type would take the cell

    def at(self, place: Callable[[int], str]) -> BadRow:
        """The row with its place."""
        column = "" if self.column is None else f", column {quoted(self.column)}"
        return BadRow(place(self.row) + column, self.reason, self.column if self.wrong_type else None)


class Faults(NamedTuple):
    """The rows at fault, in order, and the faults of the first of them: one each, of the first bad column."""

    rows: Any  # their numbers
    first: list[Fault]


def find_faults(layout: Layout, data: pa.Buffer, rows: RowPlaces, types: ColumnTypes | None, every: bool) -> Faults:
    """The faults of these rows. If not `every` row at fault is wanted, but only the first, this takes no longer for
    many than for one."""
    broken = np.zeros(len(rows.starts), bool)
    faults: dict[int, Fault] = {}
    for found, why in _of_rows(layout, data, rows):
        broken[found] = True
        faults |= {row: Fault(row, None, why(row)) for row in found[:REMEMBERED].tolist()}
    good = np.flatnonzero(~broken)
    wanted = dict.fromkeys(layout.names, pa.string()) if types is None else dict(types)
    raw = layout.read(join(data, rows, good), dict.fromkeys(wanted, pa.binary()))
    for name, kind in wanted.items():
        cells = raw.column(name)
        bad, marks = unreadable_cells(cells, *_reading_as(kind, layout.reading), every)
        broken[good[bad]] = True
        for at in bad[:REMEMBERED].tolist():
            row, reason = int(good[at]), _reason(cells[at].as_py(), name, kind, layout.reading.decimal, marks)
            faults.setdefault(row, Fault(row, name, reason, wrong_type=not is_texts(kind)))
    found = np.flatnonzero(broken)
    return Faults(found, [faults[row] for row in found[:REMEMBERED].tolist()])


def unreadable_cells(
    cells: pa.Array,
    read: Callable[[pa.Array], pa.Array],
    judge: Callable[[pa.Array], NDArray[np.bool_]],
    every: bool,
) -> tuple[Numbers, str]:
    """Which cells cannot be read, at least the first, and advice about them. Each text is tried once; those that
    `judge` knows to be hopeless are not tried."""
    texts = pc.unique(cells)
    found = unreadable(texts, read, judge(texts))
    some = texts.take(pa.array(found if every else islice(found, MOST_MARKS + 1), pa.int64()))
    bad = np.flatnonzero(pc.is_in(cells, some))
    return bad, _about_marks(some, len(bad), len(cells))


def join(data: pa.Buffer, rows: RowPlaces, chosen: Numbers) -> pa.Buffer:
    """The bytes of some of the rows, in order, at least a line break; neighbours are taken together."""
    starts, ends = rows.starts[chosen], rows.ends[chosen]
    apart = np.flatnonzero(starts[1:] != ends[:-1])
    view = memoryview(data)
    edges = zip(starts[np.append(0, apart + 1)], ends[np.append(apart, -1)], strict=True) if len(chosen) else ()
    return pa.py_buffer(b"".join([view[start:end] for start, end in edges]) or b"\n")


def _of_rows(layout: Layout, data: pa.Buffer, rows: RowPlaces) -> Iterator[tuple[Numbers, Callable[[int], str]]]:
    """Rows that are too short, too long, in which text follows a closing quote, or that never end; and why a row is
    wrong."""
    columns = len(layout.names)

    def lengths(row: int) -> str:
        cells = int(rows.cells[row])
        found = f"the row has {cells} cell{'s' * (cells != 1)}, but there are {columns} columns"
        if len(rows.cells) > 1 and (rows.cells == columns + 1).all():
            return (
                f"{found}, as in the rows around it. If rows begin with their names, as R writes them, the header "
                "must name that column, too."
            )
        return f"{found}. Quote cells that contain a {layout.delimiter!r}, {SKIP}."

    yield np.flatnonzero(rows.cells != columns), lengths
    if rows.open:
        last = np.array([len(rows.starts) - 1])
        yield last, lambda _: f"a quote is opened and never closed. Close it, {QUOTES}, {SKIP}."
    stray = np.unique(np.searchsorted(rows.starts, layout.stray(data), "right") - 1)
    yield stray, lambda _: f"text follows a closing quote. Double the quotes within a cell, {QUOTES}, {SKIP}."


def _reading_as(
    kind: pa.DataType, reading: ReadOptions
) -> tuple[Callable[[pa.Array], pa.Array], Callable[[pa.Array], NDArray[np.bool_]]]:
    """How to read cells of this type, and how to tell which of them are hopeless."""
    return partial(_cast, kind=kind, reading=reading), partial(_hopeless, kind=kind, reading=reading)


def _hopeless(texts: pa.Array, kind: pa.DataType, reading: ReadOptions) -> NDArray[np.bool_]:
    numeric = pa.types.is_floating(kind) or pa.types.is_integer(kind)
    try:
        readable, broken = pc.cast(texts, pa.string()), np.zeros(len(texts), bool)  # as in most columns
    except pa.ArrowInvalid:
        found = texts.to_pylist()
        broken = np.array([text is not None and not is_utf8(text) for text in found], bool)
        readable = pa.array([None if bad else text for bad, text in zip(broken, found, strict=True)], pa.string())
    return broken | unlike_numbers(unmarked(readable, reading), reading.decimal) if numeric else broken


def is_utf8(text: bytes) -> bool:
    try:
        str(text, "utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _cast(cells: pa.Array, kind: pa.DataType, reading: ReadOptions) -> pa.Array:
    kind = value_type(kind)
    texts = pc.cast(cells, pa.string())
    if kind == pa.string():
        return texts
    return written_numbers(texts, reading) if pa.types.is_floating(kind) else pc.cast(pc.ascii_trim(texts, " \t"), kind)


def _about_marks(found: pa.Array, bad: int, cells: int) -> str:
    """Advice if all cells are valid except for one or two texts, which may mark missing values."""
    if not 1 <= len(found) <= MOST_MARKS or 2 * bad > cells:
        return ""
    texts = [text.decode("utf-8", "replace") for text in found.to_pylist()]
    if not all(map(str.isprintable, texts)):
        return ""
    mean = f"{' and '.join(map(quoted, texts))} mark{'s' * (len(texts) == 1)}"
    often = f", as in {bad:,} of {cells:,} cells here" if bad > 1 else ""
    options = " ".join(f"--missing {shlex.quote(text)}" for text in texts)
    return f"if {mean} a missing value{often}, give {options}; "


def _reason(cell: bytes, name: str, kind: pa.DataType, decimal: str, marks: str) -> str:
    try:
        text = cell.decode("utf-8")
    except UnicodeDecodeError:
        return f"{quoted(cell)} is not UTF-8. {ENCODING}, {SKIP}."
    if pa.types.is_floating(kind):
        return not_a_number(text, name, COMMA if re.fullmatch(r"[+-]?[0-9]*,[0-9]+", text.strip()) else marks)
    if pa.types.is_integer(kind):
        return _not_whole(text, decimal)
    return f"{quoted(text)} is not of type {kind}. Correct it, {SKIP}."


def _not_whole(text: str, decimal: str) -> str:
    if pointed := re.fullmatch(rf"([+-]?[0-9]{{1,19}}){re.escape(decimal)}0*", text.strip()):
        without = f"whole numbers have none, like {int(pointed[1])}"
        return f"{quoted(text)} has a decimal point; {without}. Correct it, {SKIP}."
    return f"{quoted(text)} is not a whole number. Correct it, {SKIP}."


def not_a_number(text: str, name: str, marks: str = "") -> str:
    family = shlex.quote(f"{name}=Categorical()") if name.isprintable() else "…"
    advice = f"Correct it, {SKIP}; {marks}if the column holds categories, train with --column {family}."
    return f"{quoted(text)} is not a number. {advice}"
