"""The result of EM: the objective at every step, why it ended, and the shares of every row."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tallybayes.counts.exact import Counts, Floats
from tallybayes.counts.rows import Rows, SharedRows
from tallybayes.data.soft_labels import SoftLabels

CONVERGED = "converged"
ITERATIONS = "reached the limit of iterations"
WOULD_FALL = "the next step would have lowered the objective"
NOTHING = "rows without a label count nothing"
COMPLETE = "every row has a label"


@dataclass(frozen=True)
class Fitted:
    """How a model was fitted to rows without labels.

    `curve` is the objective after every step, which never decreases: the log-likelihood of all rows, with those without
    a label multiplied by their weight, plus the log density of the prior up to a constant. The record is lost when the
    model learns or forgets, and is not saved in its file.

    >>> from tallybayes import EM, Gaussian, Model
    >>> labels = ["a", "a", "b", "b", None]
    >>> model = Model.train({"x": Gaussian()}, {"x": [0.0, 1.0, 8.0, 9.0, 8.5]}, labels, unlabelled=EM())
    >>> model.fitted.responsibilities[-1].round(3), model.fitted.ended
    (array([0.092, 0.908]), 'converged')
    """

    curve: tuple[float, ...]
    log_likelihood: float  # after the last step, without the prior
    ended: str
    weight: float  # of a row without a label
    labelled: float  # number of rows, or their total weight
    unlabelled: float
    classes: tuple[Any, ...]
    starts: int = 1  # of which this is the best
    notes: tuple[str, ...] = ()
    held_out: Mapping[float, float] = field(default_factory=dict)  # log-loss by weight, if the weight was chosen
    counted: tuple[tuple[Counts, Rows], ...] | None = field(default=None, repr=False)  # row numbers and their shares

    @property
    def steps(self) -> int:
        return len(self.curve)

    @property
    def responsibilities(self) -> Floats:
        """How much of every row was counted in each class, [row, class], in the order given and including labelled
        rows. Counted with these `soft_labels`, the rows give the same model."""
        if self.counted is None:
            raise ValueError("The shares were not kept, because the rows were read from a source at every step.")
        found = np.zeros((sum(len(places) for places, _ in self.counted), len(self.classes)))
        for places, rows in self.counted:
            at = rows.at if isinstance(rows, SharedRows) else np.arange(len(rows))
            found[places[at], rows.codes] = 1.0 if rows.weights is None else rows.weights
        return found

    @property
    def soft_labels(self) -> SoftLabels:
        """The shares as labels, to forget rows with."""
        return SoftLabels(self.responsibilities, self.classes)

    def summary(self) -> str:
        """A summary in one sentence."""
        rows = f"{self.labelled:,.12g} labelled and {self.unlabelled:,.12g} unlabelled rows"
        if not self.curve:
            return f"{rows}; {self.ended}"
        times = f"{self.steps} step{'s' * (self.steps != 1)} of EM"
        best = f", the best of {self.starts} starts" if self.starts > 1 else ""
        weight = "" if self.weight == 1.0 else f", each unlabelled one with weight {self.weight:g}"
        rose = f"objective {self.curve[0]:.4f} → {self.curve[-1]:.4f}"
        return f"{rows}{weight}; {times}{best}: {rose}, log-likelihood {self.log_likelihood:.6f}; ended: {self.ended}"
