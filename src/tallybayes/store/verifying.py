"""Checks that the counts, the journal and the chain of a store agree, reading every meaningful byte."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Iterator
from typing import NamedTuple

from tallybayes.files import RowCounts, digest
from tallybayes.model import Model
from tallybayes.store.chain import CORRECT, CREATE, DECAY, GONE, LEARN, START, Record, link, record_from
from tallybayes.store.checksum import Checksum
from tallybayes.store.copying import Copy
from tallybayes.store.errors import StoreError
from tallybayes.store.folder import model_of
from tallybayes.store.journal import Journal
from tallybayes.store.parts import AT_ONCE, in_parts
from tallybayes.store.state import mark_of, since_snapshot
from tallybayes.store.tables import FORMAT, is_as_made

Progress = Callable[[int, int], object]  # called with the work done and the total


class Verified(NamedTuple):
    """What was checked, and the problems found."""

    changes: int
    rows: int  # in the store
    problems: tuple[str, ...]

    def __bool__(self) -> bool:
        return not self.problems


class _Chain(NamedTuple):
    """The contents that follow from the chain."""

    rows: dict[str, tuple[int, int, str]]  # by id: first, change, at
    decays: list[tuple[int, float | None]]
    base: tuple[int, str | None]
    problems: list[str]


def verify(copy: Copy, file: int, checksum: Checksum, progress: Progress | None = None) -> Verified:
    """Checks a copy of a store, whose journal is in this file, with the model that was in memory; and the checksum of
    the store itself."""
    try:
        tables = [copy.journal.one(f"SELECT count(*) FROM {table}")[0] for table in ("changes", "entries")]

        def tell(done: int) -> None:
            if progress is not None:
                progress(done, sum(tables))

        chain, changes = _chain(copy.journal, tell)
        rows, problems = len(chain.rows), [*chain.problems, *_database(copy.journal, os.read(file, 100))]
        problems += _counts(copy, chain, lambda seen: tell(changes + seen))
        if not checksum.fits():
            problems.append(f"A byte of the database was altered: it does not match {checksum.path.name}.")
        return Verified(changes, rows, tuple(problems))
    except (sqlite3.Error, StoreError, ValueError, TypeError, OverflowError) as error:
        return Verified(0, 0, (f"The store cannot be read: {error}",))


def _database(journal: Journal, header: bytes) -> Iterator[str]:
    for (line,) in journal.sql.execute("PRAGMA integrity_check").fetchall():
        if line != "ok":
            yield f"SQLite: {line}"
    if journal.about("format") == FORMAT and not is_as_made(header, journal.sql):
        yield "The header or the tables of the database were altered."
    for name in journal.altered():
        yield f"The value of {name!r} does not match its hash."


def _chain(journal: Journal, tell: Callable[[int], None]) -> tuple[_Chain, int]:
    """The contents that follow from the chain, and its length."""
    chain, previous, changes = _Chain({}, [], (0, None), []), START, 0
    base: tuple[int, str | None] = chain.base
    found = journal.sql.execute("SELECT number, id, record, link FROM changes ORDER BY number")
    for changes, (number, id, text, linked) in enumerate(found, 1):
        record = record_from(text)
        if (record.number, record.id) != (number, id) or number != changes - 1:
            chain.problems.append(f"Change {number} is out of place.")
        if link(previous, text) != linked:
            chain.problems.append(f"The chain is broken at change {number}.")
        previous = linked
        base = base if record.base is None else (number, record.base)
        _follow(chain, record)
        if changes % AT_ONCE == 0:
            tell(changes)
    return chain._replace(base=base), changes


def _follow(chain: _Chain, record: Record) -> None:
    number, id, known = record.number, record.id or "", record.id in chain.rows
    if record.what == LEARN and not known:
        chain.rows[id] = (number, number, record.at)
    elif record.what == CORRECT and known:
        first, _, at = chain.rows[id]
        chain.rows[id] = (first, number, at)
    elif record.what in GONE and (known or record.id is None):
        chain.rows.pop(id, None)
    elif record.what == DECAY:
        chain.decays.append((number, record.factor))
    elif record.what != CREATE or number:
        chain.problems.append(f"Change {number} is impossible: {record.what} {id!r}.")


def _counts(copy: Copy, chain: _Chain, tell: Callable[[int], None]) -> Iterator[str]:
    """Checks rows, base, snapshot and the model in memory."""
    journal, (base, file) = copy.journal, copy.base
    if (journal.about("base"), journal.about("base digest")) != chain.base or base != chain.base[0]:
        yield "The base does not match the chain."
        return
    model = model_of(file.read(), journal.about("base digest"), file.name)
    yield from _rows(journal, chain, model, base, tell)
    now = digest(model)
    if copy.model is not None and digest(copy.model) != now:
        yield "The model in memory is not the sum of the base and the rows since."
    yield from _snapshot(copy, base, now)
    if journal.sql.execute("SELECT number, factor FROM decays ORDER BY number").fetchall() != chain.decays:
        yield "The decays do not match the chain."


def _rows(journal: Journal, chain: _Chain, model: Model, base: int, tell: Callable[[int], None]) -> Iterator[str]:
    """Checks that the rows match the chain and are found by their counts; adds those since the base to the model."""
    read, rows, strange, seen = RowCounts(model.schema).read_all, chain.rows, 0, 0
    for part in in_parts(journal.kept()):
        for entry, counts in part:
            strange += rows.pop(entry.id, None) != (entry.first, entry.change, entry.at)
            if entry.mark != mark_of(counts):
                yield f"The row {entry.id!r} cannot be found by its content."
        model += read(counts for entry, counts in part if entry.first > base)
        seen += len(part)
        tell(seen)
    if strange or rows:
        yield "The rows do not match the chain."
    for change in journal.replaced():
        journal.counts(change)
    if journal.one("SELECT 1 FROM replaced LEFT JOIN changes ON number = change WHERE replaced.id IS NOT changes.id"):
        yield "The corrected rows do not match the chain."
    known = "SELECT change FROM entries UNION ALL SELECT change FROM replaced"
    if journal.one(f"SELECT 1 FROM counts WHERE change NOT IN ({known})"):
        yield "There are counts without a row."


def _snapshot(copy: Copy, base: int, expected: str) -> Iterator[str]:
    """Checks the snapshot, which may be missing, but not damaged."""
    if copy.snapshot is None:
        return
    number, file = copy.snapshot
    try:
        found = model_of(file.read(), copy.journal.about("snapshot digest"), file.name)
    except StoreError:
        yield "The snapshot is damaged; it was not used."
        return
    if digest(since_snapshot(copy.journal, found, base, number)) != expected:
        yield "The model is not the sum of the snapshot and the changes since."
