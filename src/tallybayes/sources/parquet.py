"""Parquet: row groups, of which only the wanted columns are read."""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa
import pyarrow.parquet

from tallybayes import frames
from tallybayes.sources.base import Chunk, Kinds, Reader
from tallybayes.sources.bytes_in import Input
from tallybayes.sources.columnar import BATCH_BYTES, BATCH_ROWS, ColumnarChunk, naming, open_anywhere, spooled
from tallybayes.sources.columns import check_unique, check_wanted
from tallybayes.sources.convert import is_texts

LEAST_CELL = 8  # bytes of a cell that was read
FEW_BYTES = 4  # a cell, in a column of texts that is stored as numbers of the different ones
LARGE_GROUP = 1 << 26  # bytes of a row group, as stored, from where it is not read in one go …
READ_BYTES = 1 << 16  # … but in pieces of so many, each column by itself


class Parquet(Reader):
    def __init__(self, source: Input) -> None:
        self.file = source.name
        self.total = source.total
        self._wanted: Kinds | None = None
        with naming(self.file):
            self._place = spooled(source)
            file = pyarrow.parquet.ParquetFile(open_anywhere(self._place))
            self._about = file.metadata
            self._schema = file.schema_arrow
        self.names = list(self._schema.names)
        check_unique(self.file, self.names)
        self._coded = self._stored_as_dictionaries()

    def want(self, kinds: Kinds | None) -> None:
        self._wanted = kinds

    def chunks(self) -> Iterator[Chunk]:
        start = 0
        for group in range(self._about.num_row_groups):
            about = self._about.row_group(group)
            stored = sum(column.total_compressed_size for column in _columns(about))
            for batch in self._batches(group):
                yield ColumnarChunk(self.file, start, batch, stored * len(batch) // about.num_rows)
                start += len(batch)

    def _batches(self, group: int) -> Iterator[pa.RecordBatch]:
        """The rows of a group. If what is wanted changes on the way (after a sample), so does how it is read."""
        given, finished = 0, False
        while not finished:
            wanted, passed, finished = self._wanted, 0, True
            with naming(self.file):
                names = self.names if wanted is None else list(wanted)
                file = self._open(wanted, group)
                for batch in file.iter_batches(self._rows_at_once(group, names), [group], names):
                    passed += len(batch)
                    if passed <= given:
                        continue
                    given = passed
                    yield batch
                    if self._wanted is not wanted:
                        finished = False
                        break

    def _open(self, wanted: Kinds | None, group: int) -> pyarrow.parquet.ParquetFile:
        check_wanted(self.file, self.names, wanted)
        coded = [name for name, kind in (wanted or {}).items() if is_texts(kind) and name in self._coded]
        large = sum(column.total_compressed_size for column in _columns(self._about.row_group(group))) > LARGE_GROUP
        return pyarrow.parquet.ParquetFile(
            open_anywhere(self._place),
            read_dictionary=coded,
            metadata=self._about,
            pre_buffer=not large,
            buffer_size=READ_BYTES if large else 0,
        )

    def _rows_at_once(self, group: int, names: list[str]) -> int:
        """As many as make a batch of good size, whatever the width of the table and the length of its texts."""
        about, wanted = self._about.row_group(group), set(names)
        sizes = [column.total_uncompressed_size for column in _columns(about) if _top(column.path_in_schema, wanted)]
        width = sum(max(LEAST_CELL, size / max(about.num_rows, 1)) for size in sizes)
        return max(1, min(BATCH_ROWS, int(BATCH_BYTES / max(width, 1))))

    def _stored_as_dictionaries(self) -> set[str]:
        """The columns of texts of which few differ; one of texts that differ would be slow."""
        if not self._about.num_row_groups:
            return set()
        first = self._about.row_group(0)
        few = {c.path_in_schema for c in _columns(first) if c.total_uncompressed_size <= FEW_BYTES * first.num_rows}
        return {field.name for field in self._schema if field.name in few and frames.is_text(field.type)}


def _columns(about: pyarrow.parquet.RowGroupMetaData) -> list[pyarrow.parquet.ColumnChunkMetaData]:
    return [about.column(i) for i in range(about.num_columns)]


def _top(path: str, names: set[str]) -> bool:
    """Whether what is stored under this path belongs to one of these columns."""
    return path in names or path.split(".", 1)[0] in names
