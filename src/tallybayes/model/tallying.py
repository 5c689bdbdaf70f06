"""From a batch of rows to its tallies: every column's cells encoded and counted, in pieces for several threads."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pyarrow as pa

from tallybayes.counts.row_tally import ONCE, RowTally
from tallybayes.counts.rows import SharedRows
from tallybayes.counts.tallies import AnyTally
from tallybayes.counts.tally import Rows, Tally
from tallybayes.data import frames
from tallybayes.data.cells import by_level
from tallybayes.data.errors import CellError, numbered_by
from tallybayes.model.batches import Batch, in_pieces, size_of
from tallybayes.schema.entries import Name
from tallybayes.schema.schema import Schema

MANY = 1 << 16  # rows from which dictionary-encoding is worthwhile

Piece = tuple[Tally, dict[Name, AnyTally]]  # how many rows each class has, and what was counted of every column


def with_levels(schema: Schema, batch: Batch, threads: int | None) -> Batch:
    """The same rows with strings of few levels dictionary-encoded, so that each level is looked up only once."""
    cells = batch.cells
    if not isinstance(cells, pa.RecordBatch) or cells.num_rows < MANY:
        return batch
    families = schema.by_column
    known = enumerate(cells.schema.names)
    at = [i for i, name in known if name in families and families[name].reads_of(name) == frames.LEVELS]
    if not at:
        return batch

    def some(start: int, stop: int) -> list[pa.Array]:
        return [by_level(cells.column(i)) for i in at[start:stop]]

    columns = list(cells.columns)
    found = [column for part in in_pieces(len(at), threads, some, size_of(cells)) for column in part]
    for i, column in zip(at, found, strict=True):
        columns[i] = column
    return batch._replace(cells=pa.RecordBatch.from_arrays(columns, cells.schema.names))


def counted_pieces(schema: Schema, batch: Batch, threads: int | None) -> Iterator[Piece]:
    """The counts of a batch, piece by piece."""

    def count(start: int, stop: int) -> Piece:
        cells, _, rows, first = batch.slice(start, stop)
        encoded = schema.encode(cells, first)
        if isinstance(rows, SharedRows):
            return Tally.of_rows(rows), shared_tallies(schema, cells, encoded, rows, first)
        columns = tallies_of(schema, encoded, rows, first)
        return (Tally.of_rows(rows) if rows.only is None else RowTally(("", rows.only, *ONCE))), columns

    if len(batch.rows) == 1:
        yield count(0, 1)
        return
    size = table = 0  # which say how many threads to use, if their number is not given
    if threads is None:
        size = size_of(batch.cells)
        table = sum(family.table_size(len(batch.rows.classes)) for family in schema.columns.values())
    yield from in_pieces(len(batch.rows), threads, count, size, table)


def tallies_of(schema: Schema, encoded: Mapping[Name, Any], rows: Rows, start: int) -> dict[Name, AnyTally]:
    """The tally of every column; `start` is the number of the first row, for error messages."""
    columns: dict[Name, Any] = dict.fromkeys(encoded)  # in their order
    try:
        for family, names in schema.by_family:
            columns.update(zip(names, family.tally_each([encoded[name] for name in names], rows), strict=True))
    except CellError:
        for name, family in schema.columns.items():  # to find the column at fault
            try:
                family.tally(encoded[name], rows)
            except CellError as error:
                raise error.located(name, start) from None
        raise
    return columns


def check_cells(schema: Schema, cells: pa.RecordBatch, start: int = 0) -> None:
    """Counts rows as one class, and forgets them: raises the error of a cell that cannot be counted."""
    rows = Rows([0], np.zeros(cells.num_rows, np.int32))
    tallies_of(schema, schema.encode(cells, start), rows, start)


def shared_tallies(
    schema: Schema, cells: pa.RecordBatch, encoded: Mapping[Name, Any], rows: SharedRows, start: int
) -> dict[Name, AnyTally]:
    """The same for rows with shares in several classes. Families that do not support shares count each row once for
    every class in which it has a share."""
    columns = {name: family for name, family in schema.columns.items() if family.takes_shares}
    whole, again = Schema(columns), {name: family for name, family in schema.columns.items() if name not in columns}
    found = tallies_of(whole, {name: encoded[name] for name in columns}, rows, start)
    if again:
        spread = Schema(again)
        with numbered_by(rows.at + start):
            found |= tallies_of(spread, spread.encode(cells.take(pa.array(rows.at))), rows.spread, 0)
    return {name: found[name] for name in schema.columns}
