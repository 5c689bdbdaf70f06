"""A model on disk, with its journal: the class that users open."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Future
from contextlib import ExitStack
from copy import deepcopy
from datetime import datetime, timedelta
from functools import partial
from types import TracebackType
from typing import Any, Self

from tallybayes.data.errors import check_whole
from tallybayes.families import Family
from tallybayes.files import digest
from tallybayes.model import Model
from tallybayes.model.scoring import Beliefs
from tallybayes.schema import Schema
from tallybayes.store.chain import Record
from tallybayes.store.changes import EACH, Change, Changes, Planned, by_class, moment, time_before
from tallybayes.store.copying import Copy, copy_store, keep, nameless, new_folder, telling
from tallybayes.store.creating import make_store
from tallybayes.store.errors import DamagedStoreError, StoreError, StoreGoneError
from tallybayes.store.folder import JOURNAL, Folder
from tallybayes.store.ids import checked_id, named
from tallybayes.store.journal import Journal
from tallybayes.store.parts import all_of, counted_each, in_parts
from tallybayes.store.receipts import Receipt, of_journal, receipt_of
from tallybayes.store.settings import KeptSettings
from tallybayes.store.state import CountedRow, State, own_copy
from tallybayes.store.verifying import Progress, Verified, verify
from tallybayes.store.writer import Current, Writer

EVERY = 10_000  # changes between snapshots


class Store:
    """A folder with a model and its journal. When a change returns, it is on disk and part of every later answer.

    Rows are learned under an id, which makes changes idempotent. It is thread-safe: concurrent changes share a commit,
    and questions never wait for changes.

    >>> from tallybayes import Store, Words
    >>> with Store.create("spam", {"text": Words()}) as store:
    ...     store.learn("win a prize", "spam", id="m-1")
    ...     store.learn("lunch on monday", "spam", id="m-2")
    ...     store.correct("m-2", "ham")
    ...     store.learn("win a prize", "spam", id="m-1").already
    ...     store.beliefs().posterior("prize").round(2)
    Change(number=1, what='learn', id='m-1', already=False)
    Change(number=2, what='learn', id='m-2', already=False)
    Change(number=3, what='correct', id='m-2', already=False)
    True
    array([[0.3, 0.7]])
    """

    def __init__(self, path: str | os.PathLike[str], *, snapshot_every: int = EVERY) -> None:
        check_whole("snapshot_every", snapshot_every, 1)
        folder = Folder(path)
        if not folder.journal.is_file():
            raise StoreError(
                f"{os.fspath(path)} is not a store: it has no {JOURNAL}. Give the folder of a store; Store.create, or "
                "tallybayes store create, makes one."
            )
        self._journal = Journal(folder.journal)
        try:
            self._state = State(folder, self._journal)
            self._changes = Changes(self._state)
            self._writer = Writer(self._changes, snapshot_every)
        except BaseException as error:
            self._journal.close()
            if isinstance(error, StoreError) or not isinstance(error, (sqlite3.Error, ValueError, TypeError)):
                raise
            why = f"The store {folder.path} is damaged: {error}. Restore it from a backup."
            raise DamagedStoreError(why) from error
        self._kept = KeptSettings(self._journal, self._writer)
        self.path, self.schema = folder.path, self._state.model.schema

    @classmethod
    def create(
        cls,
        path: str | os.PathLike[str],
        start: Schema | Mapping[Any, Family] | Model,
        *,
        snapshot_every: int = EVERY,
    ) -> Self:
        """Creates a store in a new folder, empty or with the counts of a model."""
        make_store(path, start)
        return cls(path, snapshot_every=snapshot_every)

    @classmethod
    def open(cls, path: str | os.PathLike[str], *, snapshot_every: int = EVERY) -> Self:
        """Opens an existing store and locks it."""
        return cls(path, snapshot_every=snapshot_every)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Writes pending changes and closes the store. Closing twice does nothing."""
        self._writer.close()
        self._journal.close()

    def learn(self, row: Any, label: Any, *, id: str | None = None, prove: bool = False) -> Change:
        """Learns a row. Learning the same row under the same id again changes nothing and sets `already`; a different
        row is an error. Without an id, the row gets a random one. With `prove`, its receipt has the digests of the
        model before and after, which takes as long as writing the model."""
        return self._learning(row, label, id, prove, wait=True).result()

    def submit(self, row: Any, label: Any, *, id: str | None = None, prove: bool = False) -> Future[Change]:
        """Like `learn`, without waiting: the future completes when the change is on disk. If too many changes wait for
        the disk already, this raises `TooManyWaitError`."""
        return self._learning(row, label, id, prove, wait=False)

    def _learning(self, row: Any, label: Any, id: str | None, prove: bool, *, wait: bool) -> Future[Change]:
        id, work, size = self._changes.learning(named(id), self._counted(row, label), prove)
        return self._writer.hand_over(work, id=id, size=size, wait=wait)

    def learn_all(self, rows: Iterable[tuple[Any, Any, str | None]]) -> list[Change]:
        """Learns rows, each (row, label, id), in as few commits as possible. If a row is invalid, its commit and all
        later ones are not made; the error's notes say which row it is, and how many were learned before."""
        learning, found = self._changes.learning, counted_each(rows, self._counted)
        return self._all(learning(named(id), counted) for id, counted in found)

    def learn_model(self, model: Model, *, id: str) -> list[Change]:
        """Learns all rows that a model has counted in one commit, with a change for every class, under the id and the
        class. Repeating it with the same counts and id changes nothing and sets `already`."""
        _ = Model(self.schema) + Model(model.schema)  # raises an error if they cannot be added
        learning, counted = self._changes.learning, self._state.counted
        made = [learning(checked_id(f"{id} {label!r}"), counted(part)) for label, part in by_class(model)]
        return self._together(made, 0) if made else []

    def forget(self, row: Any = None, label: Any = None, *, id: str | None = None, prove: bool = False) -> Change:
        """Forgets a row by its id, or by its content and label. Its counts are also deleted from the journal; when this
        returns, they are in no file of the store."""
        return self._do(self._forgetting(row, label, id, prove).make)

    def forget_all(self, rows: Iterable[tuple[Any, Any, str | None]], *, prove: bool = False) -> list[Change]:
        """Forgets rows, each (row, label, None) or (None, None, id), in commits like `learn_all`."""
        return self._all(self._forgetting(*row, prove) for row in rows)

    def _forgetting(self, row: Any, label: Any, id: str | None, prove: bool) -> Planned:
        if id is not None:
            if row is not None or label is not None:
                raise ValueError("Give an id, or a row and its label, but not both.")
            return Planned(id, partial(self._changes.forget, checked_id(id), prove))
        if row is None or label is None:
            raise ValueError("Which row? Give its id, forget(id='m-17'), or row and label, forget(row, 'spam').")
        return Planned(None, partial(self._changes.forget_counts, self._counted(row, label), prove))

    def correct(self, id: str, label: Any, *, prove: bool = False) -> Change:
        """Changes the label of a row: forgets and learns it in one change. Its age for `expire` does not change."""
        return self._do(partial(self._changes.correct, checked_id(id), label, prove))

    def correct_all(self, labels: Iterable[tuple[str, Any]], *, prove: bool = False) -> list[Change]:
        """Changes the labels of rows, each (id, label), in commits like `learn_all`."""
        correct = self._changes.correct
        return self._all(Planned(id, partial(correct, checked_id(id), label, prove)) for id, label in labels)

    def expire(self, older_than: datetime | timedelta, *, prove: bool = False) -> list[Change]:
        """Forgets all rows learned before a time, or longer ago than a duration. Many rows take several commits, so
        that other changes need not wait for all of them."""
        before = moment(time_before(older_than))
        ids = self._do(lambda: [entry.id for entry in self._journal.entries("WHERE at < ? ORDER BY first", before)])
        parts = [self._do(partial(self._changes.expire, some, before, prove)) for some in in_parts(ids)]
        return [change for part in parts for change in part]

    def decay(self, factor: float, *, prove: bool = False) -> Change:
        """Multiplies all counts so far by a factor. These rows can still be forgotten, with their current weight:
        exactly if the factors are powers of ½, otherwise to 128 bits."""
        if isinstance(factor, bool) or not isinstance(factor, (int, float)) or not 0 < factor <= 1:
            raise ValueError(f"factor={factor!r}: give a number above 0, and at most 1.")
        return self._do(lambda: self._changes.decay(float(factor), prove))

    def current(self) -> Current:
        """The current beliefs and their version."""
        found = self._writer.published
        if found.beliefs is None:
            self._writer.asked = True  # from now on, every change publishes its beliefs
            found = self._writer.hand_over(self._writer.publish, changes=False).result()
        if found.beliefs is None:
            raise found.refused or StoreError("The store has no beliefs.")
        return Current(found.number, found.beliefs)

    def beliefs(self) -> Beliefs:
        """The current beliefs: an immutable snapshot for any thread, which later changes do not affect."""
        return self.current().beliefs

    @property
    def ready(self) -> bool:
        """Whether `current` returns without waiting."""
        return self._writer.published.beliefs is not None

    @property
    def number(self) -> int:
        """The number of the last change: the version of the model."""
        return self._writer.published.number

    def model(self) -> Model:
        """A copy of the current model."""
        return self.look(own_copy)[1]

    def look(self, at: Callable[[Model], Any]) -> tuple[int, Any]:
        """The version of the model, and the result of a function of it. Changes wait meanwhile."""
        return self._ask(lambda: (self._state.number, at(self._state.model)))

    def digest(self) -> str:
        """The sha256 of the model's file, equal to that of a model trained on the remaining rows."""
        return digest(self.model())

    def ids(self) -> list[str]:
        """The ids of all rows in the store, in the order in which they were learned."""
        return self._ask(lambda: [entry.id for entry in self._journal.entries("ORDER BY first")])

    def changes(self, last: int = 20) -> list[Record]:
        """The last changes, the latest first."""
        query, numbers = self._journal.sql.execute, "SELECT number FROM changes ORDER BY number DESC LIMIT ?"
        found = self._ask(lambda: [self._journal.record(n) for (n,) in query(numbers, (last,)).fetchall()])
        return [record for record in found if record is not None]

    def settings(self) -> dict[str, Any]:
        """The values kept with `set`, such as thresholds and hashes of tokens. They are not part of the model or its
        digest."""
        return deepcopy(self._kept.all())

    def setting(self, name: str) -> Any:
        """One of these values; `None` if there is none."""
        return deepcopy(self._kept.all().get(name))

    def set(self, name: str, value: Any) -> None:
        """Keeps a JSON value next to the model. `None` removes it."""
        self._kept.set(name, value)

    @property
    def snapshot_failed(self) -> bool:
        """Whether the last snapshot could not be written, since the disk is full, say."""
        return self._writer.trouble is not None

    def snapshot(self) -> None:
        """Writes the model now, so that opening the store is fast. This also happens every `snapshot_every` changes."""
        self._ask(self._writer.make_snapshot)
        trouble = self._writer.trouble
        if isinstance(trouble, StoreGoneError):
            raise trouble
        if trouble is not None:
            raise StoreError(f"The snapshot could not be written: {trouble}.")

    def verify(self, progress: Progress | None = None) -> Verified:
        """Checks that counts, journal and chain agree, by reading a private copy of the whole store; changes and
        questions go on meanwhile. `progress(done, all)` is called from time to time."""
        with telling(), ExitStack() as files:
            target, file = files.enter_context(nameless(self._state.folder))
            return verify(self._copy(target, files, model=True), file, self._journal.checksum, progress)

    def backup(self, path: str | os.PathLike[str]) -> None:
        """Copies the whole store, consistent as of one moment, to a new folder; changes and questions go on meanwhile.
        Rows forgotten later are still in the copy."""
        with telling(), new_folder(path) as made, ExitStack() as files:
            target = sqlite3.connect(made / JOURNAL, isolation_level=None, check_same_thread=False)
            files.callback(target.close)
            keep(self._copy(target, files, model=False), made)

    def _copy(self, target: sqlite3.Connection, files: ExitStack, *, model: bool) -> Copy:
        work = partial(copy_store, self._state, target, self._writer.catch_up, files, model=model)
        copy: Copy = self._writer.hand_over(work, changes=False, long=True).result()
        return copy

    def receipt(self, id: str | None = None, *, number: int | None = None) -> Receipt:
        """The receipt of the last change to a row, or of a change by its number, which others can check."""
        return self._ask(lambda: receipt_of(self._journal, id, number))

    def check(self, receipt: Receipt) -> str:
        """Checks a receipt against this store; see `check_receipt`."""
        return self._ask(lambda: of_journal(receipt, self._journal))

    def __repr__(self) -> str:
        return f"Store({os.fspath(self.path)!r}), version {self.number}"

    def _counted(self, row: Any, label: Any) -> CountedRow:
        """Counts a row in the caller's thread, so that the writer only has to add it."""
        return self._state.counted(Model.train(self.schema, row, [label]))

    def _all(self, changes: Iterable[Planned]) -> list[Change]:
        return all_of(changes, self._together)

    def _together(self, changes: Sequence[Planned], first: int) -> Any:
        return self._do(partial(self._changes.together, changes, first), sum(change.size for change in changes))

    def _do(self, work: Any, size: int = EACH) -> Any:
        return self._writer.hand_over(work, size=size).result()

    def _ask(self, work: Any) -> Any:
        return self._writer.hand_over(work, changes=False).result()
