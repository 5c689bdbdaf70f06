"""Errors that know their place, so that whoever knows more of it can say it better: a file and a line, say."""

from __future__ import annotations


class RowError(ValueError):
    """A row that cannot be counted or asked about: which one of its frame, and why."""

    def __init__(self, row: int, reason: str, sentence: str, column: str | None = None) -> None:
        super().__init__(sentence)
        self.row = row
        self.reason = reason
        self.column = column


class NoLabelError(RowError):
    """A row whose label is missing."""


class CellError(ValueError):
    """A cell (or with no row: a column) that cannot be read. Whoever knows the column's name adds it."""

    def __init__(self, row: int | None, reason: str) -> None:
        super().__init__(reason if row is None else f"row {row}: {reason}")
        self.row = row
        self.reason = reason

    def located(self, column: str, start: int) -> ValueError:
        """The same with its column; `start` is the number of the row that was counted as the first."""
        if self.row is None:
            return ValueError(f"Column {column!r}: {self.reason}")
        row = start + self.row
        return RowError(row, self.reason, f"Column {column!r}, row {row}: {self.reason}", column)
