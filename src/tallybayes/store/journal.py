"""The database: the chain of changes, the current rows with their counts, and which model files belong to them.

One connection, one writer. With `synchronous=FULL` and a rollback journal that is truncated at every commit, a commit
is on disk when it returns, and deleted data is in no file. A write-ahead log would be faster, but would keep deleted
data for a while.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple, Self

from tallybayes.store.chain import DECAY, START, Record, link, record_from
from tallybayes.store.checksum import Checksum
from tallybayes.store.errors import DamagedStoreError, StoreError, StoreInUseError
from tallybayes.store.place import Place
from tallybayes.store.sealed import PAGE, salts, seal, unseal
from tallybayes.store.statements import TOGETHER, Statements
from tallybayes.store.tables import FORMAT, READ, SETTINGS, connected, make_tables

STEP = 512  # pages copied before waiting changes get their turn
DONE = 101  # SQLITE_DONE: a copy is complete
ENTRY = "entries.change, entries.id, first, at, mark"
LATEST = "SELECT number FROM changes WHERE id = asked.column1 ORDER BY number DESC LIMIT 1"
OF_IDS = f"JOIN entries ON entries.change = ({LATEST})"  # ids are in the index of changes, rows under their last change
RECORDS = "LEFT JOIN changes ON changes.number = counts.change"


class Entry(NamedTuple):
    """A row in the store."""

    change: int  # the last change to it, under which its counts are kept
    id: str
    first: int  # the change that learned it
    at: str  # when it was learned
    mark: int  # a short hash of its counts, to find it by content


class Journal:
    """The database of a store."""

    place: Place  # copies have neither this …
    checksum: Checksum  # … nor this

    def __init__(self, path: Path, *, new: bool = False) -> None:
        self._use(connected(path, new), path)
        try:
            self.place = Place(path)
            self._start(new)
        except BaseException as error:
            self.sql.close()
            if isinstance(error, StoreError) or not isinstance(error, (sqlite3.Error, ValueError)):
                raise
            raise self._why(error) from error

    @classmethod
    def of(cls, sql: sqlite3.Connection, path: Path) -> Self:
        """A read-only copy of the journal at this path."""
        made = object.__new__(cls)
        made._use(sql, path)
        return made

    def _use(self, sql: sqlite3.Connection, path: Path) -> None:
        self.sql, self.path = sql, path
        self.ending = False  # whether the last transaction reached its commit
        self._statements = Statements(sql)
        self.do, self._insert = self._statements.do, self._statements.insert
        self._salts = salts()
        self._link = START  # of the last change, in a transaction
        self._known: dict[str, Entry | None] = {}  # rows that were looked up or changed in this transaction

    def copy_to(self, target: sqlite3.Connection, between: Callable[[], object]) -> None:
        """Copies in steps and calls `between` after each; changes made there are in the copy, too."""
        self.sql.execute("PRAGMA shrink_memory")  # drops cached pages, so that damage on disk is noticed

        def step(status: int, *_: int) -> None:
            if status != DONE:  # after the last step, changes would not be in the copy
                between()

        self.sql.backup(target, pages=STEP, progress=step)

    def _start(self, new: bool) -> None:
        self.sql.execute("PRAGMA locking_mode=EXCLUSIVE")
        if new:
            self.sql.execute(f"PRAGMA page_size={PAGE}")
        for setting in SETTINGS:
            self.sql.execute(f"PRAGMA {setting}")
        self.sql.execute("BEGIN EXCLUSIVE")  # a lock until the connection is closed or the process ends
        if new:
            make_tables(self.sql)
            self.tell("format", FORMAT)
        self.sql.execute("COMMIT")
        if (found := self.about("format")) not in READ:
            formats = " and ".join(map(str, READ))
            raise StoreError(f"{self.path} has format {found}; this version of tallybayes reads formats {formats}.")
        self.checksum = Checksum(self.path, self.place, self.sql)

    def close(self) -> None:
        self.checksum.close()
        self.sql.close()

    def _why(self, error: Exception) -> StoreError:
        if "locked" in str(error):
            return StoreInUseError(
                f"The store {self.path.parent} is in use by another process. Use that one, or stop it first."
            )
        return DamagedStoreError(f"{self.path} is not the journal of a store, or is damaged: {error}.")

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """A transaction: everything written in the block is on disk when it ends, or nothing."""
        self.ending = False
        self.place.check()
        self.checksum.drop()
        self.sql.execute("BEGIN IMMEDIATE")
        try:
            _, self._link = self.last()
            yield
            self._statements.write()
            self._known = {}
            self.place.check()
            self.ending = True
            self.sql.execute("COMMIT")
        except BaseException:
            with suppress(sqlite3.Error):  # if this fails, it is rolled back before the next change
                self.roll_back()
            raise

    def roll_back(self) -> None:
        self._undone()
        if self.sql.in_transaction:  # SQLite rolls back by itself if the disk is full
            self.sql.execute("ROLLBACK")

    def back_to(self, savepoint: str) -> None:
        """Undoes everything written since the savepoint."""
        self._undone()
        self.sql.execute(f"ROLLBACK TO {savepoint}")
        self.sql.execute(f"RELEASE {savepoint}")
        _, self._link = self.last()

    def _undone(self) -> None:
        self._statements.drop()
        self._known = {}

    def one(self, query: str, *given: Any) -> Any:
        """The first row of an answer."""
        return self.do(query, *given).fetchone()

    def about(self, name: str) -> Any:
        found = self.one("SELECT value FROM about WHERE name = ?", name)
        return None if found is None else found[0]

    def tell(self, name: str, value: Any) -> None:
        self.do("INSERT OR REPLACE INTO about VALUES (?, ?, ?)", name, value, _about_hash(name, value))

    def altered(self) -> list[str]:
        """The names whose value does not match its hash."""
        found = self.do("SELECT name, value, hash FROM about ORDER BY name").fetchall()
        return [name for name, value, hash in found if hash != _about_hash(name, value)]

    def settings(self) -> dict[str, Any]:
        """The settings of the store by name."""
        if altered := self.altered():
            raise self._damaged(f"{altered[0]!r} does not match its hash")
        found = self.do("SELECT name, value FROM about WHERE name GLOB 'set *'")  # `substr` would end at a zero
        return {name.removeprefix("set "): json.loads(value) for name, value in found}

    def set(self, name: str, value: Any) -> None:
        if value is None:
            self.do("DELETE FROM about WHERE name = ?", f"set {name}")
        else:
            self.tell(f"set {name}", json.dumps(value, allow_nan=False))

    def last(self) -> tuple[int, bytes]:
        """The number and the link of the last change."""
        return self.one("SELECT number, link FROM changes ORDER BY number DESC LIMIT 1") or (-1, START)

    def append(self, record: Record) -> None:
        text = record.text()
        self._link = link(self._link, text)
        self._insert("changes", record.number, record.id, text, self._link)
        if record.what == DECAY:
            self._insert("decays", record.number, record.factor)

    def record(self, number: int) -> Record | None:
        return self._record("number = ?", number)

    def latest(self, id: str) -> Record | None:
        """The record of the last change to a row."""
        return self._record("id = ? ORDER BY number DESC LIMIT 1", id)

    def _record(self, which: str, given: Any) -> Record | None:
        found = self.one(f"SELECT record FROM changes WHERE {which}", given)
        try:
            return None if found is None else record_from(found[0])
        except ValueError as error:
            raise self._damaged(str(error)) from None

    def decays_since(self, number: int) -> list[float]:
        found = self.do("SELECT factor FROM decays WHERE number > ? ORDER BY number", number)
        return [factor for (factor,) in found]

    def expect(self, ids: Sequence[str]) -> None:
        """Looks up several rows with one query, for `entry` in this transaction."""
        for start in range(0, len(ids), TOGETHER):
            some = ids[start : start + TOGETHER]
            self._known |= dict.fromkeys(some)
            self._known |= {entry.id: entry for entry in self._entries(some)}

    def _entries(self, ids: Sequence[str]) -> Iterator[Entry]:
        asked = ", ".join(["(?)"] * len(ids))
        return map(Entry._make, self.do(f"SELECT {ENTRY} FROM (VALUES {asked}) AS asked {OF_IDS}", *ids))

    def entry(self, id: str) -> Entry | None:
        """The row with this id."""
        return self._known[id] if id in self._known else next(self._entries([id]), None)

    def entries(self, which: str = "", *given: Any) -> Iterator[Entry]:
        """The rows in the store, or some of them."""
        return map(Entry._make, self.do(f"SELECT {ENTRY} FROM entries {which}", *given))

    def enter(self, entry: Entry) -> None:
        """Adds a row, under its last change."""
        self._insert("entries", *entry)
        self._known[entry.id] = entry

    def move(self, entry: Entry, change: int, mark: int) -> None:
        """Enters a row under another change."""
        self.do("DELETE FROM entries WHERE change = ?", entry.change)
        self.enter(entry._replace(change=change, mark=mark))

    def remove(self, entry: Entry) -> None:
        """Deletes a row and its counts, under every label that it had."""
        self.do("DELETE FROM counts WHERE change IN (SELECT change FROM replaced WHERE id = ?)", entry.id)
        self.do("DELETE FROM replaced WHERE id = ?", entry.id)
        self.remove_counts(entry.change)
        self.do("DELETE FROM entries WHERE change = ?", entry.change)
        self._known[entry.id] = None

    def keep(self, change: int, counts: bytes) -> str:
        """Stores counts, and returns their hash for the chain."""
        sealed, content = seal(counts, next(self._salts))
        self._insert("counts", change, sealed)
        return content

    def counts(self, change: int) -> bytes:
        """The counts of a change; an error if they do not match their hash."""
        found = self.one(f"SELECT sealed, record FROM counts {RECORDS} WHERE change = ?", change)
        return self._unsealed(change, *(found or (None, None)))

    def kept(self, which: str = "", *given: Any) -> Iterator[tuple[Entry, bytes]]:
        """The rows in the store, or some of them, with their counts."""
        query = f"SELECT {ENTRY}, sealed, record FROM entries LEFT JOIN counts USING (change) {RECORDS} {which}"
        for *entry, sealed, record in self.do(query, *given):
            yield Entry._make(entry), self._unsealed(entry[0], sealed, record)

    def _unsealed(self, change: int, sealed: Any, record: str | None) -> bytes:
        try:
            counts, content = unseal(sealed)
        except Exception:
            raise self._damaged(f"the counts of change {change} cannot be read") from None
        if f'"content":"{content}"' not in (record or ""):  # unambiguous: inside a string, quotes would be escaped
            raise self._damaged(f"the counts of change {change} do not match their hash")
        return counts

    def remove_counts(self, change: int) -> None:
        self.do("DELETE FROM counts WHERE change = ?", change)

    def replaced(self) -> list[int]:
        """Changes whose counts are still in the snapshot, although their rows have been corrected since."""
        return [change for (change,) in self.do("SELECT change FROM replaced")]

    def replace(self, change: int, id: str) -> None:
        """Keeps the counts of a corrected row for now, since the snapshot has them."""
        self.do("INSERT INTO replaced VALUES (?, ?)", change, id)

    def remove_replaced(self) -> None:
        self.do("DELETE FROM counts WHERE change IN (SELECT change FROM replaced)")
        self.do("DELETE FROM replaced")

    def _damaged(self, why: str) -> StoreError:
        return DamagedStoreError(f"{self.path} is damaged: {why}. Restore the store from a backup.")


def _about_hash(name: str, value: Any) -> str:
    return hashlib.sha256(repr((name, value)).encode("utf-8", "backslashreplace")).hexdigest()
