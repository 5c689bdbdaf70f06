"""The first row of a table as column names: made unique, with a warning if they look like data."""

from __future__ import annotations

import re
import warnings
from collections import Counter
from collections.abc import Sequence
from itertools import count, pairwise

from tallybayes.sources.base import SourceError
from tallybayes.sources.paths import listed, quoted

NUMBER = re.compile(r"[+-]?([0-9]+[.,]?[0-9]*|[.,][0-9]+)([eE][+-]?[0-9]+)?")
NO_HEADER = "If its first row is data, it has no header: give --names a,b,c or --no-header."


def settle_names(file: str, first: Sequence[str]) -> list[str]:
    """The cells of the first row as names. A duplicate gets a number, with a warning; a duplicate number is an error,
    since it is not a name."""
    names = [name.strip() or f"column {place}" for place, name in enumerate(first, 1)]
    numbers = [name for name in names if NUMBER.fullmatch(name)]
    for name, times in Counter(numbers).items():
        if times > 1:
            raise SourceError(f"{file} has {times} columns called {quoted(name)}. {NO_HEADER}")
    distinct = _told_apart(names)
    changed = [f"{quoted(old)} → {quoted(new)}" for old, new in zip(names, distinct, strict=True) if old != new]
    if changed:
        warnings.warn(
            f"{file} has columns of the same name; the later ones are renamed: {'; '.join(changed)}.", stacklevel=2
        )
    if 2 * len(numbers) > len(names) and not _counts_up(numbers):
        warnings.warn(f"{file} has columns whose names are numbers: {listed(numbers)}. {NO_HEADER}", stacklevel=2)
    return distinct


def _told_apart(names: Sequence[str]) -> list[str]:
    """Duplicate names with a number appended.

    >>> _told_apart(["x", "x", "x.2", "x"])
    ['x', 'x.3', 'x.2', 'x.4']
    """
    taken, found = set(names), list[str]()
    endings: dict[str, count[int]] = {}
    for name in names:
        new = name
        if name in endings:
            new = next(other for number in endings[name] if (other := f"{name}.{number}") not in taken)
        endings.setdefault(name, count(2))
        taken.add(new)
        found.append(new)
    return found


def _counts_up(numbers: Sequence[str]) -> bool:
    """Whether these number the columns, or are years."""
    return all(name.isdecimal() for name in numbers) and all(int(b) == int(a) + 1 for a, b in pairwise(numbers))
