"""The interface of inputs that are read in batches; `sources.Source` implements it."""

from __future__ import annotations

import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import TypeVar

import pyarrow as pa

from tallybayes.data.matching import ERROR

MOST_MARKS = 2  # different texts in a numeric column that may mark missing values

T = TypeVar("T")


class InputDescription:
    """What is known about an input before its rows are read."""

    names: list[str]  # of the columns
    total: int | None = None  # stored bytes of the input; None if unknown
    label: str | None = None  # the column of classes, if the format defines one
    place: str | None = None  # the column with the origin of a row, which is not counted
    texts: tuple[str, ...] = ()  # the columns that are free text, whatever their cells look like
    untyped: bool = False  # whether cells are text until they are read as a type
    missing: Collection[str] = ()  # texts that mark a missing value in such cells
    missing_numbers: Collection[str] = ()  # others that do so in numeric columns
    decimal: str = "."  # of numbers in such cells

    def describe_as(self, other: InputDescription) -> None:
        """Takes over what is known about another input."""
        for name in InputDescription.__annotations__:
            setattr(self, name, getattr(other, name))


class RowSource(InputDescription, ABC):
    """Rows that are read once, every column as the type it is counted as."""

    skipped: int  # rows that could not be read or were refused
    unsampled: int  # rows that the sample lacks, since they cannot be read

    @abstractmethod
    def sample(self, optional: Collection[str] = ()) -> pa.RecordBatch:
        """Some rows, which are not consumed, each column with the type of its contents; also of optional columns that
        the first rows may lack."""

    @abstractmethod
    def again(self) -> RowSource:
        """The same input from its beginning, or an error that says why it cannot be read twice."""

    @abstractmethod
    def is_sampled_whole(self) -> bool:
        """Whether the sample is all rows, apart from those that cannot be read."""

    @abstractmethod
    def column_types(
        self,
        columns: Mapping[str, pa.DataType | None],
        label: str | None = None,
        label_type: pa.DataType | None = None,
        absent: str = ERROR,
    ) -> dict[str, pa.DataType]:
        """The types to read these columns and the label as; by default those of the sample. With `absent="missing"`,
        batches may lack them."""

    @abstractmethod
    def as_stored(self, names: Sequence[str]) -> dict[str, pa.DataType]:
        """The types to read columns as that are not counted, such as groups."""

    @abstractmethod
    def each(
        self, types: Mapping[str, pa.DataType], work: Callable[[pa.RecordBatch], T], most: int = sys.maxsize
    ) -> Iterator[T]:
        """Applies `work` to every batch, in parts of at most so many rows. A row that it refuses is an error that names
        its place, or is skipped."""
