"""Evidence minus its mean over the classes, clipped and weighed: as a table, or for the cells at hand.

Clipping keeps a single cell from deciding everything: a level that a class never had changes the odds by at most e³⁰.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tallybayes import kernels
from tallybayes.counts.exact import Floats

Adding = Callable[[Any, Floats], None]  # cells, and the scores that their evidence is added to


def centred(evidence: Floats, bound: float) -> Floats:
    """Evidence minus its mean over the classes, clipped, evidence[class, …]; 0 for a row that is impossible in every
    class."""
    top = evidence.max(axis=0)
    with np.errstate(over="ignore"):
        bounded = np.maximum(evidence - np.where(np.isneginf(top), 0.0, top), -2.0 * bound)
    return np.clip(bounded - bounded.mean(axis=0), -bound, bound)


def weighed_table(table: Floats, theta: Floats, bound: float) -> Floats:
    """A table of evidence, [value, class], weighed."""
    found = np.zeros(table.shape[::-1])
    kernels.add_weighed(np.ascontiguousarray(table.T), theta, bound, found)
    return np.ascontiguousarray(found.T)


def adding_weighed(add: Adding, theta: Floats, bound: float) -> Adding:
    """The same function with its evidence weighed."""

    def weighed(cells: Any, scores: Floats) -> None:
        evidence = np.zeros_like(scores)
        add(cells, evidence)
        kernels.add_weighed(evidence, theta, bound, scores)

    return weighed
