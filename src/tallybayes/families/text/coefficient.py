"""The multinomial coefficient: how many orders there are in which the same words can stand."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallybayes.counts.exact import Floats
from tallybayes.kernels import special

UNORDERED = ("bernoulli", "complement")  # readings to which words have no order, or that are no probabilities


def has_orders(family: Any) -> bool:
    """Whether the coefficient is asked for, and is one."""
    return bool(family.coefficient) and family.reading not in UNORDERED


def log_orders(row: NDArray[Any], counts: NDArray[Any], rows: int) -> Floats:
    """log(length! / Π count!) of every row, given the row of each count; Γ for what is not whole."""
    lengths = np.bincount(row, counts, rows)
    other = counts != 1  # since log 1! is 0
    row, counts = row[other], counts[other]
    order = np.lexsort((counts, row))  # the order in which words were met must not show
    alike = np.bincount(row[order], special.gammaln(counts[order] + 1.0), rows)
    return np.asarray(special.gammaln(lengths + 1.0) - alike)
