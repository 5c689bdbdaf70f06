"""The layout of a CSV or TSV file: its delimiter, the names of its columns, and how its rows become a batch."""

from __future__ import annotations

import csv
import io
import re
from codecs import BOM_UTF8
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count, pairwise
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv
from numpy.typing import NDArray

from tallybayes import kernels
from tallybayes.data.errors import warn
from tallybayes.data.naming import those_there
from tallybayes.data.written_numbers import written_numbers
from tallybayes.sources.base import ColumnTypes, SourceError
from tallybayes.sources.columns import one_batch
from tallybayes.sources.paths import quoted
from tallybayes.sources.read_options import ReadOptions
from tallybayes.sources.text import ENCODING

DELIMITERS = ",;\t|"
BLANKS = " \t"
FEW = 10  # renamed columns in a message
ALONE = " "  # stands for a row of one blank cell, which is not an empty line
QUOTED = re.compile(r'"(?:[^"]|"")*+"?')
NUMBER = re.compile(r"[+-]?([0-9]+[.,]?[0-9]*|[.,][0-9]+)([eE][+-]?[0-9]+)?")
DECLARED = re.compile(rb'"?(?i:sep)=([\t !#-~])"?(\r\n|\r|\n)')  # a first line for spreadsheets, which is not data
NO_HEADER = "If its first row is data, it has no header: give --names a,b,c or --no-header."


class RowPlaces(NamedTuple):
    """The position, the line and the number of cells of each row."""

    starts: NDArray[np.int64]
    ends: NDArray[np.int64]
    lines: NDArray[np.int64]
    cells: NDArray[np.int32]
    open: bool  # whether the last one ends within quotes


@dataclass(frozen=True)
class Layout:
    file: str
    delimiter: str
    names: list[str]
    reading: ReadOptions

    def read(self, data: pa.Buffer, types: ColumnTypes | None) -> pa.RecordBatch:
        """Rows with blanks around cells stripped; raises pyarrow's errors."""
        trimmed = kernels.trim_cells(np.frombuffer(data, np.uint8), self.delimiter, self.reading.quotes)
        data = data if trimmed is None else pa.py_buffer(trimmed)
        missing = self.reading.missing
        try:
            return self._read(data, types, missing)
        except pa.ArrowInvalid:
            numbers = {name: kind for name, kind in (types or {}).items() if pa.types.is_floating(kind)}
            if types is None or not numbers:
                raise
        others = {name: kind for name, kind in types.items() if name not in numbers}
        found = [self._numbers(data, numbers), *([self._read(data, others, missing)] if others else [])]
        columns = {name: column for batch in found for name, column in zip(batch.schema.names, batch, strict=True)}
        return pa.RecordBatch.from_arrays([columns[name] for name in types], names=list(types))

    def _numbers(self, data: pa.Buffer, types: ColumnTypes) -> pa.RecordBatch:
        """Numeric columns in which some cells mark missing numbers."""
        reading = self.reading
        try:
            return self._read(data, types, (*reading.missing, *reading.missing_numbers))
        except pa.ArrowInvalid:  # which does not know blanks around a mark inside quotes
            texts = self._read(data, dict.fromkeys(types, pa.string()), reading.missing)
            cells = [pc.cast(written_numbers(texts.column(name), reading), kind) for name, kind in types.items()]
            return pa.RecordBatch.from_arrays(cells, names=list(types))

    def _read(self, data: pa.Buffer, types: ColumnTypes | None, missing: tuple[str, ...]) -> pa.RecordBatch:
        """Rows as pyarrow reads them; raises its errors."""
        if data[: len(BOM_UTF8)].to_pybytes() == BOM_UTF8:  # pyarrow would strip it from every block
            data = pa.py_buffer(BOM_UTF8 + data.to_pybytes())
        table = pyarrow.csv.read_csv(
            pa.BufferReader(data),
            read_options=pyarrow.csv.ReadOptions(
                use_threads=False, column_names=self.names, block_size=max(data.size, 1)
            ),
            parse_options=pyarrow.csv.ParseOptions(
                delimiter=self.delimiter,
                quote_char='"' if self.reading.quotes else False,
                newlines_in_values=self.reading.quotes,
            ),
            convert_options=pyarrow.csv.ConvertOptions(
                column_types=types,
                include_columns=None if types is None else list(types),
                null_values=[form for mark in missing for form in {mark, mark.strip(BLANKS), mark or ALONE}],
                strings_can_be_null=True,
                decimal_point=self.reading.decimal,
            ),
        )
        batch = one_batch(table)
        return batch if types is None else batch.select(list(types))  # pyarrow reads all columns if none are named

    def split(self, data: pa.Buffer) -> RowPlaces:
        return RowPlaces(*kernels.split_rows(np.frombuffer(data, np.uint8), ord(self.delimiter), self.reading.quotes))

    def stray(self, data: pa.Buffer) -> NDArray[np.int64]:
        """Where text follows a closing quote, which valid CSV never has."""
        if not self.reading.quotes:
            return np.array([], np.int64)
        return kernels.find_stray(np.frombuffer(data, np.uint8), self.delimiter)


def find_delimiter(head: bytes, kind: str, reading: ReadOptions) -> str:
    """The delimiter given, or the usual one that is most frequent in the first row."""
    if reading.delimiter is not None:
        return reading.delimiter
    if kind == "tsv":
        return "\t"
    text = head.decode("utf-8", "replace")
    first = (QUOTED.sub("", text) if reading.quotes else text).lstrip("\r\n")
    first = re.split("[\r\n]", first, maxsplit=1)[0]
    return max(DELIMITERS, key=first.count)


def read_header(file: str, data: pa.Buffer, delimiter: str, reading: ReadOptions) -> tuple[list[str], int]:
    """The names of the columns, and where the rows begin."""
    _, ends, _, cells, _ = kernels.split_rows(np.frombuffer(data, np.uint8), ord(delimiter), reading.quotes, 1)
    if not len(ends):
        raise SourceError(f"{file} is empty.")
    if reading.names is not None:
        if len(reading.names) != cells[0]:
            raise SourceError(
                f"{file} has {cells[0]} columns; --names gives {len(reading.names)}: {those_there(reading.names)}."
            )
        return list(reading.names), 0
    if not reading.header:
        return [f"column {place}" for place in range(1, int(cells[0]) + 1)], 0
    end = int(ends[0])
    try:
        text = data[:end].to_pybytes().decode("utf-8")
        rows = csv.reader(
            io.StringIO(text, newline=""),
            delimiter=delimiter,
            quoting=csv.QUOTE_MINIMAL if reading.quotes else csv.QUOTE_NONE,
            skipinitialspace=True,
        )
        first = next(row for row in rows if row)
    except UnicodeDecodeError as error:
        raise SourceError(f"{file}, line 1: the names of the columns are not UTF-8 ({error}). {ENCODING}.") from None
    except csv.Error as error:
        raise SourceError(f"{file}, line 1: the names of the columns cannot be read: {error}.") from None
    return settle_names(file, first), end


def settle_names(file: str, first: Sequence[str]) -> list[str]:
    """The cells of the first row as names. A duplicate gets a number, with a warning; a duplicate number is an error,
    since it is not a name."""
    names = [name.strip() or f"column {place}" for place, name in enumerate(first, 1)]
    numbers = [name for name in names if NUMBER.fullmatch(name)]
    for name, times in Counter(numbers).items():
        if times > 1:
            raise SourceError(f"{file} has {times} columns called {quoted(name)}. {NO_HEADER}")
    distinct = _told_apart(names)
    changed = [pair for pair in zip(names, distinct, strict=True) if pair[0] != pair[1]]
    if changed:
        listed = "; ".join(f"{quoted(old)} → {quoted(new)}" for old, new in changed[:FEW])
        more = f"; and {len(changed) - FEW:,} more" if len(changed) > FEW else ""
        warn(f"{file} has columns of the same name; the later ones are renamed: {listed}{more}.")
    if 2 * len(numbers) > len(names) and not _counts_up(numbers):
        warn(f"{file} has columns whose names are numbers: {those_there(numbers)}. {NO_HEADER}")
    return distinct


def _told_apart(names: Sequence[str]) -> list[str]:
    """Duplicate names with a number appended.

    >>> _told_apart(["x", "x", "x.2", "x"])
    ['x', 'x.3', 'x.2', 'x.4']
    """
    taken, found = set(names), list[str]()
    endings: dict[str, count[int]] = {}
    for name in names:
        new = name
        if name in endings:
            new = next(other for number in endings[name] if (other := f"{name}.{number}") not in taken)
        endings.setdefault(name, count(2))
        taken.add(new)
        found.append(new)
    return found


def _counts_up(numbers: Sequence[str]) -> bool:
    """Whether these number the columns, or are years."""
    return all(name.isdecimal() for name in numbers) and all(int(b) == int(a) + 1 for a, b in pairwise(numbers))
