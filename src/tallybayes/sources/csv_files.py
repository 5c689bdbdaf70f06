"""CSV and TSV: rows split by a kernel, cells read by pyarrow, and a slower way for chunks with bad rows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property

import numpy as np
import pyarrow as pa

from tallybayes.kernels.strings import has_codes
from tallybayes.sources.base import BadRows, Chunk, ColumnTypes, Reader, SourceError, report
from tallybayes.sources.bytes_in import Input
from tallybayes.sources.faults import find_faults, join
from tallybayes.sources.layout import DECLARED, Layout, RowPlaces, find_delimiter, read_header
from tallybayes.sources.paths import printable
from tallybayes.sources.read_options import ReadOptions
from tallybayes.sources.sampling import sampled_blocks
from tallybayes.sources.text import NO_DELIMITER, TextBlock, open_text, read_blocks


class Separated(Reader):
    """A file of rows of cells, the first of which are the names of the columns."""

    untyped = True

    def __init__(self, source: Input, reading: ReadOptions, kind: str) -> None:
        open_text(source, reading)
        declared = DECLARED.match(source.stream.look())
        if declared:
            source.skip(declared.end())
            reading = replace(reading, delimiter=reading.delimiter or declared[1].decode())
        delimiter = find_delimiter(source.stream.look(), kind, reading)
        self.file = source.name
        self.total = source.total
        self.missing = reading.missing
        self.missing_numbers = reading.missing_numbers
        self.decimal = reading.decimal
        self._source = source
        self._reading = reading
        self._quoting = ord(delimiter) if reading.quotes else NO_DELIMITER
        self._blocks = read_blocks(source, reading.block_bytes, self._quoting, 2 if declared else 1)
        self._first = next((block for block in self._blocks if block.data.to_pybytes().strip(b"\r\n")), None)
        if self._first is None:
            raise SourceError(f"{source.name} is empty.")
        self.names, self._start = read_header(source.name, self._first.data, delimiter, reading)
        self._layout = Layout(source.name, delimiter, self.names, reading)

    def chunks(self) -> Iterator[Chunk]:
        first = self._first
        assert first is not None
        lines = memoryview(first.data)[: self._start].tobytes()
        below = first.line + lines.count(b"\n") + lines.replace(b"\r\n", b"").count(b"\r")
        if self._start < first.data.size:
            yield SeparatedChunk(self._layout, first._replace(line=below, data=first.data.slice(self._start)))
        self._first = first = None
        for block in self._blocks:
            yield SeparatedChunk(self._layout, block)

    def sampled(self) -> Iterator[Chunk]:
        for block in sampled_blocks(self._source, self._reading, self._quoting):
            cells = self._layout.split(block.data).cells
            if (cells == len(self.names)).all():  # otherwise it began inside a cell
                yield SeparatedChunk(self._layout, block)


class SeparatedChunk(Chunk):
    def __init__(self, layout: Layout, block: TextBlock) -> None:
        self.size = block.size
        self.names = layout.names
        self._layout = layout
        self._block = block

    def read(self, types: ColumnTypes | None, bad: BadRows | None) -> pa.RecordBatch:
        self._kept = None
        if self._block.open or len(self._layout.stray(self._block.data)):
            return self._without_bad(types, bad)
        try:
            batch = self._layout.read(self._block.data, types)
        except pa.ArrowInvalid:
            return self._without_bad(types, bad)
        return batch if types is not None else self._typed(batch, bad)

    @cached_property
    def _rows(self) -> RowPlaces:
        return self._layout.split(self._block.data)

    def _place(self, row: int) -> str:
        return f"{self._layout.file}, line {self._block.line + int(self._rows.lines[row])}"

    def _without_bad(self, types: ColumnTypes | None, bad: BadRows | None) -> pa.RecordBatch:
        data, rows = self._block.data, self._rows
        faults = find_faults(self._layout, data, rows, types, every=bad is not None)
        report([fault.at(self._place) for fault in faults.first], bad, len(faults.rows))
        self._kept = kept = np.delete(np.arange(len(rows.starts)), faults.rows)
        try:
            return self._layout.read(join(data, rows, kept), types)
        except pa.ArrowInvalid as error:
            raise SourceError(f"{self._place(0)} or below: {printable(error)}.") from None

    def _typed(self, batch: pa.RecordBatch, bad: BadRows | None) -> pa.RecordBatch:
        """Columns as pyarrow types them, except for codes like 007; text must be UTF-8."""
        types = {field.name: field.type for field in batch.schema}
        if any(pa.types.is_binary(kind) for kind in types.values()):
            return self._without_bad(None, bad)
        numbers = {name: pa.string() for name, kind in types.items() if kind in (pa.int64(), pa.float64())}
        if not numbers or not len(batch):
            return batch
        texts = self._layout.read(self._block.data, numbers)
        codes = [name for name in numbers if has_codes(texts.column(name))]
        columns = {name: (texts if name in codes else batch).column(name) for name in types}
        return pa.RecordBatch.from_arrays(list(columns.values()), names=list(columns))
