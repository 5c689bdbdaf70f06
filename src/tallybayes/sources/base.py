"""The common form of every input: chunks that become record batches and know where their rows come from.

A `Reader` cuts an input into chunks, sequentially and cheaply; a `Chunk` is decoded, parsed and typed later, in another
thread, ahead of the counting.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from tallybayes.data.row_source import InputDescription

ColumnTypes = Mapping[str, pa.DataType]  # the wanted columns and their types; others are not read

REMEMBERED = 10  # bad rows


class SourceError(ValueError):
    """An input that cannot be read: what is wrong with it, and what to do. `column` is the one with a cell of the wrong
    type, if that is the reason."""

    def __init__(self, message: str, column: str | None = None) -> None:
        super().__init__(message)
        self.column = column


class BadRow(NamedTuple):
    """A row that cannot be read: where it is, and why."""

    where: str  # "data.csv, line 17"
    reason: str
    column: str | None = None  # the one with a cell of the wrong type

    def error(self) -> SourceError:
        return SourceError(f"{self.where}: {self.reason}", self.column)


class BadRows:
    """Rows that cannot be read: how many they are, and the first of them. There may be more than fit into memory."""

    def __init__(self) -> None:
        self.number = 0
        self.first: list[BadRow] = []

    def add(self, first: Sequence[BadRow], number: int) -> None:
        """Adds so many, the first of which are given."""
        self.number += number
        self.first += first[: REMEMBERED - len(self.first)]


def report(first: Sequence[BadRow], bad: BadRows | None, number: int | None = None) -> None:
    """Adds rows that cannot be read to `bad`: those given, or so many that begin with them. Without `bad`, the first is
    an error."""
    if bad is not None:
        bad.add(first, len(first) if number is None else number)
    elif first:
        raise first[0].error() from None


class Chunk(ABC):
    """Some consecutive rows of an input, not yet parsed."""

    size: int  # in stored bytes of the input, for progress bars
    names: Collection[str] | None  # the columns it has; None if its rows may have any
    _unread: Any = None  # what only reading needs
    _kept: Sequence[int] | NDArray[np.int64] | None = None  # which rows were read, if some are left out

    @abstractmethod
    def read(self, types: ColumnTypes | None, bad: BadRows | None) -> pa.RecordBatch:
        """The rows, with columns of the wanted types; without types all columns, typed by their contents.

        A row that cannot be read is added to `bad` and left out, or without these raises a `SourceError`."""

    def let_go(self) -> None:
        """Frees what only reading needs: the chunk is kept as long as its rows may have to be found."""
        self._unread = None

    def those_of(self, types: ColumnTypes) -> ColumnTypes:
        """The wanted columns that it may have."""
        there = None if self.names is None else set(self.names)
        return types if there is None else {name: kind for name, kind in types.items() if name in there}

    def where(self, row: int) -> str:
        """The place of a row of the batch that was read: "data.csv, line 17"."""
        return self._place(row if self._kept is None else int(self._kept[row]))

    @abstractmethod
    def _place(self, row: int) -> str:
        """The same, counting rows that were left out."""


class Found(NamedTuple):
    """A file, and the class of all its rows, if it has one."""

    path: str
    group: str | None = None


class Reader(InputDescription, ABC):
    """An input: its columns, and its rows in chunks."""

    file: str = "The input"  # its name, for messages
    ends: bool = False  # whether it ends by itself, although its size is unknown
    works_ahead: bool = False  # whether it prepares the next chunks itself, and these need no parsing

    def want(self, types: ColumnTypes | None, optional: Collection[str] = ()) -> None:
        """Announces the types that chunks will be read as, after the first one at the latest, and which of these
        columns later files may lack; most readers ignore it."""

    def files(self) -> Sequence[Found]:
        """Where the files are now that it found in folders, in order; none if it was given the files themselves."""
        return ()

    @abstractmethod
    def chunks(self) -> Iterator[Chunk]:
        """All chunks, in order, once."""

    def sampled(self) -> Iterator[Chunk]:
        """Small chunks from places other than the beginning, as a sample; none if the input cannot seek."""
        return iter(())
