"""Numbers by interval: discretisation chosen after counting."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from copy import copy
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from tallybayes import kernels
from tallybayes.counts.exact import Floats
from tallybayes.counts.sums import added_up
from tallybayes.counts.tally import Key, Rows, Tally
from tallybayes.data.processors import each_of
from tallybayes.families.base import Belief, Scorer
from tallybayes.families.events import Conditional, Event, NoJointError
from tallybayes.families.folds import Folds, centred_tables
from tallybayes.families.left_out import LeftOut
from tallybayes.families.levels_left_out import LevelsLeftOut
from tallybayes.families.numbers.interval_densities import LEAST, Densities, Ranges, densities_of, whole_cells
from tallybayes.families.numbers.intervals import METHODS
from tallybayes.families.numbers.numeric_belief import log_between
from tallybayes.families.numbers.support import LARGEST
from tallybayes.families.numbers.values import Values, values_of_keys
from tallybayes.families.portable import ByInterval, Portable
from tallybayes.families.settings import setting
from tallybayes.families.smoothing import (
    FITTED,
    MEstimate,
    Smoothed,
    SmoothedBelief,
    log_dirichlet,
    pseudo_of,
    settled_pseudo,
    smoothed,
    smoothing,
)

MOST = 100_000  # intervals


@dataclass(frozen=True, kw_only=True, repr=False)
class Histogram(Values):
    """A number, by the interval it falls in; within an interval the density is constant. Values beyond those counted
    have the evidence of the outermost interval.

    `method` is how intervals are cut: "equal length" (`intervals` of them over the range of all classes), "equal
    count", "mdl" (as many as the classes justify), or "fitted" (whichever of the last two makes the classes most
    likely; `intervals` of equal count below 1,000 values). `alpha` is added to every interval's count, as for
    Categorical.

    >>> Histogram(intervals=5, alpha=0.5)
    Histogram(intervals=5, alpha=0.5)
    """

    leaves_out_folds: ClassVar[bool] = True
    intervals: int = setting(10, "the number of intervals", least=1, most=MOST)
    method: str = setting(
        "equal length",
        'how intervals are chosen: "equal length", "equal count", "mdl" (Fayyad and Irani), or "fitted" ("mdl" or 5 to '
        "80 of equal count, whichever makes the classes most likely; below 1,000 values, `intervals` of equal count)",
        choices=tuple(METHODS),
    )
    alpha: float | MEstimate | str = smoothing()

    def level_named(self, text: str) -> str:
        raise ValueError("intervals have no names; give a number, an MEstimate or 'fitted'.")

    def believe(self, tally: Tally, classes: Sequence[Key]) -> Belief:
        return self.believe_each([tally], classes)[0]

    def believe_each(self, tallies: Sequence[Tally], classes: Sequence[Key]) -> list[Belief]:
        return [IntervalBelief(*each) for each in self._believed(self.counted(tallies, classes), len(classes))]

    def _believed(
        self, known: Sequence[tuple[Floats, Floats]], width: int
    ) -> Iterator[tuple[Ranges, Smoothed, Densities]]:
        ranges = self._ranges(known)
        counts = _interval_counts(known, ranges, width)
        found = smoothed(counts, self._pseudo(counts))
        return zip(ranges, found, densities_of(ranges, found), strict=True)

    def evidence_without(self, tallies: Sequence[Tally], columns: Sequence[Floats], folds: Folds) -> list[Floats]:
        known = self.counted_without(tallies, columns, folds)
        found = [(ranges.edges, densities.reach) for ranges, _, densities in self._believed(known, folds.width)]
        ends = np.cumsum([len(table) for _, table in found])
        tables = centred_tables(np.concatenate([table for _, table in found]))
        evidence = []
        for first, cells in zip(range(0, len(found), len(folds.at)), columns, strict=True):
            mine = slice(first, first + len(folds.at))
            parts = zip(folds.each(cells), found[mine], strict=True)
            codes = folds.joined([kernels.find_intervals(some, edges) for some, (edges, _) in parts])
            starts = ends[mine] - [len(table) for _, table in found[mine]]
            table = tables[starts[0] : ends[mine][-1]]
            evidence.append(folds.looked_up(codes, table, starts - starts[0]))
        return evidence

    def _ranges(self, known: Sequence[tuple[Floats, Floats]]) -> list[Ranges]:
        """Where the intervals of columns lie, from their values and counts."""
        method = METHODS[self.method]

        def cut(column: tuple[Floats, Floats]) -> Floats:
            return method(*column, self.intervals) if len(column[0]) else np.zeros(0)

        cuts = each_of(cut, known, sum(len(values) for values, _ in known))
        return whole_cells([values for values, _ in known], cuts, self.bits)

    def _pseudo(self, counts: Sequence[Floats]) -> list[Floats]:
        return [pseudo_of(self.alpha, range(len(each)), each) for each in counts]

    def settled(self, belief: Any) -> Histogram:
        """The intervals are held fixed, and so are fitted pseudo-counts, as for Categorical."""
        pseudo = settled_pseudo(belief.pseudo) if self.alpha == FITTED else belief.pseudo
        return _settled_histogram(self, belief.ranges, pseudo)

    def log_prior(self, tally: Tally, classes: Sequence[Key], belief: Any) -> float:
        return log_dirichlet(belief.pseudo[:, None], belief.table)

    @property
    def stays(self) -> str:
        return "where the intervals are cut, and how far they reach"

    def left_out(self, tally: Tally, classes: Sequence[Key]) -> LeftOut:
        (ranges,) = self._ranges(self.counted([tally], classes))
        values = values_of_keys(np.array(tally.slots, np.int64), self.bits)
        size = len(ranges.cuts) + 1
        n = tally.aligned(tally.slots, classes).sums["n"]
        counts = added_up(n, ranges.cuts.searchsorted(values, "right"), size)
        return IntervalsLeftOut(ranges.edges, LevelsLeftOut(self.alpha, range(size), counts))


@dataclass(frozen=True, kw_only=True, repr=False)
class SettledHistogram(Histogram):
    """A histogram of given intervals and pseudo-counts, which EM scores with. It is equal to no other, since its
    intervals are those of one column."""

    ranges: Ranges = field(init=False)
    pseudo: Floats = field(init=False)

    __eq__ = object.__eq__
    __hash__ = object.__hash__

    def _ranges(self, known: Sequence[tuple[Floats, Floats]]) -> list[Ranges]:
        return [self.ranges] * len(known)

    def _pseudo(self, counts: Sequence[Floats]) -> list[Floats]:
        return [self.pseudo] * len(counts)


def _settled_histogram(given: Histogram, ranges: Ranges, pseudo: Floats) -> SettledHistogram:
    made = SettledHistogram(bits=given.bits, intervals=given.intervals, method=given.method)
    object.__setattr__(made, "ranges", ranges)
    object.__setattr__(made, "pseudo", pseudo)
    return made


class IntervalBelief(SmoothedBelief):
    """P(interval | class), uniform within it; a share of the outermost ones lies beyond all values counted. Intervals
    are made of whole steps of the rounding, so that new values fall into the interval that their rounded value was
    counted in. Beyond the range, the density falls off as (1 + distance / range)⁻² in every class, so the distance is
    no evidence about the class."""

    def __init__(self, ranges: Ranges, known: Smoothed, densities: Densities) -> None:
        super().__init__(known)
        self.ranges = ranges
        self.edges, self.half = ranges.edges, ranges.half
        self.below, self.beyond, self.table, self._reach = densities

    @cached_property
    def levels(self) -> list[str]:  # type: ignore[override]
        """The names of the intervals, made when needed."""
        ends = self.ranges.ends
        return interval_names(np.array([*ends[:1], *self.ranges.cuts, *ends[1:]]))

    def codes(self, cells: Any) -> Any:
        """The interval of every number; the outermost for numbers beyond the range."""
        return self.edges[1:-1].searchsorted(cells, "right")

    def with_table(self, change: Callable[[Floats], Floats]) -> Belief:
        """How far out a value lies is the same for all classes, and stays."""
        changed = copy(self)
        changed.table, changed._reach, changed.likelihood = change(self.table), change(self._reach), False
        return changed

    def _at(self, probability: Floats) -> SmoothedBelief:
        changed = super()._at(probability)
        with np.errstate(divide="ignore", invalid="ignore"):
            apart = np.nan_to_num(np.log(probability) - np.log(self.probability), neginf=-np.inf)
        changed.table = self.table + apart
        changed._reach = self._reach + np.concatenate([apart[:1], apart, apart[-1:]])  # type: ignore[attr-defined]
        return changed

    @classmethod
    def together(cls, beliefs: Sequence[Any]) -> Scorer:
        edges, tables = [belief.edges for belief in beliefs], [belief._reach for belief in beliefs]
        halves = np.array([belief.half for belief in beliefs])

        def score(cells: Sequence[Any], scores: Floats) -> None:
            kernels.add_intervals(list(cells), edges, halves, tables, scores)

        return score

    def portable(self) -> Portable:
        return ByInterval(self.edges, self._reach)  # how far out a value lies is the same for all classes

    def conditionals(self) -> list[list[Conditional]]:
        raise NoJointError("ask about numbers by bounds, like 20 < x <= 25.")

    def log_within(self, event: Event) -> Floats:
        if event.is_empty:
            return np.full(self.probability.shape[1], -np.inf)
        return log_between(self._shares(event.low), self._shares(event.high))

    def _shares(self, x: float) -> tuple[Floats, Floats]:
        """P(≤ x) and P(> x)."""
        if not self.counts.any():
            raise NoJointError("nothing was counted, so no interval is known.")
        edges, p = self.edges, self.probability.copy()
        low, high = p[0] * self.below, p[-1] * self.beyond
        p[0] -= low
        p[-1] -= high
        away = max(edges[0] - x, x - edges[-1], 0.0)
        outside = 0.0 if math.isinf(away) else 2.0 * self.half / (away + 2.0 * self.half)
        if x < edges[0]:
            return low * outside, 1.0 - low * outside
        if x > edges[-1]:
            return 1.0 - high * outside, high * outside
        part = np.clip((x - edges[:-1]) / np.diff(edges), 0.0, 1.0)[:, None]
        return low + (part * p).sum(axis=0), high + ((1.0 - part) * p).sum(axis=0)

    def peak(self, event: Event) -> tuple[Floats, Floats]:
        """The middle of the densest interval, or of the part of it within the event."""
        low, high = np.clip(self.edges[:-1], event.low, event.high), np.clip(self.edges[1:], event.low, event.high)
        there = low < high
        if not there.any():
            return super().peak(event)
        best = np.where(there[:, None], self.table, -np.inf).argmax(axis=0)
        return (low / 2.0 + high / 2.0)[best], self.table[best, np.arange(len(best))]

    def draw(self, random: np.random.Generator, classes: NDArray[np.intp]) -> pa.Array:
        if not self.counts.any():
            return pa.nulls(len(classes), pa.float64())
        at = self.draw_codes(random, classes).to_numpy()
        share, chance = random.random((2, len(at)))
        drawn = self.edges[at] * (1.0 - share) + self.edges[at + 1] * share
        with np.errstate(over="ignore"):
            distance = self.half * (share / (1.0 - share)) * 2.0
            drawn = np.where((at == 0) & (chance < self.below), self.edges[0] - distance, drawn)
            drawn = np.where(
                (at == len(self.counts) - 1) & (chance > 1.0 - self.beyond), self.edges[-1] + distance, drawn
            )
        return pa.array(np.clip(drawn, -LARGEST, LARGEST))


def _interval_counts(known: Sequence[tuple[Floats, Floats]], ranges: Sequence[Ranges], width: int) -> list[Floats]:
    """The counts of each interval in every class, in the order of the values, whatever came first."""
    sizes = [len(each.cuts) + 1 for each in ranges]
    ends = np.cumsum(sizes).tolist()
    at = [
        each.cuts.searchsorted(values, "right") + (end - size)
        for (values, _), each, size, end in zip(known, ranges, sizes, ends, strict=True)
    ]
    cells = np.concatenate(at)[:, None] * width + np.arange(width)
    counts = np.concatenate([counts for _, counts in known])
    summed = np.bincount(cells.reshape(-1), counts.reshape(-1), ends[-1] * width)
    table = summed.astype(np.float64).reshape(ends[-1], width)
    return [table[end - size : end] for size, end in zip(sizes, ends, strict=True)]


def interval_names(edges: Floats) -> list[str]:
    """The intervals as text, with enough digits to tell them apart."""
    if not len(edges):
        return ["(-inf, inf)"]
    for digits in range(6, 18):
        written = [f"{edge:.{digits}g}" for edge in edges]
        if len(set(written)) == len(set(edges.tolist())):
            break
    closing = [")"] * (len(edges) - 2) + ["]"]
    return [f"[{a}, {b}{end}" for a, b, end in zip(written, written[1:], closing, strict=False)]


@dataclass(frozen=True)
class IntervalsLeftOut:
    """Fixed intervals, and their counts without each value."""

    edges: Floats
    levels: LevelsLeftOut

    def __call__(self, cells: Floats, rows: Rows) -> Floats:
        logs = np.zeros((len(rows), len(rows.classes)))
        codes = np.where(np.isnan(cells), -1, self.edges[1:-1].searchsorted(cells, "right"))
        last = len(self.edges) - 2
        with np.errstate(over="ignore"):
            widths = np.log(np.clip(np.diff(self.edges), LEAST, LARGEST))
        for at, left, kinds in self.levels.left(codes, rows):
            outside = 1.0 / (2.0 + left.counts.sum(axis=1))
            inside = 1.0 - outside * (1.0 * (left.levels == 0) + (left.levels == last))
            others = np.asarray(left.totals.any(axis=1))
            shape = np.log(np.where(others, inside, 1.0)) - widths[left.levels]
            logs[at] = np.where(others[:, None], self.levels.logs(left) + shape[:, None], 0.0)[kinds]
        return logs
