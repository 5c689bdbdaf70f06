"""The tasks that wait for the writer, in order. Changes wait in a bounded amount of memory: when the disk hangs, those
beyond it are refused."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future
from typing import Any, NamedTuple

from tallybayes.store.changes import EACH
from tallybayes.store.errors import StoreError, TooManyWaitError

MOST = 256_000_000  # bytes of changes that may wait for the disk


class Task(NamedTuple):
    """Work for a caller that waits."""

    work: Callable[[], Any]
    done: Future[Any]
    changes: bool  # whether to run it in a transaction, together with others
    long: bool  # whether others run in between: see `Writer.catch_up`
    id: str | None  # of the row to be changed, if it is useful to look it up together with others
    size: int  # bytes of memory, for changes


def make_task(
    work: Callable[[], Any], *, changes: bool = True, long: bool = False, id: str | None = None, size: int = EACH
) -> Task:
    return Task(work, Future(), changes, long, id, size if changes else 0)


class Waiting:
    """A queue of tasks, in parts that were handed over together; `None` is the end."""

    def __init__(self) -> None:
        self._parts: queue.SimpleQueue[Sequence[Task] | None] = queue.SimpleQueue()
        self.get, self.empty = self._parts.get, self._parts.empty
        self._door = threading.Lock()
        self._closed = False
        self._size = 0  # bytes of the changes that are not answered yet

    def put(self, tasks: Iterable[Task]) -> None:
        """Schedules tasks. One that cannot be scheduled has failed when this returns."""
        taken: list[Task] = []
        refused: list[tuple[Task, StoreError]] = []
        with self._door:
            for task in tasks:
                why = self._refusal(task.size)
                if why is None:
                    self._size += task.size
                    taken.append(task)
                else:
                    refused.append((task, why))
            if taken:
                self._parts.put(taken)
        for task, why in refused:
            task.done.set_exception(why)

    def _refusal(self, size: int) -> StoreError | None:
        """Why a task cannot be scheduled. A change of any size can if no other waits."""
        if self._closed:
            return StoreError("The store is closed. Open it again with Store.open(path).")
        if size and self._size and self._size + size > MOST:
            waits = f"The disk is too slow: changes of {MOST:,} bytes are waiting for it"
            return TooManyWaitError(f"{waits}. This one was not made; try again later.")
        return None

    def answered(self, tasks: Iterable[Task]) -> None:
        """Makes room for others. Call it before those who wait are told."""
        with self._door:
            self._size -= sum(task.size for task in tasks)

    def close(self) -> bool:
        """Ends the queue; whether it had not ended before."""
        with self._door:
            before, self._closed = self._closed, True
            if not before:
                self._parts.put(None)
        return not before
