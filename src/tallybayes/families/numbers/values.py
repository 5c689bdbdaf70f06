"""Numbers of any distribution: how often each value occurred, for histograms and density estimates.

So that memory stays bounded, a value is rounded to `bits` binary digits before it is counted: 12 keep one part in
8,192. Up to that the counts are exact, and intervals or the bandwidth can be chosen later.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np
import pyarrow as pa

from tallybayes import kernels
from tallybayes.counts.exact import Codes, Counts, Exact, Floats
from tallybayes.counts.integer_tally import IntegerTally
from tallybayes.counts.rows import places_of
from tallybayes.counts.tally import Key, Rows, Tally
from tallybayes.data.cells import Cells, numbers
from tallybayes.data.errors import FINITE_INSTEAD, INFINITE, CellError
from tallybayes.data.processors import each_of
from tallybayes.families.base import Family
from tallybayes.families.left_out import LeftOutFolds
from tallybayes.families.numbers.support import REAL, Support
from tallybayes.families.settings import setting

ENOUGH = 20  # cells needed to tell that a column never varies, or always does
LEAST_STEPS = 8  # of the rounding, over the middle half of the values
LARGEST = float(np.finfo(np.float64).max)
LARGEST_BITS = 0x7FEFFFFFFFFFFFFF  # the bits of the largest double

Table = tuple[Counts, Counts, Floats, Codes]  # sorted keys, where their counts are, these, and the column of each class


@dataclass(frozen=True, kw_only=True, repr=False)
class Values(Family):
    """A numeric column whose values are counted, to `bits` significant binary digits."""

    reads: ClassVar[pa.DataType | None] = pa.float64()
    rounds: ClassVar[bool] = True
    takes_shares: ClassVar[bool] = True
    support: ClassVar[Support] = REAL
    bits: int = setting(
        12,
        "significant bits to which values are rounded; 12 keep one part in 8,192",
        least=1,
        most=52,
        counting=True,
    )

    @classmethod
    def statistics(cls) -> str:
        return "Values"

    def takes(self, slots: Sequence[Any]) -> bool:
        most = LARGEST_BITS >> (52 - self.bits)
        return all(isinstance(slot, int) and abs(slot) <= most for slot in slots)

    def encode(self, cells: Cells) -> Floats:
        x = numbers(cells)
        if not REAL.takes_all(x):
            row = int(np.isinf(x).argmax())
            reason = f"{INFINITE}; {type(self).__name__} expects {self.support.words}. {FINITE_INSTEAD}"
            raise CellError(row, reason)
        return x

    def tally(self, cells: Floats, rows: Rows) -> Tally:
        keys, codes = kernels.number_values(cells, self.bits)
        return IntegerTally(rows.numbers, keys, {"n": rows.count(codes, len(keys))})

    def blurred(self, cells: Floats) -> str | None:
        """Values far from zero but close together round to only a few."""
        some = np.sort(cells)  # missing ones last
        some = some[: some.searchsorted(np.nan)]
        if len(some) < ENOUGH:
            return None
        spread, size = middle_half(some)
        step = size * 2.0**-self.bits
        near = 0.0 < spread < LEAST_STEPS * step
        if not near or np.array_equal(some, values_of_keys(value_keys(some, self.bits), self.bits)):
            return None
        return (
            f"values from {some[0]:.12g} to {some[-1]:.12g} are counted in steps of {step:.3g}. "
            f"Give {type(self).__name__} more bits than {self.bits}, or subtract a constant from the column."
        )

    def counted(self, tallies: Sequence[Tally], classes: Sequence[Key]) -> ValueCounts:
        """The values of every column, and how often each occurred in every class."""
        tables = [(*tally.ordered(), tally.sums["n"].round(), places_of(classes, tally.classes)) for tally in tallies]
        return self._gathered(tables, len(classes))

    def counted_without(self, tallies: Sequence[Tally], columns: Sequence[Floats], folds: LeftOutFolds) -> ValueCounts:
        """The same without each fold, for every column and fold; `columns` are the cells of the rows left out."""

        def count(given: tuple[Tally, Floats]) -> list[Table]:
            tally, cells = given
            keys, order = tally.ordered()
            n = tally.read(None, folds.rows.classes)["n"]
            total = Exact(n.limbs.take(order, axis=0), n.low)
            rest = folds.without(total, kernels.find_values(cells, keys, self.bits))
            return [(keys, np.arange(len(keys)), counts, np.arange(folds.width, dtype=np.int32)) for counts in rest]

        size = sum(map(len, tallies)) * len(folds.at)
        parts = each_of(count, list(zip(tallies, columns, strict=True)), size)
        return self._gathered([table for part in parts for table in part], folds.width)

    def _gathered(self, tables: Sequence[Table], width: int) -> ValueCounts:
        """Columns one after another, without values that no class has."""
        most = sum(len(keys) for keys, *_ in tables)
        values, counts, ends = np.empty(most), np.empty((most, width)), [0]
        for keys, places, table, at in tables:
            ends.append(kernels.gather_counts(keys, places, table, at, self.bits, ends[-1], values, counts))
        return ValueCounts(values[: ends[-1]], counts[: ends[-1]], np.array(ends[1:]))


class ValueCounts(NamedTuple):
    """Columns one after another: the sorted values of each, and how often each occurred in every class."""

    values: Floats
    counts: Floats  # [value, class]
    ends: Counts  # of each column

    def apart(self, step: int = 1) -> Iterator[ValueCounts]:
        """Every column, or several at a time."""
        starts = np.append(0, self.ends)
        for first in range(0, len(self.ends), step):
            start, ends = starts[first], self.ends[first : first + step]
            yield ValueCounts(self.values[start : ends[-1]], self.counts[start : ends[-1]], ends - start)


def middle_half(ordered: Floats) -> tuple[float, float]:
    """The interquartile range, widened until it is not zero; and the largest magnitude within it."""
    for share in (0.25, 0.1, 0.05, 0.01, 0.0):
        low, high = (ordered.item(int(part * (len(ordered) - 1))) for part in (share, 1.0 - share))
        if low < high:
            break
    return min(high / 2.0 - low / 2.0, LARGEST / 2.0) * 2.0, max(abs(low), abs(high))


def value_keys(x: Floats, bits: int) -> Counts:
    """Integer keys that sort like the values, equal for values that agree to this many binary digits."""
    shift = 52 - bits
    magnitude = np.minimum(np.abs(x).view(np.int64), LARGEST_BITS)
    keys = np.minimum((magnitude + (1 << shift >> 1)) >> shift, LARGEST_BITS >> shift)
    return np.where(x < 0, -keys, keys)


def values_of_keys(keys: Counts, bits: int) -> Floats:
    magnitude = np.abs(keys) << (52 - bits)
    return np.copysign(magnitude.view(np.float64), keys)


def least_of_keys(keys: Counts, bits: int) -> Floats:
    """For each key the smallest number that rounds to it or to a later one: new values are compared without
    rounding."""
    shift = 52 - bits
    half = 1 << shift >> 1
    above = np.minimum((keys << shift) - half, LARGEST_BITS)
    below = np.minimum(((1 - keys) << shift) - 1 - half, LARGEST_BITS)  # of those that round to it, furthest from zero
    return np.where(keys > 0, np.maximum(above, 0).view(np.float64), -np.maximum(below, 0).view(np.float64))
