"""A tally whose slots are an array of integers, such as the values of a histogram: adding it needs no dictionary."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from tallybayes import kernels
from tallybayes.counts.exact import Counts, Exact
from tallybayes.counts.tally import Key, Slots, Tally

SEVERAL = 64  # fewer slots than one in so many are not worth a new array


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
            self._given = None  # slots may be added to the dictionary from now on
        return self.__dict__["_slots"]

    def __len__(self) -> int:
        return super().__len__() if (given := self._given) is None else len(given)

    def ordered(self) -> tuple[Counts, Counts]:
        if (given := self._given) is None:
            return super().ordered()
        self._order = order = self._order.extended(given)
        return order.slots, order.places

    def _places_in(self, target: Tally) -> Counts | None:
        return None if (given := self._given) is None else kernels.find_keys(given, *target.ordered())

    def _new_to(self, target: Tally, places: Counts | None) -> Slots:
        if places is None:
            return super()._new_to(target, places)
        new, given = np.flatnonzero(places < 0), self._given  # another thread may have made the dictionary by now
        places[new] = np.arange(len(target), len(target) + len(new))
        return (np.fromiter(self._slots, np.int64) if given is None else given)[new]

    def _append(self, new: Slots) -> None:
        given = self._given
        if given is None or not isinstance(new, np.ndarray) or len(new) * SEVERAL < len(given):
            super()._append(new)
        else:
            self._given = np.concatenate([given, new])
