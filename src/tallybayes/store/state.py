"""The model of a store, and how it is replayed from disk.

The base is the model that the store was created with, or the model at the last change that cannot be undone row by row
(a decay). The model is always the base plus all rows learned since; a snapshot only makes loading faster. A snapshot
contains words of its rows, so when one of these is forgotten, it is deleted before the change is acknowledged, and
another is made soon after.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from itertools import groupby
from typing import NamedTuple

from tallybayes.files import RowCounts
from tallybayes.model import Model
from tallybayes.schema import Schema
from tallybayes.store.errors import StoreError
from tallybayes.store.folder import BASE, SNAPSHOT, Folder
from tallybayes.store.journal import Entry, Journal
from tallybayes.store.parts import in_parts


class CountedRow(NamedTuple):
    """The counts of a row, as a model and as the bytes in the journal."""

    model: Model
    data: bytes

    @property
    def mark(self) -> int:
        """A hash to find the row by its counts. It is too short to reveal them, since it may outlive them on disk."""
        return mark_of(self.data)


class Place(NamedTuple):
    """The state of a store, to return to."""

    number: int
    base: int
    snapshot: int | None
    schema: Schema


def mark_of(counts: bytes) -> int:
    return int.from_bytes(hashlib.sha256(counts).digest()[:3], "little")


class State:
    """The model on disk and in memory; for one thread at a time."""

    number: int  # of the last change
    base: int  # the change at which the base was written
    snapshot: int | None  # the change at which the snapshot was written, if it can be read
    known_start: Model | None = None  # until a decay, or an error
    unfinished = False  # whether there may be a snapshot that the journal does not know

    def __init__(self, folder: Folder, journal: Journal) -> None:
        self.folder, self.journal = folder, journal
        self.load()
        self.tidy()
        self.replayed = self.number - (self.base if self.snapshot is None else self.snapshot)

    def load(self) -> None:
        """Loads the model from disk."""
        self.number, _ = self.journal.last()
        self.base = self.journal.about("base")
        self.snapshot = self.journal.about("snapshot")
        self._waiting: list[CountedRow] = []  # rows that are learned, but not yet added to the model
        self._model, self.known_start = self._replayed(), None
        self.row_counts = RowCounts(self._model.schema)

    @property
    def model(self) -> Model:
        """The model, with all rows added."""
        self.add_waiting()
        return self._model

    @model.setter
    def model(self, model: Model) -> None:
        self._model, self.known_start = model, None

    def learn(self, counted: CountedRow) -> None:
        """Adds a row, at the latest when the model is used; an error if it cannot be added."""
        if counted.model.label_type == self._model.label_type:
            self._waiting.append(counted)
        else:
            self.model += counted.model

    def add_waiting(self) -> None:
        """Adds the waiting rows: many at once cost little more than one."""
        if self._waiting:
            (first, *more), read = self._waiting, self.row_counts.read_all
            self._model += read(each.data for each in self._waiting) if more else first.model
            self._waiting = []

    def _replayed(self) -> Model:
        """The snapshot and the changes since, or else the base and every row."""
        if self.snapshot is not None:
            try:
                found = self.folder.read(SNAPSHOT, self.snapshot, self.journal.about("snapshot digest"))
                return since_snapshot(self.journal, found, self.base, self.snapshot)
            except (StoreError, OSError):  # it only saves time; `verify` reports that it is damaged
                self.snapshot = None
        model = self.read_base()
        add_rows(model, self.journal.kept("WHERE first > ?", self.base))
        return model

    def read_base(self) -> Model:
        return self.folder.read(BASE, self.base, self.journal.about("base digest"))

    def counted(self, model: Model) -> CountedRow:
        return CountedRow(model, self.row_counts.write(model))

    def counts_of(self, change: int) -> Model:
        return self.row_counts.read(self.journal.counts(change))

    def faded(self, model: Model, first: int) -> Model:
        """The counts of a row as they were learned, by this change, times every decay since."""
        for factor in self.journal.decays_since(first):
            model = model * factor
        return model

    def start(self) -> Model:
        """The rows that were there from the start: the base without those in the journal, which must stay possible."""
        if self.known_start is None:
            found, read = self.read_base(), self.row_counts.read_all
            kept = self.journal.kept("WHERE first <= ?", self.base)
            for _, alike in groupby(kept, lambda row: self.journal.decays_since(row[0].first)):
                for part in in_parts(alike):
                    found -= self.faded(read(counts for _, counts in part), part[0][0].first)
            self.known_start = found
        return self.known_start

    def tidy(self) -> None:
        """Deletes files that are unknown to the journal."""
        self.folder.remove_abandoned()
        self.folder.keep_only(BASE, self.base)
        self.folder.keep_only(SNAPSHOT, self.journal.about("snapshot"))

    def drop_snapshot(self) -> None:
        """Deletes the snapshot, in a transaction. The file goes first, since a missing snapshot does no harm."""
        self.snapshot = None
        self.folder.keep_only(SNAPSHOT, None)
        self.journal.tell("snapshot", None)
        self.journal.remove_replaced()

    def rebase(self, number: int) -> str:
        """Makes the current model the base, in a transaction. `tidy` deletes the old one after the commit."""
        digest = self.folder.write(BASE, number, self.model)
        self.base = number
        self.journal.tell("base", number)
        self.journal.tell("base digest", digest)
        self.drop_snapshot()
        return digest

    def place(self) -> Place:
        return Place(self.number, self.base, self.snapshot, self.model.schema)

    def go_back(self, before: Place) -> None:
        """Restores the state after a transaction and the counts were rolled back to it. Deleted files stay deleted."""
        self.number, self.model.schema, self.known_start = before.number, before.schema, None
        if self.base != before.base:
            self.base = before.base
            self.folder.remove_after(BASE, before.number)  # an older base may be the committed one
        if self.snapshot != before.snapshot:
            self.drop_snapshot()

    def make_snapshot(self) -> None:
        """Writes the current model, so that opening need not replay earlier changes."""
        if self.number == (self.base if self.snapshot is None else self.snapshot):
            return
        self.journal.place.check()  # the folder may be another store's
        self.unfinished = True
        digest = self.folder.write(SNAPSHOT, self.number, self.model)
        with self.journal.transaction():
            self.journal.tell("snapshot", self.number)
            self.journal.tell("snapshot digest", digest)
            self.journal.remove_replaced()
        self.snapshot = self.number
        self.folder.keep_only(SNAPSHOT, self.number)
        self.unfinished = False


def since_snapshot(journal: Journal, model: Model, base: int, snapshot: int) -> Model:
    """A snapshot plus the changes since."""
    schema, read = model.schema, RowCounts(model.schema).read
    add_rows(model, journal.kept("WHERE first > ? AND entries.change > ?", base, snapshot))
    for change in journal.replaced():
        model -= read(journal.counts(change))
    model.schema = schema  # with the weights of classes that have lost their last row, as in the base
    return model


def add_rows(model: Model, rows: Iterable[tuple[Entry, bytes]]) -> None:
    """Adds rows from the journal, many at a time."""
    read = RowCounts(model.schema).read_all
    for part in in_parts(rows):
        model += read(counts for _, counts in part)


def own_copy(model: Model) -> Model:
    """A deep copy. `model.copy()` would share the counts until one of the two changes; then the store's model would
    have to copy them and recompute all its beliefs."""
    return model._mapped(lambda tally: tally.copy(), model.label_type)
