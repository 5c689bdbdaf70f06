"""One thread writes. Changes that come while it writes share its next commit.

Whoever asks for a change waits until that commit is on the disk. A change that is refused does not touch the others;
where the disk fails, none of them was made, and the model is loaded again from what was there before.
"""

from __future__ import annotations

import queue
import sqlite3
import threading
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from typing import Any, NamedTuple

from tallybayes.files.replacing import SaveError
from tallybayes.model.scoring import Beliefs
from tallybayes.store.changes import Changes
from tallybayes.store.errors import FileLeftError, InDoubtError, NotWrittenError, StoreError
from tallybayes.store.folder import BASE

TOGETHER = 512  # changes in one commit, at most
SELDOM = 10.0  # snapshots may take this part of the time: a tenth


class Task(NamedTuple):
    """Something to do for somebody who waits."""

    work: Callable[[], Any]
    done: Future[Any]
    changes: bool  # within a transaction, together with others
    long: bool  # others are not to wait for it: see `catch_up`


Answer = tuple[Task, Any, Exception | None]


class Published(NamedTuple):
    """What readers see: never changed, only replaced."""

    number: int
    beliefs: Beliefs | None  # none where nothing is counted, or nobody has asked yet
    refused: Exception | None = None  # why there are none, where something is


class Writer:
    """The thread that owns the database and the model."""

    def __init__(self, changes: Changes, every: int) -> None:
        self.changes, self.state, self.every = changes, changes.state, every
        self.published = Published(self.state.number, None)
        self.asked = False  # somebody wants beliefs
        self.trouble: Exception | None = None  # with the last snapshot
        self._broken = False  # the model may know more than the disk
        self._next_snapshot = 0.0
        self._tried = self.state.number - self.state.replayed  # the last change before a snapshot, or an attempt
        self._door = threading.Lock()
        self._closed = False
        self._tasks: queue.SimpleQueue[Task | None] = queue.SimpleQueue()
        self._later: deque[Task | None] = deque()  # what had to wait for a long task
        self._thread = threading.Thread(target=self._run, name="tallybayes-store", daemon=True)
        self._thread.start()

    def hand_over(self, work: Callable[[], Any], *, changes: bool = True, long: bool = False) -> Future[Any]:
        """To be done soon, in the order of handing over; what is long lets others pass."""
        with self._door:
            if self._closed:
                raise StoreError("The store is closed. Open it again with Store.open(path).")
            done: Future[Any] = Future()
            self._tasks.put(Task(work, done, changes, long))
            return done

    def close(self) -> None:
        """All that was handed over before is done first."""
        with self._door:
            if self._closed:
                return
            self._closed = True
            self._tasks.put(None)
        self._thread.join()

    def _run(self) -> None:
        going = True
        while going:
            tasks, going = self._waiting()
            try:
                self._do(tasks)
                self._snapshot_if_due()
            except Exception as error:  # whatever it is, nobody waits for ever
                self._broken = True
                for task in tasks:
                    if not task.done.done():
                        task.done.set_exception(error)

    def _do(self, tasks: list[Task]) -> None:
        group: list[Task] = []
        for task in tasks:
            if task.changes:
                group.append(task)
                continue
            self._commit(group)
            group = []
            self._alone(task)
        self._commit(group)

    def _waiting(self) -> tuple[list[Task], bool]:
        """What there is to do, and whether there will be more."""
        tasks: list[Task] = []
        if self._later:
            task = self._later.popleft()
            return ([], False) if task is None else ([task], True)
        try:
            task = self._tasks.get(timeout=self._pause())
        except queue.Empty:
            return [], True
        while task is not None:
            tasks.append(task)
            if len(tasks) == TOGETHER or self._tasks.empty():
                return tasks, True
            task = self._tasks.get()
        return tasks, False

    def catch_up(self) -> None:
        """For a long task, between its steps: what came meanwhile is done, unless it is long too."""
        tasks: list[Task] = []
        while len(tasks) < TOGETHER and not self._tasks.empty():
            task = self._tasks.get()
            if task is None or task.long:
                self._later.append(task)
            else:
                tasks.append(task)
        self._do(tasks)
        self._snapshot_if_due()

    def _alone(self, task: Task) -> None:
        try:
            self._mend()
            task.done.set_result(task.work())
        except Exception as error:
            task.done.set_exception(error)

    def _commit(self, group: list[Task]) -> None:
        if not group:
            return
        answers: list[Answer] = []
        try:
            self._mend()
            base = self.state.base
            with self.state.journal.transaction():
                answers.extend((task, *self._try(task)) for task in group)
                self.state.settle()
        except Exception as error:
            failure = self._undo(error, self.state.number)
            answers = [(task, None, failure) for task in group]
        else:
            if self.state.base != base:
                answers = self._without_old_base(answers)
        self.publish()
        for task, result, refused in answers:
            if refused is None:
                task.done.set_result(result)
            else:
                task.done.set_exception(refused)

    def _try(self, task: Task) -> tuple[Any, Exception | None]:
        """The result, or why it is refused. What goes wrong halfway is wrong for all that share the commit."""
        try:
            return task.work(), None
        except (sqlite3.Error, OSError, MemoryError):
            raise
        except Exception as error:
            if self.changes.halfway:
                raise
            return None, error

    def _undo(self, error: Exception, number: int) -> Exception:
        """The model as the disk has it, after a commit that failed: it should have got us to this number."""
        self._broken = True
        with suppress(Exception):  # it is tried again before the next change or question
            self._mend()
        kept = self._broken or self.state.number == number
        failure: StoreError
        if self.state.journal.ending and kept:
            failure = InDoubtError(
                f"The disk failed at the end of the change: {_why(error)}. It may have been kept; do it again to be "
                "sure."
            )
        else:
            what = f"The change could not be written: {_why(error)}. Nothing of it was kept; try it again."
            failure = NotWrittenError(what)
        failure.__cause__ = error
        return failure

    def _mend(self) -> None:
        """The model as the disk has it, if it may be another."""
        if self._broken:
            self.state.journal.roll_back()
            self.state.load()
            self.state.tidy()
            self._broken = self.changes.halfway = False

    def publish(self) -> Published:
        """Readers see the model as it is now. Beliefs are worked out once somebody has asked for any."""
        if self._broken:
            return self.published
        beliefs = refused = None
        try:
            if self.asked:
                beliefs = self.state.model.beliefs()
        except Exception as error:  # of who asks: what is learned is learned
            refused = error
        self.published = Published(self.state.number, beliefs, refused)
        return self.published

    def _without_old_base(self, answers: list[Answer]) -> list[Answer]:
        """The file that the base was in before holds what was forgotten: nothing is acknowledged until it is gone."""
        try:
            self.state.folder.keep_only(BASE, self.state.base)
        except OSError as error:
            why = FileLeftError(
                f"The change was made, but an old file could not be removed: {error}. Delete it by hand."
            )
            return [(task, None, refused or why) for task, _, refused in answers]
        return answers

    def _snapshot_if_due(self) -> None:
        """After so many changes, or in the place of one that was dropped when nobody waits; but not all the time."""
        if self._broken or time.monotonic() < self._next_snapshot:
            return
        if self.state.number - self._tried >= self.every or (self._dropped() and self._tasks.empty()):
            self.make_snapshot()

    def _dropped(self) -> bool:
        """Whether there is none, though there should be."""
        return self.state.snapshot is None and self.state.number - self.state.base >= self.every

    def _pause(self) -> float | None:
        """How long until a snapshot should be made, if nothing else is to be done before."""
        if self._broken or not (self._dropped() or self.state.number - self._tried >= self.every):
            return None
        return max(self._next_snapshot - time.monotonic(), 0.0)

    def make_snapshot(self) -> None:
        """A snapshot that fails is no harm: opening takes longer."""
        start, self._tried = time.monotonic(), self.state.number
        self.trouble = None
        try:
            self.state.make_snapshot()
        except (OSError, sqlite3.Error, ValueError) as error:
            self.trouble = error
        end = time.monotonic()
        self._next_snapshot = end + SELDOM * (end - start)


def _why(error: Exception) -> str:
    """What the disk said, without the names of files: it may be told to somebody far away."""
    said = error.__cause__ if isinstance(error, SaveError) else error
    return getattr(said, "strerror", None) or str(error)
