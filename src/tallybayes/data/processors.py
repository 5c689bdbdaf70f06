"""The number of processors, and a map over columns that uses several threads."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

MUCH = 1 << 16  # numbers that are worth a second thread …
FEW = 1 << 10  # … unless there are fewer than this in a column

Given = TypeVar("Given")
Found = TypeVar("Found")


def processors() -> int:
    """The number of processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def each_of(work: Callable[[Given], Found], columns: Sequence[Given], size: int) -> list[Found]:
    """The result of `work` for every column, in order; with several threads if `size`, the amount of work, is large."""
    threads = min(processors(), len(columns)) if size >= max(MUCH, FEW * len(columns)) else 1
    if threads < 2:
        return [work(column) for column in columns]
    with ThreadPoolExecutor(threads) as pool:
        return list(pool.map(work, columns))
