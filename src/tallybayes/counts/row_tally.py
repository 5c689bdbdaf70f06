"""The tally of a single row: a few doubles, which become exact sums when they are read."""

from __future__ import annotations

from functools import cached_property, lru_cache
from typing import Any

from tallybayes import kernels
from tallybayes.counts.exact import Exact
from tallybayes.counts.packing import FEW, write_table
from tallybayes.counts.slots import Slot
from tallybayes.counts.tally import Key, RowSums, Tally

ONCE = ("n",), (1.0,), (False,)  # what counting one value adds


def _on_demand(name: str) -> Any:
    return cached_property(lambda tally: tally._made(name))


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

    # properties of the class, since `__getattr__` would make every other attribute slow
    _slots, _classes, _arrays = map(_on_demand, ("_slots", "_classes", "_arrays"))

    def _made(self, name: str) -> Any:
        if row := self._row:  # read once: another thread may make the sums, too
            slot, key, names, values, squared = row
            Tally.__init__(self, [key], [slot], _sums(names, values, squared))
            self._row = None
        return self.__dict__[name]

    @property
    def classes(self) -> list[Key]:
        return [row[1]] if (row := self._row) else super().classes

    def write_row(self, parts: list[bytes]) -> None:
        if row := self._row:
            slot, _, names, values, squared = row
            parts.append(_written(slot, names, values, squared))
        else:
            super().write_row(parts)


def _sums(names: tuple[str, ...], values: tuple[float, ...], squared: tuple[bool, ...]) -> dict[str, Exact]:
    each = zip(names, values, squared, strict=True)
    return {name: Exact(*kernels.limbs_of(value, is_squared)) for name, value, is_squared in each}


@lru_cache(FEW, typed=True)
def _written(slot: Slot, names: tuple[str, ...], values: tuple[float, ...], squared: tuple[bool, ...]) -> bytes:
    return write_table([slot], _sums(names, values, squared))
