"""The tally of a single row: a few doubles, which become exact sums when they are read."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from tallybayes import kernels
from tallybayes.counts.exact import Exact
from tallybayes.counts.packing import FEW, write_table
from tallybayes.counts.slots import Slot
from tallybayes.counts.tally import Key, RowSums, Tally

ONCE = ("n",), (1.0,), (False,)  # what counting one value adds


class RowTally(Tally):
    """The tally of one slot and one class: the names of its sums, a double for each, and which of them are squared.
    Adding it to another tally needs no arrays.

    >>> RowTally(("free", "spam", ("n", "x"), (1.0, 3.0), (False, True)))
    n     spam
    free     1
    x     spam
    free     9
    """

    def __init__(self, row: RowSums) -> None:
        self._row = row

    def __getattr__(self, name: str) -> Any:
        if self._row is None or name not in ("_slots", "_classes", "_arrays"):
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        slot, key, names, values, squared = self._row
        Tally.__init__(self, [key], [slot], _sums(names, values, squared))
        self._row = None
        return self.__dict__[name]

    @property
    def classes(self) -> list[Key]:
        return super().classes if self._row is None else [self._row[1]]

    def write_row(self, parts: list[bytes]) -> None:
        if self._row is None:
            super().write_row(parts)
        else:
            slot, _, names, values, squared = self._row
            parts.append(_written(slot, names, values, squared))


def _sums(names: tuple[str, ...], values: tuple[float, ...], squared: tuple[bool, ...]) -> dict[str, Exact]:
    each = zip(names, values, squared, strict=True)
    return {name: Exact(*kernels.limbs_of(value, is_squared)) for name, value, is_squared in each}


@lru_cache(FEW, typed=True)
def _written(slot: Slot, names: tuple[str, ...], values: tuple[float, ...], squared: tuple[bool, ...]) -> bytes:
    return write_table([slot], _sums(names, values, squared))
