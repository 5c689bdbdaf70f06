"""A sample of rows from all over a file, since the first ones need not be like the others."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress

import numpy as np
import pyarrow as pa

from tallybayes import kernels
from tallybayes.sources.base import Chunk, ColumnTypes, SourceError
from tallybayes.sources.bytes_in import Input
from tallybayes.sources.text import NO_DELIMITER, Block, is_plain

PLACES = 15  # besides the beginning
PIECE = 1 << 18  # bytes that are read at each
LEAST_ROWS = 10_000  # of the first block, however few there are elsewhere


def places(given: int, count: int) -> list[int]:
    """Which of `count` parts to sample, at equal distances, besides the first ones, which were read already.

    >>> places(2, 5), places(1, 1), len(places(1, 1000))
    ([2, 3, 4], [], 15)
    """
    return np.linspace(given, count - 1, min(max(count - given, 0), PLACES)).astype(int).tolist()


def sampled_blocks(source: Input, block_bytes: int, delimiter: int = NO_DELIMITER) -> Iterator[Block]:
    """Whole rows from several places of a text file beyond its first block, if it can seek. If quotes may contain line
    breaks, a piece that begins inside a cell may look like rows: the caller must check."""
    if source.total is None or not is_plain(source) or source.total <= block_bytes:
        return
    for place in range(1, PLACES + 1):
        offset = block_bytes + (source.total - block_bytes) * (place - 1) // PLACES
        data = os.pread(source.stored.fileno(), PIECE, offset)  # leaves the reading position unchanged
        start = data.find(b"\n") + 1
        end, _, _ = kernels.find_rows_end(np.frombuffer(data, np.uint8)[start:], delimiter)
        if start and end:
            yield Block(0, pa.py_buffer(data[start : start + end]), 0)


def joined(names: Sequence[str], first: Chunk, others: Iterable[Chunk]) -> pa.RecordBatch:
    """Rows of the first chunk, about as many as of each other but not too few, every column typed by the contents of
    all of them. Bad rows and unreadable chunks are left out: they raise errors when they are counted."""
    chunks, batches = [first], [first.read(None, [])]
    for chunk in others:
        with suppress(SourceError):
            batches.append(chunk.read(None, []))
            chunks.append(chunk)
    if len(chunks) == 1:
        return batches[0]
    types = {
        name: _common([batch.schema.field(name).type for batch in batches if name in batch.schema.names])
        for name in names
    }
    alike = [_as(types, chunk, batch) for chunk, batch in zip(chunks, batches, strict=True)]
    enough = max(sum(map(len, alike[1:])) // len(alike[1:]), LEAST_ROWS)
    alike[0] = alike[0].take(pa.array(np.arange(0, len(alike[0]), -(-len(alike[0]) // enough) or 1)))
    table = pa.concat_tables(map(pa.Table.from_batches, ([batch] for batch in alike)), promote_options="permissive")
    return table.combine_chunks().to_batches()[0]


def _as(types: ColumnTypes, chunk: Chunk, batch: pa.RecordBatch) -> pa.RecordBatch:
    """The rows of a chunk with these column types, read again if they were typed differently."""
    same = batch.schema.names == list(types) and all(
        _is_null(found) or found == kind or (_is_number(found) and _is_number(kind))
        for found, kind in zip(batch.schema.types, types.values(), strict=True)
    )
    return batch if same else chunk.read(types, [])


def _common(types: list[pa.DataType]) -> pa.DataType:
    """The common type of cells with these types in several places: numbers, or texts."""
    known = {kind for kind in types if not _is_null(kind)}
    if len(known) == 1:
        return known.pop()
    return pa.float64() if known and all(map(_is_number, known)) else pa.string()


def _is_null(kind: pa.DataType) -> bool:
    return bool(pa.types.is_null(kind))


def _is_number(kind: pa.DataType) -> bool:
    return bool(pa.types.is_integer(kind) or pa.types.is_floating(kind))
