"""Plain text: every line is a row of one column."""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa

from tallybayes.data.naming import those_there
from tallybayes.sources.base import BadRow, BadRows, Chunk, ColumnTypes, Reader, SourceError, report
from tallybayes.sources.bytes_in import Input
from tallybayes.sources.faults import SKIP
from tallybayes.sources.paths import quoted
from tallybayes.sources.read_options import ReadOptions
from tallybayes.sources.text import ENCODING, TextBlock, open_text, read_blocks

COLUMN = "text"


class Lines(Reader):
    def __init__(self, source: Input, reading: ReadOptions) -> None:
        open_text(source, reading)
        if not source.stream.look():
            raise SourceError(f"{source.name} is empty.")
        if reading.names is not None and len(reading.names) != 1:
            raise SourceError(
                f"{source.name} is read as lines, which are one column; names: {those_there(reading.names)}."
            )
        self.names = list(reading.names or [COLUMN])
        self.total = source.total
        self.file = source.name
        self._blocks = read_blocks(source, reading.block_bytes)

    def chunks(self) -> Iterator[Chunk]:
        for block in self._blocks:
            yield LinesChunk(self.file, self.names, block)


class LinesChunk(Chunk):
    def __init__(self, file: str, names: list[str], block: TextBlock) -> None:
        self.size = block.size
        self._file = file
        self.names = names
        self._block = block

    def read(self, types: ColumnTypes | None, bad: BadRows | None) -> pa.RecordBatch:
        self._kept = None
        lines = self._block.data.to_pybytes().splitlines()
        try:
            cells = pa.array(lines, pa.string())
        except pa.ArrowInvalid:
            cells = pa.array(self._readable(lines, bad), pa.string())
        return pa.RecordBatch.from_arrays([cells], names=self.names)

    def _place(self, row: int) -> str:
        return f"{self._file}, line {self._block.line + row}"

    def _readable(self, lines: list[bytes], bad: BadRows | None) -> list[str]:
        found, kept = [], []
        for row, line in enumerate(lines):
            try:
                found.append(line.decode("utf-8"))
                kept.append(row)
            except UnicodeDecodeError:
                reason = f"{quoted(line)} is not UTF-8. {ENCODING}, {SKIP}."
                report([BadRow(self._place(row), reason)], bad)
        self._kept = kept
        return found
