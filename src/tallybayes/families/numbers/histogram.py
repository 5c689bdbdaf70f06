"""Numbers by interval: discretisation chosen after counting."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from tallybayes import kernels
from tallybayes.counts.exact import Floats
from tallybayes.counts.sums import added_up
from tallybayes.counts.tally import Key, Tally
from tallybayes.data.processors import each_of
from tallybayes.families.base import Belief
from tallybayes.families.folds import Folds, centred_tables
from tallybayes.families.left_out import LeftOut
from tallybayes.families.levels_left_out import LevelsLeftOut
from tallybayes.families.numbers.interval_belief import IntervalBelief
from tallybayes.families.numbers.interval_densities import Densities, Ranges, densities_of, whole_cells
from tallybayes.families.numbers.interval_left_out import IntervalsLeftOut, SmoothLeftOut
from tallybayes.families.numbers.intervals import AUTO, METHODS
from tallybayes.families.numbers.smooth import Intervals, Smooth, in_intervals, smoother
from tallybayes.families.numbers.values import Values, values_of_keys
from tallybayes.families.settings import setting
from tallybayes.families.smoothing import (
    FITTED,
    MEstimate,
    Smoothed,
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
    count", "mdl" (as many as the classes justify), "fitted" (whichever of the last two makes the classes most likely;
    `intervals` of equal count below 1,000 values), or "auto" (the same, or up to 128 intervals smoothed by a Gaussian
    or kernel density, if that predicts the classes of left-out values better). `alpha` is added to every interval's
    count, as for Categorical; smoothed intervals share one pseudo-value instead.

    >>> Histogram(intervals=5, alpha=0.5)
    Histogram(intervals=5, alpha=0.5)
    """

    leaves_out_folds: ClassVar[bool] = True
    intervals: int = setting(10, "the number of intervals", least=1, most=MOST)
    method: str = setting(
        "equal length",
        'how intervals are chosen: "equal length", "equal count", "mdl" (Fayyad and Irani), "fitted" ("mdl" or 5 to '
        "80 of equal count, whichever makes the classes most likely; below 1,000 values, `intervals` of equal count), "
        'or "auto" (as "fitted", or many intervals with a smooth density, whichever predicts left-out values better)',
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
    ) -> Iterator[tuple[Ranges, Smoothed, Densities, Intervals]]:
        cut = self._cut(known, width)
        used = cut if self.method != AUTO else self._smoothed(known, cut)
        ranges = [each.ranges for each in used]
        found = smoothed([each.counts for each in used], [each.pseudo for each in used])
        return zip(ranges, found, densities_of(ranges, found), cut, strict=True)

    def _cut(self, known: Sequence[tuple[Floats, Floats]], width: int) -> list[Intervals]:
        """The intervals of columns, as they are cut."""
        ranges = self._ranges(known)
        counts = _interval_counts(known, ranges, width)
        return list(map(Intervals, ranges, counts, self._pseudo(counts)))

    def _smoothed(self, known: Sequence[tuple[Floats, Floats]], cut: Sequence[Intervals]) -> list[Intervals]:
        """The same, with smooth densities instead where these predict the classes better."""

        def better(column: tuple[tuple[Floats, Floats], Intervals]) -> Smooth | None:
            return smoother(*column[0], column[1])

        found = each_of(better, list(zip(known, cut, strict=True)), sum(len(values) for values, _ in known))
        smooth = {i: each for i, each in enumerate(found) if each is not None}
        if not smooth:
            return list(cut)
        intervals = iter(in_intervals(list(smooth.values()), [known[i][0] for i in smooth], self.bits))
        return [next(intervals) if i in smooth else plain for i, plain in enumerate(cut)]

    def evidence_without(self, tallies: Sequence[Tally], columns: Sequence[Floats], folds: Folds) -> list[Floats]:
        known = self.counted_without(tallies, columns, folds)
        found = [(ranges.edges, densities.reach) for ranges, _, densities, _ in self._believed(known, folds.width)]
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
        ranges, _, pseudo = belief.cut
        return _settled_histogram(self, ranges, settled_pseudo(pseudo) if self.alpha == FITTED else pseudo)

    def log_prior(self, tally: Tally, classes: Sequence[Key], belief: Any) -> float:
        return log_dirichlet(belief.pseudo[:, None], belief.table)

    @property
    def stays(self) -> str:
        return "where the intervals are cut, how far they reach, and which density smooths them"

    def left_out(self, tally: Tally, classes: Sequence[Key]) -> LeftOut:
        known = self.counted([tally], classes)
        (plain,) = self._cut(known, len(classes))
        if self.method == AUTO:
            found = smoother(*known[0], plain)
            if found is not None:
                return SmoothLeftOut(found, *in_intervals([found], [known[0][0]], self.bits))
        values = values_of_keys(np.array(tally.slots, np.int64), self.bits)
        n, size = tally.aligned(tally.slots, classes).sums["n"], len(plain.counts)
        exact = added_up(n, plain.ranges.cuts.searchsorted(values, "right"), size)
        return IntervalsLeftOut(plain.ranges.edges, LevelsLeftOut(self.alpha, range(size), exact))


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
    made = SettledHistogram(bits=given.bits, intervals=given.intervals)
    object.__setattr__(made, "ranges", ranges)
    object.__setattr__(made, "pseudo", pseudo)
    return made


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
