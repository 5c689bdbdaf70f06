"""From scores to shares: how much of a row belongs to each class, on a grid on which sums are exact.

Only here does floating point enter EM: scores are rounded, and shares are rounded to multiples of 2⁻³² that add up to
the weight of the row. From there on, everything is counted exactly, in any order.
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

HEAVIEST = 2.0**21  # of a row: its weight in units of the grid must be an integer that a double holds


class Shared(NamedTuple):
    """Rows shared among the classes, and their likelihood."""

    rows: SharedRows
    log_likelihood: Exact  # Σ weight · log P(row), as one number; for a labelled row, P(row, label)
    impossible: int  # rows that are impossible in every class


def share(scores: Floats, weights: Floats, keys: list[Key], allowed: NDArray[np.bool_] | None = None) -> Shared:
    """Shares rows by scores[class, row], which are overwritten. `allowed` are the classes that labelled rows may have.
    A row that is impossible in every class is shared equally."""
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
