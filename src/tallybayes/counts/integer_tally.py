"""A tally whose slots are an array of integers, such as the values of a histogram: adding it needs no dictionary."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from tallybayes import kernels
from tallybayes.counts.exact import Counts, Exact
from tallybayes.counts.tally import Key, Tally


class IntegerTally(Tally):
    """The same as a `Tally`, whose dictionary of slots is made when somebody needs it. A batch of rows may have
    thousands of values, most of which the sum of earlier batches has too.

    >>> import numpy as np
    >>> IntegerTally(["ham", "spam"], np.array([7, 3]), {"n": Exact.counts(np.array([[1, 4], [0, 2]]))})
    n  ham  spam
    3    0     2
    7    1     4
    """

    def __init__(self, classes: Iterable[Key], slots: Counts, sums: Mapping[str, Exact]) -> None:
        super().__init__(classes, (), sums)
        del self._slots
        self._given: Counts | None = slots

    def __getattr__(self, name: str) -> Any:
        if name != "_slots":
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        given = self._given
        if given is not None:  # several threads may come here at once, and must find the same dictionary
            self.__dict__.setdefault("_slots", dict(zip(given.tolist(), range(len(given)), strict=True)))
            self._given = None  # slots may be added from now on
        return self.__dict__["_slots"]

    def _rows_in(self, target: Tally) -> dict[Any, int] | Counts:
        given = self._given
        return self._slots if given is None else kernels.find_keys(given, *target.ordered())

    def _new_to(self, target: Tally) -> list[Any]:
        given, rows = self._given, self._rows_in(target)
        if given is None or isinstance(rows, dict):
            return super()._new_to(target)
        new: list[Any] = given[rows < 0].tolist()
        return new
