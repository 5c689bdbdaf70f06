"""The belief of a numeric column: by the formulas of its family, or by a kernel for many rows and columns at once."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from tallybayes.counts.exact import Floats, Indices, Mask
from tallybayes.counts.sums import sums_at
from tallybayes.families.belief import Belief, Free, NotLinearError, Scorer, Terms, by_class
from tallybayes.families.events import UNKNOWN, Event, NoJointError
from tallybayes.families.portable import ByFormula, Portable, checked, straight
from tallybayes.families.posteriors import NO_POSTERIOR, Posterior

MOST_WHOLE = 10_000_000  # whole numbers whose probabilities are summed at most …
STEP = 1 << 16  # … this many at a time
DRAWS = 400  # of parameters, for the credible interval of a density


def log_between(low: tuple[Floats, Floats], high: tuple[Floats, Floats]) -> Floats:
    """log P(between) from P(≤) and P(>) at both bounds, using the smaller ones to keep precision."""
    inside = np.where(low[0] > 0.5, low[1] - high[1], high[0] - low[0])
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(np.clip(inside, 0.0, 1.0)))


def whole_bounds(event: Event) -> tuple[int, int]:
    """The smallest and the largest whole number of an event."""
    low = 0 if math.isinf(event.low) else math.floor(event.low) + 1
    high = 1 << 60 if math.isinf(event.high) else math.ceil(event.high) - 1
    low -= event.with_low and event.low == math.floor(event.low)
    high += event.with_high and event.high == math.ceil(event.high)
    return low, high


def can_score(n: Floats, s: Any) -> Mask:
    """The columns of which any class has values and parameters: `s` is NaN where a double cannot hold them."""
    return np.any((n > 0) & ~np.any([np.isnan(value) for value in s], axis=0), axis=1)


class NumericBelief(Belief):
    """A column scored by its family's own formula."""

    def __init__(self, family: Any, s: Any, counted: bool) -> None:
        self.family = family
        self.s = s
        self.counted = counted  # whether any value was counted, and can be scored by

    @cached_property
    def _columns(self) -> Any:
        return type(self.s)(*(np.asarray(value)[..., None] for value in self.s))

    @cached_property
    def silent(self) -> bool:
        """Whether no class has counts or a prior: then the column rules no class out."""
        return not self.counted and bool(np.isneginf(self.family.log_likelihood(self._columns, np.ones((1, 1)))).all())

    def add_evidence(self, cells: Floats, scores: Floats) -> None:
        if self.silent:
            return
        missing = np.isnan(cells) | self.family.outside(cells)
        values = np.where(missing, 1.0, cells)
        logs = self.family.log_likelihood(self._columns, values[None, :])
        scores[:, : len(cells)] += np.where(missing, 0.0, logs)

    def estimates(self) -> dict[str, Floats]:
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            return self.family.estimate(self.s)

    def posterior(self, index: int) -> Posterior:
        s = sums_at(self.s, index)
        found = self.family.posterior(s)
        if any(map(np.isnan, s)):
            raise ValueError(NO_POSTERIOR)
        return found

    def credible(self, index: int, cells: Floats, mass: float) -> tuple[Floats, Floats] | None:
        """From the densities at parameters drawn from their posterior."""
        try:
            drawn = self.posterior(index).draw(np.random.Generator(np.random.PCG64(0)), DRAWS)
        except (TypeError, ValueError):  # there is none, or nothing was counted
            return None
        if any(np.isnan(values).any() for values in drawn.values()):
            return None
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            logs = self.family.log_density(cells[:, None], **drawn)
            low, high = np.quantile(np.exp(logs), [(1.0 - mass) / 2.0, (1.0 + mass) / 2.0], axis=1)
            return np.log(low), np.log(high)

    def drawn(self, random: np.random.Generator) -> Belief:
        """The density at parameters drawn from their posterior; itself if they are only estimated."""
        try:
            return DrawnNumbers(self, self.family.draw_for_classes(self.s, random))
        except TypeError:
            return self

    def free(self) -> Free:
        common = self.family.in_common
        return Free(len(self.estimates()) - common, common)

    def log_within(self, event: Event) -> Floats:
        if event.is_empty:
            return np.full(np.shape(self.s[0]), -np.inf)
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            found = self._log_within(event)
        if any(np.isnan(each).any() for each in (found, *self.estimates().values())):
            raise NoJointError(f"a class {UNKNOWN}")
        return found

    def _log_within(self, event: Event) -> Floats:
        if not self.family.support.whole:
            return log_between(self.family.shares(self.s, event.low), self.family.shares(self.s, event.high))
        inside = self._sum(*whole_bounds(event)) if math.isfinite(event.high) else None
        if inside is None:  # the complement of the numbers below
            below = self._sum(0, whole_bounds(event)[0] - 1)
            inside = np.maximum(1.0 - below, 0.0)
        return np.asarray(np.log(np.minimum(inside, 1.0)))

    def _sum(self, first: int, last: int) -> Floats:
        """P(a whole number from the first to the last)."""
        if last - max(first, 0) >= MOST_WHOLE:
            raise NoJointError(f"there are more than {MOST_WHOLE:,} whole numbers between these bounds.")
        total = np.zeros(np.shape(self.s[0]))
        for start in range(max(first, 0), last + 1, STEP):
            x = np.arange(start, min(start + STEP, last + 1), dtype=np.float64)
            total += np.exp(self.family.log_likelihood(self._columns, x[None, :])).sum(axis=1)
        return total

    def peak(self, event: Event) -> tuple[Floats, Floats]:
        if self.silent:
            raise NoJointError(f"a class {UNKNOWN}")
        if self.family.support.whole:
            first, last = whole_bounds(event)
            x = np.arange(max(first, 0), min(last, max(first, 0) + STEP) + 1, dtype=np.float64)
            logs = self.family.log_likelihood(self._columns, x[None, :])
            best = logs.argmax(axis=1) if len(x) else np.zeros(len(logs), int)
            return (x[best], logs.max(axis=1)) if len(x) else (np.zeros(len(logs)), np.full(len(logs), -np.inf))
        if not hasattr(self.family, "peak"):
            return super().peak(event)
        x = np.clip(self.family.peak(self.s), event.low, event.high)
        logs = np.diag(self.family.log_likelihood(self._columns, x[None, :])).copy()
        if np.isposinf(logs).any():
            raise NoJointError(f"its density is infinite at {x[np.isposinf(logs)][0]:g}. Give bounds without it.")
        return x, logs

    def portable(self) -> Portable:
        if self.silent:
            return ByFormula(straight, [np.zeros(np.shape(self.s[0]))] * 2)
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            return checked(self.family.portable(self.s))

    def linear(self) -> Terms:
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            weight, constant = self.family.linear(**self.family.estimate(self.s))
        if not self.family.plugin:
            raise NotLinearError(
                f"{type(self.family).__name__} integrates its parameters out, "
                "which is not linear in the value; use plugin=True."
            )
        unknown = np.isnan(weight + constant)  # no counts and no prior: every value is impossible
        weights = np.where(unknown, 0.0, weight)[None, :]
        feature = "log x" if self.family.of_logs else "x"
        return Terms([feature], weights, np.where(unknown, -np.inf, constant))

    def draw(self, random: np.random.Generator, classes: Indices) -> pa.Array:
        drawn = np.full(len(classes), np.nan)
        for number, rows in by_class(classes):
            s = sums_at(self.s, number)
            with np.errstate(all="ignore"):
                parameters = self.family.draw_parameters(s, random, len(rows))
                if any(np.isnan(values).any() for values in parameters.values()):
                    continue
                values = self.family.support.nearest(self.family.draw(random, **parameters))
            drawn[rows] = np.where(np.isneginf(self.family.log_likelihood(s, values)), np.nan, values)
        return pa.array(drawn, pa.int64() if self.family.support.whole else None, from_pandas=True)


class DrawnNumbers(NumericBelief):
    """The family's density at one set of parameters for each class."""

    def __init__(self, belief: NumericBelief, parameters: dict[str, Floats]) -> None:
        super().__init__(belief.family, belief.s, belief.counted)
        self._parameters = {name: values[:, None] for name, values in parameters.items()}

    def add_evidence(self, cells: Floats, scores: Floats) -> None:
        missing = np.isnan(cells) | self.family.outside(cells)
        values = np.where(missing, 1.0, cells)
        with np.errstate(all="ignore"):
            logs = self.family.log_density(values[None, :], **self._parameters)
        scores[:, : len(cells)] += np.where(missing, 0.0, np.where(np.isnan(logs), -np.inf, logs))


class BeliefTable(NamedTuple):
    """The beliefs of several columns of one family, a row for each."""

    family: Any
    s: Any  # as the formulas take them: [column, class]
    counted: Mask  # whether any value was counted, and can be scored by
    compiled: Any  # a `Compiled`, if there is one

    def belief(self, column: int) -> NumericBelief:
        s, counted = sums_at(self.s, column), bool(self.counted[column])
        if self.compiled is None or not self.compiled.fits[column]:
            return self.family.belief(self.family, s, counted)
        settings = [value[column] for value in self.compiled.settings]
        return self.compiled.kind(self.family, s, counted, settings)


class CompiledBelief(NumericBelief):
    """A kernel and its parameters for every class, for many rows and several columns at once. `formula` computes the
    same for single values."""

    kernel: Callable[..., int]

    def __init__(self, family: Any, s: Any, counted: bool, settings: list[Floats]) -> None:
        super().__init__(family, s, counted)
        self.settings = settings

    @property
    def kind(self) -> Any:
        return type(self), self.family.of_logs

    @classmethod
    def evidence(cls, x: Floats, settings: Sequence[Floats], of_logs: bool) -> Floats:
        """The log density of values at these parameters; minus log x, for the change of variable, if these are of
        log x."""
        return cls.formula(np.log(x), *settings) - np.log(x) if of_logs else cls.formula(x, *settings)

    @staticmethod
    @abstractmethod
    def formula(x: Floats, *settings: Floats) -> Floats:
        """The log density of x, or of log x."""

    def add_evidence(self, cells: Floats, scores: Floats) -> None:
        self.together([self])([cells], scores)

    @classmethod
    def joined(cls, beliefs: Sequence[Any]) -> list[Floats]:
        """The parameters of several columns, one row for each."""
        return [np.stack(each) for each in zip(*(belief.settings for belief in beliefs), strict=True)]

    @classmethod
    def together(cls, beliefs: Sequence[Any]) -> Scorer:
        return cls.together_weighed(beliefs, None)

    @classmethod
    def together_weighed(cls, beliefs: Sequence[Any], thetas: Floats | None) -> Scorer:
        settings, of_logs = cls.joined(beliefs), beliefs[0].family.of_logs

        def score(cells: Sequence[Any], scores: Floats) -> None:
            # whether some cells are infinite or outside the support
            if cls.kernel(list(cells), *settings, scores, of_logs, thetas, cls.bound):
                for belief, column in zip(beliefs, cells, strict=True):
                    belief.family.outside(column)

        return score


class Compiled(NamedTuple):
    """A kernel for several columns, and its parameters in every class."""

    kind: type[CompiledBelief]
    settings: list[Floats]  # [column, class]
    fits: Mask  # the columns that the kernel can score; the formula scores the others
