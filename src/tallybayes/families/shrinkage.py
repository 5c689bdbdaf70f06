"""Smoothing estimated from the counts themselves, for `alpha="fitted"` (empirical Bayes).

Levels: the probabilities of each class are assumed to be drawn from a Dirichlet distribution around a common profile,
worth m values. If the classes differ by no more than chance, m is large and the column is weak evidence; if they have
hardly a level in common, m is small, and a level that a class never had is strong evidence. Words: each class gets as
many pseudo-counts as it has different words (Witten and Bell, 1991).
"""

from __future__ import annotations

import numpy as np

from tallybayes import kernels
from tallybayes.counts.exact import Counts, Floats


def fitted(counts: Floats, sizes: Counts | None = None) -> Floats:
    """One pseudo-count per level, from counts[level, class]; 1 each if there is too little data. With `sizes`, several
    columns of so many levels each, one after another.

    The shrinkage of a class of mean size, m / (m + n), has a uniform prior. Its posterior mean gives m.
    """
    return kernels.fit_pseudocounts(np.ascontiguousarray(counts), np.array([len(counts)]) if sizes is None else sizes)


def witten_bell(different: Floats, words: int) -> float:
    """A pseudo-count for every word, from the number of different words in each class."""
    different = different[different > 0]
    return float(different.mean() / words) if different.size else 1.0
