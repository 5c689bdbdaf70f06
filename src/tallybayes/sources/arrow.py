"""Arrow's own format, as a file or as a stream."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pyarrow as pa

from tallybayes.sources.base import Chunk, Reader
from tallybayes.sources.bytes_in import Input
from tallybayes.sources.columnar import BATCH_BYTES, BATCH_ROWS, ColumnarChunk, naming, open_anywhere, spooled
from tallybayes.sources.columns import check_unique, one_batch


class Arrow(Reader):
    """The format of Arrow itself, as a file or as a stream."""

    def __init__(self, source: Input) -> None:
        self._source = source
        self.file = source.name
        self.total = source.total
        self._is_file = source.stream.look().startswith(b"ARROW1")
        with naming(source.name):
            if self._is_file:
                self._reader: Any = pa.ipc.open_file(open_anywhere(spooled(source)))
            else:
                self._reader = pa.ipc.open_stream(pa.PythonFile(source.stream, mode="r"))
        self.names = list(self._reader.schema.names)
        check_unique(source.name, self.names)

    def chunks(self) -> Iterator[Chunk]:
        start = given = 0
        for batch, stored in self._of_good_size():
            for at in range(0, len(batch), BATCH_ROWS):
                part = batch.slice(at, BATCH_ROWS)
                size = (stored - given) * len(part) // max(len(batch) - at, 1)
                yield ColumnarChunk(self.file, start, part, size)
                start, given = start + len(part), given + size

    def _of_good_size(self) -> Iterator[tuple[pa.RecordBatch, int]]:
        """Small batches put together, since every batch has its price; not those of a pipe that somebody waits at."""
        pending: list[pa.RecordBatch] = []
        stored = rows = size = 0
        for batch, stored in self._batches():
            if not len(batch):
                continue
            with naming(self.file):
                batch.validate(full=True)
            pending.append(batch)
            rows, size = rows + len(batch), size + batch.nbytes
            if self._source.live or rows >= BATCH_ROWS or size >= BATCH_BYTES:
                yield one_batch(pa.Table.from_batches(pending)), stored
                pending, rows, size = [], 0, 0
        if pending:
            yield one_batch(pa.Table.from_batches(pending)), stored

    def _batches(self) -> Iterator[tuple[pa.RecordBatch, int]]:
        """Batches, and how much of the input they end at."""
        with naming(self.file):
            if not self._is_file:
                for batch in self._reader:
                    yield batch, self._source.stored.done
                return
            count = self._reader.num_record_batches
            for i in range(count):
                yield self._reader.get_batch(i), (self.total or 0) * (i + 1) // count
