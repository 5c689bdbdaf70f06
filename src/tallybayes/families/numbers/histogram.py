"""Numbers by interval: discretisation chosen after counting. If a value is left out, the intervals stay."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np

from tallybayes import kernels
from tallybayes.counts.exact import Counts, Floats
from tallybayes.counts.sums import added_up
from tallybayes.counts.tally import Key, Rows, Tally
from tallybayes.data.processors import MUCH, each_of
from tallybayes.families.base import Belief
from tallybayes.families.fitted import fitted, settled_pseudo
from tallybayes.families.left_out import LeftOut, LeftOutFolds, centred_tables, weights_of
from tallybayes.families.levels_left_out import LevelsLeftOut
from tallybayes.families.numbers.interval_belief import IntervalBelief
from tallybayes.families.numbers.intervals import (
    AUTO,
    CUT_AS,
    LEAST,
    METHODS,
    STEADY,
    ChosenIntervals,
    Intervals,
    Joined,
    JoinedDensities,
    Ranges,
    share_inside,
)
from tallybayes.families.numbers.support import LARGEST
from tallybayes.families.numbers.values import ValueCounts, Values, values_of_keys
from tallybayes.families.settings import setting
from tallybayes.families.smoothing import (
    FITTED,
    MEstimate,
    Smoothed,
    log_dirichlet,
    pseudocounts,
    smoothed_tables,
    smoothing,
)

PARTS = 8  # of the columns, which threads take in turn
MOST = 100_000  # intervals


@dataclass(frozen=True, kw_only=True, repr=False)
class Histogram(Values):
    """A number, by the interval it falls in; within an interval the density is constant. Values beyond those counted
    have the evidence of the outermost interval.

    `method` is how intervals are cut: "equal length" (`intervals` of them over the range of all classes), "equal
    count", "mdl" (as many as the classes justify), "fitted" (whichever of the last two, or one for each value, makes
    the classes most likely; `intervals` of equal count, or one for each value, below 1,000 values), "auto" (the same,
    or up to 128 intervals smoothed by a Gaussian or kernel density, if that predicts the classes of left-out values
    better), or "steady" (equal count, until it is weighed again as "auto"). `alpha` is added to every interval's count,
    as for Categorical; smoothed intervals share one pseudo-value instead.

    >>> from tallybayes import Model
    >>> model = Model.train({"x": Histogram(intervals=2)}, {"x": [1.0, 2.0, 7.0, 8.0, 9.0]}, ["a", "a", "b", "b", "b"])
    >>> model.estimates("x")
    {'[1, 5)': {'a': 0.75, 'b': 0.2}, '[5, 9]': {'a': 0.25, 'b': 0.8}}
    """

    leaves_out_folds: ClassVar[bool] = True
    intervals: int = setting(10, "the number of intervals", least=1, most=MOST)
    method: str = setting(
        "equal length",
        'how intervals are chosen: "equal length", "equal count", "mdl" (Fayyad and Irani), "fitted" ("mdl", 5 to '
        "80 of equal count, or one for each value, whichever makes the classes most likely; below 1,000 values, "
        "`intervals` of equal count, or one for each value), "
        '"auto" (as "fitted", or many intervals with a smooth density, whichever predicts left-out values better), or '
        '"steady" ("equal count", which weighing puts in the place of "auto" where rows have copies)',
        choices=METHODS,
    )
    alpha: float | MEstimate | str = smoothing()

    def level_named(self, text: str) -> str:
        raise ValueError("intervals have no names; give a number, an MEstimate or 'fitted'.")

    def believe(self, tally: Tally, classes: Sequence[Key]) -> Belief:
        return self.believe_each([tally], classes)[0]

    def believe_each(self, tallies: Sequence[Tally], classes: Sequence[Key]) -> list[Belief]:
        known = self.counted(tallies, classes)
        plain, used, halves, chosen = self._chosen(known)
        probability, logs = smoothed_tables(used.counts + used.pseudo[:, None], used.sizes)
        densities = JoinedDensities.of(used, logs, halves).apart(used.sizes.tolist())
        found: list[Belief] = []
        start = 0
        columns = zip(plain.apart(known, halves), used.apart(known, halves), densities, chosen.tolist(), strict=True)
        for cut, own, density, number in columns:
            span = slice(start, start := start + len(own.counts))
            levels = Smoothed(own.counts, own.pseudo[:, None], probability[span], logs[span])
            found.append(IntervalBelief(cut.ranges if number < 0 else own.ranges, levels, density, cut))
        return found

    def _chosen(self, known: ValueCounts) -> ChosenIntervals:
        """The intervals of columns, with several threads if that is worthwhile."""
        if len(known.values) < MUCH:
            return self._choose(known)
        parts = list(known.apart(math.ceil(len(known.ends) / PARTS)))
        return ChosenIntervals.joined(each_of(self._choose, parts, len(known.values)))

    def _choose(self, known: ValueCounts) -> ChosenIntervals:
        plain, halves, nats = self._cut(known)
        if self.method != AUTO:
            return ChosenIntervals(plain, plain, halves, np.full(len(halves), -1))
        values, n, ends = known
        densities, sizes, cuts, edges, counts, pseudo = kernels.smooth_columns(values, n, ends, *plain, nats, self.bits)
        return ChosenIntervals(plain, Joined(sizes, cuts, edges, counts, pseudo), halves, densities)

    def _cut(self, known: ValueCounts) -> tuple[Joined, Floats, Floats]:
        """The intervals as they are cut, half the range of each column, and the nats it took to choose its cuts."""
        method = CUT_AS.get(self.method, self.method)
        sizes, cuts, edges, counts, halves, nats = kernels.cut_columns(*known, method, self.intervals, self.bits)
        return Joined(sizes, cuts, edges, counts, self._pseudo(counts, sizes)), halves, nats

    def _pseudo(self, counts: Floats, sizes: Counts) -> Floats:
        if self.alpha == FITTED:
            return fitted(counts, sizes)
        ends = np.cumsum(sizes).tolist()
        each = zip([0, *ends], ends, strict=False)
        overall = counts.sum(axis=1)
        return np.concatenate([pseudocounts(self.alpha, range(b - a), overall[a:b]) for a, b in each])

    @property
    def steady(self) -> Histogram:
        """Copies of a value predict each other, so intervals of its own, or narrow kernels, seem to predict well."""
        return replace(self, method=STEADY) if self.method == AUTO else self

    @property
    def eager(self) -> Histogram:
        return replace(self, method=AUTO) if self.method == STEADY else self

    def evidence_without(
        self, tallies: Sequence[Tally], columns: Sequence[Floats], folds: LeftOutFolds
    ) -> list[Floats]:
        _, used, halves, _ = self._chosen(self.counted_without(tallies, columns, folds))
        _, logs = smoothed_tables(used.counts + used.pseudo[:, None], used.sizes)
        tables = centred_tables(JoinedDensities.of(used, logs, halves).reach)
        ends, evidence = np.cumsum(used.sizes + 1), []
        for column, cells in enumerate(columns):
            mine = slice(column * len(folds.at), (column + 1) * len(folds.at))
            start, stop = ends[mine][0] - used.sizes[mine][0] - 1, ends[mine][-1]
            codes = kernels.find_intervals(cells, folds.number, used.edges[start:stop], ends[mine] - start)
            evidence.append(folds.looked_up(codes, tables[start + mine.start : stop + mine.stop]))
        return evidence

    def settled(self, belief: Any) -> Histogram:
        """The intervals are held fixed, and so are fitted pseudo-counts, as for Categorical."""
        ranges, _, pseudo = belief.cut
        return _settled_histogram(self, ranges, settled_pseudo(pseudo) if self.alpha == FITTED else pseudo)

    def log_prior(self, tally: Tally, classes: Sequence[Key], belief: Any) -> float:
        return log_dirichlet(belief.pseudo, belief.table)

    @property
    def stays(self) -> str:
        return "where the intervals are cut, how far they reach, and which density smooths them"

    def left_out(self, tally: Tally, classes: Sequence[Key]) -> LeftOut:
        known = self.counted([tally], classes)
        plain, used, halves, (density,) = self._chosen(known)
        if density >= 0:
            return SmoothLeftOut(known, next(used.apart(known, halves)), int(density))
        values = values_of_keys(np.array(tally.slots, np.int64), self.bits)
        n, size = tally.aligned(tally.slots, classes).sums["n"], len(plain.counts)
        exact = added_up(n, plain.cuts.searchsorted(values, "right"), size)
        return IntervalsLeftOut(plain.edges, LevelsLeftOut(self.alpha, range(size), exact))


@dataclass(frozen=True, kw_only=True, repr=False)
class SettledHistogram(Histogram):
    """A histogram of given intervals and pseudo-counts, which EM scores with. It is equal to no other, since its
    intervals are those of one column."""

    ranges: Ranges = field(init=False)
    pseudo: Floats = field(init=False)

    __eq__ = object.__eq__
    __hash__ = object.__hash__

    def _cut(self, known: ValueCounts) -> tuple[Joined, Floats, Floats]:
        cuts, edges, size = self.ranges.cuts, self.ranges.edges, len(self.pseudo)
        at = cuts.searchsorted(known.values, "right")
        counts = np.stack([np.bincount(at, n, size) for n in known.counts.T], axis=1).astype(np.float64)
        return Joined(np.array([size]), cuts, edges, counts, self.pseudo), np.array([self.ranges.half]), np.zeros(1)


def _settled_histogram(given: Histogram, ranges: Ranges, pseudo: Floats) -> SettledHistogram:
    made = SettledHistogram(bits=given.bits, intervals=given.intervals)
    object.__setattr__(made, "ranges", ranges)
    object.__setattr__(made, "pseudo", pseudo)
    return made


@dataclass(frozen=True)
class IntervalsLeftOut:
    """Fixed intervals, and their counts without each value."""

    edges: Floats
    levels: LevelsLeftOut

    def __call__(self, cells: Floats, rows: Rows) -> Floats:
        logs = np.zeros((len(rows), len(rows.classes)))
        codes = np.where(np.isnan(cells), -1, self.edges[1:-1].searchsorted(cells, "right"))
        last = len(self.edges) - 2
        widths = _log_widths(self.edges)
        for at, left, kinds in self.levels.left(codes, rows):
            inside = share_inside(left.counts.sum(axis=1), 1.0 * (left.levels == 0) + (left.levels == last))
            others = np.asarray(left.totals.any(axis=1))
            shape = np.log(np.where(others, inside, 1.0)) - widths[left.levels]
            logs[at] = np.where(others[:, None], self.levels.logs(left) + shape[:, None], 0.0)[kinds]
        return logs


@dataclass(frozen=True)
class SmoothLeftOut:
    """Smoothed intervals: the density of a value's class is estimated again without it."""

    known: ValueCounts
    intervals: Intervals
    density: int

    def __call__(self, cells: Floats, rows: Rows) -> Floats:
        (ranges, counts, _), logs = self.intervals, np.zeros((len(rows), len(rows.classes)))
        there = np.flatnonzero(~np.isnan(cells))
        codes, at = rows.codes[there], ranges.edges[1:-1].searchsorted(cells[there], "right")
        weights = weights_of(rows)[there]
        widths, last = _log_widths(ranges.edges), len(counts) - 1
        inside = share_inside(counts[at].sum(axis=1), 1.0 * (at == 0) + (at == last))
        for weight in np.unique(weights):
            some = np.flatnonzero(weights == weight)
            if counts.sum() <= weight:
                continue
            full, own = self._logs(float(weight))
            found = full[at[some]]
            found[np.arange(len(some)), codes[some]] = own[at[some], codes[some]]
            logs[there[some]] = found + (np.log(inside) - widths[at])[some, None]
        return logs

    def _logs(self, weight: float) -> tuple[Floats, Floats]:
        """log P(interval | class), and the same without a value of this weight in that interval and class."""
        (values, n, _), (ranges, counts, pseudo) = self.known, self.intervals
        rest = kernels.leave_out_smoothed(values, n, self.density, weight, ranges.cuts, ranges.edges, counts)
        totals = counts.sum(axis=0)
        with np.errstate(divide="ignore"):
            return tuple(
                np.log((n + pseudo[:, None]) / (total + 1.0))
                for n, total in ((counts, totals), (rest, np.maximum(totals - weight, 0.0)))
            )


def _log_widths(edges: Floats) -> Floats:
    with np.errstate(over="ignore"):
        return np.asarray(np.log(np.clip(np.diff(edges), LEAST, LARGEST)))
