"""Many changes, made in parts: each part in one commit, all of it or nothing, so that others need not wait for all."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import Any, TypeVar

from tallybayes.data.errors import CellError, RowError
from tallybayes.store.errors import FileLeftError, NotWrittenError

T = TypeVar("T")

AT_ONCE = 2000  # rows that are learned together, or expire together, in one commit


def in_parts(things: Iterable[T]) -> Iterator[list[T]]:
    left = iter(things)
    while some := list(islice(left, AT_ONCE)):
        yield some


def counted_each(
    rows: Iterable[tuple[Any, Any, str | None]], count: Callable[[Any, Any], T]
) -> Iterator[tuple[str | None, T]]:
    """The id of every (row, label, id), and what it counts. What is wrong with a row is said with its number."""
    for number, (row, label, id) in enumerate(rows):
        try:
            counted = count(row, label)
        except RowError as error:
            if error.column is None:
                raise
            raise CellError(error.row, error.reason).located(error.column, number) from None
        yield id, counted


def all_of(changes: Iterable[Callable[[], T]], make: Callable[[list[Callable[[], T]], int], list[T]]) -> list[T]:
    """What became of each. `make` is given a part and how many came before it; the first error ends it, and says what
    stays."""
    done: list[T] = []
    try:
        for part in in_parts(changes):
            done += make(part, len(done))
    except FileLeftError:
        raise
    except NotWrittenError as error:  # the same for all who shared the commit: it must not be written on
        raise type(error)(f"{error} {_kept(done)}") if done else error from error.__cause__
    except Exception as error:
        error.add_note(_kept(done))
        raise
    return done


def _kept(done: list[Any]) -> str:
    return f"The first {len(done):,} rows were changed, and no others." if done else "Nothing was changed."
