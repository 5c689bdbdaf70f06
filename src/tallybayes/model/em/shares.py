"""From scores to shares: how much of a row belongs to each class, on a grid on which sums are exact.

This is where floating point enters EM: scores are rounded, and so are the shares that follow from them, down to whole
numbers of 2⁻³² whose sum is what the row weighs. From there on everything is counted exactly, in any order.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tallybayes import kernels
from tallybayes.counts.exact import Exact, Floats
from tallybayes.counts.rows import UNIT, SharedRows, UnitRows
from tallybayes.counts.slots import Key
from tallybayes.counts.sums import weighted_sums

HEAVIEST = 2.0**21  # of a row, so that what it weighs in units of the grid is a whole number that a double holds


class Shared(NamedTuple):
    """Some rows, shared among the classes, and what that says of them."""

    rows: SharedRows
    log_likelihood: Exact  # Σ weight · log P(row), as one number; of a labelled row, P(row, label)
    impossible: int  # rows that no class allows


def share(scores: Floats, weights: Floats, keys: list[Key], allowed: NDArray[np.bool_] | None = None) -> Shared:
    """Rows by scores[class, row], which are used up, each as much as it weighs; `allowed` are the classes that labelled
    rows may have. Of a row that no class allows, all have the same share."""
    if weights.max(initial=0.0) > HEAVIEST:
        raise ValueError(
            f"A row weighs {weights.max():g}, and EM shares rows that weigh up to {HEAVIEST:,.0f}; divide all weights "
            "by the same number."
        )
    none = np.zeros(len(weights), bool)
    if allowed is not None:
        none = ~np.isfinite(np.where(allowed, scores, -np.inf).max(axis=0))
        scores = np.where(allowed, np.where(none, 0.0, scores), -np.inf)
    starts, codes, units, logs = kernels.share_out(scores, np.rint(weights / UNIT))
    impossible = none | np.isneginf(logs)
    rows = UnitRows(keys, codes, units, starts)
    summed = weighted_sums([np.where(impossible, 0.0, logs), weights], np.zeros(len(logs), np.int32), 1)
    return Shared(rows, summed, int((impossible & (weights > 0)).sum()))
