"""The multinomial coefficient: in how many orders the same words can be arranged."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallybayes.counts.exact import Floats
from tallybayes.kernels import special

ABOUT_COEFFICIENT = (
    "score the probability of the words or counts in any order, not in one: the multinomial coefficient, the same for "
    "every class"
)
SMALL = 16  # most counts are below this
UNORDERED = ("bernoulli", "complement", "auto")  # readings in which words have no order, or that are not probabilities


def has_orders(family: Any) -> bool:
    """Whether the coefficient is asked for and defined."""
    return bool(family.coefficient) and family.reading not in UNORDERED


def log_orders(row: NDArray[Any], counts: NDArray[Any], rows: int) -> Floats:
    """log(length! / Π count!) of every row, given the row of each count; by Γ for fractional counts.

    The order in which words were first seen must not show: small counts are tabulated, others sorted."""
    lengths = np.bincount(row, counts, rows)
    whole = np.minimum(counts, SMALL).astype(np.intp)
    kind = np.where((whole == counts) & (whole < SMALL), whole, 0)
    times = np.bincount(row * SMALL + kind, minlength=rows * SMALL).reshape(rows, SMALL)
    times[:, 0] = 0
    alike = times @ special.gammaln(np.arange(SMALL) + 1.0)
    if not kind.all():
        row, counts = row[kind == 0], counts[kind == 0]
        order = np.lexsort((counts, row))
        alike += np.bincount(row[order], special.gammaln(counts[order] + 1.0), rows)
    return np.asarray(special.gammaln(lengths + 1.0) - alike)
