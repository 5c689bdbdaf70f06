"""Many changes in parts, each an atomic commit, so that other changes need not wait for all of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import Any, TypeVar

from tallybayes.data.errors import CellError, RowError
from tallybayes.store.errors import FileLeftError, NotWrittenError

S = TypeVar("S")
T = TypeVar("T")

AT_ONCE = 2000  # rows learned or expired in one commit


def in_parts(things: Iterable[T]) -> Iterator[list[T]]:
    left = iter(things)
    while some := list(islice(left, AT_ONCE)):
        yield some


def counted_each(
    rows: Iterable[tuple[Any, Any, str | None]], count: Callable[[Any, Any], T]
) -> Iterator[tuple[str | None, T]]:
    """The id and the counts of every (row, label, id). Errors name the row by its number."""
    for number, (row, label, id) in enumerate(rows):
        try:
            counted = count(row, label)
        except RowError as error:
            if error.column is None:
                raise
            raise CellError(error.row, error.reason).located(error.column, number) from None
        yield id, counted


def all_of(changes: Iterable[S], make: Callable[[list[S], int], list[T]]) -> list[T]:
    """The results of all changes. `make` gets a part and the number of changes before it. The first error stops, and
    says how many changes were made."""
    done: list[T] = []
    try:
        for part in in_parts(changes):
            done += make(part, len(done))
    except FileLeftError:
        raise
    except NotWrittenError as error:  # shared by all changes of the commit, so it must not be modified
        raise type(error)(f"{error} {_kept(done)}") if done else error from error.__cause__
    except Exception as error:
        error.add_note(_kept(done))
        raise
    return done


def _kept(done: list[Any]) -> str:
    return f"The first {len(done):,} rows were changed, and no others." if done else "Nothing was changed."
