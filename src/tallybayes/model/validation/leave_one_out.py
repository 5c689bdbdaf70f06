"""Leave-one-out: every row that a model has counted, scored by the model without that row."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

import tallybayes
from tallybayes.counts.exact import Floats
from tallybayes.data.matching import ERROR
from tallybayes.model.batches import Batch, each_labelled
from tallybayes.model.evaluation import Evaluation, together, truth_of
from tallybayes.model.evaluation.compare import DecisionRule, Truth, compared
from tallybayes.model.model import Model


def evaluate_left_out(
    model: Model,
    data: Any,
    labels: Any = None,
    *,
    costs: Any = None,
    reject: float | None = None,
    threads: int | None = None,
    absent: str = ERROR,
) -> Evaluation:
    """Compares the decision for each row, by the model without it, with its label."""
    rule = DecisionRule.of(tuple(model.classes), costs, reject)

    def evaluated(batch: Batch) -> Evaluation:
        return _left_out(model, batch, rule, threads, absent)

    return together(each_labelled(data, model.schema, labels, evaluated, label_type=model.label_type, absent=absent))


def _left_out(model: Model, batch: Batch, rule: DecisionRule, threads: int | None, absent: str) -> Evaluation:
    numbers = {key: number for number, key in enumerate(model.keys())}
    truth = truth_of(batch, slice(0, len(batch.rows)), numbers)
    labels = pa.array(truth.labels, batch.label_type).take(pa.array(truth.codes))
    found = tallybayes.left_out(model, batch.cells, labels, threads=threads, absent=absent)
    priors = np.broadcast_to(found.prior, (len(labels), len(rule.classes)))
    return evaluate_scores(rule, truth, found.total(), priors)


def evaluate_scores(rule: DecisionRule, truth: Truth, joint: Floats, priors: Floats) -> Evaluation:
    """The same from log P(class, row) and log P(class) of every row. A row that is impossible in every class gets the
    prior, or if that rules out all classes too, equal probabilities."""
    marginal = np.logaddexp.reduce(joint, axis=1)
    dead = ~np.isfinite(marginal)
    with np.errstate(invalid="ignore"):
        posterior = np.exp(np.where(dead[:, None], priors, joint - marginal[:, None]))
    none = posterior.sum(axis=1) <= 0.0
    posterior[none] = 1.0 / posterior.shape[1]
    before = _losses(priors, truth)
    return compared(rule, truth, posterior, np.where(dead, before, _losses(joint, truth)), before)


def _losses(scores: Floats, truth: Truth) -> Floats:
    """−log P(truth); infinite if the true class is impossible or unseen."""
    with np.errstate(invalid="ignore"):
        lost = np.logaddexp.reduce(scores, axis=1) - scores[np.arange(len(scores)), truth.numbers]
    return np.where(np.isnan(lost) | (truth.numbers < 0), np.inf, lost) + 0.0
