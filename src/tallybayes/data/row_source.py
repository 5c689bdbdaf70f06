"""What a model or a schema asks of an input that is read in batches: `sources.Source` is the one that there is."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import TypeVar

import pyarrow as pa

from tallybayes.data.matching import ERROR

MOST_MARKS = 2  # different texts in a column of numbers that may be marks of what is missing

T = TypeVar("T")


class RowSource(ABC):
    """Rows that are read once, every column as the type it is counted as."""

    names: list[str]  # the columns that there are
    label: str | None  # the column that holds the class, where that is part of what the input is
    place: str | None  # the column that says where a row comes from, which is not counted
    texts: tuple[str, ...]  # the columns that are free text, whatever some of their cells look like
    untyped: bool  # whether cells are plain text until a type is asked for
    missing_numbers: Collection[str]  # texts that are a missing cell where numbers are wanted
    decimal: str  # of numbers in such cells

    @abstractmethod
    def sample(self) -> pa.RecordBatch:
        """Some rows, which are not used up, each column typed by what is in it."""

    @abstractmethod
    def again(self) -> RowSource:
        """The same input from its beginning, or an error that says why it cannot be read twice."""

    @abstractmethod
    def is_sampled_whole(self) -> bool:
        """Whether the sample is all rows that there are."""

    @abstractmethod
    def column_types(
        self,
        columns: Mapping[str, pa.DataType | None],
        label: str | None = None,
        label_type: pa.DataType | None = None,
        absent: str = ERROR,
    ) -> dict[str, pa.DataType]:
        """As what to read these columns and the label; where no type is given, as what the sample has. With
        `absent="missing"`, columns that are not there are passed over."""

    @abstractmethod
    def each(self, types: Mapping[str, pa.DataType], work: Callable[[pa.RecordBatch], T]) -> Iterator[T]:
        """What `work` makes of every batch. A row that it refuses is an error that names its place, or is skipped."""
