"""A sample of rows from all over a file, since the first ones need not be like the others."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import closing, suppress
from itertools import count

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tallybayes import kernels
from tallybayes.data import frames
from tallybayes.sources.base import BadRows, Chunk, ColumnTypes, SourceError
from tallybayes.sources.bytes_in import Input
from tallybayes.sources.columns import batch_of, one_batch
from tallybayes.sources.convert import MIXED, RARE
from tallybayes.sources.read_options import ReadOptions
from tallybayes.sources.text import NO_DELIMITER, TextBlock, is_plain, open_text

PLACES = 15  # besides the beginning
MOST_PLACES = 20  # of a text, and more than half as many if it is long
PIECE = 1 << 18  # bytes that are read at each
LEAST_ROWS = 10_000  # of the first block, however few there are elsewhere


def places(given: int, count: int) -> list[int]:
    """Which of `count` parts to sample, at equal distances, besides the first ones, which were read already.

    >>> places(2, 5), places(1, 1), len(places(1, 1000))
    ([2, 3, 4], [], 15)
    """
    return np.linspace(given, count - 1, min(max(count - given, 0), PLACES)).astype(int).tolist()


def sampled_blocks(source: Input, reading: ReadOptions, delimiter: int = NO_DELIMITER) -> Iterator[TextBlock]:
    """Whole rows from several places of a text beyond its first block, if it can be read twice: the same rows however
    it is packed. If quotes may contain line breaks, a piece that begins inside a cell may look like rows: the caller
    must check."""
    if source.total is None:
        return
    for data in (_sought if is_plain(source) else _streamed)(source, reading):
        start = data.find(b"\n") + 1
        end, _, _ = kernels.find_rows_end(np.frombuffer(data, np.uint8)[start:], delimiter)
        if start and end:
            yield TextBlock(0, pa.py_buffer(data[start : start + end]), 0)


def _sought(source: Input, reading: ReadOptions) -> Iterator[bytes]:
    """Pieces at equal distances, a power of two, so that they can be found without knowing the length."""
    assert source.total is not None
    first, step = source.start + reading.block_bytes, PIECE
    while source.total - first > MOST_PLACES * step:
        step *= 2
    for offset in range(first, source.total, step):
        yield os.pread(source.stored.fileno(), PIECE, offset)  # leaves the reading position unchanged


def _streamed(source: Input, reading: ReadOptions) -> Iterator[bytes]:
    """The same pieces of a text that is compressed or in another encoding, and must be read from its beginning."""
    pieces: list[bytes] = []
    step, piece = 1, bytearray(PIECE)
    with closing(source.again(reading)) as text:
        open_text(text, reading)
        text.skip(source.start - text.start)
        text.fill(memoryview(bytearray(reading.block_bytes)))
        for number in count():
            got = text.fill(memoryview(piece))
            if not got:
                break
            if number % step == 0:
                pieces.append(bytes(piece[:got]))
            if len(pieces) > MOST_PLACES:
                pieces, step = pieces[::2], 2 * step
    yield from pieces


def joined(names: Sequence[str], first: Chunk, others: Iterable[Chunk], bad: BadRows) -> pa.RecordBatch:
    """Rows of the first chunk, about as many as of each other but not too few, every column typed by the contents of
    all of them. Bad rows and unreadable chunks are left out: they raise errors when they are counted."""
    chunks, batches = [first], [first.read(None, bad)]
    for chunk in others:
        with suppress(SourceError):
            batches.append(chunk.read(None, bad))
            chunks.append(chunk)
    if len(chunks) == 1:
        return batches[0]
    found = [(dict(zip(batch.schema.names, batch.schema.types, strict=True)), len(batch)) for batch in batches]
    types = {name: _common([(kinds[name], rows) for kinds, rows in found if name in kinds]) for name in names}
    alike = [_as(types, chunk, batch) for chunk, batch in zip(chunks, batches, strict=True)]
    enough = max(sum(map(len, alike[1:])) // len(alike[1:]), LEAST_ROWS)
    alike[0] = alike[0].take(pa.array(np.arange(0, len(alike[0]), -(-len(alike[0]) // enough) or 1)))
    table = pa.concat_tables(map(pa.Table.from_batches, ([batch] for batch in alike)), promote_options="permissive")
    return one_batch(table)


def as_texts(sample: pa.RecordBatch, columns: Collection[str]) -> pa.RecordBatch:
    """The sample with texts in these columns, whatever it has there."""
    for at, name in enumerate(sample.schema.names):
        if name in columns:
            sample = sample.set_column(at, name, frames.texts(sample.column(at)).cast(pa.string()))
    return sample


def _as(types: ColumnTypes, chunk: Chunk, batch: pa.RecordBatch) -> pa.RecordBatch:
    """The rows of a chunk with these column types, read again if they were typed differently. Cells of columns that are
    mixed, which are left out, do not matter."""
    mixed = [name for name, kind in types.items() if kind == MIXED]
    if mixed:
        others = {name: kind for name, kind in types.items() if kind != MIXED}
        found = _as(others, chunk, batch.select([name for name in batch.schema.names if name not in mixed]))
        cells = pa.array([[{"json": ""}]] * len(found), MIXED)
        return batch_of({name: cells if name in mixed else found.column(name) for name in types}, len(found))
    same = batch.schema.names == list(types) and all(
        pa.types.is_null(found) or found == kind or (_is_number(found) and _is_number(kind))
        for found, kind in zip(batch.schema.types, types.values(), strict=True)
    )
    there = chunk.those_of(types)
    found = batch if same else chunk.read(there, BadRows())
    cells = {name: _as_type(found.column(name), kind) for name, kind in there.items()}
    return batch_of({name: cells[name] if name in cells else pa.nulls(len(found)) for name in types}, len(found))


def _as_type(cells: pa.Array, kind: pa.DataType) -> pa.Array:
    """Cells in the form that others of the same type have; Arrow would not round large integers to doubles."""
    if pa.types.is_dictionary(cells.type) and not pa.types.is_dictionary(kind):
        return frames.decoded(cells)
    return pc.cast(cells, kind, safe=False) if _is_number(kind) and _is_number(cells.type) else cells


def _common(types: list[tuple[pa.DataType, int]]) -> pa.DataType:
    """The common type of cells with these types in several places, in so many rows each: numbers, or texts; or mixed,
    if there are lists or objects, not rarely, and not of one type."""
    known = {kind for kind, _ in types if not pa.types.is_null(kind)}
    if len(known) == 1:
        return known.pop()
    nested = sum(rows for kind, rows in types if pa.types.is_nested(kind))
    if RARE * nested > sum(rows for _, rows in types):
        return MIXED
    known = {kind for kind in known if not pa.types.is_nested(kind)}
    return pa.float64() if known and all(map(_is_number, known)) else pa.string()


def _is_number(kind: pa.DataType) -> bool:
    return bool(pa.types.is_integer(kind) or pa.types.is_floating(kind))
