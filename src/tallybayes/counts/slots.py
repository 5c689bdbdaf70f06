"""Slots, the labels of sums: the text of a level or a word, a number, or a tuple of these."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import count, islice
from operator import gt
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

Key = str | int | float | bool | bytes  # a class in canonical form: see `labels.LabelColumn`
Slot = str | int | tuple[str | int, ...]

MANY = 10_000  # labels: more are sorted faster by Arrow than by Python
VECTORS = -1  # the slot that counts the vectors themselves
SPARSE = 4  # positions per non-empty one, above which the non-empty ones are listed
GAPS = -2  # from here down, the slots that count vectors in which a position is missing


class Positions(dict[Slot, int]):
    """Slots that are the whole numbers below `size`, and with `vectors` one more for the vectors themselves. There may
    be a hundred thousand, so all tallies of such vectors share one, which never changes.

    >>> Positions(2, vectors=True)
    {0: 0, 1: 1, -1: 2}
    """

    def __init__(self, size: int, vectors: bool = False) -> None:
        super().__init__(zip(range(size), range(size), strict=True))
        if vectors:
            self[VECTORS] = size
        self._made_of = (size, vectors)

    def __reduce__(self) -> tuple[Any, ...]:
        """Copying and unpickling give the shared one."""
        return positions, self._made_of


def positions(size: int, vectors: bool = False) -> Positions:
    """The shared positions of vectors of this size."""
    return _shared(size, vectors)


_shared = lru_cache(maxsize=8)(Positions)


def as_positions(slots: Sequence[Slot]) -> Positions | None:
    """The shared positions up to the last of these sorted slots; None if these are names, or too few of the
    positions."""
    if not slots or not isinstance(slots[0], int) or not isinstance(slots[-1], int) or slots[0] < VECTORS:
        return None
    size = slots[-1] + 1
    return positions(size, slots[0] == VECTORS) if size <= SPARSE * len(slots) else None


def numbered(labels: Iterable[Any]) -> dict[Any, int]:
    return labels.copy() if type(labels) is dict else dict(zip(labels, count(), strict=False))


def common(targets: Mapping[Any, int], sources: Mapping[Any, int]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The indices of the labels that both have: in the targets, and in the sources."""
    if all(isinstance(each, Positions) and VECTORS not in each for each in (targets, sources)):
        same = np.arange(min(len(targets), len(sources)))
        return same, same
    pairs = [(i, sources[label]) for label, i in targets.items() if label in sources]
    both = np.array(pairs, np.int64).reshape(-1, 2)
    return both[:, 0], both[:, 1]


def in_order(labels: Mapping[Any, int], wanted: NDArray[np.bool_]) -> tuple[list[Any], NDArray[np.intp]]:
    """The wanted labels, sorted, and their indices; labels are numbered in insertion order."""
    places = np.flatnonzero(wanted)
    if len(places) == len(labels):
        names = list(labels)
    else:
        names = [label for label, keep in zip(labels, wanted.tolist(), strict=False) if keep]
    if len(names) > 1 and any(map(gt, names, islice(names, 1, None))):
        if len(names) > MANY and isinstance(names[0], str):
            order = pc.sort_indices(pa.array(names, pa.large_string())).to_numpy()
            return np.array(names, object)[order].tolist(), places[order]
        order = sorted(range(len(names)), key=names.__getitem__)
        return [names[i] for i in order], places[order]
    return names, places


class Texts(Sequence[str]):
    """The texts of an Arrow array, converted some at a time.

    >>> list(Texts(pa.array(["free", "win"])))
    ['free', 'win']
    """

    def __init__(self, texts: pa.Array) -> None:
        self._texts = texts

    def __len__(self) -> int:
        return len(self._texts)

    def __getitem__(self, at: Any) -> Any:
        return self._texts[at].as_py()

    def __iter__(self) -> Iterator[str]:
        for start in range(0, len(self), MANY):
            yield from self._texts[start : start + MANY].to_pylist()


class IntegerOrder(NamedTuple):
    """The order of slots that are integers. Slots are only ever added, at the end, so those that were sorted before
    need not be sorted again."""

    slots: NDArray[np.int64] = np.zeros(0, np.int64)
    places: NDArray[np.int64] = np.zeros(0, np.int64)

    def extended(self, all_slots: dict[Any, int] | NDArray[np.int64]) -> IntegerOrder:
        """The order of all slots by now, which are given in the order in which they were added."""
        first = len(self.slots)
        if first == len(all_slots):
            return self
        if isinstance(all_slots, dict):
            last = np.fromiter(islice(reversed(all_slots), len(all_slots) - first), np.int64)[::-1]
        else:
            last = all_slots[first:]
        order = last.argsort()
        new, places = last[order], first + order
        at = self.slots.searchsorted(new)
        return IntegerOrder(np.insert(self.slots, at, new), np.insert(self.places, at, places))
