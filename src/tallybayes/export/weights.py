"""The lookup table in a database: levels and words by their text, intervals by their number."""

from __future__ import annotations

from collections.abc import Iterator

from tallybayes.counts.class_totals import SPELLED
from tallybayes.counts.exact import Floats
from tallybayes.export.portable_model import PortableModel, unweighed
from tallybayes.families.portable import ByInterval, ByLevel, ByWords

MARK = " "  # before a run of characters; no word begins with one
TRUE, FALSE = ("true", "t", "1", "1.0", "yes"), ("false", "f", "0", "0.0", "no")


def weights_of(said: PortableModel) -> list[tuple[int, str, Floats]]:
    """What is looked up: the column's number, the text of a level or the number of an interval, and what it says."""
    rows: list[tuple[int, str, Floats]] = []
    for at, column in enumerate(said.columns):
        if isinstance(column.said, ByInterval):
            rows += [(at, str(place), row) for place, row in enumerate(column.said.table)]
        elif isinstance(column.said, ByLevel):
            rows += [(at, level, row) for level, row in _spelled(column.name, column.said)]
        elif isinstance(words := unweighed(column.said), ByWords):
            rows += _looked_up(words, at, again_of(said, at))
    return rows


def again_of(said: PortableModel, at: int) -> int:
    """The number under which the evidence of repeated words of a column is stored."""
    return len(said.columns) + at


def _looked_up(said: ByWords, once: int, again: int) -> Iterator[tuple[int, str, Floats]]:
    """Words, and character runs, marked by a prefix that no word has."""
    for number, table in ((once, said.table), (again, said.again)):
        if table is not None:
            for word, row in zip(said.words, table, strict=True):
                yield number, word.replace(SPELLED, MARK), row


def _spelled(name: str, said: ByLevel) -> list[tuple[str, Floats]]:
    """Every level, and how else a database may write it: 1 as 1.0, true as 1."""
    found = dict(zip(said.levels, said.table, strict=True))
    for level, row in list(found.items()):
        if "\0" in level:
            raise ValueError(f"Column {name!r} has the level {level!r}, and no text of SQL holds a zero byte.")
        truth = said.truth or set(said.levels) <= {"true", "false"}
        others: tuple[str, ...] = TRUE if truth and level == "true" else FALSE if truth and level == "false" else ()
        if level.lstrip("-").isdecimal() and level.isascii():
            others = (f"{level}.0",)
        for other in others:
            found.setdefault(other, row)
    return list(found.items())
