"""One pass over labelled rows: how well a model does on them, what each column contributes, and the most confident
mistakes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from heapq import nlargest
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from tallybayes.counts.exact import Floats
from tallybayes.data.matching import ERROR, matched
from tallybayes.model.batches import Batch, Given, each_labelled
from tallybayes.model.decide import most_probable
from tallybayes.model.evaluation import Answers, Decider, Evaluation, answered, compared_with
from tallybayes.model.evidence import Evidence
from tallybayes.model.model import Model
from tallybayes.schema.entries import Name

MISTAKES = 10
FURTHEST = 30.0  # log-odds: larger ones are clipped when columns are compared
KEPT = 2000  # rows whose cells are kept for plots


class Mistake(NamedTuple):
    """A wrong decision, and its probability."""

    probability: float  # of the decision
    row: int  # counted from 0
    truth: Any
    decision: Any
    cells: Mapping[str, Any]


class ColumnGain(NamedTuple):
    """What a column contributed, averaged over rows: `gain` is how much this column alone lowers the log-loss of the
    prior, in nats; `share` its part of the absolute log-odds between the decision and the next class."""

    gain: float
    share: float


@dataclass
class Diagnosis:
    """Sums over rows."""

    classes: list[Any]
    evaluation: Evaluation | None = None
    rows: int = 0
    gains: dict[Name, float] = field(default_factory=dict)
    shares: dict[Name, float] = field(default_factory=dict)
    mistakes: list[Mistake] = field(default_factory=list)  # the most confident first
    kept: list[tuple[pa.RecordBatch, list[Any]]] = field(default_factory=list)  # the first rows, and their labels

    def by_column(self) -> dict[Name, ColumnGain]:
        """The contribution of every column."""
        return {name: ColumnGain(gain / self.rows, self.shares[name] / self.rows) for name, gain in self.gains.items()}

    def add(self, model: Model, batch: Batch, answers: Answers, evidence: Evidence) -> None:
        truth = answers.truth
        known = np.flatnonzero(truth.numbers >= 0)
        decision = most_probable(answers.posterior)
        parts = _parts(evidence, answers.posterior)
        total = sum(parts.values()) if parts else 0.0
        for name, part in parts.items():
            gain = _gains(evidence.prior, evidence[name])[known, truth.numbers[known]]
            share = np.divide(part, total, out=np.zeros(len(part)), where=np.asarray(total) > 0)
            self.gains[name] = self.gains.get(name, 0.0) + float(gain.sum())
            self.shares[name] = self.shares.get(name, 0.0) + float(share.sum())
        start, self.rows = self.rows, self.rows + len(decision)
        labels = [truth.labels[code] for code in truth.codes.tolist()]
        self._keep_mistakes(model, batch, answers, decision, labels, start)
        if start < KEPT:
            self.kept.append((batch.cells.slice(0, KEPT - start), labels[: KEPT - start]))

    def _keep_mistakes(
        self, model: Model, batch: Batch, answers: Answers, decision: Any, labels: list[Any], start: int
    ) -> None:
        sure = answers.posterior[np.arange(len(decision)), decision]
        wrong = np.flatnonzero(decision != answers.truth.numbers)
        surest = wrong[np.argsort(-sure[wrong], kind="stable")[:MISTAKES]]
        found = []
        for row in surest.tolist():
            cells = pa.record_batch(matched(batch.cells.slice(row, 1), model.schema.by_column)).to_pydict()
            one = {name: values[0] for name, values in cells.items()}
            found.append(Mistake(float(sure[row]), start + row, labels[row], model.classes[decision[row]], one))
        self.mistakes = nlargest(MISTAKES, [*self.mistakes, *found], key=lambda each: (each.probability, -each.row))


def diagnose(model: Model, data: Any, labels: Any = None, *, absent: str = ERROR) -> Diagnosis:
    """One pass over a frame, a stream or a source; `data`, `labels` and `absent` are as for `evaluate`."""
    decider, found = Decider.of(model), Diagnosis(model.classes)
    given = Given(data, labels, label_type=model.label_type, absent=absent)
    for batch in each_labelled(given, model.schema, lambda batch: batch):
        for part, answers in answered(decider, batch):
            evaluated = compared_with(decider, [answers])
            found.evaluation = evaluated if found.evaluation is None else found.evaluation + evaluated
            found.add(model, part, answers, model.evidence(part.cells))
    if found.evaluation is None:
        raise ValueError("The data has no rows, so there is nothing to report on.")
    return found


def _gains(prior: Floats, evidence: Floats) -> Floats:
    """log P(class | column) − log P(class), [row, class]; 0 if the column rules out all classes."""
    with np.errstate(invalid="ignore"):
        joint = prior + evidence
        total = np.logaddexp.reduce(joint, axis=1, keepdims=True) - np.logaddexp.reduce(prior)
        gain = evidence - total
    return np.clip(np.where(np.isnan(gain), 0.0, gain), -FURTHEST, FURTHEST)


def _parts(evidence: Evidence, posterior: Floats) -> dict[Name, Floats]:
    """|log-odds| that each column contributes to the most probable class against the next, for every row."""
    if posterior.shape[1] < 2:
        return {name: np.zeros(len(posterior)) for name in evidence.columns}
    first, second = np.argsort(-posterior, axis=1, kind="stable")[:, :2].T
    rows = np.arange(len(posterior))
    found: dict[Name, Floats] = {}
    for name, column in evidence.columns.items():
        with np.errstate(invalid="ignore"):
            odds = column[rows, first] - column[rows, second]
        found[name] = np.minimum(np.abs(np.where(np.isnan(odds), 0.0, odds)), FURTHEST)
    return found
