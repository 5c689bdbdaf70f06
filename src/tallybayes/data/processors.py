"""The number of processors, a map that uses several threads, and how many of them a call may use."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import ContextVar
from functools import wraps
from typing import Any, ParamSpec, TypeVar

MUCH = 1 << 16  # numbers that are worth a second thread …
FEW = 1 << 10  # … unless there are fewer than this in a column

Given = TypeVar("Given")
Found = TypeVar("Found")
P = ParamSpec("P")

_MOST: ContextVar[int | None] = ContextVar("the most threads of a call", default=None)


def processors() -> int:
    """The number of processors that this process may use, or of threads, if a call sets fewer."""
    there = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(there, _MOST.get() or there)


@contextmanager
def at_most(threads: Any) -> Iterator[None]:
    """Within it, `processors` is at most so many; None, and what is not a number of threads, changes nothing."""
    given = isinstance(threads, int) and threads > 0
    token = _MOST.set(min(threads, _MOST.get() or threads) if given else _MOST.get())
    try:
        yield
    finally:
        _MOST.reset(token)


def limited(work: Callable[P, Found]) -> Callable[P, Found]:
    """A function whose keyword argument `threads` applies to all that it calls."""

    @wraps(work)
    def within(*args: P.args, **kwargs: P.kwargs) -> Found:
        if kwargs.get("threads") is None:
            return work(*args, **kwargs)
        with at_most(kwargs["threads"]):
            return work(*args, **kwargs)

    return within


def in_threads(work: Callable[[Given], Found], items: Sequence[Given], threads: int) -> list[Found]:
    """The result of `work` for every item, in order."""
    if threads < 2:
        return [work(item) for item in items]
    with ThreadPoolExecutor(threads, initializer=_MOST.set, initargs=(_MOST.get(),)) as pool:
        return list(pool.map(work, items))


def each_of(work: Callable[[Given], Found], columns: Sequence[Given], size: int) -> list[Found]:
    """The result of `work` for every column, in order; with several threads if `size`, the amount of work, is large."""
    worthwhile = size >= max(MUCH, FEW * len(columns))
    return in_threads(work, columns, min(processors(), len(columns)) if worthwhile else 1)
