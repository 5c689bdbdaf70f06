"""A task's error as one sentence on the driver, instead of Spark's forty lines of Java."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from pyspark.errors import PySparkException

from tallybayes.spark.worker import settle

T = TypeVar("T")

MARK = "tallybayes says: "
LACKING = "No module named 'tallybayes'"
SAID = re.compile(re.escape(MARK) + r"(.*)")


class TaskError(RuntimeError):
    """An error of the library within a task."""


def marking(work: Callable[[Iterator[T]], Iterator[T]]) -> Callable[[Iterator[T]], Iterator[T]]:
    """The same work, with errors marked so that they can be found again in Spark's own message."""

    def run(batches: Iterator[T]) -> Iterator[T]:
        settle()
        try:
            yield from work(batches)
        except (ValueError, TypeError, KeyError, ArithmeticError) as error:
            raise TaskError(MARK + " ".join(str(error).split())) from error

    return run


@contextmanager
def sentences() -> Iterator[None]:
    """A task's error as the library's own, and an error of Java's as its last cause."""
    try:
        yield
    except Exception as error:
        if found := SAID.search(str(error)):
            raise ValueError(found[1]) from None
        if LACKING in str(error):
            raise ModuleNotFoundError(
                "Spark's workers run a Python without tallybayes. Install it there, or have them run this one: set "
                f"PYSPARK_PYTHON={sys.executable} before the session starts."
            ) from None
        if isinstance(error, PySparkException) or not hasattr(error, "java_exception"):
            raise
        raise RuntimeError(f"Spark could not read the rows: {_cause(str(error))}") from None


def _cause(told: str) -> str:
    causes = re.findall(r"Caused by: (?:[\w.$]+: )?(.+)", told)
    return causes[-1].strip() if causes else told.strip().partition("\n")[0]
