"""What an evaluation counts, and what is worked out from it: accuracy, log-loss, calibration, and each class's part."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from tallybayes.counts.exact import Counts, Floats
from tallybayes.model.evaluation.shown import shown, summary

INTERVALS = 10  # of probability, all of the same length


class ClassScore(NamedTuple):
    """One class: how many rows have it, how many were decided for it, and how these agree."""

    label: Any
    n: int
    decided: int
    precision: float
    recall: float
    f1: float


class Interval(NamedTuple):
    """Rows for whose decision the model gave a probability from `low` to `high`: how many, which on average, and the
    share of them that was right."""

    low: float
    high: float
    n: int
    probability: float
    right: float


@dataclass(frozen=True, eq=False, repr=False)
class Evaluation:
    """Decisions beside the truth. Evaluations add up: `+` is that of all rows together.

    Rejected rows are neither right nor wrong: `accuracy` and `error` are shares of the rows that were decided, while
    `recall` counts a rejected row as one that was not found. A class that the model never met is an error whatever is
    decided. Where a share is one of nothing, precision, recall and F1 are 0, and all else is NaN.

    `log_loss` is the mean of −log P(truth), infinite if the truth was impossible in any row: `impossible` says in how
    many, and `log_loss_of_possible` is the mean over the others. `brier` is the mean of Σ (P(class) − [class is
    true])², from 0 to 2. `expected_error` is what the model itself expects of `error`; `cost` is the mean cost, if
    costs or `reject` were given, and `expected_cost` what the model expects of it.
    """

    classes: tuple[Any, ...]  # the model's and those that rows have, sorted
    unknown: tuple[Any, ...]  # those that the model never met
    pairs: Mapping[tuple[Any, Any], int]  # (truth, decision) → rows; no decision: rejected
    intervals: Floats  # of probability: how many rows, the sum of what they have, how many right
    losses: float
    impossible: int
    squares: float
    expected_errors: float
    paid: float | None
    expected_to_pay: float | None

    def __add__(self, other: Evaluation) -> Evaluation:
        if not isinstance(other, Evaluation):
            return NotImplemented
        classes, unknown = self.classes, self.unknown
        if (classes, unknown) != (other.classes, other.unknown):
            classes, unknown = self._merged_classes(other)
        return Evaluation(
            classes=classes,
            unknown=unknown,
            pairs=Counter(self.pairs) + Counter(other.pairs),
            intervals=self.intervals + other.intervals,
            losses=self.losses + other.losses,
            impossible=self.impossible + other.impossible,
            squares=self.squares + other.squares,
            expected_errors=self.expected_errors + other.expected_errors,
            paid=_both(self.paid, other.paid),
            expected_to_pay=_both(self.expected_to_pay, other.expected_to_pay),
        )

    def _merged_classes(self, other: Evaluation) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
        known = {*self.classes}.difference(self.unknown) | {*other.classes}.difference(other.unknown)
        try:
            classes = sorted({*self.classes, *other.classes})
        except TypeError:
            raise TypeError("Evaluations add up where labels are of one type; these are not.") from None
        return tuple(classes), tuple(label for label in classes if label not in known)

    def __radd__(self, other: object) -> Evaluation:
        """So that `sum(evaluations)` is that of all."""
        return self if other == 0 else NotImplemented

    @cached_property
    def n(self) -> int:
        """How many rows there are."""
        return sum(self.pairs.values())

    @cached_property
    def rejected(self) -> int:
        return sum(n for (_, decision), n in self.pairs.items() if decision is None)

    @cached_property
    def right(self) -> int:
        return sum(n for (truth, decision), n in self.pairs.items() if truth == decision)

    @property
    def accuracy(self) -> float:
        return _share(self.right, self.n - self.rejected)

    @property
    def error(self) -> float:
        return _share(self.n - self.rejected - self.right, self.n - self.rejected)

    @property
    def expected_error(self) -> float:
        return _share(self.expected_errors, self.n - self.rejected)

    @property
    def log_loss(self) -> float:
        return math.inf if self.impossible else self.log_loss_of_possible

    @property
    def log_loss_of_possible(self) -> float:
        return _share(self.losses, self.n - self.impossible)

    @property
    def brier(self) -> float:
        return _share(self.squares, self.n)

    @property
    def cost(self) -> float | None:
        return None if self.paid is None else _share(self.paid, self.n)

    @property
    def expected_cost(self) -> float | None:
        return None if self.expected_to_pay is None else _share(self.expected_to_pay, self.n)

    @property
    def confusion(self) -> Counts:
        """How often each class (a row) was decided for as each (a column); the last column is of those rejected."""
        at = {label: number for number, label in enumerate((*self.classes, None))}
        matrix = np.zeros((len(self.classes), len(at)), np.int64)
        for (truth, decision), n in self.pairs.items():
            matrix[at[truth], at[decision]] = n
        return matrix

    @property
    def confusions(self) -> list[tuple[Any, Any, int]]:
        """(truth, decision, rows) of the errors, the most frequent first."""
        wrong = [(*pair, n) for pair, n in self.pairs.items() if pair[1] is not None and pair[0] != pair[1]]
        return sorted(wrong, key=lambda found: (-found[2], *found[:2]))

    @cached_property
    def per_class(self) -> list[ClassScore]:
        truths: Counter[Any] = Counter()
        decisions: Counter[Any] = Counter()
        for (truth, decision), n in self.pairs.items():
            truths[truth] += n
            decisions[decision] += n
        found = []
        for label in self.classes:
            n, decided, right = truths[label], decisions[label], self.pairs.get((label, label), 0)
            shares = (right / each if each else 0.0 for each in (decided, n, (decided + n) / 2))
            found.append(ClassScore(label, n, decided, *shares))
        return found

    @property
    def macro(self) -> dict[str, float]:
        """Precision, recall and F1, averaged over the classes that any row has or was decided for."""
        met = [score for score in self.per_class if score.n or score.decided]
        names = ("precision", "recall", "f1")
        return {name: _share(sum(getattr(score, name) for score in met), len(met)) for name in names}

    @property
    def calibration(self) -> list[Interval]:
        """In every interval of probability, how many decisions were right, to see whether it is what it says."""
        return [
            Interval(i / INTERVALS, (i + 1) / INTERVALS, int(n), _share(total, n), _share(right, n))
            for i, (n, total, right) in enumerate(self.intervals.tolist())
        ]

    @property
    def calibration_error(self) -> float:
        """How far probabilities and shares of right decisions are apart, on average over the rows decided."""
        apart = np.abs(self.intervals[:, 1] - self.intervals[:, 2]).sum()
        return _share(float(apart), self.n - self.rejected)

    def to_json(self) -> dict[str, Any]:
        """All of it, as JSON has it; numbers that are not finite are null."""
        numbers = ("accuracy", "error", "expected_error", "log_loss", "log_loss_of_possible", "brier")
        more = ("calibration_error", "cost", "expected_cost")
        pairs = sorted(self.pairs.items(), key=lambda found: (-found[1], str(found[0])))
        return _plain(
            {
                "n": self.n,
                "classes": self.classes,
                "unknown": self.unknown,
                "rejected": self.rejected,
                "impossible": self.impossible,
                **{name: getattr(self, name) for name in (*numbers, *more)},
                "macro": self.macro,
                "per_class": [score._asdict() for score in self.per_class],
                "calibration": [interval._asdict() for interval in self.calibration],
                "confusion": [{"truth": truth, "decision": decision, "n": n} for (truth, decision), n in pairs],
            }
        )

    def summary(self) -> str:
        """The first lines of what is shown."""
        return summary(self)

    def __repr__(self) -> str:
        return shown(self)


def _share(part: float, whole: float) -> float:
    return part / whole if whole else math.nan


def _both(one: float | None, other: float | None) -> float | None:
    if one is None and other is None:
        return None
    if one is None or other is None:
        raise ValueError("Evaluations add up where both have costs, or neither; give `evaluate` the same for both.")
    return one + other


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _plain(each) for name, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(each) for each in value]
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return value if value is None or isinstance(value, (str, int)) else str(value)
