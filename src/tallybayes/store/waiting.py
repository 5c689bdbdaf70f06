"""The tasks that wait for the writer, in order. Changes wait in a bounded amount of memory. Beyond it, a caller who can
wait does so while commits go on, but only for the changes before its own; when the disk hangs, it is refused."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterable
from concurrent.futures import Future
from typing import Any, NamedTuple, NoReturn

from tallybayes.store.errors import StoreError, TooManyWaitError

MOST = 256_000_000  # bytes of changes that may wait for the disk
PATIENCE = 5.0  # seconds without a commit after which a caller waits no longer for room


class Task(NamedTuple):
    """Work for a caller that waits."""

    work: Callable[[], Any]
    done: Future[Any]
    changes: bool  # whether to run it in a transaction, together with others
    long: bool  # whether others run in between: see `Writer.catch_up`
    id: str | None  # of the row to be changed, if it is useful to look it up together with others
    size: int  # bytes of memory, for changes


class Waiting:
    """A queue of tasks; `None` is its end."""

    def __init__(self) -> None:
        self._tasks: queue.SimpleQueue[Task | None] = queue.SimpleQueue()
        self.get, self.empty = self._tasks.get, self._tasks.empty
        self._door = threading.Lock()
        self._room = threading.Condition(self._door)  # notified when changes are answered, or at the end
        self._closed = False
        self._size = 0  # bytes of the changes that are not answered yet
        self._taken = self._answered = 0  # changes so far

    def put(self, task: Task, wait: bool) -> None:
        """Schedules a task; an error if it is refused. If there is no room for a change, the caller may `wait`, at most
        until those before it are answered: it has its counts in memory anyway, and later ones must not keep it out."""
        with self._door:
            before = self._taken
            while not self._closed and self._answered < before and self._size + task.size > MOST and task.changes:
                if not wait or not self._room.wait(PATIENCE):
                    self._refuse(task.size)
            if self._closed:
                raise StoreError("The store is closed. Open it again with Store.open(path).")
            self._size += task.size
            self._taken += task.changes
            self._tasks.put(task)

    def _refuse(self, size: int) -> NoReturn:
        raise TooManyWaitError(
            f"Changes of {self._size:,} bytes are waiting for the disk; {size:,} more would be over the {MOST:,} that "
            "may wait. This change was not made; try again later, or with fewer rows at once."
        )

    def answered(self, tasks: Iterable[Task]) -> None:
        """Makes room for others. Call it before those who wait are told."""
        with self._door:
            for task in tasks:
                self._size -= task.size
                self._answered += task.changes
            self._room.notify_all()

    def close(self) -> None:
        """Ends the queue."""
        with self._door:
            if not self._closed:
                self._closed = True
                self._tasks.put(None)
                self._room.notify_all()
