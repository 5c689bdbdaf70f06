"""Threads for what must not occupy the event loop, with a bound on what waits for them."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

from tallybayes.serve.problems import LATER, Problem


class Job:
    """Work for a thread."""

    def __init__(self, work: Callable[[], Any]) -> None:
        self._work: Callable[[], Any] | None = work
        self.done: Future[Any]

    def __call__(self) -> Any:
        work = self._work
        return None if work is None else work()

    def drop(self) -> None:
        """Frees what was sent, since nobody waits for the result any more; if the work has begun, when it ends."""
        self._work = None


class Threads:
    """Threads of one kind."""

    def __init__(self, count: int, name: str, most: int) -> None:
        self._pool = ThreadPoolExecutor(count, name)
        self._most = most  # jobs, running and waiting
        self._left = most
        self._lock = threading.Lock()

    def start(self, work: Callable[[], Any]) -> Job:
        """Runs this as soon as a thread is free; a problem if too much is waiting already."""
        with self._lock:
            if self._left == 0:
                raise Problem(503, f"{self._most:,} requests are waiting already. Try again later.", LATER)
            self._left -= 1
        job = Job(work)
        job.done = self._pool.submit(job)
        job.done.add_done_callback(self._ended)
        return job

    def _ended(self, _: object) -> None:
        with self._lock:
            self._left += 1

    def close(self) -> None:
        """Drops what has not begun."""
        self._pool.shutdown(wait=False, cancel_futures=True)
