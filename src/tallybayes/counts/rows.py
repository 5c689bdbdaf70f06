"""The classes and weights of a batch's rows, or their shares in several classes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from tallybayes import kernels
from tallybayes.counts.exact import Codes, Counts, Exact, Floats, exponents
from tallybayes.counts.slots import Key
from tallybayes.counts.sums import ClassSums, InfiniteError, cells_of, sum_columns, sum_weighted, weighted_table

UNIT = 2.0**-32  # of shares that are added as whole numbers: a limb
MOST_UNITS = 2.0**62
MOST_SHARE = 1 << 33  # units of one row


def places_of(keys: Sequence[Key], among: Sequence[Key]) -> Codes:
    """The index of each of these classes among others; −1 if it is none of them."""
    number = {key: i for i, key in enumerate(among)}
    return np.array([number.get(key, -1) for key in keys], np.int32)


@dataclass
class Rows:
    """The class and the weight of each row of a batch (without weights: 1 each)."""

    classes: Sequence[Key]
    codes: Codes
    weights: Floats | None = None
    only: Key | None = field(default=None, init=False)  # the class of a single unweighted row

    def __post_init__(self) -> None:
        if len(self.codes) == len(self.classes) == 1 and self.weights is None and self.codes[0] == 0:
            self.only = self.classes[0]

    def __len__(self) -> int:
        return len(self.codes)

    @cached_property
    def numbers(self) -> dict[Key, int]:
        """The index of each class."""
        return {key: i for i, key in enumerate(self.classes)}

    @cached_property
    def groups(self) -> kernels.Groups:
        return kernels.Groups(self.codes, len(self.classes))

    def codes_in(self, keys: Sequence[Key]) -> Codes:
        """The index of each row's class among these; −1 if it is none of them, or unknown."""
        return np.append(places_of(self.classes, keys), np.int32(-1))[self.codes]

    def slice(self, start: int, stop: int) -> Rows:
        return self if stop - start == len(self) else self.take(slice(start, stop))

    def take(self, at: Any) -> Rows:
        """Some of the rows, by their indices or a mask."""
        return Rows(self.classes, self.codes[at], None if self.weights is None else self.weights[at])

    def totals(self) -> Exact:
        """The number of rows of each class, or their weight."""
        if "groups" in self.__dict__ and self.weights is None:  # they are counted already
            return Exact(self.groups.counts()[None, :, None])
        return self.count(np.zeros(len(self), np.int32), 1)

    def count(self, cells: Codes, slots: int) -> Exact:
        """How often each of `slots` codes occurs in each class; negative codes are missing."""
        width = len(self.classes)
        if self.weights is None:
            return Exact(kernels.count_codes(cells, self.codes, slots, width)[..., None])
        return weighted_table([self.weights], cells_of(cells, self.codes, slots, width), slots, width)

    def each(self, cells: Any) -> Any:
        """A cell for every class that its row is counted in."""
        return cells


class SharedRows(Rows):
    """Rows that are counted in several classes: row i in `codes[starts[i]:starts[i + 1]]`, with the weights there.

    >>> codes, weights = np.array([0, 1, 1], np.int32), np.array([0.25, 0.75, 1.0])
    >>> rows = SharedRows(["ham", "spam"], codes, weights, starts=np.array([0, 2, 3]))
    >>> rows.totals().round().tolist()
    [[0.25, 1.75]]
    """

    weights: Floats

    def __init__(self, classes: Sequence[Key], codes: Codes, weights: Floats, starts: Counts) -> None:
        super().__init__(classes, codes, weights)
        self.starts = starts

    def __len__(self) -> int:
        return len(self.starts) - 1

    def slice(self, start: int, stop: int) -> Rows:
        if stop - start == len(self):
            return self
        first, last = self.starts[start], self.starts[stop]
        starts = self.starts[start : stop + 1] - first
        return SharedRows(self.classes, self.codes[first:last], self.weights[first:last], starts)

    @cached_property
    def at(self) -> Counts:
        """The row of each share."""
        return np.repeat(np.arange(len(self)), np.diff(self.starts))

    @cached_property
    def units(self) -> Counts | None:
        """The shares in units of 2⁻³², if they are whole; EM's are."""
        units = self.weights / UNIT
        whole = bool((units == np.rint(units)).all()) and units.sum() < MOST_UNITS
        return units.astype(np.int64) if whole else None

    @cached_property
    def spread(self) -> Rows:
        """A row for every share."""
        return Rows(self.classes, self.codes, self.weights)

    def each(self, cells: Any) -> Any:
        return cells[self.at]

    def totals(self) -> Exact:
        return self.count(np.zeros(len(self), np.int32), 1)

    def count(self, cells: Codes, slots: int) -> Exact:
        if self.units is None:
            return self.spread.count(cells[self.at], slots)
        return Exact(kernels.count_units(np.ascontiguousarray(cells, np.int32), slots, *self.shares)[..., None], -1)

    @property
    def shares(self) -> tuple[Counts, Codes, Counts, int]:
        """The shares in the form that kernels take."""
        assert self.units is not None
        return self.starts, np.ascontiguousarray(self.codes), self.units, len(self.classes)


class UnitRows(SharedRows):
    """The same with shares given in units of 2⁻³²."""

    def __init__(self, classes: Sequence[Key], codes: Codes, units: Counts, starts: Counts) -> None:
        self.classes, self.codes, self.starts, self.only = classes, codes, starts, None
        self._given = units

    @cached_property
    def units(self) -> Counts | None:
        return self._given if self._given.sum(dtype=np.float64) < MOST_UNITS else None

    @cached_property
    def weights(self) -> Floats:  # type: ignore[override]  # rarely needed
        return np.asarray(self._given * UNIT, np.float64)


def class_sums(values: Floats, rows: Rows, squares: bool) -> ClassSums:
    """The sum of every column of a matrix by class, each row times its weight."""
    if rows.weights is None:
        return sum_columns(values, rows.groups, squares)
    if isinstance(rows, SharedRows) and rows.units is not None and rows.units.max(initial=0) <= MOST_SHARE:
        return _sum_units(values, rows, squares)
    try:
        return sum_weighted(rows.each(values), rows.weights, rows.codes, len(rows.classes), squares)
    except InfiniteError as infinite:
        raise InfiniteError(int(rows.each(np.arange(len(values)))[infinite.row])) from None


def _sum_units(values: Floats, rows: SharedRows, squares: bool) -> ClassSums:
    """The same in units of 2⁻³²."""
    infinite = np.isinf(values)
    if infinite.any():
        raise InfiniteError(int(np.flatnonzero(infinite.any(axis=1))[0]))
    low, high = exponents(values)
    n, x, x_low, xx, xx_low = kernels.sum_units(np.ascontiguousarray(values), *rows.shares, low, high, squares)
    return ClassSums(Exact(n[..., None], -1), Exact(x, x_low), None if xx is None else Exact(xx, xx_low))
