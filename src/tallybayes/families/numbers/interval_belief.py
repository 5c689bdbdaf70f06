"""What is believed about numbers by interval: a density that is constant within each, and heavy tails beyond."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from copy import copy
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa

from tallybayes import kernels
from tallybayes.counts.exact import Floats, Indices
from tallybayes.families.belief import Belief, Free, Scorer, WordWeight, heaviest, log_odds
from tallybayes.families.events import NOTHING_COUNTED, Conditional, Event, NoJointError
from tallybayes.families.numbers.intervals import LEAST, Densities, Intervals, Ranges, edge_texts
from tallybayes.families.numbers.numeric_belief import log_between
from tallybayes.families.numbers.support import LARGEST
from tallybayes.families.portable import ByInterval, Portable
from tallybayes.families.smoothing import Smoothed, SmoothedBelief


class IntervalBelief(SmoothedBelief):
    """P(interval | class), uniform within it; a share of the outermost ones lies beyond all values counted. Intervals
    are made of whole steps of the rounding, so that new values fall into the interval that their rounded value was
    counted in. Beyond the range, the density falls off as (1 + distance / range)⁻² in every class, so the distance is
    no evidence about the class."""

    def __init__(self, ranges: Ranges, known: Smoothed, densities: Densities, cut: Intervals) -> None:
        super().__init__(known)
        self.ranges = ranges
        self.cut = cut  # before any smoothing
        self.edges, self.half = ranges.edges, ranges.half
        self.below, self.beyond, self.table, self._reach = densities

    @cached_property
    def levels(self) -> list[str]:  # type: ignore[override]
        """The names of the intervals, made when needed."""
        return names_of(self.ranges)

    def heaviest(self, index: int, prior: Floats, top: int) -> list[WordWeight]:
        """Smoothed intervals are too many and too small to show: their mean evidence in the plain ones instead."""
        if not self.is_smoothed:
            return super().heaviest(index, prior, top)
        ranges, counts, _ = self.cut
        at = np.eye(len(counts))[self._plain]
        often = self.counts.sum(axis=1, keepdims=True) + self.pseudo
        evidence = at.T @ (often * self.table) / np.maximum(at.T @ often, LEAST)
        return heaviest(names_of(ranges), counts[:, index], log_odds(evidence, index, prior), top)

    @property
    def is_smoothed(self) -> bool:
        return self.cut.ranges is not self.ranges

    @cached_property
    def _plain(self) -> Indices:
        """The plain interval that each smoothed one is in."""
        middles = self.edges[:-1] / 2.0 + self.edges[1:] / 2.0
        return self.cut.ranges.edges[1:-1].searchsorted(middles, "right")

    def _uncertain(self, index: int) -> tuple[Floats, Indices | None]:
        """A smooth density is as uncertain as the plain intervals: its neighbouring intervals share their values."""
        if not self.is_smoothed:
            return super()._uncertain(index)
        return self.cut.counts[:, index] + self.cut.pseudo, self._plain

    def drawn(self, random: np.random.Generator) -> Belief:
        if not self.is_smoothed:
            return super().drawn(random)
        raised = self.cut.counts + self.cut.pseudo[:, None]
        with np.errstate(divide="ignore", invalid="ignore"):
            factors = np.nan_to_num(random.standard_gamma(raised) / raised, nan=1.0)
        return self._in_proportion(self.probability * factors[self._plain])

    def free(self) -> Free:
        size = max(len(self.cut.counts), 1)
        return Free(size - 1, outcomes=size)

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
            raise NoJointError(NOTHING_COUNTED)
        edges, p = self.edges, self.probability.copy()
        low, high = p[0] * self.below, p[-1] * self.beyond
        p[0] -= low
        p[-1] -= high
        away = max(edges[0] / 2.0 - x / 2.0, x / 2.0 - edges[-1] / 2.0, 0.0)
        with np.errstate(over="ignore"):
            outside = self.half / (away + self.half)
        if x < edges[0]:
            return low * outside, 1.0 - low * outside
        if x > edges[-1]:
            return 1.0 - high * outside, high * outside
        unit = 0.5 if math.isinf(float(edges[-1]) - float(edges[0])) else 1.0  # the range may not fit a double
        part = np.clip((x * unit - edges[:-1] * unit) / np.diff(edges * unit), 0.0, 1.0)[:, None]
        return low + (part * p).sum(axis=0), high + ((1.0 - part) * p).sum(axis=0)

    def representatives(self) -> tuple[Floats, Floats] | None:
        """Their middles; beyond the range, the evidence is that of the outermost."""
        with np.errstate(divide="ignore"):
            logs = np.log(self.probability).T
        return (self.edges[:-1] / 2.0 + self.edges[1:] / 2.0, logs) if self.counts.any() else None

    def peak(self, event: Event) -> tuple[Floats, Floats]:
        """The middle of the densest interval, or of the part of it within the event."""
        if not self.counts.any():
            raise NoJointError(NOTHING_COUNTED)
        low, high = np.clip(self.edges[:-1], event.low, event.high), np.clip(self.edges[1:], event.low, event.high)
        there = low < high
        if not there.any():
            return super().peak(event)
        best = np.where(there[:, None], self.table, -np.inf).argmax(axis=0)
        return (low / 2.0 + high / 2.0)[best], self.table[best, np.arange(len(best))]

    def draw(self, random: np.random.Generator, classes: Indices) -> pa.Array:
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


def names_of(ranges: Ranges) -> list[str]:
    return interval_names(np.array([*ranges.ends[:1], *ranges.cuts, *ranges.ends[1:]]))


def interval_names(edges: Floats) -> list[str]:
    """The intervals as text, with enough digits to tell them apart."""
    if not len(edges):
        return ["(-inf, inf)"]
    written = edge_texts(tuple(edges.tolist()))
    closing = [")"] * (len(edges) - 2) + ["]"]
    return [f"[{a}, {b}{end}" for a, b, end in zip(written, written[1:], closing, strict=False)]
