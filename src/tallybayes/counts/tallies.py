"""The protocol of all tallies, and several tallies as one.

A model adds, subtracts, scales, saves and compares the tallies of its families through this protocol: a dense table of
slots by classes (`tally.Tally`), a sparse one of words by classes (`sparse.SparseTally`), or several tallies of one
family (`Tallies`).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Self

from tallybayes.counts.packing import Arrays, PackError
from tallybayes.counts.slots import Key


class Additive(ABC):
    """Adds and subtracts in place, in time proportional to the other operand's size; `+` and `-` work on a copy."""

    @abstractmethod
    def copy(self) -> Self: ...

    @abstractmethod
    def __iadd__(self, other: Self) -> Self: ...

    @abstractmethod
    def __isub__(self, other: Self) -> Self: ...

    def __add__(self, other: Self) -> Self:
        result = self.copy()
        result += other
        return result

    def __sub__(self, other: Self) -> Self:
        result = self.copy()
        result -= other
        return result


class AnyTally(Additive):
    """Labelled exact sums, one column per class. Labels are matched by name; an absent one counts zero."""

    @property
    @abstractmethod
    def classes(self) -> list[Key]: ...

    @property
    @abstractmethod
    def slots(self) -> Any:
        """What the sums belong to; for several tallies, by name."""

    def slots_in_turn(self) -> Any:
        """The same to be looked at once: of many texts, only some are in memory at a time."""
        return self.slots

    @abstractmethod
    def filled(self) -> list[Key]:
        """The classes that hold anything, sorted."""

    @abstractmethod
    def renamed(self, classes: Iterable[Key]) -> Self:
        """The same sums with other names for the classes."""

    @abstractmethod
    def merged(self, groups: Mapping[Key, Sequence[Key]]) -> Self:
        """The classes of every group, summed under the group's name."""

    @abstractmethod
    def taken(self, names: Mapping[Key, Key]) -> Self:
        """The sums of these classes, each under its new name."""

    def only(self, classes: Iterable[Key]) -> Self:
        """The sums of these classes."""
        return self.taken({key: key for key in classes})

    @abstractmethod
    def canonical(self) -> Self:
        """The same sums with labels sorted, without empty slots and classes."""

    @abstractmethod
    def add(self, other: Self, sign: int = 1) -> None:
        """Adds the other tally, or with −1 subtracts it, in time proportional to its size: no other cells are
        touched."""

    def __iadd__(self, other: Self) -> Self:
        self.add(other)
        return self

    def __isub__(self, other: Self) -> Self:
        self.add(other, -1)
        return self

    @abstractmethod
    def __neg__(self) -> Self: ...

    @abstractmethod
    def __mul__(self, factor: float) -> Self: ...

    def __rmul__(self, factor: float) -> Self:
        return self * factor

    @abstractmethod
    def touched(self, other: Self) -> Mapping[str, Any]:
        """These sums in the other tally's cells, all of which must exist here, without traces of rounding. For several
        tallies, by name."""

    @abstractmethod
    def drop_traces(self, other: Self) -> None:
        """After the other was subtracted, drops the traces that rounding left in its cells."""

    @abstractmethod
    def pack(self, prefix: str, keys: list[Key], arrays: Arrays) -> dict[str, Any]:
        """Packs a canonical tally's numbers, for these classes, into the arrays of a file; returns their
        description."""

    @abstractmethod
    def unpacked(self, prefix: str, about: Mapping[str, Any], keys: list[Key], arrays: Arrays) -> Self:
        """The inverse of `pack`: a tally like this one, with the same sums; a `PackError` if it is not what `pack`
        would write."""

    @abstractmethod
    def write_row(self, parts: list[bytes]) -> None:
        """Appends the sums of a tally of at most one class to the parts of a row."""

    @abstractmethod
    def read_rows(self, key: Key, parts: Iterator[list[bytes]]) -> Self:
        """The sum of what `write_row` wrote for some rows, as a tally like this one, of this class. `parts` yields the
        next part of each row."""


class Tallies(AnyTally):
    """Several tallies by name, counted together. The first counts whatever the others count: a class that is empty
    there is in none of them.

    >>> import numpy as np
    >>> from tallybayes.counts.exact import Exact
    >>> from tallybayes.counts.tally import Tally
    >>> words = Tally(["ham"], ["free"], {"n": Exact.counts(np.array([[2]]))})
    >>> pairs = Tally(["ham"], [("free", "free")], {"n": Exact.counts(np.array([[1]]))})
    >>> both = Tallies({"words": words, "pairs": pairs})
    >>> (both + both)["pairs"]["free", "free"]
    {'ham': 2}
    """

    def __init__(self, parts: Mapping[str, Any]) -> None:
        self.parts = dict(parts)

    @property
    def first(self) -> Any:
        return next(iter(self.parts.values()))

    @property
    def classes(self) -> list[Key]:
        return self.first.classes

    @property
    def slots(self) -> Any:
        return {name: part.slots for name, part in self.parts.items()}

    def slots_in_turn(self) -> Any:
        return {name: part.slots_in_turn() for name, part in self.parts.items()}

    def __len__(self) -> int:
        return sum(map(len, self.parts.values()))

    def __getitem__(self, name: Any) -> Any:
        return self.parts[name]

    def __iter__(self) -> Iterator[Any]:
        return iter(self.parts)

    def filled(self) -> list[Key]:
        return self.first.filled()

    def copy(self) -> Self:
        return self._each(lambda part: part.copy())

    def renamed(self, classes: Iterable[Key]) -> Self:
        names = dict(zip(self.classes, classes, strict=True))
        return self._each(lambda part: part.renamed([names[key] for key in part.classes]))

    def merged(self, groups: Mapping[Key, Sequence[Key]]) -> Self:
        return self._each(lambda part: part.merged(groups))

    def taken(self, names: Mapping[Key, Key]) -> Self:
        return self._each(lambda part: part.taken(names))

    def canonical(self) -> Self:
        return self._each(lambda part: part.canonical())

    def add(self, other: Self, sign: int = 1) -> None:
        for name, part in self.parts.items():
            part.add(other.parts[name], sign)

    def __neg__(self) -> Self:
        return self._each(lambda part: -part)

    def __mul__(self, factor: float) -> Self:
        """Times a number. A class that becomes empty in the first is dropped from all."""
        product = self._each(lambda part: part * factor)
        left = product.filled()
        return product if left == self.filled() else product.only(left)

    def __eq__(self, other: object) -> bool:
        return self.parts == other.parts if isinstance(other, Tallies) else NotImplemented

    def __repr__(self) -> str:
        return "\n".join(map(repr, self.parts.values()))

    def touched(self, other: Self) -> Mapping[str, Any]:
        return {name: part.touched(other.parts[name]) for name, part in self.parts.items()}

    def drop_traces(self, other: Self) -> None:
        for name, part in self.parts.items():
            part.drop_traces(other.parts[name])

    def pack(self, prefix: str, keys: list[Key], arrays: Arrays) -> dict[str, Any]:
        return {name: part.pack(f"{prefix}/{name}", keys, arrays) for name, part in self.parts.items()}

    def unpacked(self, prefix: str, about: Mapping[str, Any], keys: list[Key], arrays: Arrays) -> Self:
        if about.keys() != self.parts.keys():
            raise PackError(f"it has tallies of {', '.join(about)}, not of {', '.join(self.parts)}")
        parts = self.parts.items()
        return self._with({name: part.unpacked(f"{prefix}/{name}", about[name], keys, arrays) for name, part in parts})

    def write_row(self, parts: list[bytes]) -> None:
        for part in self.parts.values():
            part.write_row(parts)

    def read_rows(self, key: Key, parts: Iterator[list[bytes]]) -> Self:
        return self._each(lambda part: part.read_rows(key, parts))

    def _each(self, work: Any) -> Self:
        return self._with({name: work(part) for name, part in self.parts.items()})

    def _with(self, parts: Mapping[str, Any]) -> Self:
        result = object.__new__(type(self))
        result.parts = dict(parts)
        return result
