"""Labels that may be wrong: training rows that get another label when they are left out of the counts."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from tallybayes.model.batches import labelled
from tallybayes.model.left_out import left_out
from tallybayes.model.model import Model


class Suspect(NamedTuple):
    """A training row, the probability of its label when the row is left out, and the label that is then most
    probable."""

    row: int
    label: Any
    probability: float
    likely: Any
    log_odds: float  # of its own label against the most probable of the others


def suspected(model: Model, data: Any, labels: Any, weights: Any, top: int | None, absent: str) -> list[Suspect]:
    """All rows given, or the most suspect. The evidence is not weighed: rows are left out of the counts. If
    columns are counted alone and in a block, too, the block is ignored."""
    plain = model._unweighed()
    labels = model.schema.label if labels is None else labels
    joint = left_out(plain, data, labels, weights=weights, absent=absent).total()
    classes = plain.classes
    batches = labelled(plain.schema.frame(data), labels, weights)
    own = np.concatenate([batch.rows.codes_in(plain.keys()) for batch in batches])
    each = np.arange(len(own))
    others = joint.copy()
    others[each, own] = -np.inf
    likely = others.argmax(axis=1) if len(classes) > 1 else own
    with np.errstate(invalid="ignore"):
        odds = np.nan_to_num(joint[each, own] - others[each, likely], nan=0.0)
        shares = np.exp(joint - np.logaddexp.reduce(joint, axis=1, keepdims=True))
    order = np.lexsort((each, odds))[:top]
    return [
        Suspect(
            int(i),
            classes[own[i]],
            float(np.nan_to_num(shares[i, own[i]])),
            classes[own[i]] if odds[i] >= 0 else classes[likely[i]],
            float(odds[i]),
        )
        for i in order
    ]
