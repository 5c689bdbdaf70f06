"""Curves over all thresholds: ROC, precision and recall, and the cost of errors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from tallybayes.counts.exact import Floats
from tallybayes.model.evaluation.result import Evaluation


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
