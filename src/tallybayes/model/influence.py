"""Training rows: the influence of each on an answer, which is what the answer would be without it; and labels that may
be wrong, of rows that get another label when they are left out of the counts."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from tallybayes.counts.exact import Codes, Floats
from tallybayes.data.fingerprints import fingerprints
from tallybayes.families.left_out import weights_of
from tallybayes.model.batches import Batch, Given, each_labelled, labelled
from tallybayes.model.left_out import LeaveOneOut, most_left_out
from tallybayes.model.model import Model
from tallybayes.model.plausible import AS_TRAINED


class Influence(NamedTuple):
    """A training row, and what the answer would be without it."""

    row: int
    label: Any
    without: dict[Any, float]  # P(class | row), for the row in question
    change: float  # in the log-odds of the most probable class, due to this row


def influences(
    model: Any, row: Any, data: Any, labels: Any, weights: Any, top: int | None, absent: str
) -> list[Influence]:
    """The influence of all rows given, or of the top ones. Equal rows of equal weight are left out only once."""
    answer = model.log_posterior(row, absent=absent)
    if len(answer) != 1:
        raise ValueError(f"Whose answer? There are {len(answer)} rows; give one.")
    best = int(answer[0].argmax())
    now = _log_odds(dict(zip(model.classes, answer[0].tolist(), strict=True)), model.classes[best])
    rest, gone, found = model.copy(), model.copy(), []
    for batch in labelled(Given(data, labels, weights, absent=absent), model.schema):
        seen: dict[tuple[int, int, float], Influence] = {}
        marks = fingerprints(batch.cells, model.schema.by_column, numeric=model.schema.numeric)
        kinds = zip(marks.tolist(), batch.rows.codes.tolist(), weights_of(batch.rows).tolist(), strict=True)
        for at, key in enumerate(kinds):
            if key not in seen:
                seen[key] = _without(model, rest, row, batch, at, model.classes[best], now, absent)
            found.append(seen[key]._replace(row=batch.start + at))
        gone.leave_out(model.of_batch(model.schema, batch))  # each row may look as if it had been counted
    found.sort(key=lambda each: (-abs(each.change), each.row))
    return found if top is None else found[:top]


def _without(model: Any, rest: Any, row: Any, batch: Batch, at: int, best: Any, now: float, absent: str) -> Influence:
    own = batch.slice(at, at + 1)
    one = model.of_batch(model.schema, own)
    reason = rest._take_away(one)
    if reason:
        raise ValueError(
            f"Row {batch.start + at} cannot be left out, because the model has not counted it: without it, {reason}. "
            + AS_TRAINED
        )
    logs: dict[Any, float] = {}
    if rest.keys():
        logs = dict(zip(rest.classes, rest.log_posterior(row, absent=absent)[0].tolist(), strict=True))
    rest += one
    without = {each: float(np.exp(logs.get(each, -np.inf))) for each in model.classes}
    then = _log_odds({each: logs.get(each, -np.inf) for each in model.classes}, best)
    change = 0.0 if now == then else now - then  # both may be infinite
    return Influence(at, own.labels()[0].as_py(), without, change)


def _log_odds(logs: Mapping[Any, float], best: Any) -> float:
    others = [value for label, value in logs.items() if label != best]
    with np.errstate(invalid="ignore"):
        return float(logs[best] - np.logaddexp.reduce(others)) if others else 0.0


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
    leave_out = LeaveOneOut(plain)
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
    """The most suspect of some rows, of which the first has this number. Rows of a class that no row of any weight has
    cannot be judged."""
    judged = np.flatnonzero(own >= 0)
    joint, own, each = joint[judged], own[judged], np.arange(len(judged))
    others = joint.copy()
    others[each, own] = -np.inf
    likely = others.argmax(axis=1) if len(classes) > 1 else own
    with np.errstate(invalid="ignore"):
        odds = joint[each, own] - others[each, likely]
        odds[np.isnan(odds)] = 0.0  # both are impossible
        shares = np.exp(joint - np.logaddexp.reduce(joint, axis=1, keepdims=True))
    order = np.lexsort((each, odds))[:top]
    return [
        Suspect(
            first + int(judged[i]),
            classes[own[i]],
            float(np.nan_to_num(shares[i, own[i]])),
            classes[own[i]] if odds[i] >= 0 else classes[likely[i]],
            float(odds[i]),
        )
        for i in order
    ]
