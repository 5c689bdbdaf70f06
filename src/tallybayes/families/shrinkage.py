"""Smoothing worked out from the counts themselves, for `alpha="fitted"`.

Levels: how much the classes differ in a column is learned from the column. Each class's probabilities are taken as
drawn around a profile that the classes have in common, from a Dirichlet distribution that is worth m values. If the
classes differ by no more than chance, m comes out large and the column says little; if they hardly have a level in
common, m comes out small and a level never met in a class weighs heavily. Words: as many are assumed of each class as
it has different ones (Witten and Bell, 1991).
"""

from __future__ import annotations

import numpy as np

from tallybayes import kernels
from tallybayes.counts.exact import Floats


def fitted(counts: Floats) -> Floats:
    """One pseudo-count per level, from counts[level, class]; 1 each where there is too little to go by.

    How far the prior moves a class of mean size, m / (m + n), is as likely to be one part as another (the uniform
    shrinkage prior). Its mean under the counts gives m.
    """
    return kernels.fit_pseudocounts(np.ascontiguousarray(counts))


def witten_bell(different: Floats, words: int) -> float:
    """A pseudo-count of each of all words, from how many different ones each class has met."""
    different = different[different > 0]
    return float(different.mean() / words) if different.size else 1.0
