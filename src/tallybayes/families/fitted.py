"""Smoothing worked out from the counts themselves, for `alpha="fitted"`.

Levels: how much the classes differ in a column is learned from the column. Each class's probabilities are taken as
drawn around a profile that the classes have in common, from a Dirichlet distribution that is worth m values. If the
classes differ by no more than chance, m comes out large and the column says little; if they hardly have a level in
common, m comes out small and a level never met in a class weighs heavily. Words: as many are assumed of each class as
it has different ones (Witten and Bell, 1991).
"""

from __future__ import annotations

import numpy as np

from tallybayes.exact import Floats
from tallybayes.families import special

WORTH = 4.0 ** np.arange(-3, 13)  # how many values the prior may be worth: 1/64 to 16 million
CHUNK = 1 << 18  # so many numbers are looked at at once
ENOUGH_EACH = 10.0  # values for each level, on average, below which a profile of the levels says nothing


def fitted(counts: Floats) -> Floats:
    """One pseudo-count per level, from counts[level, class]; 1 each where there is too little to go by.

    How far the prior moves a class of mean size, m / (m + n), is as likely to be one part as another (the uniform
    shrinkage prior). Its mean under the counts gives m.
    """
    held = counts[:, counts.sum(axis=0) > 0]
    levels, classes = held.shape
    if classes < 2 or levels < 2 or held.sum() < ENOUGH_EACH * levels:
        return np.ones(levels)
    n = held.sum(axis=0)
    profile = np.mean((held + 1.0) / (n + levels), axis=1)
    moved = WORTH / (WORTH + n.mean())
    likely = _log_likelihood(held, n, profile) + np.log(moved) + np.log1p(-moved)
    mean = np.average(moved, weights=np.exp(likely - likely.max()))
    return np.asarray(n.mean() * mean / (1.0 - mean) * profile)


def _log_likelihood(counts: Floats, n: Floats, profile: Floats) -> Floats:
    """log P(counts) for each worth, every class's probabilities integrated out; but for the orders of the values."""
    level, number = np.nonzero(counts > 0)
    values, classes = counts[level, number], np.bincount(level, minlength=len(profile))
    gammaln, pseudo, m = special.gammaln, np.outer(WORTH, profile), WORTH[:, None]
    step = max(CHUNK // len(values), 1)
    met = [gammaln(pseudo[i : i + step, level] + values).sum(axis=1) for i in range(0, len(WORTH), step)]
    unmet = (classes * gammaln(pseudo)).sum(axis=1) + (gammaln(m + n) - gammaln(m)).sum(axis=1)
    return np.asarray(np.concatenate(met) - unmet)


def witten_bell(different: Floats, words: int) -> float:
    """A pseudo-count of each of all words, from how many different ones each class has met."""
    different = different[different > 0]
    return float(different.mean() / words) if different.size else 1.0
