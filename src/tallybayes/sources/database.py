"""The result of a database query as a stream of chunks, fetched while it is counted."""

from __future__ import annotations

import weakref
from collections.abc import Iterator
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from tallybayes.data import frames
from tallybayes.sources.base import Chunk, Reader
from tallybayes.sources.columnar import ColumnarChunk, cut, of_good_size
from tallybayes.sources.columns import check_unique
from tallybayes.sources.drivers import answered, speaking
from tallybayes.sources.read_options import ReadOptions


class Query(Reader):
    """The rows of a query. Their number is not known until the last one arrives."""

    ends = True

    def __init__(self, database: Any, query: str, reading: ReadOptions) -> None:
        self._answer = answered(database, query)
        self._close = weakref.finalize(self, self._answer.close)
        self._batch_bytes = reading.batch_bytes
        self.file = self._answer.name
        self.names = self._answer.stream.schema.names
        check_unique(self.file, self.names)

    def chunks(self) -> Iterator[Chunk]:
        start = 0
        try:
            for batch in cut(of_good_size(self._batches(), self._batch_bytes), self._batch_bytes):
                yield ColumnarChunk(self.file, start, batch, batch.nbytes)
                start += len(batch)
        finally:
            self._close()

    def _batches(self) -> Iterator[pa.RecordBatch]:
        passed_over, given = self._answer.passed_over, 0
        batches = iter(self._answer.stream)
        while True:
            with speaking(f"{self.file}, after {given:,} rows" if given else self.file, self._answer.errors):
                batch = next(batches, None)
            if batch is None:
                return
            yield plain(batch.slice(passed_over))
            given, passed_over = given + len(batch) - passed_over, 0


def plain(batch: pa.RecordBatch) -> pa.RecordBatch:
    """Replaces a driver's extension types by their texts, and PostgreSQL's numeric by numbers."""
    columns = {}
    for name, cells in zip(batch.schema.names, batch.columns, strict=True):
        kind = cells.type
        if isinstance(kind, pa.BaseExtensionType) and frames.is_text(kind.storage_type):
            cells = cells.storage
            if getattr(kind, "type_name", "") == "numeric":
                cells = pc.cast(cells, pa.float64())
        columns[name] = cells
    return pa.RecordBatch.from_arrays(list(columns.values()), names=list(columns))
