"""A task's error as one sentence on the driver, instead of Spark's Java stack trace."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from pyspark.errors import PySparkException

from tallybayes.spark.worker import freeze_modules

T = TypeVar("T")

MARK = "tallybayes says: "
LACKING = "No module named 'tallybayes'"
SAID = re.compile(re.escape(MARK) + r"(.*)")


class TaskError(RuntimeError):
    """An error of the library within a task."""


def marking(work: Callable[[Iterator[T]], Iterator[T]]) -> Callable[[Iterator[T]], Iterator[T]]:
    """Marks errors of `work`, so that they can be found in Spark's message."""

    def run(batches: Iterator[T]) -> Iterator[T]:
        freeze_modules()
        try:
            yield from work(batches)
        except (ValueError, TypeError, KeyError, ArithmeticError) as error:
            raise TaskError(MARK + " ".join(str(error).split())) from error

    return run


@contextmanager
def library_errors() -> Iterator[None]:
    """Raises a task's error as an error of the library, and a Java error as its last cause."""
    try:
        yield
    except Exception as error:
        if found := SAID.search(str(error)):
            raise ValueError(found[1]) from None
        if LACKING in str(error):
            raise ModuleNotFoundError(
                "Spark's workers run a Python without tallybayes. Install it there, or make them use this one: set "
                f"PYSPARK_PYTHON={sys.executable} before the session starts."
            ) from None
        if isinstance(error, PySparkException) or not hasattr(error, "java_exception"):
            raise
        raise RuntimeError(f"Spark could not read the rows: {_cause(str(error))}") from None


def _cause(message: str) -> str:
    causes = re.findall(r"Caused by: (?:[\w.$]+: )?(.+)", message)
    return causes[-1].strip() if causes else message.strip().partition("\n")[0]
