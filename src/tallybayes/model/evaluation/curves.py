"""What is read off ranks: ROC, precision against recall, and what errors cost, at every threshold."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from tallybayes.counts.exact import Floats
from tallybayes.model.evaluation.result import Evaluation


@dataclass(frozen=True, eq=False)
class Thresholds:
    """A class against the rest: of the `positives` rows that have it and the `negatives` that have not, how many are
    given at least each of these probabilities. The first threshold is above all of them."""

    label: Any
    probability: Floats  # falling
    hits: Floats
    false_alarms: Floats

    @property
    def positives(self) -> float:
        return float(self.hits[-1])

    @property
    def negatives(self) -> float:
        return float(self.false_alarms[-1])

    @property
    def recall(self) -> Floats:
        """The true positive rate; NaN, where no row has the class."""
        return self.hits / self.positives if self.positives else np.full(len(self.hits), np.nan)

    @property
    def false_positive_rate(self) -> Floats:
        return self.false_alarms / self.negatives if self.negatives else np.full(len(self.hits), np.nan)

    @property
    def precision(self) -> Floats:
        """Of no decision at all it is 1."""
        decided = self.hits + self.false_alarms
        return np.where(decided > 0, self.hits / np.maximum(decided, 1.0), 1.0)

    @property
    def average_precision(self) -> float:
        """The area under precision against recall, in steps."""
        return float(np.dot(np.diff(self.recall), self.precision[1:]))

    def at(self, threshold: float) -> int:
        """Where rows are decided for the class that are given at least so much."""
        return int(np.searchsorted(-self.probability, -threshold, "right")) - 1

    def costs(self, share: Floats) -> Floats:
        """The least cost that any threshold reaches, divided by what the worst decisions would cost, where positives
        matter so much: `share` is P(positive) times the cost of a miss, divided by that and the same of a false alarm.
        It is the lower envelope of Drummond and Holte's cost curves."""
        missed, wrong = 1.0 - self.recall, self.false_positive_rate
        return np.min(np.outer(share, missed) + np.outer(1.0 - share, wrong), axis=1)

    def costs_at(self, threshold: float, share: Floats) -> Floats:
        """The same of one threshold, whatever that costs."""
        at = self.at(threshold)
        return share * (1.0 - self.recall[at]) + (1.0 - share) * self.false_positive_rate[at]


def thresholds(evaluation: Evaluation, label: Any) -> Thresholds:
    """Of a class, at every probability that any row was given. Where there were more than 8192 of these, those that
    agree in their first digits are one."""
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
