"""JSON lines: one object per line, read by pyarrow, or line by line if that fails."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.json
from numpy.typing import NDArray

from tallybayes import kernels
from tallybayes.data.decimals import EXACT
from tallybayes.data.errors import CellError
from tallybayes.sources.base import BadRows, Chunk, ColumnTypes, Reader, SourceError, report
from tallybayes.sources.bytes_in import Input
from tallybayes.sources.columns import batch_of, one_batch
from tallybayes.sources.convert import as_found, converted, is_texts
from tallybayes.sources.json_rows import read_rows
from tallybayes.sources.read_options import ReadOptions
from tallybayes.sources.sampling import LEAST_ROWS, sampled_blocks
from tallybayes.sources.text import NO_DELIMITER, TextBlock, open_text, read_blocks

DEEPEST = 64  # nesting that pyarrow may see: it does not guard its stack
MOST_CELLS = 1 << 26  # of a block, missing ones among them


class JsonLines(Reader):
    """A file of objects. The columns are those of the first block and of the other blocks sampled; a field that a row
    lacks is missing."""

    def __init__(self, source: Input, reading: ReadOptions) -> None:
        open_text(source, reading)
        head = source.stream.look().lstrip()
        if head.startswith(b"["):
            raise SourceError(
                f"{source.name} is one JSON list, not one object per line. Convert it, for example with: jq -c '.[]'."
            )
        self.total = source.total
        self.file = source.name
        self._natural: dict[str, pa.DataType] = {}
        self._blocks = self._cut(read_blocks(source, reading.block_bytes))
        self._first: list[TextBlock] = []  # up to the first one with a row
        self._natural = self._typed(skipping=reading.skip_bad_rows)
        sampled = (next(_parts(block, _Shape.fitting(block.data))) for block in sampled_blocks(source, reading))
        self._sampled = [JsonChunk(self.file, self._natural, block) for block in sampled]
        for chunk in self._sampled:  # may have fields that the first rows lack
            self._natural |= {f.name: f.type for f in chunk.read(None, BadRows()).schema if f.name not in self._natural}
        self.names = list(self._natural)

    def _typed(self, skipping: bool) -> dict[str, pa.DataType]:
        """The fields of the first block that has a row. Of a pipe, the first block may be one line, and a bad one."""
        bad = BadRows()
        for block in self._blocks:
            self._first.append(block)
            typed = JsonChunk(self.file, {}, block).read(None, bad)
            if len(typed):
                return {field.name: field.type for field in typed.schema}
            if bad.first and not skipping:
                break
        raise bad.first[0].error() if bad.first else SourceError(f"{self.file} is empty.")

    def _cut(self, blocks: Iterator[TextBlock]) -> Iterator[TextBlock]:
        """The blocks in parts that fit into memory, if the first one, with all its fields, does not."""
        most = 0
        for block in blocks:
            most = most if self._natural else _Shape.fitting(block.data)
            yield from _parts(block, most)

    def chunks(self) -> Iterator[Chunk]:
        while self._first:
            yield JsonChunk(self.file, self._natural, self._first.pop(0))
        for block in self._blocks:
            yield JsonChunk(self.file, self._natural, block)

    def sampled(self) -> Iterator[Chunk]:
        return iter(self._sampled)


class _Shape(NamedTuple):
    depth: int
    names: int
    items: int
    lines: int

    @classmethod
    def of(cls, view: NDArray[np.uint8]) -> _Shape:
        return cls(*kernels.find_shape(view), 1 + max(int(np.count_nonzero(view == end)) for end in b"\r\n"))

    @classmethod
    def fitting(cls, data: pa.Buffer) -> int:
        """How many bytes fit into memory with all fields; 0 if all do, or so few rows that the names must be data."""
        view = np.frombuffer(data, np.uint8)
        shape, size = cls.of(view), len(view)
        if shape.cells <= MOST_CELLS or shape.names * LEAST_ROWS > MOST_CELLS:
            return 0
        while shape.cells > MOST_CELLS:
            size //= 2
            shape = cls.of(view[:size])
        return size

    @property
    def cells(self) -> int:
        return self.names * max(self.lines, self.items)


def _parts(block: TextBlock, most: int) -> Iterator[TextBlock]:
    """A block in parts of at most so many bytes, unless a line is longer; whole for 0."""
    view = np.frombuffer(block.data, np.uint8)
    start, line, size = 0, block.line, most or len(view)
    while len(view) - start > size:
        end, lines, _ = kernels.find_rows_end(view[start : start + size], NO_DELIMITER)
        if end:
            yield TextBlock(line, block.data.slice(start, end), 0)
            start, line = start + end, line + lines
        size = most if end else 2 * size
    yield TextBlock(line, block.data.slice(start), block.size, block.open)


class JsonChunk(Chunk):
    def __init__(self, file: str, natural: ColumnTypes, block: TextBlock) -> None:
        self.size = block.size
        self.names = None
        self._file = file
        self._natural = natural  # how pyarrow types the fields of the first block
        self._block = block

    def read(self, types: ColumnTypes | None, bad: BadRows | None) -> pa.RecordBatch:
        self._kept = None
        try:
            if types is None:
                return self._typed()
            types = as_found(types, self._natural)
            return _as_wanted(self._quickly(types), types)
        except (pa.ArrowException, CellError, UnicodeDecodeError):
            return self._carefully(types, bad)

    def where(self, row: int) -> str:
        if self._kept is None:
            lines = self._block.data.to_pybytes().splitlines()
            self._kept = [at for at, line in enumerate(lines) if line.strip()]
        return super().where(row)

    def _place(self, line: int) -> str:
        return f"{self._file}, line {self._block.line + line}"

    def _typed(self) -> pa.RecordBatch:
        """All fields, unless there are so many that their cells would not fit into memory."""
        view = np.frombuffer(self._block.data, np.uint8)
        shape = _Shape.of(view)
        if shape.cells > MOST_CELLS:
            found = f"{shape.lines:,} lines" if shape.lines > shape.items else f"{shape.items:,} items of lists"
            raise SourceError(
                f"{self._place(0)} and below: {shape.names:,} different fields in {found} are too many for columns. "
                'If their names are data, such as ids, make them values: {"id": "a1", "score": 5}.'
            )
        self._block.data.to_pybytes().decode("utf-8")  # nothing else checks the names
        if shape.depth > DEEPEST:
            raise pa.ArrowInvalid("nested too deeply")
        return self._quickly(None)

    def _quickly(self, types: ColumnTypes | None) -> pa.RecordBatch:
        data = self._block.data
        view = np.frombuffer(data, np.uint8)
        objects = kernels.count_objects(view)
        if objects < 0:  # for null, pyarrow makes a row or crashes
            raise pa.ArrowInvalid("not an object a line")
        batch = one_batch(
            pyarrow.json.read_json(
                pa.BufferReader(data),
                read_options=pyarrow.json.ReadOptions(use_threads=False, block_size=data.size + 1),
                parse_options=pyarrow.json.ParseOptions(
                    explicit_schema=None if types is None else self._explicit(types),
                    unexpected_field_behavior="infer" if types is None else "ignore",
                ),
            )
        )
        batch.validate(full=True)  # texts may be invalid UTF-8
        if len(batch) != objects:
            raise pa.ArrowInvalid("not an object a line")
        return batch

    def _explicit(self, types: ColumnTypes) -> pa.Schema:
        """The types of fields in the file, which may differ from those wanted."""
        fields = {}
        for name, kind in types.items():
            natural = self._natural.get(name, pa.null())
            fits = pa.types.is_null(natural) or pa.types.is_temporal(natural)
            fits = fits or (pa.types.is_float64(kind) and pa.types.is_integer(natural))
            fields[name] = kind if fits else natural
        return pa.schema(fields)

    def _carefully(self, types: ColumnTypes | None, bad: BadRows | None) -> pa.RecordBatch:
        """Line by line."""
        lines = self._block.data.to_pybytes().splitlines()
        batch, self._kept, faults = read_rows(lines, types, every=bad is not None)
        report([fault.at(self._place) for fault in faults.first], bad, len(faults.rows))
        return batch


def _as_wanted(batch: pa.RecordBatch, types: ColumnTypes) -> pa.RecordBatch:
    for name, kind in types.items():
        if is_texts(kind) and pa.types.is_float64(batch.column(name).type):
            _refuse_rounded(batch.column(name))
    return batch_of({name: converted(batch.column(name), kind) for name, kind in types.items()}, len(batch))


def _refuse_rounded(cells: pa.Array) -> None:
    """Next to a fraction, pyarrow makes whole numbers doubles, which would change the text of large ones as levels."""
    most = pc.max(pc.abs(cells)).as_py()
    if most is not None and most >= EXACT:
        raise CellError(None, "a whole number may have been rounded")
