"""From scores to shares: how much of a row belongs to each class, on a grid on which sums are exact.

This is where floating point enters EM: scores are rounded, and so are the shares that follow from them, down to whole
numbers of 2⁻³² whose sum is what the row weighs. From there on everything is counted exactly, in any order.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tallybayes.counts.exact import Counts, Exact, Floats
from tallybayes.counts.rows import UNIT, SharedRows
from tallybayes.counts.slots import Key
from tallybayes.counts.sums import weighted_sums


class Shared(NamedTuple):
    """Some rows, shared among the classes, and what that says of them."""

    rows: SharedRows
    log_likelihood: Exact  # Σ weight · log P(row), as one number; of a labelled row, P(row, label)
    impossible: int  # rows that no class allows


def share(scores: Floats, weights: Floats, keys: list[Key], allowed: NDArray[np.bool_] | None = None) -> Shared:
    """Rows by scores[class, row], each as much as it weighs; `allowed` are the classes that labelled rows may have."""
    if allowed is not None:
        scores = np.where(allowed, scores, -np.inf)
    top = scores.max(axis=0)
    possible = np.isfinite(top)
    with np.errstate(invalid="ignore", divide="ignore"):
        shares = np.exp(scores - np.where(possible, top, 0.0))
    if not possible.all():  # all classes alike, or those that are allowed
        shares[:, ~possible] = 1.0 if allowed is None else allowed[:, ~possible]
    total = shares.sum(axis=0)
    logs = np.where(possible, np.where(possible, top, 0.0) + np.log(total), 0.0)
    units = in_units(shares / total, weights)
    row, code = np.nonzero(units.T)
    starts = np.append(0, np.cumsum(np.bincount(row, minlength=scores.shape[1]))).astype(np.int64)
    weighed = units[code, row].astype(np.float64) * UNIT
    rows = SharedRows(keys, code.astype(np.int32), weighed, starts)
    summed = weighted_sums([logs, weights], np.zeros(len(logs), np.int32), 1)
    return Shared(rows, summed, int((~possible & (weights > 0)).sum()))


def in_units(shares: Floats, weights: Floats) -> Counts:
    """Shares of weights in whole numbers of 2⁻³²: rounded down, and what is left over to the largest."""
    total = np.rint(weights / UNIT)
    units = np.floor(shares * total)
    largest = shares.argmax(axis=0)
    each = np.arange(shares.shape[1])
    units[largest, each] += total - units.sum(axis=0)
    return units.astype(np.int64)
