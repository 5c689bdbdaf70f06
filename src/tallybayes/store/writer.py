"""The one thread that writes. Changes that arrive while it writes share its next commit.

A caller waits until the commit with its change is on disk. A change that is refused does not affect the others; if the
disk fails, none of them is made, and the model is loaded again from disk.
"""

from __future__ import annotations

import logging
import queue
import sqlite3
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from contextlib import suppress
from typing import Any, NamedTuple

from tallybayes.files.replacing import SaveError
from tallybayes.model.scoring import Beliefs
from tallybayes.store.changes import EACH, Changes
from tallybayes.store.errors import FileLeftError, InDoubtError, NotWrittenError, StoreError, StoreGoneError
from tallybayes.store.folder import BASE
from tallybayes.store.waiting import Task, Waiting

TOGETHER = 512  # changes in one commit, at most
SELDOM = 10.0  # snapshots may take one tenth of the time
RETRY = 60.0  # seconds after which a snapshot that failed is tried again

log = logging.getLogger("tallybayes.store")

Answer = tuple[Task, Any, Exception | None]


class Published(NamedTuple):
    """What readers see: immutable, and replaced as a whole."""

    number: int
    beliefs: Beliefs | None  # None if nothing is counted, or nobody has asked yet
    refused: Exception | None = None  # why there are none, although something is counted


class Current(NamedTuple):
    """Beliefs, and the number of the last change they include."""

    number: int
    beliefs: Beliefs


class Writer:
    """The thread that owns the database and the model."""

    def __init__(self, changes: Changes, every: int) -> None:
        self.changes, self.state, self.every = changes, changes.state, every
        self.published = Published(self.state.number, None)
        self.asked = False  # whether beliefs have been requested
        self.trouble: Exception | None = None  # the error of the last snapshot
        self._broken = False  # whether the model may be ahead of the disk
        self._next_snapshot = 0.0
        self._made = self.state.number - self.state.replayed  # the change of the last snapshot
        self._tasks = Waiting()
        self._later: deque[Task | None] = deque()  # tasks that wait for a long one
        self._thread = threading.Thread(target=self._run, name="tallybayes-store", daemon=True)
        self._thread.start()

    def hand_over(
        self,
        work: Callable[[], Any],
        *,
        changes: bool = True,
        long: bool = False,
        id: str | None = None,
        size: int = EACH,
        wait: bool = True,
    ) -> Future[Any]:
        """Schedules a task. Tasks run in order, except that others may run between the steps of a long one. If too many
        changes are scheduled, it waits for room, or else refuses this one."""
        done: Future[Any] = Future()
        done.set_running_or_notify_cancel()  # it cannot be cancelled: the change may be on its way to the disk
        self._tasks.put(Task(work, done, changes, long, id, size if changes else 0), wait)
        return done

    def close(self) -> None:
        """Finishes all scheduled tasks, then stops."""
        self._tasks.close()
        self._thread.join()

    def _run(self) -> None:
        going = True
        while going:
            tasks, going = self._waiting()
            try:
                self._do(tasks)
                self._snapshot_if_due()
            except Exception as error:  # any error, so that no caller waits for ever
                self._broken = True
                self._answer([(task, None, error) for task in tasks if not task.done.done()])
        self.state.journal.checksum.write()

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
        """The waiting tasks, and whether more may come."""
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
        """Runs tasks that arrived during a long one, between its steps; other long ones wait."""
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
            self.changes.begin()
            base = self.state.base
            with self.state.journal.transaction():
                self.state.journal.expect([task.id for task in group if task.id is not None])
                answers.extend((task, *self._try(task)) for task in group)
                self.state.add_waiting()
        except Exception as error:
            failure = self._undo(error, self.state.number)
            answers = [(task, None, failure) for task in group]
        else:
            if self.state.base != base:
                answers = self._without_old_base(answers)
        self.publish()
        self._answer(answers)

    def _answer(self, answers: Sequence[Answer]) -> None:
        """Tells the callers, once there is room for what they may send next."""
        self._tasks.answered(task for task, _, _ in answers)
        for task, result, refused in answers:
            if refused is None:
                task.done.set_result(result)
            else:
                task.done.set_exception(refused)

    def _try(self, task: Task) -> tuple[Any, Exception | None]:
        """The result of a task, or the error. An error halfway through a change fails the whole commit."""
        try:
            return task.work(), None
        except (sqlite3.Error, OSError, MemoryError):
            raise
        except Exception as error:
            if self.changes.halfway:
                raise
            return None, error

    def _undo(self, error: Exception, number: int) -> Exception:
        """Returns to the model before a failed commit that should have reached this number; returns the error to raise.
        Loading it again takes time, and a full disk may refuse many changes a second."""
        self._broken = True
        with suppress(Exception):  # retried before the next task
            self._broken = not (isinstance(error, (sqlite3.Error, OSError)) and self.changes.take_all_back())
            self._mend()
        kept = self._broken or self.state.number == number
        failure: StoreError
        if isinstance(error, StoreGoneError):
            failure = NotWrittenError(str(error))
        elif self.state.journal.ending and kept:
            failure = InDoubtError(
                f"The disk failed at the end of the change: {_why(error)}. It may have been kept; repeat it to be sure."
            )
        else:
            what = f"The change could not be written: {_why(error)}. It was discarded; try again."
            failure = NotWrittenError(what)
        failure.__cause__ = error
        return failure

    def _mend(self) -> None:
        """Reloads the model if it may be ahead of the disk."""
        if self._broken:
            self.state.journal.roll_back()
            self.state.journal.place.check()
            self.state.load()
            self.state.tidy()
            self._broken = self.changes.halfway = False

    def publish(self) -> Published:
        """Publishes the current model to readers. Beliefs are computed only once they have been requested."""
        if self._broken:
            return self.published
        beliefs = refused = None
        try:
            if self.asked:
                beliefs = self.state.model.beliefs()
        except Exception as error:  # for those who ask; the change itself is made
            refused = error
        self.published = Published(self.state.number, beliefs, refused)
        return self.published

    def _without_old_base(self, answers: list[Answer]) -> list[Answer]:
        """Deletes the old base, which contains forgotten rows, before anything is acknowledged."""
        try:
            self.state.folder.keep_only(BASE, self.state.base)
        except OSError as error:
            why = FileLeftError(
                f"The change was made, but an old file could not be removed: {error}. Delete it manually."
            )
            return [(task, None, refused or why) for task, _, refused in answers]
        return answers

    def _snapshot_if_due(self) -> None:
        """Makes a snapshot after enough changes, or when idle to replace a dropped one; at a limited rate."""
        if self._broken or time.monotonic() < self._next_snapshot:
            return
        if self.state.number - self._made >= self.every or (self._dropped() and self._tasks.empty()):
            self.make_snapshot()

    def _dropped(self) -> bool:
        """Whether a snapshot is missing."""
        return self.state.snapshot is None and self.state.number - self.state.base >= self.every

    def _pause(self) -> float | None:
        """The time until a snapshot is due if no tasks arrive."""
        if self._broken or not (self._dropped() or self.state.number - self._made >= self.every):
            return None
        return max(self._next_snapshot - time.monotonic(), 0.0)

    def make_snapshot(self) -> None:
        """Writes a snapshot. A failure does no harm, except that opening takes longer; it is logged once, and after a
        while there is another try, since a disk may be full for days. If the database failed, or is gone, nobody knows
        whether it has the snapshot, and no file may stay that it does not know: before the next task, the state is read
        again, if the store is there. Until then, there are no more snapshots."""
        start, failure = time.monotonic(), None
        try:
            self.state.make_snapshot()
            self._made = self.state.number
        except (OSError, sqlite3.Error, ValueError) as error:
            failure = error
            self._broken = self._broken or isinstance(error, (sqlite3.Error, StoreGoneError))
            if self.trouble is None:  # the messages of other errors may quote rows
                why = _why(error) if isinstance(error, (OSError, sqlite3.Error, StoreError)) else type(error).__name__
                log.warning("%s: a snapshot could not be written: %s.", self.state.folder.path, why)
        self.trouble, end = failure, time.monotonic()
        self._next_snapshot = end + max(SELDOM * (end - start), RETRY if failure else 0.0)


def _why(error: Exception) -> str:
    """The operating system's error without file names, since it may be sent to a remote client."""
    cause = error.__cause__ if isinstance(error, SaveError) else error
    return getattr(cause, "strerror", None) or str(error)
