"""How facts are laid out, whatever renders them: lines, tables and bars, with readable numbers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

FAINT = 0.1  # relative to the strongest word: less is not marked


@dataclass(frozen=True)
class Lines:
    lines: Sequence[str]
    title: str = ""


@dataclass(frozen=True)
class Table:
    """Rows of cells as text. `align` has a letter for each column, left (l) or right (r); the last one applies to all
    that follow. `more` rows are not shown. A `detail` is shown only if there is room."""

    rows: Sequence[Sequence[str]]
    head: Sequence[str] = ()
    title: str = ""
    align: str = "lr"
    more: int = 0
    detail: bool = False

    def at_right(self, column: int) -> bool:
        return self.align[min(column, len(self.align) - 1)] == "r"


class Bar(NamedTuple):
    """A piece of evidence, and its log-odds for the first class against the second."""

    title: str
    log_odds: float
    indent: int = 0
    remark: str = ""


@dataclass(frozen=True)
class Bars:
    """Evidence for the first class against the second."""

    bars: Sequence[Bar]
    first: str
    second: str

    def odds(self, bar: Bar) -> str:
        if bar.log_odds == 0:
            return "no evidence"
        return f"{times(bar.log_odds)} × for {self.first if bar.log_odds > 0 else self.second}"


@dataclass(frozen=True)
class Heading:
    """The heading of a section; at level 1, of the whole report."""

    title: str
    level: int = 2


@dataclass(frozen=True)
class Picture:
    """A trusted SVG element, and its description."""

    svg: str
    alt: str


class Piece(NamedTuple):
    """A part of a text and its log-odds; 0 if it is no evidence by itself."""

    text: str
    log_odds: float


@dataclass(frozen=True)
class Marked:
    """A text whose words are marked for the first class or the second; `more` characters are not shown."""

    pieces: Sequence[Piece]
    first: str
    second: str
    more: int = 0


Block = Lines | Table | Bars | Heading | Picture | Marked


def strongest(pieces: Sequence[Bar] | Sequence[Piece]) -> float:
    """The largest finite log-odds, by size; 1 if there are none."""
    return max((abs(each.log_odds) for each in pieces if math.isfinite(each.log_odds)), default=0.0) or 1.0


def share(piece: Bar | Piece, most: float) -> float:
    """The strength of a piece of evidence relative to the strongest one."""
    return min(abs(piece.log_odds) / most, 1.0)


def times(log_odds: float) -> str:
    """The odds ratio as readable text.

    >>> times(0.0), times(2.0), times(-2.0), times(30.0), times(float("inf"))
    ('1.0', '7.4', '7.4', '1.1e+13', '∞')
    """
    size = abs(log_odds)
    if size < math.log(10):
        return f"{math.exp(size):.1f}"
    if size < math.log(1e6):
        return f"{math.exp(size):,.0f}"
    return f"{math.exp(size):.1e}" if size < 700 else "∞" if math.isinf(size) else f"e^{size:,.0f}"


def count(n: float) -> str:
    """A count or weight as text.

    >>> count(1234567.0), count(9.00003331737), count(1e-5)
    ('1,234,567', '9', '1e-05')
    """
    return f"{n if abs(n) < 1.0 else round(n, 4):,.{4 if abs(n) < 1.0 else 12}g}"


def how_many(n: float, one: str = "row", many: str = "rows") -> str:
    return f"{count(n)} {one if n == 1 else many}"
