"""Each number as a share of its vector, counted in addition to the numbers if requested."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from tallybayes import kernels
from tallybayes.counts.exact import TRACE, Codes, Exact, Floats
from tallybayes.counts.sums import cells_of, weighted_sums, weighted_table
from tallybayes.counts.tally import Rows, Tally
from tallybayes.families.vectors.matrix_cells import Dense, Sparse

MOST_VALUES = 1 << 20  # per step, after which Ctrl-C takes effect
FINEST = 64  # binary digits that a share is truncated to


def with_shares(tally: Tally, cells: Dense | Sparse, rows: Rows) -> Tally:
    """A tally of vectors with the sums of their shares as well. A vector of zeros has none."""
    number = {slot: i for i, slot in enumerate(tally.slots)}
    values = max(MOST_VALUES, len(tally) * len(rows.classes))  # so that a step's table costs no more than its values
    step = max(values * len(cells) // max(len(cells.values), 1), 1)
    summed = Exact.zeros((len(tally), len(rows.classes)))
    for start in range(0, len(cells), step):
        kernels.heed_signals()
        stop = min(start + step, len(cells))
        summed = summed + _shares(number, cells[start:stop], rows.slice(start, stop))
    return tally.with_sum("share", summed)


def _shares(number: Mapping[Any, int], cells: Dense | Sparse, rows: Rows) -> Exact:
    """The sums of the shares of some vectors, given the index of each position's slot."""
    held = np.flatnonzero(cells.values > 0)
    if isinstance(cells, Sparse):
        row, at = cells.rows[held], cells.positions[held]
    else:
        row, at = np.divmod(held, cells.width)
    share = shares(cells.values[held], row.astype(np.int32), len(cells))
    met, back = np.unique(at, return_inverse=True)
    slots = np.array([number[slot] for slot in met.tolist()], np.int64)[back.reshape(-1)]
    weights = np.ones(len(share)) if rows.weights is None else rows.weights[row]
    size, width = len(number), len(rows.classes)
    return weighted_table([weights, share], cells_of(slots, rows.codes[row], size, width), size, width)


def shares(values: Floats, row: Codes, rows: int) -> Floats:
    """Each value divided by the sum of its row, truncated to 2⁻⁶⁴. The sum is exact and rounded once, so that the order
    of a vector's numbers does not matter."""
    largest = np.zeros(rows)
    np.maximum.at(largest, row, values)
    scaled = np.ldexp(values, -np.frexp(largest)[1][row])  # so that no sum overflows
    part = scaled / weighted_sums([scaled], row, rows).round()[row]
    return np.ldexp(np.floor(np.ldexp(part, FINEST)), -FINEST)


def shares_refused(cells: Mapping[str, Exact]) -> str | None:
    """Why these cannot be the shares of any vectors: each is from 0 to 1."""
    n, share = cells["n"], cells["share"]
    if share.is_below(TRACE).any():
        return "a position's share would be negative"
    if (n - share).is_below(TRACE * (1.0 + n.round())).any():
        return "a position's share of its vectors would be more than 100 %"
    return None
