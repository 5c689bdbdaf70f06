"""The model of a store, and what it is replayed from.

The base is the model that the store was created with, or as it was at the last change that no row can undo (a decay).
All rows learned since are added to it: that is the model, at any time. A snapshot only makes that quicker. It holds
words of the rows in it, so it goes when one of these is forgotten, before that is acknowledged; another is made soon
after.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import NamedTuple

from tallybayes.files import RowCounts
from tallybayes.model import Model
from tallybayes.schema import Schema
from tallybayes.store.errors import StoreError
from tallybayes.store.folder import BASE, SNAPSHOT, Folder
from tallybayes.store.journal import Entry, Journal
from tallybayes.store.parts import in_parts


class Counted(NamedTuple):
    """What a row adds: as a model, and as the bytes that the journal keeps."""

    model: Model
    data: bytes

    @property
    def mark(self) -> int:
        """To find the row by its counts. Too short to tell what they were: it may outlive them in the database."""
        return mark_of(self.data)


class Place(NamedTuple):
    """Where a store was."""

    number: int
    base: int
    snapshot: int | None
    schema: Schema


def mark_of(counts: bytes) -> int:
    return int.from_bytes(hashlib.sha256(counts).digest()[:3], "little")


class State:
    """What was counted, on disk and in memory; for one thread at a time."""

    number: int  # of the last change
    base: int  # the change that the base was written at
    snapshot: int | None  # the change that the snapshot was written at, if there is one that can be read

    def __init__(self, folder: Folder, journal: Journal) -> None:
        self.folder, self.journal = folder, journal
        self.load()
        self.tidy()
        self.replayed = self.number - (self.base if self.snapshot is None else self.snapshot)

    def load(self) -> None:
        """The model as the disk has it."""
        self.number, _ = self.journal.last()
        self.base = self.journal.about("base")
        self.snapshot = self.journal.about("snapshot")
        self._waiting: list[Counted] = []  # rows that are learned, and not added to the model yet
        self._model = self._replayed()
        self.row_counts = RowCounts(self._model.schema)

    @property
    def model(self) -> Model:
        """With all that was learned."""
        self.settle()
        return self._model

    @model.setter
    def model(self, model: Model) -> None:
        self._model = model

    def learn(self, counted: Counted) -> None:
        """Adds a row, at the latest when somebody looks at the model; or says what is wrong with it."""
        if counted.model.label_type == self._model.label_type:
            self._waiting.append(counted)
        else:
            self.model += counted.model

    def settle(self) -> None:
        """Adds the rows that wait for it: many at once cost little more than one."""
        if self._waiting:
            (first, *more), read = self._waiting, self.row_counts.read_all
            self._model += read(each.data for each in self._waiting) if more else first.model
            self._waiting = []

    def _replayed(self) -> Model:
        """The snapshot and what came after it, or else the base and every row."""
        if self.snapshot is not None:
            try:
                found = self.folder.read(SNAPSHOT, self.snapshot, self.journal.about("snapshot digest"))
                return since_snapshot(self.journal, found, self.base, self.snapshot)
            except StoreError:  # it only saves time; `verify` tells that it is damaged
                self.snapshot = None
        model = self.read_base()
        add_rows(model, self.journal.kept("WHERE first > ?", self.base))
        return model

    def read_base(self) -> Model:
        return self.folder.read(BASE, self.base, self.journal.about("base digest"))

    def counted(self, model: Model) -> Counted:
        return Counted(model, self.row_counts.write(model))

    def counts_of(self, change: int) -> Model:
        return self.row_counts.read(self.journal.counts(change))

    def weighed(self, entry: Entry) -> Model:
        """What a row counts by now: as it was learned, times every decay since."""
        model = self.counts_of(entry.change)
        for factor in self.journal.decays_since(entry.first):
            model = model * factor
        return model

    def tidy(self) -> None:
        """Files that the journal does not know go."""
        self.folder.remove_abandoned()
        self.folder.keep_only(BASE, self.base)
        self.folder.keep_only(SNAPSHOT, self.journal.about("snapshot"))

    def drop_snapshot(self) -> None:
        """In a transaction. Its file goes first: a snapshot that is missing is one that nobody needs."""
        self.snapshot = None
        self.folder.keep_only(SNAPSHOT, None)
        self.journal.tell("snapshot", None)
        self.journal.remove_replaced()

    def rebase(self, number: int) -> str:
        """In a transaction: the model as it is becomes the base. The old one goes after the commit, by `tidy`."""
        digest = self.folder.write(BASE, number, self.model)
        self.base = number
        self.journal.tell("base", number)
        self.journal.tell("base digest", digest)
        self.drop_snapshot()
        return digest

    def place(self) -> Place:
        return Place(self.number, self.base, self.snapshot, self.model.schema)

    def go_back(self, before: Place) -> None:
        """In a transaction that has been undone from there on, after the counts have. A file that is gone stays so."""
        self.number, self.model.schema = before.number, before.schema
        if self.base != before.base:
            self.base = before.base
            self.folder.keep_only(BASE, self.base)
        if self.snapshot != before.snapshot:
            self.drop_snapshot()

    def make_snapshot(self) -> None:
        """Writes the model as it is, so that opening need not replay what came before."""
        if self.number == (self.base if self.snapshot is None else self.snapshot):
            return
        digest = self.folder.write(SNAPSHOT, self.number, self.model)
        with self.journal.transaction():
            self.journal.tell("snapshot", self.number)
            self.journal.tell("snapshot digest", digest)
            self.journal.remove_replaced()
        self.snapshot = self.number
        self.folder.keep_only(SNAPSHOT, self.number)


def since_snapshot(journal: Journal, model: Model, base: int, snapshot: int) -> Model:
    """A snapshot, and what came after it."""
    schema, read = model.schema, RowCounts(model.schema).read
    add_rows(model, journal.kept("WHERE first > ? AND entries.change > ?", base, snapshot))
    for change in journal.replaced():
        model -= read(journal.counts(change))
    model.schema = schema  # with the weights of classes that have lost their last row: the base has them too
    return model


def add_rows(model: Model, rows: Iterable[tuple[Entry, bytes]]) -> None:
    """Adds rows of the journal, many at a time."""
    read = RowCounts(model.schema).read_all
    for part in in_parts(rows):
        model += read(counts for _, counts in part)


def own_copy(model: Model) -> Model:
    """Not `model.copy()`: that shares the counts until one of both changes, and then the store's model would have to
    copy them, and to work out anew all that it believes."""
    copy = Model(model.schema, model.label_type)
    copy.rows = model.rows.copy()
    copy.columns = {name: tally.copy() for name, tally in model.columns.items()}
    return copy
