"""Parquet: row groups, of which only the wanted columns are read."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from itertools import accumulate, islice, pairwise

import pyarrow as pa
import pyarrow.parquet

from tallybayes.data import frames
from tallybayes.sources.base import Chunk, ColumnTypes, Reader, SourceError
from tallybayes.sources.bytes_in import Input, Stored
from tallybayes.sources.columnar import StoredChunk, naming, of_good_size, open_anywhere, rows_within, spooled
from tallybayes.sources.columns import check_unique
from tallybayes.sources.convert import is_texts
from tallybayes.sources.read_options import ReadOptions
from tallybayes.sources.sampling import PIECE, PLACES, places

LEAST_CELL = 8  # bytes of a cell that was read
FEW_BYTES = 4  # of a cell in a dictionary-encoded text column
LARGE_GROUP = 1 << 27  # decompressed bytes of a row group: larger ones are read in pieces …
READ_BYTES = 1 << 16  # … of this many bytes per column
DECODED = 1 << 27  # bytes to decode in order to sample rows from the middle of row groups


class Parquet(Reader):
    """Row groups in order. What a file claims about its size is checked against what is read.

    For a damaged file, a column must be read before its metadata are asked for: the first raises an error, the second
    crashes the process.
    """

    def __init__(self, source: Input, reading: ReadOptions) -> None:
        self.file = source.name
        self.total = source.total
        self._batch_bytes = reading.batch_bytes
        self._wanted: ColumnTypes | None = None
        self._given = 0  # rows
        with naming(self.file):
            self._place = spooled(source)
            self._stored = (self._place.total if isinstance(self._place, Stored) else source.total) or 0
            file = pyarrow.parquet.ParquetFile(open_anywhere(self._place), buffer_size=READ_BYTES)
            self._about = file.metadata
            self._schema = file.schema_arrow
            self.names = list(self._schema.names)
            check_unique(self.file, self.names)
            self._check_rows()
            self._coded = self._stored_as_dictionaries(file)

    def want(self, types: ColumnTypes | None, optional: Collection[str] = ()) -> None:
        self._wanted = types

    def chunks(self) -> Iterator[Chunk]:
        """All rows, each once. If the wanted types change meanwhile (after a sample), the rest is read with the new
        ones."""
        while self._given < self._about.num_rows:
            wanted = self._wanted
            for batch in of_good_size(self._after(self._given, wanted), self._batch_bytes):
                size = (self.total or 0) * len(batch) // self._about.num_rows
                start, self._given = self._given, self._given + len(batch)
                yield StoredChunk(self.file, start, batch, size)
                if self._wanted is not wanted:
                    break

    def sampled(self) -> Iterator[Chunk]:
        """The first rows of row groups not read yet, with the following groups if they are small. If there are few
        groups, rows from their middle."""
        groups = self._about.num_row_groups
        starts = accumulate((self._about.row_group(group).num_rows for group in range(groups)), initial=0)
        begun = sum(start < self._given for start in islice(starts, groups))
        with naming(self.file):
            file = pyarrow.parquet.ParquetFile(open_anywhere(self._place), metadata=self._about, buffer_size=READ_BYTES)
            if groups - begun < PLACES:
                yield from self._in_the_midst(file)
                return
            for group, following in pairwise([*places(begun, groups), groups]):
                rows = self._rows_at_once(group, self.names, PIECE)
                for batch in islice(file.iter_batches(rows, [*range(group, following)], self.names), 1):
                    yield StoredChunk(self.file, 0, batch, 0)

    def _in_the_midst(self, file: pyarrow.parquet.ParquetFile) -> Iterator[Chunk]:
        """Rows from several places of each group not read yet. Everything before them must be decoded, so in a large
        file only the first part of each group is sampled."""
        groups = range(self._about.num_row_groups)
        given, left, everything = self._given, self._about.num_rows - self._given, sum(map(self._bytes_of, groups))
        for group in groups:
            count = self._about.row_group(group).num_rows
            passed = min(given, count)
            given -= passed
            if passed == count:
                continue
            rows = self._rows_at_once(group, self.names, PIECE)
            first, most = -(-passed // rows), (count - passed) * DECODED // max(everything, DECODED)
            pieces = first + -(-most // rows)
            wanted = {first, *places(first, pieces)[:: -(-left // (count - passed))]}
            for number, batch in enumerate(islice(file.iter_batches(rows, [group], self.names), pieces)):
                if number in wanted:
                    yield StoredChunk(self.file, 0, batch, 0)

    def _after(self, given: int, wanted: ColumnTypes | None) -> Iterator[pa.RecordBatch]:
        """All rows but the first `given`, however these were batched."""
        for group in range(self._about.num_row_groups):
            expected = self._about.row_group(group).num_rows
            passed = min(given, expected)
            given -= passed
            if passed < expected:
                yield from self._rows_of(group, passed, wanted)

    def _rows_of(self, group: int, given: int, wanted: ColumnTypes | None) -> Iterator[pa.RecordBatch]:
        """The rows of a group but the first `given`; an error if it holds more or fewer than it claims."""
        names = [name for name in self.names if wanted is None or name in wanted]
        found, expected = 0, self._about.row_group(group).num_rows
        with naming(self.file):
            rows = self._rows_at_once(group, names, self._batch_bytes)
            for batch in self._open(wanted, group).iter_batches(rows, [group], names):
                passed = min(max(given - found, 0), len(batch))
                found += len(batch)
                if found > expected:
                    break
                yield batch.slice(passed)
        if found != expected:
            raise SourceError(
                f"{self.file} is damaged: row group {group + 1} should have {expected:,} rows, but has "
                f"{'more' if found > expected else f'{found:,}'}. Write the file again."
            )

    def _open(self, wanted: ColumnTypes | None, group: int) -> pyarrow.parquet.ParquetFile:
        coded = [name for name, kind in (wanted or {}).items() if is_texts(kind) and name in self._coded]
        large = self._bytes_of(group) > LARGE_GROUP
        return pyarrow.parquet.ParquetFile(
            open_anywhere(self._place),
            read_dictionary=coded,
            metadata=self._about,
            pre_buffer=not large,
            buffer_size=READ_BYTES if large else 0,
        )

    def _rows_at_once(self, group: int, names: list[str], size: int) -> int:
        """The number of rows for a batch of this size, whatever the width of the table and the length of its texts."""
        width = self._bytes_of(group) / max(self._about.row_group(group).num_rows, 1)
        return rows_within(size, max(width, LEAST_CELL * len(names)))

    def _bytes_of(self, group: int) -> int:
        """The approximate decompressed size of a group: as it claims, but no less than its size in the file."""
        about = self._about.row_group(group)
        return max(about.total_byte_size, self._stored * about.num_rows // max(self._about.num_rows, 1))

    def _check_rows(self) -> None:
        rows = [self._about.row_group(group).num_rows for group in range(self._about.num_row_groups)]
        if min(rows, default=0) < 0 or sum(rows) != self._about.num_rows:
            raise SourceError(
                f"{self.file} is damaged: it should have {self._about.num_rows:,} rows, but its row groups have "
                f"{sum(rows):,}. Write the file again."
            )

    def _stored_as_dictionaries(self, file: pyarrow.parquet.ParquetFile) -> set[str]:
        """The text columns with few distinct values; reading others as dictionaries would be slow."""
        texts = {field.name for field in self._schema if frames.is_text(field.type)}
        if not texts or not self._about.num_rows:
            return set()
        if next(file.iter_batches(1, [0], sorted(texts)), None) is None:
            return set()
        first, few = self._about.row_group(0), set()
        for place in range(len(file.schema)):
            name = file.schema.column(place).path
            if name in texts and first.column(place).total_uncompressed_size <= FEW_BYTES * first.num_rows:
                few.add(name)
        return few
