"""What an evaluation counts, and the measures computed from it: accuracy, log-loss, calibration, and scores per
class."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

import tallybayes
from tallybayes.counts.exact import Counts, Floats
from tallybayes.families.posteriors import beta
from tallybayes.model.evaluation.ranks import Ranks
from tallybayes.model.reported import Reported

SUMS = (
    *("intervals", "losses", "losses_squared", "prior_losses", "impossible"),
    *("squares", "squares_squared", "expected_errors"),
)  # fields of an `Evaluation` that add up
INTERVALS = 15  # of probability, equally long: the usual number for the expected calibration error


class ClassScore(NamedTuple):
    """One class: how many rows have it, how many were decided for it, and how well the two agree."""

    label: Any
    n: int
    decided: int
    precision: float
    recall: float
    f1: float


class Interval(NamedTuple):
    """Rows whose decision had a probability from `low` to `high`: how many, their mean probability, and their
    accuracy."""

    low: float
    high: float
    n: int
    probability: float
    accuracy: float

    def credible(self, mass: float = 0.95) -> tuple[float, float]:
        """The Jeffreys interval of the accuracy, with this probability mass."""
        hits = self.accuracy * self.n
        known = beta(hits + 0.5, self.n - hits + 0.5)
        return float(known.ppf((1.0 - mass) / 2.0)), float(known.ppf((1.0 + mass) / 2.0))


@dataclass(frozen=True, eq=False, repr=False)
class Evaluation(Reported):
    """Decisions compared with the truth. Evaluations add up: `+` is the evaluation of all rows together.

    Rejected rows are neither right nor wrong: `accuracy` and `error` are shares of the rows that were decided, while
    `recall` counts a rejected row as one that was not found. A row of a class that the model has not seen is an error,
    whatever is decided. Of no rows, precision, recall and F1 are 0 and every other measure is NaN.

    `log_loss` is the mean of −log P(truth), infinite if the true class of any row was impossible: `impossible` counts
    those rows, and `log_loss_of_possible` is the mean over the others. `brier` is the mean of Σ (P(class) − [class is
    true])², from 0 to 2. `expected_error` is the error rate that the model itself expects; `cost` is the mean cost, if
    costs or `reject` were given, and `expected_cost` what the model expects it to be. For comparison, `baseline` is the
    accuracy of always deciding for the `majority_class`, and `prior_log_loss` the log-loss of the model's prior alone.

    `standard_errors` assume independent rows; the one of the log-loss is that of `log_loss_of_possible` if some rows
    were impossible. For the ROC AUC of two classes it is DeLong's, for more classes NaN.

    >>> from tallybayes import Categorical, Model, evaluate
    >>> model = Model.train({"sky": Categorical()}, {"sky": ["sun", "rain"] * 5}, ["no", "yes"] * 5)
    >>> found = evaluate(model, {"sky": ["sun", "rain", "rain"]}, ["no", "yes", "no"])
    >>> found.correct, found.n, round(found.log_loss, 3)
    (2, 3, 0.751)
    """

    classes: tuple[Any, ...]  # the model's and the rows', sorted
    unknown: tuple[Any, ...]  # those that the model has not seen
    pairs: Mapping[tuple[Any, Any], int]  # (truth, decision) → rows; no decision: rejected
    intervals: Floats  # by probability: rows, sum of probabilities, rows that were right
    ranks: Mapping[Any, Ranks]  # of each class that the model knows
    losses: float
    losses_squared: float  # Σ of squared losses
    prior_losses: float
    impossible: int
    squares: float
    squares_squared: float
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
            ranks={label: self.ranks_of(label) + other.ranks_of(label) for label in classes},
            paid=_both(self.paid, other.paid),
            expected_to_pay=_both(self.expected_to_pay, other.expected_to_pay),
            **{name: getattr(self, name) + getattr(other, name) for name in SUMS},
        )

    def _merged_classes(self, other: Evaluation) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
        known = {*self.classes}.difference(self.unknown) | {*other.classes}.difference(other.unknown)
        try:
            classes = sorted({*self.classes, *other.classes})
        except TypeError:
            raise TypeError("Evaluations can be added only if their labels have the same type.") from None
        return tuple(classes), tuple(label for label in classes if label not in known)

    def __radd__(self, other: object) -> Evaluation:
        """Makes `sum(evaluations)` the evaluation of all rows."""
        return self if other == 0 else NotImplemented

    def ranks_of(self, label: Any) -> Ranks:
        """How the probability of a class ranks rows; for an unseen class all of them tie."""
        found, n = self.ranks.get(label), self.rows_by_class[label]
        return found if found is not None else Ranks.never(n, self.n - n)

    @cached_property
    def rows_by_class(self) -> Counter[Any]:
        """The number of rows of each class."""
        found: Counter[Any] = Counter()
        for (truth, _), n in self.pairs.items():
            found[truth] += n
        return found

    @cached_property
    def n(self) -> int:
        """The number of rows."""
        return sum(self.pairs.values())

    @cached_property
    def rejected(self) -> int:
        return sum(n for (_, decision), n in self.pairs.items() if decision is None)

    @cached_property
    def correct(self) -> int:
        return sum(n for (truth, decision), n in self.pairs.items() if truth == decision)

    @property
    def accuracy(self) -> float:
        return _share(self.correct, self.n - self.rejected)

    @property
    def majority_class(self) -> Any:
        """The class that most rows have, the first one on a tie."""
        return max(self.classes, key=self.rows_by_class.__getitem__)

    @property
    def baseline(self) -> float:
        return _share(self.rows_by_class[self.majority_class], self.n)

    @property
    def error(self) -> float:
        return _share(self.n - self.rejected - self.correct, self.n - self.rejected)

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
    def prior_log_loss(self) -> float:
        return _share(self.prior_losses, self.n)

    @property
    def roc_auc(self) -> float:
        """The area under the ROC curve: how often a class is more probable in a row of that class than in another row.
        For more than two classes it is the mean of every class against the rest. NaN if the rows have only one
        class."""
        areas = [self.ranks_of(label).auc for label in self.classes if self.rows_by_class[label]]
        return _share(sum(areas), len(areas)) if len(self.classes) != 2 else areas[-1]

    @property
    def brier(self) -> float:
        return _share(self.squares, self.n)

    @property
    def standard_errors(self) -> dict[str, float]:
        """The standard errors of these measures, over the choice of the rows."""
        possible, decided = self.n - self.impossible, self.n - self.rejected
        areas = [self.ranks_of(label) for label in self.classes] if len(self.classes) == 2 else []
        return {
            "accuracy": standard_error(self.correct, self.correct, decided),
            "log_loss": standard_error(self.losses, self.losses_squared, possible),
            "brier": standard_error(self.squares, self.squares_squared, self.n),
            "roc_auc": areas[-1].auc_error if areas else math.nan,
        }

    @property
    def cost(self) -> float | None:
        return None if self.paid is None else _share(self.paid, self.n)

    @property
    def expected_cost(self) -> float | None:
        return None if self.expected_to_pay is None else _share(self.expected_to_pay, self.n)

    @property
    def confusion(self) -> Counts:
        """The confusion matrix: a row for each true class, a column for each decision, and last the rejected rows."""
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
        decisions: Counter[Any] = Counter()
        for (_, decision), n in self.pairs.items():
            decisions[decision] += n
        found = []
        for label in self.classes:
            n, decided, right = self.rows_by_class[label], decisions[label], self.pairs.get((label, label), 0)
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
    def plot(self) -> tallybayes.plots.EvaluationPlots:
        """Plots, such as `evaluation.plot.reliability()`; they need matplotlib."""
        return tallybayes.plots.EvaluationPlots(self)

    @property
    def calibration(self) -> list[Interval]:
        """The reliability diagram: for every interval of probability that has rows, how many decisions were right."""
        return calibration_of(self.intervals)

    @property
    def calibration_error(self) -> float:
        """The expected calibration error (ECE): the distance between mean probability and accuracy in 15 intervals of
        equal length, averaged over the rows decided."""
        return calibration_error_of(self.intervals)


def calibration_of(intervals: Floats) -> list[Interval]:
    """From [rows, sum of their probabilities, rows that were right] of each interval."""
    return [
        Interval(i / INTERVALS, (i + 1) / INTERVALS, int(n), total / n, right / n)
        for i, (n, total, right) in enumerate(intervals.tolist())
        if n
    ]


def calibration_error_of(intervals: Floats) -> float:
    n, total, right = intervals.T
    return _share(float(np.abs(total - right).sum()), float(n.sum()))


def _share(part: float, whole: float) -> float:
    return part / whole if whole else math.nan


def standard_error(total: float, squared: float, n: int) -> float:
    """The standard error of the mean of n numbers with this sum and sum of squares; NaN for fewer than two."""
    return math.sqrt(max(squared - total * total / n, 0.0) / (n - 1) / n) if n > 1 else math.nan


def _both(one: float | None, other: float | None) -> float | None:
    if one is None and other is None:
        return None
    if one is None or other is None:
        raise ValueError("Evaluations can be added only if both have costs, or neither.")
    return one + other
