"""Errors that know their place, so that callers who know more can add it: a file and a line, say."""

from __future__ import annotations

from typing import Any


class RowError(ValueError):
    """A row that cannot be counted or scored: which one of its frame, and why."""

    def __init__(self, row: int, reason: str, sentence: str, column: str | None = None) -> None:
        super().__init__(sentence)
        self.row = row
        self.reason = reason
        self.column = column


class NoLabelError(RowError):
    """A row whose label is missing."""


class CellError(ValueError):
    """A cell (or with no row: a column) that cannot be read. Whoever knows the column's name adds it."""

    def __init__(self, row: int | None, reason: str, column: str | None = None) -> None:
        super().__init__(reason if row is None else f"row {row}: {reason}")
        self.row = row
        self.reason = reason
        self.column = column  # of a block, if that is known

    def located(self, entry: Any, start: int) -> ValueError:
        """The same with its column, or the block; `start` is the number of the row that was counted as the first."""
        column = entry if self.column is None else self.column
        if self.row is None:
            return ValueError(f"Column {column!r}: {self.reason}")
        row = start + self.row
        return RowError(row, self.reason, f"Column {column!r}, row {row}: {self.reason}", column)
