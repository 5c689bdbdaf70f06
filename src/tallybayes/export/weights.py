"""The lookup table in a database: levels and words by their text, intervals by their number."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator

import numpy as np

from tallybayes.counts.cells import SPELLED
from tallybayes.counts.exact import Floats
from tallybayes.export.portable_model import PortableModel, unweighed
from tallybayes.families.portable import ByInterval, ByLevel, ByWords

MARK = " "  # the prefix of a character n-gram; no word begins with a space
PLACES = 4  # to which decimals may be padded: 2.5 is 2.50 in a column of money
LEAST_PLAIN, MOST_PLAIN = 1e-4, 1e6  # numbers that every database prints without an exponent
LARGEST_SINGLE = float(np.finfo(np.float32).max)
NUMBER = re.compile(r"-?[0-9]+(\.[0-9]+)?(e[+-][0-9]+)?")
TRUE, FALSE = ("true", "t", "1", "1.0", "yes"), ("false", "f", "0", "0.0", "no")


def weights_of(portable: PortableModel) -> list[tuple[int, str, Floats]]:
    """The rows of the lookup table: the column's number, the text of a level or the number of an interval, and its
    evidence."""
    rows: list[tuple[int, str, Floats]] = []
    for at, column in enumerate(portable.columns):
        if isinstance(column.evidence, ByInterval):
            rows += [(at, str(place), row) for place, row in enumerate(column.evidence.table)]
        elif isinstance(column.evidence, ByLevel):
            rows += [(at, level, row) for level, row in _spelled(column.name, column.evidence)]
        elif isinstance(words := unweighed(column.evidence), ByWords):
            rows += _looked_up(words, at, again_of(portable, at))
    return rows


def again_of(portable: PortableModel, at: int) -> int:
    """The number under which the evidence of repeated words of a column is stored."""
    return len(portable.columns) + at


def _looked_up(portable: ByWords, once: int, again: int) -> Iterator[tuple[int, str, Floats]]:
    """Words, and character n-grams with a prefix that no word has."""
    for number, table in ((once, portable.table), (again, portable.again)):
        if table is not None:
            for word, row in zip(portable.words, table, strict=True):
                yield number, word.replace(SPELLED, MARK), row


def _spelled(name: str, portable: ByLevel) -> list[tuple[str, Floats]]:
    """Every level, and how else a database may write it: 1 as 1.0 or 1.00, true as 1."""
    found = dict(zip(portable.levels, portable.table, strict=True))
    truth = portable.truth or found.keys() <= {"true", "false"}
    for level, row in list(found.items()):
        if "\0" in level:
            raise ValueError(f"Column {name!r}: the level {level!r} contains a NUL character, which SQL cannot hold.")
        others: tuple[str, ...] = TRUE if truth and level == "true" else FALSE if truth and level == "false" else ()
        if NUMBER.fullmatch(level):
            others = tuple(_printed(level))
        for other in others:
            found.setdefault(other, row)
    return list(found.items())


def _printed(level: str) -> Iterator[str]:
    """How databases may print the number of a level."""
    for written in _rounded(float(level)):
        yield written
        yield written if "." in written else written.replace("e", ".0e")
    if "e" in level:
        return
    whole, _, places = level.partition(".")
    yield from (f"{whole}.{places:0<{size}}" for size in range(len(places) + 1, PLACES + 1))
    if level == "0":
        yield from ("-0", "-0.0")


def _rounded(number: float) -> Iterator[str]:
    """A number of limited precision: SQLite prints 15 digits; PostgreSQL 10^15, or 10^6 in single precision, as 1e+15
    and 1e+06."""
    if number == 0 or not math.isfinite(number):
        return
    yield f"{number:.15g}"
    if not LEAST_PLAIN <= abs(number) < MOST_PLAIN:
        yield np.format_float_scientific(number, trim="-", exp_digits=2)
        if abs(number) < LARGEST_SINGLE:
            yield np.format_float_scientific(np.float32(number), trim="-", exp_digits=2)
