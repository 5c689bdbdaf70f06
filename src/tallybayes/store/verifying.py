"""Whether the counts, the journal and the chain of a store agree: every byte that means something is looked at."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from typing import NamedTuple

from tallybayes.files import RowCounts, digest
from tallybayes.model import Model
from tallybayes.store.chain import CORRECT, CREATE, DECAY, GONE, LEARN, START, Record, link, record_from
from tallybayes.store.copying import Copy
from tallybayes.store.errors import StoreError
from tallybayes.store.folder import model_of
from tallybayes.store.journal import Journal
from tallybayes.store.parts import AT_ONCE, in_parts
from tallybayes.store.state import mark_of, since_snapshot

Progress = Callable[[int, int], object]  # is told how much is done, and how much there is in all


class Verified(NamedTuple):
    """What was looked at, and what is wrong: nothing, if all is well."""

    changes: int
    rows: int  # that are left by their ids
    problems: tuple[str, ...]

    def __bool__(self) -> bool:
        return not self.problems


class _Told(NamedTuple):
    """What the chain says there must be."""

    rows: dict[str, tuple[int, int, str]]  # by id: first, change, at
    decays: list[tuple[int, float | None]]
    base: tuple[int, str | None]
    problems: list[str]


def verify(copy: Copy, progress: Progress | None = None) -> Verified:
    """Of a store as it was at one moment, and the model that was in memory then."""
    try:
        tables = [copy.journal.one(f"SELECT count(*) FROM {table}")[0] for table in ("changes", "entries")]

        def tell(done: int) -> None:
            if progress is not None:
                progress(done, sum(tables))

        told, changes = _chain(copy.journal, tell)
        rows, problems = len(told.rows), [*told.problems, *_database(copy.journal)]
        return Verified(changes, rows, (*problems, *_counts(copy, told, lambda seen: tell(changes + seen))))
    except (sqlite3.Error, StoreError, ValueError, TypeError, OverflowError) as error:
        return Verified(0, 0, (f"The store cannot be read: {error}",))


def _database(journal: Journal) -> Iterator[str]:
    for (line,) in journal.sql.execute("PRAGMA integrity_check").fetchall():
        if line != "ok":
            yield f"SQLite: {line}"
    for name in journal.altered():
        yield f"What is kept under {name!r} is not what was told."


def _chain(journal: Journal, tell: Callable[[int], None]) -> tuple[_Told, int]:
    """What the chain says, from the first change to the last, and how many there are."""
    told, previous, changes = _Told({}, [], (0, None), []), START, 0
    base: tuple[int, str | None] = told.base
    found = journal.sql.execute("SELECT number, id, record, link FROM changes ORDER BY number")
    for changes, (number, id, text, linked) in enumerate(found, 1):
        record = record_from(text)
        if (record.number, record.id) != (number, id) or number != changes - 1:
            told.problems.append(f"Change {number} is not where it belongs.")
        if link(previous, text) != linked:
            told.problems.append(f"The chain is broken at change {number}.")
        previous = linked
        base = base if record.base is None else (number, record.base)
        _follow(told, record)
        if changes % AT_ONCE == 0:
            tell(changes)
    return told._replace(base=base), changes


def _follow(told: _Told, record: Record) -> None:
    number, id, known = record.number, record.id or "", record.id in told.rows
    if record.what == LEARN and not known:
        told.rows[id] = (number, number, record.at)
    elif record.what == CORRECT and known:
        first, _, at = told.rows[id]
        told.rows[id] = (first, number, at)
    elif record.what in GONE and (known or record.id is None):
        told.rows.pop(id, None)
    elif record.what == DECAY:
        told.decays.append((number, record.factor))
    elif record.what != CREATE or number:
        told.problems.append(f"Change {number} cannot have been made: {record.what} {id!r}.")


def _counts(copy: Copy, told: _Told, tell: Callable[[int], None]) -> Iterator[str]:
    """Rows, base, snapshot and the model in memory, each against what it must be."""
    journal, (base, file) = copy.journal, copy.base
    if (journal.about("base"), journal.about("base digest")) != told.base or base != told.base[0]:
        yield "The base is not the one that the chain tells of."
        return
    model = model_of(file.read(), journal.about("base digest"), file.name)
    yield from _rows(journal, told, model, base, tell)
    now = digest(model)
    if copy.model is not None and digest(copy.model) != now:
        yield "The model in memory is not what its base and the rows since come to."
    yield from _snapshot(copy, base, now)
    if journal.sql.execute("SELECT number, factor FROM decays ORDER BY number").fetchall() != told.decays:
        yield "The decays are not those that the chain tells of."


def _rows(journal: Journal, told: _Told, model: Model, base: int, tell: Callable[[int], None]) -> Iterator[str]:
    """The rows that are left are those of the chain, and are found by their counts; adds those since the base to it."""
    read, rows, strange, seen = RowCounts(model.schema).read_all, told.rows, 0, 0
    for part in in_parts(journal.kept()):
        for entry, counts in part:
            strange += rows.pop(entry.id, None) != (entry.first, entry.change, entry.at)
            if entry.mark != mark_of(counts):
                yield f"The row {entry.id!r} would not be found by its content."
        model += read(counts for entry, counts in part if entry.first > base)
        seen += len(part)
        tell(seen)
    if strange or rows:
        yield "The rows that are left are not those that the chain tells of."
    for change in journal.replaced():
        journal.counts(change)
    known = "SELECT change FROM entries UNION ALL SELECT change FROM replaced"
    if journal.one(f"SELECT 1 FROM counts WHERE change NOT IN ({known})"):
        yield "Counts are kept of rows that are not there."


def _snapshot(copy: Copy, base: int, expected: str) -> Iterator[str]:
    """It may be missing, but not damaged."""
    if copy.snapshot is None:
        return
    number, file = copy.snapshot
    try:
        found = model_of(file.read(), copy.journal.about("snapshot digest"), file.name)
    except StoreError:
        yield "The snapshot is damaged; it was not used."
        return
    if digest(since_snapshot(copy.journal, found, base, number)) != expected:
        yield "The model is not what its snapshot and the changes since come to."
