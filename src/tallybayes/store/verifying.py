"""Whether the counts, the journal and the chain of a store agree: every byte that means something is looked at."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from typing import NamedTuple

from tallybayes.files import digest
from tallybayes.store.chain import CORRECT, CREATE, DECAY, GONE, LEARN, START, Record, link, record_from
from tallybayes.store.errors import StoreError
from tallybayes.store.folder import SNAPSHOT
from tallybayes.store.state import State, mark_of


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


def verify(state: State) -> Verified:
    try:
        told = _chain(state)
        problems = [*told.problems, *_database(state), *_rows(state, told), *_models(state, told)]
        return Verified(state.number + 1, len(told.rows), tuple(problems))
    except (sqlite3.Error, StoreError, ValueError, TypeError, OverflowError) as error:
        return Verified(0, 0, (f"The store cannot be read: {error}",))


def _database(state: State) -> Iterator[str]:
    for (line,) in state.journal.sql.execute("PRAGMA integrity_check").fetchall():
        if line != "ok":
            yield f"SQLite: {line}"


def _chain(state: State) -> _Told:
    """Every change, from the first to the last."""
    told, previous = _Told({}, [], (0, None), []), START
    base: tuple[int, str | None] = told.base
    found = state.journal.sql.execute("SELECT number, id, record, link FROM changes ORDER BY number")
    for expected, (number, id, text, linked) in enumerate(found):
        record = record_from(text)
        if (record.number, record.id) != (number, id) or number != expected:
            told.problems.append(f"Change {number} is not where it belongs.")
        if link(previous, text) != linked:
            told.problems.append(f"The chain is broken at change {number}.")
        previous = linked
        base = base if record.base is None else (number, record.base)
        _follow(told, record)
    return told._replace(base=base)


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


def _rows(state: State, told: _Told) -> Iterator[str]:
    """The rows that are left are those of the chain, and their counts are those that were kept."""
    journal = state.journal
    found = {entry.id: entry for entry in journal.entries()}
    if {id: (entry.first, entry.change, entry.at) for id, entry in found.items()} != told.rows:
        yield "The rows that are left are not those that the chain tells of."
    for entry in found.values():
        if entry.mark != mark_of(journal.counts(entry.change)):
            yield f"The row {entry.id!r} would not be found by its content."
    replaced = journal.replaced()
    for change in replaced:
        journal.counts(change)
    kept = [change for (change,) in journal.sql.execute("SELECT change FROM counts")]
    if sorted(kept) != sorted([*replaced, *(entry.change for entry in found.values())]):
        yield "Counts are kept of rows that are not there."
    if journal.sql.execute("SELECT number, factor FROM decays ORDER BY number").fetchall() != told.decays:
        yield "The decays are not those that the chain tells of."


def _models(state: State, told: _Told) -> Iterator[str]:
    """The model in memory, the one counted again and the one on the disk are the same."""
    journal = state.journal
    if (journal.about("base"), journal.about("base digest")) != told.base:
        yield "The base is not the one that the chain tells of."
    now = digest(state.model)
    if digest(state.recounted()) != now:
        yield "The model is not what its base and the rows since come to."
    written = journal.about("snapshot")
    if written != state.snapshot:  # it may be missing, but not damaged
        if state.folder.file(SNAPSHOT, written).exists():
            yield "The snapshot is damaged; it was not used."
    elif digest(state.replayed_model()) != now:
        yield "The model is not what its snapshot and the changes since come to."
