"""A class against the rest at every threshold: ROC, precision against recall, and cost curves, each with the chosen
threshold marked."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from tallybayes.counts.exact import Floats
from tallybayes.model.evaluation import Evaluation
from tallybayes.plots.canvas import MOST, ink, labels_of, legend, marks, named
from tallybayes.plots.display import Display
from tallybayes.report.characters import short

HALF = 0.5
SHARES = 201  # points of a cost curve


@dataclass(frozen=True, eq=False)
class Thresholds:
    """One class against the rest: how many of the `positives` (rows of the class) and `negatives` (all others) have at
    least each of these probabilities. The first threshold is above all of them."""

    label: Any
    probability: Floats  # in descending order
    true_positives: Floats
    false_positives: Floats

    @property
    def positives(self) -> float:
        return float(self.true_positives[-1])

    @property
    def negatives(self) -> float:
        return float(self.false_positives[-1])

    @property
    def recall(self) -> Floats:
        """The true positive rate; NaN if no row has the class."""
        return self.true_positives / self.positives if self.positives else np.full(len(self.true_positives), np.nan)

    @property
    def false_positive_rate(self) -> Floats:
        return self.false_positives / self.negatives if self.negatives else np.full(len(self.true_positives), np.nan)

    @property
    def precision(self) -> Floats:
        """1 where nothing is decided for the class."""
        decided = self.true_positives + self.false_positives
        return np.where(decided > 0, self.true_positives / np.maximum(decided, 1.0), 1.0)

    @property
    def average_precision(self) -> float:
        """The area under the precision-recall curve, as a step function."""
        return float(np.dot(np.diff(self.recall), self.precision[1:]))

    def at(self, threshold: float) -> int:
        """The index of a threshold: rows with at least this probability are decided for the class."""
        return int(np.searchsorted(-self.probability, -threshold, "right")) - 1

    def costs(self, share: Floats) -> Floats:
        """The lower envelope of Drummond and Holte's cost curves: the least cost that any threshold reaches, relative
        to the worst possible. `share` is the x axis, the probability cost: P(positive) times the cost of a false
        negative, divided by the sum of that and P(negative) times the cost of a false positive."""
        missed, wrong = 1.0 - self.recall, self.false_positive_rate
        return np.min(np.outer(share, missed) + np.outer(1.0 - share, wrong), axis=1)

    def costs_at(self, threshold: float, share: Floats) -> Floats:
        """The cost at one fixed threshold."""
        at = self.at(threshold)
        return share * (1.0 - self.recall[at]) + (1.0 - share) * self.false_positive_rate[at]


def thresholds(evaluation: Evaluation, label: Any) -> Thresholds:
    """The thresholds of a class: every probability that occurred. If there are more than 8192, those that agree in
    their leading bits count as one."""
    if label not in evaluation.classes:
        raise ValueError(f"There is no class {label!r}; the classes are {', '.join(map(repr, evaluation.classes))}.")
    ranks = evaluation.ranks_of(label)
    mine, others = ranks.n[::-1].T.astype(float)
    return Thresholds(
        label,
        np.concatenate([[np.inf], ranks.probabilities[::-1]]),
        np.concatenate([[0.0], np.cumsum(mine)]),
        np.concatenate([[0.0], np.cumsum(others)]),
    )


@dataclass(eq=False, repr=False)
class Ranking(Display):
    """The base class of the curves below."""

    curves: list[Thresholds]
    threshold: float

    size = (4.8, 4.2)
    _title: ClassVar[str]

    @classmethod
    def from_evaluation(cls, evaluation: Evaluation, labels: Any = None, *, threshold: float = HALF) -> Self:
        """Plots one class or several, each against the rest: by default the second of two classes, or the six most
        frequent. A dot marks the result of deciding for the class from this `threshold` on."""
        if not 0.0 <= threshold <= 1.0:
            raise ValueError(f"threshold={threshold!r}: give a probability from 0 to 1.")
        return cls([thresholds(evaluation, label) for label in _wanted(evaluation, labels)], float(threshold))

    @property
    def alt(self) -> str:
        parts = "; ".join(self._described(each) for each in self.curves)
        return f"{self._title}. {parts}."

    def draw(self, axes: list[Any]) -> None:
        (ax,) = axes
        handles = []
        for each, mark in zip(self.curves, marks(len(self.curves)), strict=True):
            x, y = self._points(each)
            handles += ax.plot(x, y, mark.line, color=mark.color, linewidth=1.8)
            self._mark(ax, each, mark)
        self._ground(ax)
        legend(ax, handles, [self._named(each) for each in self.curves], fontsize="small", loc=self._where)

    _where = "lower right"

    def _mark(self, ax: Any, each: Thresholds, mark: Any) -> None:
        x, y = self._points(each)
        at = each.at(self.threshold)
        ax.plot(x[at], y[at], mark.marker, color=mark.color, markeredgecolor=ink(), markersize=7)
        if len(self.curves) == 1:
            side, away = ("right", -8) if x[at] > 0.7 else ("left", 8)
            where = {"textcoords": "offset points", "va": "top", "ha": side}
            ax.annotate(f"P ≥ {self.threshold:g}", (x[at], y[at]), (away, -4), **where)

    @abstractmethod
    def _points(self, each: Thresholds) -> tuple[Any, Any]: ...

    @abstractmethod
    def _named(self, each: Thresholds) -> str: ...

    @abstractmethod
    def _described(self, each: Thresholds) -> str: ...

    @abstractmethod
    def _ground(self, ax: Any) -> None: ...


def _wanted(evaluation: Evaluation, labels: Any) -> list[Any]:
    if labels is not None:
        return labels_of(labels)
    if len(evaluation.classes) == 2:
        return [evaluation.classes[1]]
    ranked = sorted(evaluation.classes, key=lambda label: -evaluation.rows_by_class[label])
    return [label for label in evaluation.classes if label in ranked[:MOST]]


class RocDisplay(Ranking):
    """ROC: the true positive rate against the false positive rate."""

    _title = "ROC: the true positive rate against the false positive rate"

    def _points(self, each: Thresholds) -> tuple[Any, Any]:
        return each.false_positive_rate, each.recall

    def _area(self, each: Thresholds) -> float:
        x, y = self._points(each)
        return float(np.dot(np.diff(x), (y[1:] + y[:-1]) / 2))

    def _named(self, each: Thresholds) -> str:
        return f"{short(each.label, 16)}: {self._area(each):.3f}"

    def _described(self, each: Thresholds) -> str:
        at = each.at(self.threshold)
        rates = f"TPR {each.recall[at]:.1%} and FPR {each.false_positive_rate[at]:.1%} at P ≥ {self.threshold:g}"
        return f"{short(each.label)}: AUC {self._area(each):.3f}; {rates}"

    def _ground(self, ax: Any) -> None:
        ax.plot([0, 1], [0, 1], ":", color=ink(), linewidth=1)
        ax.set_xlabel("false positive rate")
        ax.set_ylabel("true positive rate")


class PrecisionRecallDisplay(Ranking):
    """Precision against recall."""

    _title = "Precision against recall"
    _where = "lower left"

    def _points(self, each: Thresholds) -> tuple[Any, Any]:
        return each.recall, each.precision

    def _named(self, each: Thresholds) -> str:
        return f"{short(each.label, 16)}: {each.average_precision:.3f}"

    def _described(self, each: Thresholds) -> str:
        at = each.at(self.threshold)
        reached = f"precision {each.precision[at]:.1%} and recall {each.recall[at]:.1%} at P ≥ {self.threshold:g}"
        return f"{short(each.label)}: average precision {each.average_precision:.3f}; {reached}"

    def _ground(self, ax: Any) -> None:
        ax.set_xlabel("recall")
        ax.set_ylabel("precision")
        ax.set_ylim(0.0, 1.03)
        ax.set_xlim(-0.01, 1.01)


class CostCurveDisplay(Ranking):
    """Cost curve: the cost of errors at the best and at the chosen threshold, as false negatives cost more."""

    _title = "Cost curve: the cost of errors at the best and at the chosen threshold, as false negatives cost more"
    _where = "upper right"

    @property
    def _shares(self) -> Any:
        return np.linspace(0.0, 1.0, SHARES)

    def _points(self, each: Thresholds) -> tuple[Any, Any]:
        return self._shares, each.costs(self._shares)

    def _mark(self, ax: Any, each: Thresholds, mark: Any) -> None:
        """The cost at a fixed threshold is a straight line."""
        costs = each.costs_at(self.threshold, self._shares)
        ax.plot(self._shares, costs, ":", color=mark.color, linewidth=1.4)
        if len(self.curves) == 1:
            where = {"textcoords": "offset points", "va": "bottom", "fontsize": "small"}
            ax.annotate(f"P ≥ {self.threshold:g}", (0.02, costs[4]), (0, 2), **where)

    def _named(self, each: Thresholds) -> str:
        return f"{short(each.label, 16)}, best threshold"

    def _described(self, each: Thresholds) -> str:
        both = each.costs(np.array([0.5]))[0], each.costs_at(self.threshold, np.array([0.5]))[0]
        where = "where false negatives and false positives cost the same"
        return f"{short(each.label)}: {both[0]:.3f} at best and {both[1]:.3f} at P ≥ {self.threshold:g}, {where}"

    def _ground(self, ax: Any) -> None:
        shares = self._shares
        ax.plot(shares, np.minimum(shares, 1.0 - shares), "-", color=ink(), linewidth=0.8, alpha=0.6)
        ax.text(0.5, 0.505, named("always the same decision"), ha="center", va="bottom", fontsize="small")
        ax.set_xlabel("probability cost: share of P(class) · cost of a miss")
        ax.set_ylabel("normalised expected cost")
        ax.set_ylim(0.0, 0.62)
