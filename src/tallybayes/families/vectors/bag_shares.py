"""What part of its vector each number is, counted beside the numbers themselves where it is asked for."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from tallybayes.counts.exact import TRACE, Codes, Exact, Floats
from tallybayes.counts.sums import cells_of, weighted_sums, weighted_table
from tallybayes.counts.tally import Rows, Tally
from tallybayes.families.vectors.matrix_cells import Dense, Sparse

FINEST = 64  # binary digits after which a share is cut off


def with_shares(tally: Tally, cells: Dense | Sparse, rows: Rows) -> Tally:
    """A tally of vectors with the sums of their shares as well. A vector of zeros has none."""
    held = np.flatnonzero(cells.values > 0)
    if isinstance(cells, Sparse):
        row, at = cells.rows[held], cells.positions[held]
    else:
        row, at = np.divmod(held, cells.width)
    share = shares(cells.values[held], row.astype(np.int32), len(cells))
    number = {slot: i for i, slot in enumerate(tally.slots)}
    met, back = np.unique(at, return_inverse=True)
    slots = np.array([number[slot] for slot in met.tolist()], np.int64)[back.reshape(-1)]
    weights = np.ones(len(share)) if rows.weights is None else rows.weights[row]
    size, width = len(tally), len(rows.classes)
    summed = weighted_table([weights, share], cells_of(slots, rows.codes[row], size, width), size, width)
    return tally.with_sum("share", summed)


def shares(values: Floats, row: Codes, rows: int) -> Floats:
    """Each value over the sum of its row's, cut off at 2⁻⁶⁴. The sum is exact and rounded once, so that a vector has
    the same shares in whatever order its numbers come."""
    largest = np.zeros(rows)
    np.maximum.at(largest, row, values)
    scaled = np.ldexp(values, -np.frexp(largest)[1][row])  # no sum is then too large for a double
    part = scaled / weighted_sums([scaled], row, rows).round()[row]
    return np.ldexp(np.floor(np.ldexp(part, FINEST)), -FINEST)


def shares_refused(cells: Mapping[str, Exact]) -> str | None:
    """Why these cannot be the shares of any vectors: each is from 0 to 1."""
    n, share = cells["n"], cells["share"]
    if share.is_below(TRACE).any():
        return "a position's share would go below zero"
    if (n - share).is_below(TRACE * (1.0 + n.round())).any():
        return "a position's share of its vectors would be more than all of them"
    return None
