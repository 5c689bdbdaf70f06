"""Labelled sums where most cells are empty: words by classes. Memory grows with the non-empty cells.

A `SparseTally` is to a million words what a `Tally` is to a few levels: it adds, subtracts and scales, labels are
matched by name, and adding a document takes time proportional to its size. Words are in a compiled index, each pair of
a word and a class has a number, and the sums are `Exact` arrays over those numbers.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from tallybayes import kernels
from tallybayes.counts.cells import RUNS, Cells, Changes, ClassTotals, by_run, with_room
from tallybayes.counts.decay import holding, scaled, traces_of, without_traces
from tallybayes.counts.exact import Codes, Counts, Exact
from tallybayes.counts.packing import Arrays, pack_cells, read_words, unpack_cells, write_words
from tallybayes.counts.slots import Texts
from tallybayes.counts.tallies import AnyTally
from tallybayes.counts.tally import Key, Tally
from tallybayes.kernels.strings import index_strings, index_words

SHOWN = 30  # words that a repr shows
FEW = 1000  # empty cells that are not worth removing


class SparseTally(AnyTally):
    """Exact sums by word and class, for non-empty cells only.

    >>> monday = SparseTally.of(["ham", "spam"], {("free", "spam"): 4, ("hello", "ham"): 1})
    >>> tuesday = SparseTally.of(["spam"], {("free", "spam"): 2, ("win", "spam"): 3})
    >>> monday + tuesday
    n      ham  spam
    free     0     6
    hello    1     0
    win      0     3
    >>> (monday + tuesday) - tuesday == monday
    True
    """

    def __init__(
        self,
        classes: Iterable[Key],
        index: kernels.StringIndex | pa.Array,
        words: Codes,
        columns: Codes,
        sums: Mapping[str, Exact],
    ) -> None:
        self._classes = {key: i for i, key in enumerate(classes)}
        self._built = index if isinstance(index, kernels.StringIndex) else None
        self._texts = index if isinstance(index, pa.Array) else None  # the words, until they need an index
        self._size, self._looked_at = len(words), 0
        self._words = words  # this and the next may have spare capacity
        self._columns = columns
        self._sums = dict(sums)
        self._pairs: kernels.PairIndex | None = None  # made when something is added
        self._totals, self._run_totals = ClassTotals(), ClassTotals()  # in the second, (class, kind of run) is a class
        self.changes: Changes | None = None  # since beliefs were last computed, if they keep track

    @classmethod
    def empty(cls, statistics: Iterable[str]) -> SparseTally:
        cells = (np.zeros(0, np.int32), np.zeros(0, np.int32), {name: Exact.zeros((0,)) for name in statistics})
        return cls([], kernels.StringIndex(), *cells)

    @classmethod
    def of(cls, classes: Sequence[Key], counts: Mapping[tuple[str, Key], int]) -> SparseTally:
        index, at = kernels.StringIndex(), {key: i for i, key in enumerate(classes)}
        words = index_words(index, [word for word, _ in counts])
        columns = np.array([at[key] for _, key in counts], np.int32)
        return cls(classes, index, words, columns, {"n": Exact.counts(np.array(list(counts.values()), np.int64))})

    @property
    def classes(self) -> list[Key]:
        return list(self._classes)

    @property
    def slots(self) -> list[str]:
        return self.words().to_pylist()

    def slots_in_turn(self) -> Texts:
        return Texts(self.words())

    def __len__(self) -> int:
        """The number of words, including those without counts by now."""
        return len(self.index if (texts := self._texts) is None else texts)

    def words(self) -> pa.Array:
        """The words, by their numbers."""
        return index_strings(self.index) if (texts := self._texts) is None else texts

    @property
    def index(self) -> kernels.StringIndex:
        if (texts := self._texts) is not None:
            index = kernels.StringIndex()
            index_words(index, texts)
            self._built, self._texts = index, None
        assert self._built is not None
        return self._built

    def cells(self) -> Cells:
        """All cells, including those that are empty by now."""
        size = self._size
        if size == len(self._words):
            return Cells(self._words, self._columns, self._sums)
        return Cells(self._words[:size], self._columns[:size], {k: v[:size] for k, v in self._sums.items()})

    def copy(self) -> SparseTally:
        return SparseTally(self._classes, self.index.copy(), *self.cells().copy())

    def renamed(self, classes: Iterable[Key]) -> SparseTally:
        return SparseTally(classes, self.index, *self.cells())

    def merged(self, groups: Mapping[Key, Sequence[Key]]) -> SparseTally:
        number = {key: i for i, keys in enumerate(groups.values()) for key in keys}
        place = np.array([number.get(key, -1) for key in self._classes] or [-1], np.int32)
        cells = self.cells()
        kept = cells.at(place[cells.classes] >= 0)
        merged = kept._replace(classes=place[kept.classes]).merged(len(groups))
        return SparseTally(groups, self.index.copy(), *merged)

    def filled(self) -> list[Key]:
        _, columns, sums = self.cells()
        return sorted(self.classes[i] for i in np.unique(columns[holding(sums)]))

    def pack(self, prefix: str, keys: list[Key], arrays: Arrays) -> dict[str, Any]:
        number = {key: i for i, key in enumerate(keys)}
        cells, place = self.cells(), np.array([number[key] for key in self._classes], np.int32)
        return pack_cells(prefix, self.words(), cells._replace(classes=place[cells.classes]), arrays)

    def unpacked(self, prefix: str, about: Mapping[str, Any], keys: list[Key], arrays: Arrays) -> SparseTally:
        texts, cells = unpack_cells(prefix, about, list(self._sums), len(keys), arrays)
        return SparseTally(keys, texts, *cells)

    def write_row(self, parts: list[bytes]) -> None:
        parts.append(write_words(self.index, self.cells()))

    def read_rows(self, key: Key, parts: Iterator[list[bytes]]) -> SparseTally:
        index, cells = read_words(next(parts), list(self._sums))
        return SparseTally([key] if len(index) else [], index, *cells)

    def __neg__(self) -> SparseTally:
        words, columns, sums = self.cells()
        return SparseTally(self._classes, self.index, words, columns, {k: -v for k, v in sums.items()}).copy()

    def __mul__(self, factor: float) -> SparseTally:
        words, columns, sums = self.cells()
        return SparseTally(self._classes, self.index, words, columns, scaled(sums, factor)).only(self._classes)

    def taken(self, names: Mapping[Key, Key]) -> SparseTally:
        """Cells and words that are empty by now are left out."""
        at = {self._classes[key]: name for key, name in names.items() if key in self._classes}
        place = np.full(len(self._classes), -1, np.int32)
        place[[*at]] = np.arange(len(at))
        cells = self.cells()
        filled = cells.at(holding(cells.sums) & (place[cells.classes] >= 0))
        used = filled.used(len(self.index))
        number = np.cumsum(used, dtype=np.int32) - np.int32(1)
        index = self.index.subset(np.flatnonzero(used).astype(np.int32))
        return SparseTally(at.values(), index, *filled.numbered(number, place))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, SparseTally):
            return NotImplemented
        a, b = self.canonical(), other.canonical()
        return a.classes == b.classes and a.words().equals(b.words()) and a.cells().same(b.cells())

    def __repr__(self) -> str:
        tidy = self.canonical()
        few = tidy.cells().at(tidy.cells().words < SHOWN)
        more = f"\n… and {len(tidy) - SHOWN:,} more words" * (len(tidy) > SHOWN)
        return f"{SparseTally(tidy.classes, tidy.words()[:SHOWN], *few).dense()!r}{more}"

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickled and copied without the words that are no longer in any cell, and in canonical order."""
        return self.canonical().as_it_is()

    def as_it_is(self) -> tuple[Any, ...]:
        """How to pickle it in its own order, which is faster but tells its history."""
        return SparseTally, (self.classes, self.words(), *self.cells())

    def dense(self) -> Tally:
        """The same sums as a dense table."""
        tidy = self.canonical()
        words, columns, sums = tidy.cells()
        table = {name: Exact.zeros((len(tidy), len(tidy.classes))) for name in sums}
        for name, array in sums.items():
            table[name].add_at((words, columns), array)
        return Tally(tidy.classes, tidy.words().to_pylist(), table)

    def canonical(self) -> SparseTally:
        cells, keys = self.cells(), self.filled()
        filled = cells.at(holding(cells.sums))
        place = np.full(len(self._classes), -1, np.int32)
        place[[self._classes[key] for key in keys]] = np.arange(len(keys))
        order = self.index.sorted()
        order = order[filled.used(len(self.index))[order]]
        rank = np.full(len(self.index), -1, np.int32)
        rank[order] = np.arange(len(order), dtype=np.int32)
        filled = filled.numbered(rank, place)
        ordered = filled.at(np.lexsort((filled.classes, filled.words)))
        return SparseTally(keys, self.index.subset(order), *ordered.carried())

    def touched(self, other: SparseTally) -> Mapping[str, Exact]:
        mine = self.cells().sums if other is self else self._at(other)
        return without_traces(mine, other.cells().sums)

    def _at(self, other: SparseTally) -> dict[str, Exact]:
        numbers = self._numbers(other, grow=False)
        return {name: array[numbers] for name, array in self._sums.items()}

    def drop_traces(self, other: SparseTally) -> None:
        traces = traces_of(self._at(other), other.cells().sums)
        if traces is not None:
            self._totals.forget()
            self._run_totals.forget()
            numbers = self._numbers(other, grow=False)[traces]
            for array in self._sums.values():
                array.limbs[numbers] = 0

    def sum_of(self, name: str, classes: Sequence[Key]) -> Exact:
        """One of the sums over all words, for each of these classes."""
        _, columns, sums = self.cells()
        return self._totals.of(name, [self._classes.get(key, -1) for key in classes], lambda: columns, sums)

    def sum_by_run(self, name: str, classes: Sequence[Key]) -> Exact:
        """The same for single words, pairs, longer runs and runs of characters, each by themselves: [run, class]."""
        at, cells = [self._classes.get(key, -1) for key in classes], self.cells()
        numbers = [RUNS * c + run if c >= 0 else -1 for run in range(RUNS) for c in at]
        found = self._run_totals.of(name, numbers, lambda: by_run(self.index, cells), cells.sums)
        return Exact(found.limbs.reshape(RUNS, len(at), -1), found.low)

    def add(self, other: SparseTally, sign: int = 1) -> None:
        if not self._size and not self._classes:
            self.__dict__.update((other.copy() if sign > 0 else -other).__dict__)
            return
        if other is self or (self._built is not None and other._built is self._built):
            other = other.copy()
        if self._size + other._size > len(self._words):
            self._make_room()
        numbers, added = self._numbers(other, grow=True), other.cells()
        for name, array in added.sums.items():
            self._sums[name].add_rows(numbers, array, sign)
        if self.changes is not None:
            self.changes.add(numbers)
        places = [self._classes[key] for key in other._classes]
        self._totals.add(places, added.classes, added.sums, sign)
        if self._run_totals:
            runs = [RUNS * place + run for place in places for run in range(RUNS)]
            self._run_totals.add(runs, by_run(other.index, added), added.sums, sign)

    def _make_room(self) -> None:
        """Before more memory is allocated, removes forgotten words if they are the majority."""
        if self._size > FEW and self._size != self._looked_at:  # once for each size: it costs a pass over all words
            self._looked_at = self._size
            if 2 * int(holding(self.cells().sums).sum()) < self._size:
                self.__dict__.update(self.only(self._classes).__dict__)

    def _numbers(self, other: SparseTally, grow: bool) -> Counts:
        """The index here of each of the other's cells; with `grow`, new ones are added."""
        if self._pairs is None:
            self._pairs = kernels.PairIndex()
            self._pairs.encode(self._words[: self._size], self._columns[: self._size], True)
        if not grow:
            words = self.index.find_all(other.index)
            places = np.array([self._classes.get(key, -1) for key in other._classes], np.int32)
        else:
            texts = other._texts
            words = self.index.merge(other.index) if texts is None else index_words(self.index, texts)
            places = np.array([self._classes.setdefault(key, len(self._classes)) for key in other._classes], np.int32)
        a, b, _ = other.cells()
        here, there = words[a], places[b]
        numbers = self._pairs.encode(here, there, grow)
        if len(self._pairs) > self._size:
            self._admit(len(self._pairs), numbers, here, there)
        return numbers

    def _admit(self, size: int, numbers: Counts, words: Codes, columns: Codes) -> None:
        new = numbers >= self._size
        if size > len(self._words):
            room = max(size, len(self._words) + len(self._words) // 2)
            self._words = with_room(self._words, room)
            self._columns = with_room(self._columns, room)
            for array in self._sums.values():
                array.limbs = with_room(array.limbs, room)
        self._words[numbers[new]] = words[new]
        self._columns[numbers[new]] = columns[new]
        self._size = size
