"""Arrow's own format, as a file or as a stream."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pyarrow as pa

from tallybayes.sources.base import Chunk, Reader, SourceError
from tallybayes.sources.bytes_in import Input, Patient, Stream
from tallybayes.sources.columnar import ColumnarChunk, naming, of_good_size, open_anywhere, spooled
from tallybayes.sources.columns import check_unique
from tallybayes.sources.reading import Reading


class Arrow(Reader):
    """The format of Arrow itself, as a file or as a stream. A stream must end with the mark of its end."""

    def __init__(self, source: Input, reading: Reading) -> None:
        self._source = source
        self._batch_bytes = reading.batch_bytes
        self._done = 0  # bytes of the input that were read, as it is stored
        self.file = source.name
        self.total = source.total
        self._stream = None if source.stream.look().startswith(b"ARROW1") else Watched(source.stream)
        with naming(source.name):
            if self._stream is None:
                self._reader: Any = pa.ipc.open_file(open_anywhere(spooled(source)))
            else:
                self._reader = pa.ipc.open_stream(pa.PythonFile(self._stream, mode="r"))
            self.names = list(self._reader.schema.names)
        check_unique(source.name, self.names)

    def chunks(self) -> Iterator[Chunk]:
        start = given = 0
        for batch in self._of_good_size():
            yield ColumnarChunk(self.file, start, batch, self._done - given)
            start, given = start + len(batch), self._done

    def _of_good_size(self) -> Iterator[pa.RecordBatch]:
        """Batches of a pipe that somebody waits at are not put together."""
        if not self._source.live:
            return of_good_size(self._batches(), self._batch_bytes)
        return (part for batch in self._batches() for part in of_good_size(iter([batch]), self._batch_bytes))

    def _batches(self) -> Iterator[pa.RecordBatch]:
        with naming(self.file):
            for batch in self._stored_batches():
                batch.validate(full=True)
                yield batch
        if self._stream is not None:
            self._check_end(self._stream)

    def _stored_batches(self) -> Iterator[pa.RecordBatch]:
        if self._stream is None:
            count = self._reader.num_record_batches
            for i in range(count):
                self._done = (self.total or 0) * (i + 1) // count
                yield self._reader.get_batch(i)
            return
        for batch in self._reader:
            self._done = self._source.stored.done
            yield batch

    def _check_end(self, stream: Watched) -> None:
        if stream.ran_out:
            raise SourceError(f"{self.file} is cut short: the mark is missing that ends a stream of Arrow.")
        if stream.read(1):
            raise SourceError(f"{self.file} goes on after the end of its stream of Arrow. Give every stream by itself.")


class Watched(Patient):
    """A stream that knows whether more was asked of it than it had."""

    def __init__(self, stream: Stream) -> None:
        self.ran_out = False
        self._stream = stream

    def readinto(self, buffer: Any) -> int:
        got = self._stream.readinto(buffer)
        self.ran_out = self.ran_out or not got
        return got

    def close(self) -> None:
        self._stream.close()
        super().close()
