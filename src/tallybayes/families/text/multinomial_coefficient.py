"""The multinomial coefficient: the number of orders in which the same words can be arranged."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallybayes.counts.exact import Floats
from tallybayes.kernels import special

ABOUT_COEFFICIENT = (
    "whether to include the multinomial coefficient, for the probability of the words in any order; it is the same for "
    "every class"
)
SMALL = 16  # most counts are below this
UNORDERED = ("bernoulli", "complement", "auto")  # readings without an order of words, or that are not probabilities


def has_orders(family: Any) -> bool:
    """Whether the coefficient is requested and defined."""
    return bool(family.coefficient) and family.reading not in UNORDERED


def log_orders(row: NDArray[Any], counts: NDArray[Any], rows: int) -> Floats:
    """log(length! / Π count!) of every row, given the row of each count; by Γ for fractional counts.

    The result must not depend on the order in which words were first seen: small counts are tabulated, others
    sorted."""
    lengths = np.bincount(row, counts, rows)
    whole = np.minimum(counts, SMALL).astype(np.intp)
    kind = np.where((whole == counts) & (whole < SMALL), whole, 0)
    times = np.bincount(row * SMALL + kind, minlength=rows * SMALL).reshape(rows, SMALL)
    times[:, 0] = 0
    same = times @ special.gammaln(np.arange(SMALL) + 1.0)
    if not kind.all():
        row, counts = row[kind == 0], counts[kind == 0]
        order = np.lexsort((counts, row))
        same += np.bincount(row[order], special.gammaln(counts[order] + 1.0), rows)
    return np.asarray(special.gammaln(lengths + 1.0) - same)
