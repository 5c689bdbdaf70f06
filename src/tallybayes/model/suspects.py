"""Labels that may be wrong: training rows that get another label when they are left out of the counts."""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

import numpy as np

from tallybayes.counts.exact import Codes, Floats
from tallybayes.model.batches import Batch, Given, each_labelled
from tallybayes.model.left_out import LeaveOneOut, most_left_out
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
    leave_out = LeaveOneOut(plain, absent=absent)
    found: list[Suspect] = []
    given = Given(data, labels, weights, label_type=plain.label_type, absent=absent)
    first = 0
    for joint, own in each_labelled(given, plain.schema, partial(_scored, leave_out), most=most_left_out(plain)):
        found = sorted([*found, *_most_suspect(plain.classes, joint, own, first, top)], key=_order)[:top]
        first += len(own)
    return found


def _order(suspect: Suspect) -> tuple[float, int]:
    return suspect.log_odds, suspect.row


def _scored(leave_out: LeaveOneOut, batch: Batch) -> tuple[Floats, Codes]:
    """log P(class, row) of rows that are left out, and their own classes."""
    return leave_out(batch).total(), batch.rows.codes_in(leave_out.model.keys())


def _most_suspect(classes: list[Any], joint: Floats, own: Codes, first: int, top: int | None) -> list[Suspect]:
    """The most suspect of some rows, of which the first has this number."""
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
            first + int(i),
            classes[own[i]],
            float(np.nan_to_num(shares[i, own[i]])),
            classes[own[i]] if odds[i] >= 0 else classes[likely[i]],
            float(odds[i]),
        )
        for i in order
    ]
