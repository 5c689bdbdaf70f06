"""Documents as rows: folders of texts or mails, Maildirs, mboxes, single files.

The classes are interleaved in proportion to their sizes, so that the first rows are a fair sample of all.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import pyarrow as pa

from tallybayes.data.errors import CellError
from tallybayes.sources.base import BadRow, BadRows, Chunk, ColumnTypes, Found, Reader, SourceError, report
from tallybayes.sources.columns import batch_of
from tallybayes.sources.contents import content_of
from tallybayes.sources.convert import converted
from tallybayes.sources.folders import Group, Holder, find
from tallybayes.sources.mbox import Box
from tallybayes.sources.paths import STANDARD_INPUT, quoted, shown
from tallybayes.sources.raw_documents import Item, Kept, Raw
from tallybayes.sources.read_options import ReadOptions

FILE, CLASS = "file", "class"  # the columns for a document's path, and its folder or mbox
CHUNK_BYTES = 1 << 22
CHUNK_DOCUMENTS = 1_000  # or pieces of mboxes, each with some
SHOWN = 3  # paths, in messages


class Classed(NamedTuple):
    """A holder of documents, and their class."""

    group: str | None
    item: Item


class DocumentReader(Reader):
    """Documents at some paths; "-" is standard input.

    There is a column "class" if there is a folder or an mbox for each class: a folder of these, a Maildir with folders,
    or several of them given at once. A folder of files, a Maildir or an mbox by itself, and single documents have none.
    A few stray files next to the folders of classes are not read. `texts` are the columns of free text, though senders
    and lists may repeat so often that they look like categories; the column "file" is not counted.
    """

    place = FILE

    def __init__(self, paths: Sequence[str], reading: ReadOptions) -> None:
        self.file = ", ".join(map(shown, paths[:SHOWN])) + (" …" if len(paths) > SHOWN else "")
        if STANDARD_INPUT in paths and reading.format is None:
            raise SourceError(
                "The format of standard input is unknown. Give --input mail, --input mbox or --input text."
            )
        self._groups = find(paths, reading.format)
        holders = [holder for group in self._groups for holder in group.holders]
        if not any(holder.size or not isinstance(holder, Box) or holder.path == STANDARD_INPUT for holder in holders):
            raise SourceError(
                f"{self.file} contains no documents. Give a folder of files, or one with a folder, a Maildir or an "
                "mbox for each class; hidden files are not read."
            )
        self.content = content_of(self._groups, reading.format, reading.encoding)
        self.label = CLASS if self._groups[0].name is not None else None
        self.texts = self.content.texts
        self.names = [*self.content.types, FILE, *([CLASS] if self.label else [])]
        self.total = None if STANDARD_INPUT in paths else sum(holder.size for holder in holders)

    def files(self) -> Sequence[Found]:
        return [Found(holder.current_path(), name) for name, holders in self._groups for holder in holders]

    def chunks(self) -> Iterator[Chunk]:
        together: list[Classed] = []
        size = 0
        for classed in side_by_side(self._groups):
            together.append(classed)
            size += classed.item.content_size
            if size >= CHUNK_BYTES or len(together) >= CHUNK_DOCUMENTS:
                yield DocumentChunk(together, self)
                together, size = [], 0
        if together:
            yield DocumentChunk(together, self)


def side_by_side(groups: Sequence[Group]) -> Iterator[Classed]:
    """The documents of all classes, always from the class of which the smallest share has been read."""
    streams = [_items(group.holders) for group in groups]
    totals = [sum(holder.size + 1 for holder in group.holders) for group in groups]
    waiting = [(0.0, number) for number in range(len(groups))]
    while waiting:
        done, number = waiting[0]
        item = next(streams[number], None)
        if item is None:
            heapq.heappop(waiting)
        else:
            heapq.heapreplace(waiting, (done + (item.size + 1) / totals[number], number))
            yield Classed(groups[number].name, item)


def _items(holders: Sequence[Holder]) -> Iterator[Item]:
    for holder in holders:
        if isinstance(holder, Box):
            yield from holder.pieces()
        elif holder.path == STANDARD_INPUT:
            yield Kept(list(holder.documents()))
        else:
            yield holder


class DocumentChunk(Chunk):
    """Some documents, which are opened when they are read."""

    def __init__(self, items: Sequence[Classed], reader: DocumentReader) -> None:
        self.size = sum(classed.item.size for classed in items)
        self.names = reader.names
        self._items = items
        self._reader = reader
        self._content = reader.content
        self._places: list[str] = []

    def read(self, types: ColumnTypes | None, bad: BadRows | None) -> pa.RecordBatch:
        wanted = self._wanted(types)
        cells: dict[str, list[Any]] = {name: [] for name in wanted}
        self._places = []
        for place, row in self._rows(bad):
            self._places.append(place)
            for name, values in cells.items():
                values.append(row[name])
        batch = batch_of({name: pa.array(cells[name], self._type(name)) for name in wanted}, len(self._places))
        for name, kind in wanted.items():
            batch = self._cast(batch, name, kind, bad)
        return batch

    def _place(self, row: int) -> str:
        return self._places[row]

    def _wanted(self, types: ColumnTypes | None) -> ColumnTypes:
        return {name: self._type(name) for name in self._reader.names} if types is None else types

    def _type(self, name: str) -> pa.DataType:
        return self._content.types.get(name, pa.string())

    def _rows(self, bad: BadRows | None) -> Iterator[tuple[str, dict[str, Any]]]:
        """The location and the cells of every readable document."""
        for group, item in self._items:
            for document in item.documents():
                row = document if isinstance(document, BadRow) else self._row(document, group)
                if not isinstance(row, BadRow):
                    yield document.where, row
                else:
                    report([row], bad)

    def _row(self, document: Raw, group: str | None) -> dict[str, Any] | BadRow:
        try:
            return {**self._content.cells(document.content), FILE: document.file, CLASS: group}
        except ValueError as error:
            return BadRow(document.where, str(error))

    def _cast(self, batch: pa.RecordBatch, name: str, kind: pa.DataType, bad: BadRows | None) -> pa.RecordBatch:
        """With a column in the wanted type, without the rows where it cannot be converted."""
        at = batch.schema.get_field_index(name)
        while True:
            try:
                return batch.set_column(at, name, converted(batch.column(at), kind))
            except CellError as error:
                if error.row is None:
                    raise SourceError(f"{self._reader.file}, column {quoted(name)}: {error.reason}") from None
                report([BadRow(f"{self._places.pop(error.row)}, column {quoted(name)}", error.reason)], bad)
                batch = batch.take(pa.array([row for row in range(len(batch)) if row != error.row], pa.int64()))
