"""Events: conditions on a column, such as some of its levels or an interval of numbers.

An `Event` is a question's condition on one column. A belief about levels answers it by a `Conditional`: a table from
which any marginal and any conditional probability can be summed.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from tallybayes.counts.exact import Floats, Mask
from tallybayes.counts.lookup import nearest

NOT_THERE = "(missing)"  # the level of a missing cell, if missing is a level
NOTHING_COUNTED = "nothing was counted in the column."
UNKNOWN = (
    "has no counts and there is no prior, or its numbers are too large or too small for a variance. Give the family a "
    "prior (alpha, m, shape or rate above 0), or leave the column out of the schema."
)  # of a class


class NoJointError(TypeError):
    """The question cannot be answered from the joint distribution."""


class Span(NamedTuple):
    """An interval counted as a level: low < x ≤ high."""

    low: float
    high: float

    def __str__(self) -> str:
        if math.isinf(self.low):
            return f"≤ {self.high:g}" if math.isfinite(self.high) else "any number"
        return f"> {self.low:g}" if math.isinf(self.high) else f"{self.low:g} … {self.high:g}"


State = str | Span


class Conditional(NamedTuple):
    """P(state | class, states of the parents), [parents' states …, state, class]. Columns are numbered in their
    block."""

    column: int
    states: Sequence[State]
    parents: tuple[int, ...]
    table: Floats


class PairInformation(NamedTuple):
    """The conditional mutual information of two columns given the class, in nats; the same as a G statistic, and its
    degrees of freedom."""

    one: str
    other: str
    information: float
    g: float
    degrees_of_freedom: int


@dataclass(frozen=True)
class Event:
    """A set of values of a column: one of those `among`, none of those in `but`, and within the bounds.

    >>> Event(low=20.0).both(Event(high=25.0, with_high=True))
    Event(among=None, but=frozenset(), low=20.0, high=25.0, with_low=False, with_high=True)
    """

    among: frozenset[str] | None = None
    but: frozenset[str] = frozenset()
    low: float = -math.inf
    high: float = math.inf
    with_low: bool = False
    with_high: bool = False

    def both(self, other: Event) -> Event:
        """The intersection."""
        among = [each.among for each in (self, other) if each.among is not None]
        lower = max(self, other, key=lambda each: (each.low, not each.with_low))
        upper = min(self, other, key=lambda each: (each.high, each.with_high))
        return Event(
            frozenset.intersection(*among) if among else None,
            self.but | other.but,
            lower.low,
            upper.high,
            lower.with_low,
            upper.with_high,
        )

    @property
    def is_bounded(self) -> bool:
        return math.isfinite(self.low) or math.isfinite(self.high)

    @property
    def is_empty(self) -> bool:
        """Whether the event excludes every value, whatever the column."""
        closed = self.with_low and self.with_high
        return self.among == frozenset() or self.low > self.high or (self.low == self.high and not closed)

    def contains(self, x: float) -> bool:
        above = x >= self.low if self.with_low else x > self.low
        return above and (x <= self.high if self.with_high else x < self.high)

    def points(self) -> list[float] | None:
        """The numbers of the event, if they are single values."""
        if self.among is not None:
            return [x for x in map(number_of, sorted(self.among)) if self.contains(x) or not self.is_bounded]
        return [self.low] if self.low == self.high and self.with_low and self.with_high else None

    def mask(self, states: Sequence[State]) -> Mask:
        """Which of these states belong to the event; a `ValueError` if it names one that does not exist."""
        if self.is_empty:
            return np.zeros(len(states), bool)
        spans = [state for state in states if isinstance(state, Span)]
        if spans and self.among != frozenset([NOT_THERE]):
            return np.array([isinstance(state, Span) and self._has_span(state, spans) for state in states], bool)
        texts = [str(state) for state in states]
        for text in sorted((self.among or frozenset()) | self.but):
            if text not in texts:
                raise ValueError(f"there is no level {text!r}.{nearest(text, texts)}")
        found = np.array([(self.among is None or text in self.among) and text not in self.but for text in texts], bool)
        if self.among is None:
            found &= np.array([text != NOT_THERE for text in texts], bool)
        if self.is_bounded:
            found &= np.array([text != NOT_THERE and self.contains(number_of(text)) for text in texts], bool)
        return found

    def _has_span(self, span: Span, spans: Sequence[Span]) -> bool:
        """Whether a whole interval belongs to the event."""
        if self.but:
            raise ValueError("numbers cannot be excluded with !=; ask about bounds, like 20 < x <= 25.")
        points = self.points()
        if points is not None:
            return any(span.low < x <= span.high for x in points)
        inside = max(self.low, span.low) < min(self.high, span.high)
        low = self.low <= span.low and not (self.with_low and self.low == span.low)
        high = self.high >= span.high and (self.with_high or self.high > span.high or math.isinf(span.high))
        if inside and not (low and high):
            edges = ", ".join(f"{each.high:g}" for each in spans if math.isfinite(each.high))
            raise ValueError(f"numbers are counted by intervals; ask with > and <= and bounds among {edges}.")
        return inside


def number_of(text: str) -> float:
    try:
        found = float(text)
    except ValueError:
        raise ValueError(f"{text!r} is not a number.") from None
    if math.isnan(found):
        raise ValueError(f"{text!r} is not a number.")
    return found
