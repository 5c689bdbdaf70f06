"""Arrow's own format, as a file or as a stream."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pyarrow as pa

from tallybayes.sources.base import Chunk, Reader, SourceError
from tallybayes.sources.bytes_in import FullReads, Input, Stored
from tallybayes.sources.columnar import (
    StoredChunk,
    bytes_of,
    cut,
    naming,
    of_good_size,
    open_anywhere,
    rows_within,
    spooled,
)
from tallybayes.sources.columns import check_unique
from tallybayes.sources.read_options import ReadOptions
from tallybayes.sources.sampling import PIECE, places

MAGIC = b"ARROW1"
FOOTER_END = 10  # bytes: the length of the list of batches, and the magic again
FILE_START = 8  # bytes of a file before its stream
MOST_PADDING = 64  # bytes between the stream and the list of its batches at the end of the file


class Arrow(Reader):
    """Arrow's IPC format. A file is read as the stream in it: if the list of batches at its end is damaged, rows would
    be lost silently. A stream must have its end marker."""

    def __init__(self, source: Input, reading: ReadOptions) -> None:
        self._source = source
        self._batch_bytes = reading.batch_bytes
        self._done = 0  # bytes of the input that were read …
        self._passed = 0  # … batches of it, …
        self._ungiven = 0  # … and rows that were not returned
        self.file = source.name
        self.total = source.total
        self._stream = None if source.stream.look().startswith(MAGIC) else Watched(source.stream)
        with naming(source.name):
            if self._stream is None:
                self._place = spooled(source)
                self._bytes = open_anywhere(self._place)
                self._bytes.seek(FILE_START)
            else:
                self._bytes = pa.PythonFile(self._stream, mode="r")
            self._reader = pa.ipc.open_stream(self._bytes)
            self.names = list(self._reader.schema.names)
        check_unique(source.name, self.names)

    def chunks(self) -> Iterator[Chunk]:
        start = given = 0
        for batch in cut(self._of_good_size(), self._batch_bytes):
            self._ungiven -= len(batch)
            yield StoredChunk(self.file, start, batch, self._done - given)
            start, given = start + len(batch), self._done

    def sampled(self) -> Iterator[Chunk]:
        """The first rows of other batches, if the file lists where they are; with few batches, also rows from their
        middle."""
        if self._stream is not None or isinstance(self._place, Stored):  # which has one position for all readers
            return
        with naming(self.file):
            file = pa.ipc.open_file(open_anywhere(self._place))
            chosen = places(self._passed - bool(self._ungiven), file.num_record_batches)
            for place in chosen:
                batch = file.get_batch(place)
                if place < self._passed:
                    batch = batch.slice(max(len(batch) - self._ungiven, 0))
                rows = rows_within(PIECE, bytes_of(batch) / max(len(batch), 1))
                for piece in places(0, -(-len(batch) // rows))[:: len(chosen)]:
                    yield StoredChunk(self.file, 0, batch.slice(piece * rows, rows), 0)

    def _of_good_size(self) -> Iterator[pa.RecordBatch]:
        """Batches from a live pipe are not combined."""
        if not self._source.live:
            return of_good_size(self._batches(), self._batch_bytes)
        return filter(len, self._batches())

    def _batches(self) -> Iterator[pa.RecordBatch]:
        with naming(self.file):
            for batch in self._reader:
                batch.validate(full=True)
                self._passed += 1
                self._ungiven += len(batch)
                self._done = self._source.stored.done if self._stream else min(self._bytes.tell(), self.total or 0)
                yield batch
            self._check_end()

    def _check_end(self) -> None:
        if self._stream is None:
            rest = self._bytes.size() - self._bytes.tell() - FOOTER_END
            self._bytes.seek(self._bytes.size() - FOOTER_END)
            footer = int.from_bytes(self._bytes.read(FOOTER_END - len(MAGIC)), "little")
            if self._bytes.read() != MAGIC or not footer <= rest <= footer + MOST_PADDING:
                raise SourceError(f"{self.file} is damaged: it ends before its list of batches. Write it again.")
        elif self._stream.ran_out:
            raise SourceError(f"{self.file} is truncated: the end marker of the Arrow stream is missing.")
        elif self._stream.read(1):
            raise SourceError(f"{self.file} continues after the end of its Arrow stream. Give each stream separately.")


class Watched(FullReads):
    """A stream that knows whether it was read past its end."""

    ran_out = False

    def readinto(self, buffer: Any) -> int:
        got = int(self.below.readinto(buffer))
        self.ran_out = self.ran_out or not got
        return got
