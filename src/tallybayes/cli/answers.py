"""Answers as rows: CSV, JSON lines, Parquet or a readable table; to standard output, or to a file, atomically."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, BinaryIO

import pyarrow as pa
import pyarrow.compute as pc

from tallybayes.cli.options import AnswerFormat
from tallybayes.cli.terminal import is_terminal
from tallybayes.files.replacing import replacing
from tallybayes.report.characters import clean, padded, width
from tallybayes.report.plain import plain
from tallybayes.report.separated import csv_of, in_cells

Write = Callable[[pa.RecordBatch], None]

NUMBERS = (pa.float64(), pa.float32(), pa.int64(), pa.int32())
SOME = 10_000  # rows converted to JSON at a time
LOOKED_AT = 1000  # rows that set the widths of a table
WIDEST = 60  # characters of a cell in a table


@contextmanager
def answers(path: str | None, form: AnswerFormat, keep_formulas: bool = False) -> Iterator[Write]:
    """Writes answers batch by batch. A file appears only when it is complete."""
    if path is not None and path != "-":
        with replacing(path) as file, _writing(file, form, keep_formulas, shown=False) as write:
            yield write
        return
    shown = is_terminal(sys.stdout)
    if shown and form == "parquet":
        raise ValueError("Parquet cannot be shown in a terminal: give --output, or redirect it to a file or a pipe.")
    with _writing(sys.stdout.buffer, form, keep_formulas, shown) as write:
        yield write
        sys.stdout.buffer.flush()


@contextmanager
def _writing(file: BinaryIO, form: AnswerFormat, keep_formulas: bool, shown: bool) -> Iterator[Write]:
    if form == "parquet":
        with _parquet(file) as write:
            yield write
        return
    started = False

    def text(batch: pa.RecordBatch) -> None:
        nonlocal started
        if form == "jsonl":
            _json_lines(batch, file, shown)
        elif form == "csv":
            file.write(csv_of(in_cells(batch, shown), not started, keep_formulas))
        else:
            table(in_cells(batch, cleaned=True))
        started = True
        file.flush()

    table = _Table(file)
    yield text


def _json_lines(batch: pa.RecordBatch, file: BinaryIO, cleaned: bool) -> None:
    names = [_json(name).replace("%", "%%") for name in batch.schema.names]
    line = "{" + ", ".join(f"{name}: %s" for name in names) + "}"
    for start in range(0, len(batch), SOME):
        columns = map(_as_json, batch.slice(start, SOME).columns)
        lines = map(line.__mod__, zip(*columns, strict=True))
        text = "".join((clean(line) if cleaned else line) + "\n" for line in lines)
        file.write(text.encode("utf-8", "backslashreplace"))


def _as_json(cells: pa.Array) -> list[str]:
    """Every cell as JSON: numbers as Arrow writes them, other values converted once each."""
    if cells.type in NUMBERS and pc.all(pc.is_finite(cells)).as_py():
        return cells.cast(pa.string()).fill_null("null").to_pylist()
    if pa.types.is_nested(cells.type) or isinstance(cells.type, pa.BaseExtensionType):
        return [_json(value) for value in cells.to_pylist()]
    coded = cells.dictionary_encode()
    written = [_json(value) for value in coded.dictionary.to_pylist()]
    return ["null" if code is None else written[code] for code in coded.indices.to_pylist()]


def _json(value: Any) -> str:
    return json.dumps(plain(value), ensure_ascii=False)


@contextmanager
def _parquet(file: BinaryIO) -> Iterator[Write]:
    import pyarrow.parquet

    writer: pyarrow.parquet.ParquetWriter | None = None

    def write(batch: pa.RecordBatch) -> None:
        nonlocal writer
        writer = writer or pyarrow.parquet.ParquetWriter(file, batch.schema)
        writer.write_batch(batch)

    yield write
    if writer is not None:
        writer.close()


class _Table:
    """Aligned columns, as wide as the first rows need."""

    def __init__(self, file: BinaryIO) -> None:
        self.file = file
        self.widths: list[int] = []

    def __call__(self, batch: pa.RecordBatch) -> None:
        columns = [[_shown(value) for value in column.to_pylist()] for column in batch.columns]
        right = [not pa.types.is_string(column.type) for column in batch.columns]
        lines = list(zip(*columns, strict=True))
        if not self.widths:
            names = [_shown(name) for name in batch.schema.names]
            self.widths = [
                max(map(width, [name, *column[:LOOKED_AT]])) for name, column in zip(names, columns, strict=True)
            ]
            lines.insert(0, tuple(names))
        self.file.write("".join(self._line(line, right) for line in lines).encode())

    def _line(self, cells: Sequence[str], right: Sequence[bool]) -> str:
        return "  ".join(map(padded, cells, self.widths, right)).rstrip() + "\n"


def _shown(value: Any) -> str:
    text = "" if value is None else f"{value:.4g}" if isinstance(value, float) else str(value)
    return text if len(text) <= WIDEST else text[: WIDEST - 1] + "…"
