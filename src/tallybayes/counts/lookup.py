"""Exact sums by their names, as plain numbers: looked up, or written as a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from typing import Any, NoReturn

from tallybayes.counts.exact import Exact, Floats

SHOWN = 12  # names that an error shows
LONGEST = 100  # characters of a name that are compared with others


def by_class(sums: Mapping[str, Exact], classes: Sequence[Any]) -> dict[Any, Any]:
    """A single sum as {class: number}; several as {sum: {class: number}}."""
    found = {name: dict(zip(classes, _numbers(row), strict=True)) for name, row in sums.items()}
    return next(iter(found.values())) if len(found) == 1 else found


def _numbers(row: Exact) -> list[int | float]:
    pairs = zip(row.fractions(), row.round().tolist(), strict=True)
    return [int(exact) if exact.denominator == 1 else rounded for exact, rounded in pairs]


def never_met(key: Any, known: Sequence[Any]) -> NoReturn:
    raise KeyError(f"There are no counts of {key!r}.{nearest(key, known)}")


def nearest(name: Any, known: Sequence[Any]) -> str:
    """A hint at the closest name, and a list of those that exist."""
    near = get_close_matches(str(name)[:LONGEST], list(map(str, known)), 1)
    hint = f" Did you mean {near[0]!r}?" if near else ""
    listed = ", ".join(map(repr, known[:SHOWN])) + ", …" * (len(known) > SHOWN)
    return f"{hint} There are {listed or 'none'}."


def formatted(title: str, slots: Sequence[Any], classes: Sequence[Any], numbers: Floats) -> str:
    """Numbers as a table with labels."""
    cells = [[title, *map(str, classes)]]
    cells += [[str(s), *(f"{v:.12g}" for v in row)] for s, row in zip(slots, numbers.tolist(), strict=True)]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    lines = []
    for first, *rest in cells:
        lines.append("  ".join([first.ljust(widths[0]), *map(str.rjust, rest, widths[1:])]).rstrip())
    return "\n".join(lines)
