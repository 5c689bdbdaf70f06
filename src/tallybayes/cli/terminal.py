"""What reaches the terminal: never a control character of somebody else's text, and no colour where none is wanted."""

from __future__ import annotations

import io
import os
import sys
import unicodedata
from collections.abc import Collection, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, TextIO

if TYPE_CHECKING:
    from rich.console import Console

KEPT = "\n"  # of the control characters, in what is written as a whole
HIDDEN = {
    "Cc",
    "Cf",
    "Cs",
    "Co",
    "Zl",
    "Zp",
}  # control, invisible or direction-changing, surrogates, private, line ends


def clean(text: object, kept: str = "") -> str:
    """Text that a terminal shows as it is: what would steer the terminal is spelled out instead.

    >>> clean("free\\x1b[2J prize\\u202e")
    'free\\\\x1b[2J prize\\\\u202e'
    """
    found = str(text)
    if found.isascii() and found.isprintable():
        return found
    return "".join(c if c in kept or not _steers(c) else _spelled(c) for c in found)


def _steers(character: str) -> bool:
    return character != "\u200d" and unicodedata.category(character) in HIDDEN  # which joins the parts of an emoji


def _spelled(character: str) -> str:
    return character.encode("unicode_escape").decode("ascii")


def standard_streams() -> None:
    """Standard streams as they are counted on: those that are closed are opened on nothing, or else the next file would
    get their numbers, and in it what is said to people; and a character that their encoding has not is spelled out."""
    while (number := os.open(os.devnull, os.O_RDWR)) <= 2:
        pass
    os.close(number)
    if sys.stdout is None:  # answers that go nowhere are an error, at once
        nowhere = os.open(os.devnull, os.O_RDONLY)
        sys.stdout = io.TextIOWrapper(io.FileIO(nowhere, "w"), write_through=True)
    if sys.stderr is None:
        sys.stderr = io.TextIOWrapper(io.FileIO(os.devnull, "w"))
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]


def say(*lines: object) -> None:
    """To standard error: what is not an answer."""
    text = "\n".join(clean(line, KEPT) for line in lines)
    with suppress(OSError):  # nobody listens
        print(text, file=sys.stderr, flush=True)


def console(file: TextIO | None = None, **settings: Any) -> Console:
    """Where tables and bars are drawn. Text is taken as it is, not as markup."""
    from rich.console import Console

    class Plain(Console):
        def on_broken_pipe(self) -> None:
            raise BrokenPipeError

    return Plain(file=file, markup=False, highlight=False, emoji=False, **settings)


def is_terminal(file: Any) -> bool:
    try:
        return bool(file.isatty())
    except (AttributeError, ValueError):
        return False


def how_many(rows: float) -> str:
    return f"{rows:,.12g} row{'s' * (rows != 1)}"


def width(text: str) -> int:
    """How many places of a line a text takes: a Chinese character takes two, an accent that is combined none."""
    if text.isascii():
        return len(text)
    from rich.cells import cell_len

    return cell_len(text)


def padded(text: str, wide: int, right: bool = False) -> str:
    """A text and as many spaces as it lacks."""
    spaces = " " * (wide - width(text))
    return spaces + text if right else text + spaces


def aligned(rows: Sequence[Sequence[object]], right: Collection[int] = ()) -> list[str]:
    """Lines of cells one below the other; those of the columns numbered in `right` end at the same place."""
    cells = [[clean(cell) for cell in row] for row in rows]
    widths = [max(map(width, column)) for column in zip(*cells, strict=True)]
    at_right = [i in right for i in range(len(widths))]
    return ["  ".join(map(padded, row, widths, at_right)).rstrip() for row in cells]
