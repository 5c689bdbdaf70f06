"""Reading ahead: one thread cuts an input into pieces, a few others work on these, and results come in order.

The number of pieces in flight is bounded, so a slow consumer costs no memory. When the consumer stops, for whatever
reason, so do the threads. The one that cuts may be blocked on a pipe: it is waited for only while it works, since
Python aborts if it exits while a thread is in a kernel.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from queue import SimpleQueue
from typing import Generic, NoReturn, TypeVar

P = TypeVar("P")
R = TypeVar("R")

FAREWELL, FAREWELLS = 0.5, 20  # seconds, and how often one that still works is waited for


class _Cutter(threading.Thread, Generic[P, R]):
    """Cuts a piece for every one that is `wanted`, and passes it on, until there are no more or the consumer stops."""

    _used: Callable[[], float] = staticmethod(time.process_time)  # CPU time, where a thread has none of its own

    def __init__(self, pieces: Iterator[P], passed_on: Callable[[P], Callable[[], R]], ahead: int) -> None:
        super().__init__(name="tallybayes reading ahead", daemon=True)
        self.results: SimpleQueue[Callable[[], R] | None] = SimpleQueue()  # each returns one, or raises its error
        self.wanted: SimpleQueue[bool] = SimpleQueue()  # one for every piece to cut; false means no more
        self._pieces = pieces
        self._passed_on = passed_on
        self._stopped = False
        for _ in range(ahead):
            self.wanted.put(True)

    def run(self) -> None:
        if hasattr(time, "pthread_getcpuclockid"):
            self._used = partial(time.clock_gettime, time.pthread_getcpuclockid(threading.get_ident()))
        end = None
        try:
            while self.wanted.get() and not self._stopped:
                self.results.put(self._passed_on(next(self._pieces)))
        except StopIteration:
            pass
        except BaseException as error:  # for the consumer to handle
            end = partial(_raise, error)
        finally:
            try:
                if hasattr(self._pieces, "close"):
                    self._pieces.close()
            finally:
                self.results.put(end)

    def stop(self) -> None:
        self._stopped = True
        self.wanted.put(False)
        with suppress(OSError):  # its clock ends with it
            for _ in range(FAREWELLS):
                used = self._used()
                self.join(FAREWELL)
                if not self.is_alive() or self._used() - used < FAREWELL / 10:  # it ended, or is blocked
                    break


def read_ahead(pieces: Iterator[P], work: Callable[[P], R], workers: int, ahead: int) -> Iterator[R]:
    """Yields work(piece) for every piece, in order, with this many `workers` and at most `ahead` pieces ahead of the
    consumer."""
    pool = ThreadPoolExecutor(workers, "tallybayes reading")
    cutter = _Cutter(pieces, lambda piece: pool.submit(work, piece).result, ahead)
    return _handed_over(cutter, lambda: pool.shutdown(wait=False, cancel_futures=True))


def fetch_elsewhere(pieces: Iterator[P], interrupt: Callable[[], object]) -> Iterator[P]:
    """Yields the pieces, each fetched in another thread, but not before it is wanted: this thread can be interrupted
    while it waits. `interrupt` is called when the consumer stops, early or not."""
    return _handed_over(_Cutter(pieces, lambda piece: partial(_same, piece), 0), interrupt)


def _handed_over(cutter: _Cutter[P, R], stop_work: Callable[[], object]) -> Iterator[R]:
    cutter.start()
    try:
        while True:
            cutter.wanted.put(True)
            result = cutter.results.get()
            if result is None:
                return
            made = [result()]
            del result  # it holds what is made
            yield made.pop()
    finally:
        try:
            stop_work()
        finally:
            cutter.stop()


def _raise(error: BaseException) -> NoReturn:
    raise error


def _same(piece: P) -> P:
    return piece
