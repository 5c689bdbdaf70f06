"""What every input comes down to: chunks that become record batches, and know where their rows stand.

A `Reader` cuts an input into chunks, one after another and cheaply; a `Chunk` is read (decoded, cut up, typed) when
its turn comes, in a thread of its own, ahead of the counting.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterator, Mapping
from typing import NamedTuple

import pyarrow as pa

ColumnTypes = Mapping[str, pa.DataType]  # which columns are wanted, and as what; others are not read


class SourceError(ValueError):
    """An input that cannot be read: what is wrong with it, and what to do. `column` has a cell that cannot be read as
    what is wanted, if that is what is wrong."""

    def __init__(self, message: str, column: str | None = None) -> None:
        super().__init__(message)
        self.column = column


class BadRow(NamedTuple):
    """A row that cannot be read: where it stands, and why."""

    where: str  # "data.csv, line 17"
    reason: str
    column: str | None = None  # that has a cell which cannot be read as what is wanted

    def error(self) -> SourceError:
        return SourceError(f"{self.where}: {self.reason}", self.column)


class Chunk(ABC):
    """Some rows that stand together in an input, not yet looked at."""

    size: int  # in bytes of the input as it is stored, for progress bars

    @abstractmethod
    def read(self, types: ColumnTypes | None, bad: list[BadRow] | None) -> pa.RecordBatch:
        """The rows, columns as they are wanted; with no types all columns, typed by what is in them.

        A row that cannot be read goes into `bad` and is left out, or with no such list is a `SourceError`."""

    @abstractmethod
    def where(self, row: int) -> str:
        """The place of a row of the batch that was read: "data.csv, line 17"."""


class Reader(ABC):
    """An input: its columns, and its rows in chunks."""

    file: str = "The input"  # its name, for messages
    names: list[str]  # the columns that there are
    total: int | None = None  # bytes of the input as it is stored; None if unknown
    ends: bool = False  # whether it comes to an end by itself, although its size is unknown
    label: str | None = None  # the column that holds the class, where that is part of what the input is
    place: str | None = None  # the column that says where a row comes from, which is not counted
    texts: tuple[str, ...] = ()  # the columns that are free text, whatever some of their cells look like
    untyped: bool = False  # whether cells are plain text until a type is asked for
    missing: Collection[str] = ()  # texts of such cells that mean a missing value
    missing_numbers: Collection[str] = ()  # others that mean it where numbers are wanted
    decimal: str = "."  # of numbers in such cells

    def want(self, types: ColumnTypes | None) -> None:  # noqa: B027
        """Told, before all chunks but perhaps the first, what these will be read as; most readers need not know."""

    @abstractmethod
    def chunks(self) -> Iterator[Chunk]:
        """All chunks, in order, once."""

    def elsewhere(self) -> Iterator[Chunk]:
        """Small chunks from other places than the beginning, to look at; none where the input cannot be sought."""
        return iter(())
