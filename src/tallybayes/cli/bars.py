"""Bars in the terminal: how many times as probable something makes one of two classes."""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from typing import NamedTuple

from tallybayes.cli.terminal import clean, console, padded, width

WIDEST_TITLE = 32
ROOM = 34  # for the words after a bar, beside the classes' names


class Bar(NamedTuple):
    """What is said, and the logarithm of how many times as probable it makes the first class."""

    title: str
    log_odds: float
    indent: int = 0
    remark: str = ""


def times(log_odds: float) -> str:
    """How many times, as people read it.

    >>> times(0.0), times(2.0), times(-2.0), times(30.0), times(float("inf"))
    ('1.0', '7.4', '7.4', '1.1e+13', '∞')
    """
    size = abs(log_odds)
    if size < math.log(10):
        return f"{math.exp(size):.1f}"
    if size < math.log(1e6):
        return f"{math.exp(size):,.0f}"
    return f"{math.exp(size):.1e}" if size < 700 else "∞" if math.isinf(size) else f"e^{size:,.0f}"


def draw(bars: Sequence[Bar], first: str, second: str) -> None:
    """One line a bar: those for the first class full, those for the second light."""
    from rich.text import Text

    screen = console(sys.stdout)
    names = [_title(bar) for bar in bars]
    title = max(map(width, names), default=0)
    classes = {True: clean(first), False: clean(second)}
    room = max(min(screen.width, 110) - title - ROOM - max(map(width, classes.values())), 10)
    largest = max((abs(bar.log_odds) for bar in bars if math.isfinite(bar.log_odds)), default=0.0) or 1.0
    full, light, cross = "█░×" if screen.encoding.startswith("utf") else "#-x"
    for bar, name in zip(bars, names, strict=True):
        ahead = bar.log_odds > 0
        length = room if math.isinf(bar.log_odds) else round(room * abs(bar.log_odds) / largest)
        line = Text(padded(name, title) + "  ")
        line.append((full if ahead else light) * length, "green" if ahead else "red")
        said = "says nothing" if bar.log_odds == 0 else f"{times(bar.log_odds)} {cross} for {classes[ahead]}"
        line.append(" " * (room - length) + "  " + said)
        screen.print(line, soft_wrap=True)


def _title(bar: Bar) -> str:
    room = WIDEST_TITLE - bar.indent - len(bar.remark)
    title = clean(bar.title)
    title = title if len(title) <= room else title[: room - 1] + "…"
    return " " * bar.indent + title + bar.remark
