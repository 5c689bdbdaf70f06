"""Labelled exact sums, with one row per slot and one column per class: the only arithmetic of models.

A `Tally` adds, subtracts and scales. Labels are matched by name and an absent one counts zero, so tallies from
different batches, days or machines add up without any coordination. Empty slots and classes are as if never seen:
`canonical` leaves them out.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import compress, count, filterfalse
from typing import Any

import numpy as np

from tallybayes import kernels
from tallybayes.counts.decay import scaled, traces_of, without_traces
from tallybayes.counts.exact import FULL, Counts, Exact, Floats, Mask
from tallybayes.counts.lookup import by_class, formatted, never_met
from tallybayes.counts.packing import Arrays, pack_table, read_table, unpack_table, write_table
from tallybayes.counts.room import FEW_SLOTS, enlarged
from tallybayes.counts.rows import Rows as Rows
from tallybayes.counts.slots import IntegerOrder, Positions, Slot, as_positions, common, in_order, numbered
from tallybayes.counts.slots import Key as Key
from tallybayes.counts.tallies import AnyTally

Slots = Sequence[Slot] | Counts
RowSums = tuple[Slot, Key, tuple[str, ...], tuple[float, ...], tuple[bool, ...]]

FEW_CELLS = 128  # up to here Python is faster than numpy


class Tally(AnyTally):
    """Exact sums with names: `sums[statistic]` has one row per slot and one column per class.

    >>> monday = Tally(["ham", "spam"], ["free"], {"n": Exact.counts(np.array([[1, 4]]))})
    >>> tuesday = Tally(["spam"], ["free", "win"], {"n": Exact.counts(np.array([[2], [3]]))})
    >>> monday + tuesday
    n     ham  spam
    free    1     6
    win     0     3
    >>> (monday + tuesday)["free"]["spam"]
    6
    >>> (monday + tuesday) - tuesday == monday
    True
    """

    _order = IntegerOrder()
    _row: RowSums | None = None  # of a single row, until its sums are made: see `RowTally`

    def __init__(self, classes: Iterable[Key], slots: Iterable[Slot], sums: Mapping[str, Exact]) -> None:
        self._classes: dict[Key, int] = numbered(classes)
        self._slots: dict[Slot, int] = slots if isinstance(slots, Positions) else numbered(slots)
        # The arrays may have spare rows at the end, so that new slots need no new arrays each time.
        self._arrays = dict(sums)

    @classmethod
    def empty(cls, statistics: Iterable[str]) -> Tally:
        """An empty tally of these statistics."""
        return cls([], [], {name: Exact.zeros((0, 0)) for name in statistics})

    @classmethod
    def of_rows(cls, rows: Rows) -> Tally:
        """The number of rows of each class, or their weight."""
        return cls(rows.numbers, [""], {"n": rows.totals()})

    @property
    def classes(self) -> list[Key]:
        return list(self._classes)

    @property
    def slots(self) -> list[Slot]:
        return list(self._slots)

    def ordered(self) -> tuple[Counts, Counts]:
        """The slots, which are integers, in order, and where their sums are."""
        self._order = order = self._order.extended(self._slots)
        return order.slots, order.places

    @property
    def slots_are_positions(self) -> bool:
        """Whether the slots are whole numbers from 0 on, each in its place."""
        return isinstance(self._slots, Positions)

    def __len__(self) -> int:
        """The number of slots, including those that are empty by now."""
        return len(self._slots)

    @property
    def sums(self) -> dict[str, Exact]:
        return {name: array[: len(self)] for name, array in self._arrays.items()}

    def end(self, name: str) -> int:
        """Where the limbs of a sum end: see `Exact.end`."""
        return self._arrays[name].end

    def __getitem__(self, key: Any) -> Any:
        """The counts of a slot, by class; with several sums, by sum and class. If the only slot has no name, as for
        rows and numbers, the key is looked up in it."""
        if key in self._slots:
            at = self._slots[key]
            return by_class({name: array[at] for name, array in self._arrays.items()}, self.classes)
        known = self[""] if self.slots == [""] else {}
        return known[key] if key in known else never_met(key, list(known) or self.slots)

    def __iter__(self) -> Iterator[Any]:
        return iter(self[""] if self.slots == [""] else self.slots)

    def copy(self) -> Tally:
        return Tally(self._classes, self._slots, {k: Exact(v.limbs.copy(), v.low) for k, v in self.sums.items()})

    def renamed(self, classes: Iterable[Key]) -> Tally:
        return Tally(classes, self._slots, self.sums)

    def with_sum(self, name: str, sums: Exact) -> Tally:
        """The same sums and one more, for the same labels."""
        return Tally(self._classes, self._slots, {**self.sums, name: sums})

    def merged(self, groups: Mapping[Key, Sequence[Key]]) -> Tally:
        result = Tally.empty(self._arrays)
        for name, classes in groups.items():
            added = {k: v.sum(axis=1)[:, None] for k, v in self.aligned(self.slots, classes).sums.items()}
            result += Tally([name], self._slots, added)
        return result

    def taken(self, names: Mapping[Key, Key]) -> Tally:
        known = [key for key in names if key in self._classes]
        return self.aligned(self._slots, known).renamed([names[key] for key in known])

    def pack(self, prefix: str, keys: list[Key], arrays: Arrays) -> dict[str, Any]:
        return pack_table(prefix, self.slots, self.aligned(self._slots, keys).sums, arrays)

    def unpacked(self, prefix: str, about: Mapping[str, Any], keys: list[Key], arrays: Arrays) -> Tally:
        return Tally(keys, *unpack_table(prefix, about, list(self._arrays), len(keys), arrays))._in_positions()

    def write_row(self, parts: list[bytes]) -> None:
        parts.append(write_table(self._slots, self.sums))

    def read_rows(self, key: Key, parts: Iterator[list[bytes]]) -> Tally:
        slots, sums = read_table(next(parts), list(self._arrays))
        return Tally([key], slots, sums) if slots else Tally.empty(self._arrays)

    def __neg__(self) -> Tally:
        return Tally(self._classes, self._slots, {k: -v for k, v in self.sums.items()})

    def __mul__(self, factor: float) -> Tally:
        return Tally(self._classes, self._slots, scaled(self.sums, factor))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Tally):
            return NotImplemented
        a, b = self.canonical(), other.canonical()
        return a.classes == b.classes and a.slots == b.slots and a.sums == b.sums

    def __repr__(self) -> str:
        tidy = self.canonical()
        return "\n".join(formatted(name, tidy.slots, tidy.classes, array.round()) for name, array in tidy.sums.items())

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickled and copied in a form that depends on the sums alone, without the names of empty slots and classes."""
        tidy = self.canonical()._in_positions()
        return Tally, (tidy.classes, tidy._slots, tidy.sums)

    def _in_positions(self) -> Tally:
        """The same sums with shared positions as slots, if its sorted slots are most of these."""
        shared = as_positions(self.slots)
        return self if shared is None else self.aligned(shared, self.classes)

    def canonical(self) -> Tally:
        filled = self._filled_cells()
        slots, rows = in_order(self._slots, np.asarray(filled.any(axis=1)))
        classes, columns = in_order(self._classes, np.asarray(filled.any(axis=0)))
        cells = {k: Exact(v.limbs[rows[:, None], columns], v.low).carried() for k, v in self._arrays.items()}
        return Tally(classes, slots, cells)

    def filled(self) -> list[Key]:
        return in_order(self._classes, np.asarray(self._filled_cells().any(axis=0)))[0]

    def _filled_cells(self) -> Mask:
        filled = np.zeros((len(self), len(self._classes)), bool)
        for array in self.sums.values():
            filled |= ~array.is_zero()
        return filled

    def aligned(self, slots: Collection[Slot], classes: Sequence[Key]) -> Tally:
        """The same sums with exactly these labels, in this order; absent ones count zero."""
        if self._has_labels(slots, classes):
            return Tally(classes, slots, {k: Exact(v.limbs.copy(), v.low).carried() for k, v in self.sums.items()})
        result = Tally(classes, slots, {k: Exact.zeros((len(slots), len(classes))) for k in self._arrays})
        to_slots, from_slots = common(result._slots, self._slots)
        to_classes, from_classes = common(result._classes, self._classes)
        for name, array in self._arrays.items():
            cells = Exact(array.limbs[np.ix_(from_slots, from_classes)], array.low)
            result._arrays[name].add_at(np.ix_(to_slots, to_classes), cells)
            result._arrays[name] = result._arrays[name].carried()
        return result

    def read(self, slots: Collection[Slot] | None, classes: Sequence[Key]) -> dict[str, Exact]:
        """The same sums, of all slots if none are given; read-only: not copied if the labels are these already."""
        same = list(self._classes) == list(classes) if slots is None else self._has_labels(slots, classes)
        return self.sums if same else self.aligned(self._slots if slots is None else slots, classes).sums

    def _has_labels(self, slots: Collection[Slot], classes: Sequence[Key]) -> bool:
        """Whether the labels are exactly these, in this order."""
        if list(self._classes) != list(classes) or len(self) != len(slots):
            return False
        return slots is self._slots or list(slots) == list(self._slots)

    def table(self, classes: Sequence[Key], more: Iterable[Slot] = ()) -> tuple[list[Any], Floats]:
        """The non-empty slots and those given, sorted, and their counts in these classes."""
        n, columns = self._arrays["n"], [self._classes.get(key, -1) for key in classes]
        counts = n.limbs[: len(self._slots), :, 0]
        plain = n.limbs.shape[-1] == 1 and n.low == 0 and -1 not in columns
        if plain and counts.size <= FEW_CELLS:
            rows = counts.tolist()
            slots = sorted({*(slot for slot, i in self._slots.items() if any(rows[i])), *more})
            nothing = [0] * len(self._classes)
            few = [rows[self._slots[slot]] if slot in self._slots else nothing for slot in slots]
            return slots, np.array([[row[i] for i in columns] for row in few], np.float64).reshape(-1, len(classes))
        filled = np.asarray(counts.any(axis=1))
        if plain and all(slot in self._slots and filled[self._slots[slot]] for slot in more):
            slots, at = in_order(self._slots, filled)
            return slots, counts[at[:, None], columns].astype(np.float64)
        slots = sorted({*self.canonical().slots, *more})
        return slots, self.aligned(slots, classes).sums["n"].round()

    def touched(self, other: Tally) -> Mapping[str, Exact]:
        return without_traces(self.sums if other is self else self._cells(other), other.sums)

    def _cells(self, other: Tally) -> dict[str, Exact]:
        index = self._place(other)
        return {name: Exact(array.limbs[index], array.low) for name, array in self._arrays.items()}

    def drop_traces(self, other: Tally) -> None:
        if self._arrays["n"].low >= 0:
            return  # whole numbers leave no traces
        traces = traces_of(self._cells(other), other.sums)
        if traces is not None:
            at = self._place(other)
            for array in self._arrays.values():
                array.limbs[at] = np.where(traces[..., None], 0, array.limbs[at])

    def add(self, other: Tally, sign: int = 1) -> None:
        row = other._row  # read first: if both are the same tally, reading its slots makes the sums
        places = other._places_in(self) if row is None else None
        largest = self._add(other, row, places, sign)
        if largest < 0 and not self._classes and not self._slots:
            taken = other.copy() if sign > 0 else -other
            self._classes, self._slots, self._arrays = taken._classes, taken._slots, taken._arrays
        elif largest < 0:
            if self._drops_empty_slots() and places is not None:
                places = other._places_in(self)
            self._admit(other, places)
            largest = self._add(other, row, places, sign)
            assert largest >= 0
        if largest >= FULL:
            self._arrays = {name: array.carried() for name, array in self._arrays.items()}

    def _add(self, other: Tally, row: RowSums | None, places: Counts | None, sign: int) -> int:
        """Adds the other's sums. Returns the largest limb; −1 if there is no room and nothing was done."""
        if row is not None:
            return kernels.add_values(self._slots, self._classes, self._arrays, row, sign)
        slots = (self._slots, other._slots) if places is None else places
        return kernels.add_sums(slots, self._classes, self._arrays, other._classes, other._arrays, sign)

    def _places_in(self, target: Tally) -> Counts | None:
        """Where each slot is in the other tally, −1 if it is not; None if dictionaries have to tell."""
        return None

    def _new_to(self, target: Tally, places: Counts | None) -> Slots:
        """The slots that the other tally lacks; `places` are completed by those they will get there."""
        return [] if self._slots is target._slots else [*filterfalse(target._slots.__contains__, self._slots)]

    def _append(self, new: Slots) -> None:
        self._slots = dict(self._slots) if isinstance(self._slots, Positions) else self._slots
        names = new.tolist() if isinstance(new, np.ndarray) else new
        self._slots.update(zip(names, count(len(self._slots)), strict=False))

    def _place(self, other: Tally) -> Any:
        """Where the other's cells are among these."""
        slots = np.fromiter(map(self._slots.__getitem__, other._slots), np.intp, len(other._slots))
        classes = np.fromiter(map(self._classes.__getitem__, other._classes), np.intp, len(other._classes))
        return slots[:, None], classes

    def _drops_empty_slots(self) -> bool:
        """Whether it did, because there was no room for others and most were empty."""
        if self.slots_are_positions or not FEW_SLOTS < len(self._arrays["n"]) <= len(self):
            return False
        filled = np.asarray(self._filled_cells().any(axis=1))
        if 2 * int(filled.sum()) > len(filled):
            return False
        self._slots, self._order = numbered(compress(self._slots, filled.tolist())), IntegerOrder()
        self._arrays = {name: array[filled] for name, array in self._arrays.items()}
        return True

    def _admit(self, other: Tally, places: Counts | None) -> None:
        """Makes room for the other's labels, which get their places, and for its limbs."""
        new = other._new_to(self, places)
        if len(new):
            self._append(new)
        for key in other._classes:
            self._classes.setdefault(key, len(self._classes))
        size, others = (len(self), len(self._classes)), other._arrays
        self._arrays = {name: enlarged(array, others[name], *size) for name, array in self._arrays.items()}
