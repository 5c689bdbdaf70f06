"""Untrusted text made safe to show: no control characters, and aligned columns."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Sequence

HIDDEN = {"Cc", "Cf", "Cs", "Co", "Zl", "Zp"}  # control, invisible or bidirectional, surrogate, private, line ends
JOINER = "\u200d"  # joins the parts of an emoji
LONGEST = 24  # characters of a name in a table
LINE = 60  # … of one with a line to itself
LONGEST_CELL = 300  # characters of any cell: data may hold levels and names of any length


def clean(text: object, kept: str = "") -> str:
    """Text that is safe in a terminal: control characters are escaped.

    >>> clean("free\\x1b[2J prize\\u202e")
    'free\\\\x1b[2J prize\\\\u202e'
    """
    found = str(text)
    if found.isascii() and found.isprintable():
        return found
    seen = {*kept, JOINER}
    steering = {c for c in found if c not in seen and unicodedata.category(c) in HIDDEN}
    return found.translate({ord(c): c.encode("unicode_escape").decode("ascii") for c in steering})


def short(value: object, longest: int = LONGEST) -> str:
    """Any value as text of at most `longest` characters.

    >>> short("a very long name", 8)
    'a very …'
    """
    from tallybayes.report.plain import to_text  # `clean` is all that a mail filter needs, and it must start quickly

    found = to_text(value)
    text = clean(found[: longest + 1])
    return text if len(text) <= longest else f"{text[: longest - 1]}…"


def own_line(value: object) -> str:
    """A class, level or word that begins a line. It is whole in JSON: words may have millions of characters."""
    return short(value, LINE)


def width(text: str) -> int:
    """The width of a text in a terminal: a Chinese character takes two columns, a combining accent none."""
    return len(text) if text.isascii() else sum(map(_places, text))


def _places(character: str) -> int:
    if unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def padded(text: str, wide: int, right: bool = False) -> str:
    spaces = " " * (wide - width(text))
    return spaces + text if right else text + spaces


def aligned(rows: Sequence[Sequence[str]], at_right: Callable[[int], bool]) -> list[str]:
    """Rows of cells as aligned lines."""
    cells = [[short(cell, LONGEST_CELL) for cell in row] for row in rows]
    widths = [max(map(width, column)) for column in zip(*cells, strict=True)]
    right = [at_right(i) for i in range(len(widths))]
    return ["  ".join(map(padded, row, widths, right)).rstrip() for row in cells]
