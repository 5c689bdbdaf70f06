"""Reading ahead: one thread cuts an input into pieces, a few others work on these, and results come in order.

The number of pieces in flight is bounded, so a slow consumer costs no memory. When the consumer stops, for whatever
reason, so do the threads; the one that cuts may be blocked on a pipe, so it is not joined.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from queue import Empty, Full, Queue
from typing import Generic, TypeVar

P = TypeVar("P")
R = TypeVar("R")

PATIENCE = 0.1  # seconds between checks whether the consumer is still there
LONGEST_FAREWELL = 0.5  # seconds


class _Cutter(threading.Thread, Generic[P, R]):
    """Passes pieces to the workers until there are no more or the consumer stops."""

    def __init__(self, pieces: Iterator[P], work: Callable[[P], R], workers: int, ahead: int) -> None:
        super().__init__(name="tallybayes reading ahead", daemon=True)
        self.results: Queue[Future[R] | BaseException | None] = Queue(ahead)
        self._pieces = pieces
        self._work = work
        self._pool = ThreadPoolExecutor(workers, "tallybayes reading")
        self._stopped = threading.Event()

    def run(self) -> None:
        end: BaseException | None = None
        try:
            for piece in self._pieces:
                if self._stopped.is_set() or not self._hand_on(self._pool.submit(self._work, piece)):
                    break
        except BaseException as error:  # for the consumer to handle
            end = error
        finally:
            if hasattr(self._pieces, "close"):
                self._pieces.close()
            self._hand_on(end)

    def stop(self) -> None:
        self._stopped.set()
        with suppress(Empty):
            while True:
                self.results.get_nowait()
        self._pool.shutdown(wait=False, cancel_futures=True)
        self.join(LONGEST_FAREWELL)

    def _hand_on(self, result: Future[R] | BaseException | None) -> bool:
        while not self._stopped.is_set():
            with suppress(Full):
                self.results.put(result, timeout=PATIENCE)
                return True
        return False


def read_ahead(pieces: Iterator[P], work: Callable[[P], R], workers: int, ahead: int) -> Iterator[R]:
    """Yields work(piece) for every piece, in order, with this many `workers` and at most `ahead` pieces ahead of the
    consumer."""
    cutter = _Cutter(pieces, work, workers, ahead)
    cutter.start()
    try:
        while True:
            result = cutter.results.get()
            if isinstance(result, BaseException):
                raise result
            if result is None:
                return
            yield result.result()
    finally:
        cutter.stop()
