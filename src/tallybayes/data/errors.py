"""Errors that know their row, so that callers can add a file and a line."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

PACKAGE = "tallybayes"
LONGEST = 60  # characters of a value in an error
INFINITE = "the value is infinite"
FINITE_INSTEAD = "Give a finite number, or leave the cell missing: NaN or None, or empty in a file."


def quoted(value: Any) -> str:
    """A value as an error quotes it; a long one is cut.

    >>> quoted("x" * 1000)[-5:]
    "xxx'…"
    """
    text = repr(value[:LONGEST] if isinstance(value, (str, bytes)) else value)
    cut = isinstance(value, (str, bytes)) and len(value) > LONGEST
    return f"{text[: 2 * LONGEST]}…" if cut or len(text) > 2 * LONGEST else text


def a_kind(value: Any) -> str:
    """What this is, at the beginning of a sentence.

    >>> a_kind(3), a_kind("x")
    ('An int', 'A str')
    """
    name = type(value).__name__
    return f"{'An' if name.startswith(tuple('AEIOaeio')) else 'A'} {name}"


def is_whole(value: Any, least: int = 0) -> bool:
    """Whether this is a whole number of at least so much; True and False are none."""
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool) and int(value) >= least


def check_whole(name: str, value: Any, least: int = 0, more: str = "") -> None:
    """Raises an error if an argument is no such number."""
    if not is_whole(value, least):
        raise ValueError(f"{name}={value!r}: give a whole number of at least {least}{more}.")


def warn(message: str) -> None:
    """A warning that names the line that called the library, however deep inside it is raised."""
    frame, level = sys._getframe(), 1
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] == PACKAGE:
        frame, level = frame.f_back, level + 1
    warnings.warn(message, stacklevel=level)


class RowError(ValueError):
    """A row that cannot be counted or scored: its number in the frame, and why."""

    def __init__(self, row: int, reason: str, sentence: str, column: str | None = None) -> None:
        super().__init__(sentence)
        self.row = row
        self.rows = np.array([row])  # all that are known to have the fault, this one first
        self.reason = reason
        self.column = column
        self.unreadable = False  # whether the value is of another kind than its family counts

    def at(self, row: int) -> RowError:
        """The same error of a cell, under another row number."""
        found = RowError(row, self.reason, f"Column {self.column!r}, row {row}: {self.reason}", self.column)
        found.unreadable = self.unreadable
        return found


@contextmanager
def numbered_by(places: NDArray[np.signedinteger[Any]]) -> Iterator[None]:
    """Errors in rows that were taken from others name those, whose numbers are `places`."""
    try:
        yield
    except RowError as error:
        raise error.at(int(places[error.row])) from None


class NoLabelError(RowError):
    """A row whose label is missing."""

    def in_training(self) -> NoLabelError:
        """The same, with what training can do about it."""
        reason, sentence = self.reason.removesuffix("."), str(self).removesuffix(".")
        found = NoLabelError(
            self.row,
            f"{reason}; training can count it without one: `tallybayes train --unlabelled`, or unlabelled=EM().",
            f"{sentence}; training can count them without one: unlabelled=EM().",
            self.column,
        )
        found.rows = self.rows
        return found


class CellError(ValueError):
    """A cell (or without a row, a column) that cannot be read. The caller adds the column's name."""

    def __init__(self, row: int | None, reason: str, column: str | None = None) -> None:
        super().__init__(reason if row is None else f"row {row}: {reason}")
        self.row = row
        self.reason = reason
        self.column = column  # of a block, if that is known

    def located(self, entry: Any, start: int) -> ValueError:
        """The same with its column or block; `start` is the number of the batch's first row."""
        column = entry if self.column is None else self.column
        if self.row is None:
            return ValueError(f"Column {column!r}: {self.reason}")
        error = RowError(self.row, self.reason, "", column)
        error.unreadable = isinstance(self, UnreadableError)
        return error.at(start + self.row)

    def of_column(self, column: str) -> Self:
        """The same with the column of a block."""
        return type(self)(self.row, self.reason, column)


class UnreadableError(CellError):
    """A value of another kind than its family counts, such as a text among numbers; another family would take it."""
