"""How likely the words of a document are to come again in it, from how many different ones documents have."""

from __future__ import annotations

import numpy as np

from tallybayes.counts.exact import Floats
from tallybayes.kernels import special

MOST_CONCENTRATED = 1e9


def concentration(lengths: Floats, spread: Floats, different: Floats) -> Floats:
    """Of every class s with Σ over documents of s·(ψ(s + length) − ψ(s)) = the number of different words they have,
    added up. Where no word ever comes twice, so large that no word's coming makes it more likely."""
    rows, classes = np.nonzero((spread > 0) & (lengths > 0)[:, None])
    n, length, width = spread[rows, classes], lengths[rows], len(different)
    never_twice = different >= np.bincount(classes, n * length, width) * (1.0 - 1e-9)
    high = np.full(width, np.log(MOST_CONCENTRATED))
    low = np.where(never_twice, high, np.log(1e-6))
    at = (low + high) / 2.0  # logarithms; by Newton's steps, or half-way where these lead astray
    for _ in range(100):
        s = np.exp(at)
        drawn, bent = (
            np.bincount(classes, n * (of(s[classes] + length) - of(s)[classes]), width)
            for of in (special.digamma, special.trigamma)
        )
        excess = s * drawn - different
        low, high = np.where(excess < 0, at, low), np.where(excess < 0, high, at)
        with np.errstate(divide="ignore", invalid="ignore"):
            newton = at - excess / (s * (drawn + s * bent))
        before, at = at, np.where((newton > low) & (newton < high), newton, (low + high) / 2.0)
        if np.abs(at - before).max(initial=0.0) < 1e-13:
            break
    return np.exp(at)
