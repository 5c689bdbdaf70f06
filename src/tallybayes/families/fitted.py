"""Pseudo-counts that are estimated from the counts themselves (empirical Bayes)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tallybayes import kernels
from tallybayes.counts.exact import Counts, Floats
from tallybayes.families.smoothing import FITTED, Alpha, pseudocounts

LEAST_PSEUDO, MOST_PSEUDO = 1e-3, 1.0  # of a level under EM: values fitted to the start must not keep EM there


def pseudo_of(alpha: Alpha, levels: Sequence[Any], counts: Floats) -> Floats:
    """Pseudo-counts [level, class], or [level, 1] if all classes have the same, from counts[level, class].

    Fitted ones are spread like the classes' profile, or, if that explains the classes of each level much worse, they
    are as many for every level: P(class | level) is drawn from a Dirichlet distribution around the classes' shares.
    """
    if alpha != FITTED:
        return pseudocounts(alpha, levels, counts.sum(axis=1))[:, None]
    counts = np.ascontiguousarray(counts)
    strength = kernels.fit_strength(counts)
    if not strength:
        return fitted(counts)[:, None]
    return np.repeat(strength * class_shares(counts.sum(axis=0, keepdims=True)), len(counts), axis=0)


def class_shares(totals: Floats) -> Floats:
    """Of all values, along the last axis; a class without any gets a mean share."""
    even = np.full(totals.shape, 1.0 / max(totals.shape[-1], 1))
    return np.divide(totals, totals.sum(axis=-1, keepdims=True), out=even, where=totals > 0)


def fitted(counts: Floats, sizes: Counts | None = None) -> Floats:
    """One pseudo-count per level, from counts[level, class]; 1 each if there is too little data (empirical Bayes). With
    `sizes`, several columns of so many levels each, one after another.

    The probabilities of each class are assumed to be drawn from a Dirichlet distribution around a common profile, worth
    m values. If the classes differ by no more than chance, m is large and the column is weak evidence; if they have
    hardly a level in common, m is small, and a level that a class never had is strong evidence. The shrinkage of a
    class of mean size, m / (m + n), has a uniform prior; its posterior mean gives m.
    """
    return kernels.fit_pseudocounts(np.ascontiguousarray(counts), np.array([len(counts)]) if sizes is None else sizes)


def settled_pseudo(fitted: Floats) -> Floats:
    """Fitted pseudo-counts as EM holds them; a level without any gets a small one."""
    return np.clip(fitted, LEAST_PSEUDO, MOST_PSEUDO)


def witten_bell(different: Floats, words: Any) -> Floats:
    """A pseudo-count for every word: each class, the last axis, gets as many as it has different words (Witten and
    Bell, 1991)."""
    classes = np.count_nonzero(different > 0, axis=-1)
    mean = different.sum(axis=-1, where=different > 0) / np.maximum(classes, 1)
    return np.where(classes > 0, mean / np.maximum(words, 1), 1.0)
