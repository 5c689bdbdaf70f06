"""The scores of mails whose class is known, from which thresholds are chosen."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from tallybayes.counts.exact import Floats
from tallybayes.filtering.classes import Names
from tallybayes.filtering.thresholds import score_of
from tallybayes.model import Model
from tallybayes.model.batches import Batch, Given, each_labelled
from tallybayes.model.decide import probabilities
from tallybayes.model.left_out import LeaveOneOut, most_left_out
from tallybayes.sources import Source


class Scored(NamedTuple):
    """A score for each mail, and whether it is spam."""

    scores: list[float]
    are_spam: list[bool]


def scored(model: Model, source: Source, labels: Any, names: Names, *, counted: bool = False) -> Scored:
    """The scores that a filter would give. If the model has `counted` the mails, each is scored by the model without
    it."""
    spam = names.of_spam(model.classes)
    if spam not in model.classes:
        raise ValueError(f"The model has no class {spam!r}; it has {', '.join(map(repr, model.classes))}.")
    found = Scored([], [])
    leave_out = LeaveOneOut(model) if counted else None

    def score(batch: Batch) -> Scored:
        truth = batch.labels()
        joint = model.log_joint(batch.cells) if leave_out is None else leave_out(batch).total()
        scores = _scores(joint, model.beliefs().prior, model.classes.index(spam))
        return Scored(scores, [label == spam for label in truth.to_pylist()])

    given = Given(source, labels, label_type=model.label_type)
    for part in each_labelled(given, model.schema, score, most=most_left_out(model)):
        found.scores.extend(part.scores)
        found.are_spam.extend(part.are_spam)
    return found


def _scores(joint: Floats, prior: Floats, spam: int) -> list[float]:
    """Computed from probabilities, as in answers, so that both saturate in the same way."""
    shares = probabilities(joint.T, prior)
    others = np.delete(shares, spam, axis=0).sum(axis=0)
    return [score_of(mine, rest) for mine, rest in zip(shares[spam].tolist(), others.tolist(), strict=True)]
