"""The concentration of the Dirichlet-multinomial, from how many different words documents have."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.polynomial import Chebyshev

from tallybayes.counts.exact import Floats
from tallybayes.kernels import special

MOST_CONCENTRATED = 1e9
NEAR = 2.0**-14  # in logarithms: the step of a finite difference
CLOSE = 1e-8  # Newton's steps shrink fast below this, unless rounding is all that is left
REACH = 0.5  # in logarithms, around a concentration: within it a polynomial …
TERMS = 24  # … of this degree is exact to the last digit


def concentration(lengths: Floats, spread: Floats, different: Floats) -> Floats:
    """For every class the s that solves Σ s·(ψ(s + length) − ψ(s)) = Σ different words, over its documents. If no word
    ever repeats, s is so large that repetition has no effect."""
    rows, classes = np.nonzero((spread > 0) & (lengths > 0)[:, None])
    n, length, width = spread[rows, classes], lengths[rows], len(different)
    never_twice = different >= np.bincount(classes, n * length, width) * (1.0 - 1e-9)

    def expected(s: Floats) -> Floats:
        """The expected number of different words, summed over documents."""
        drawn = n * (special.digamma(s[classes] + length) - special.digamma(s)[classes])
        return s * np.bincount(classes, drawn, width)

    high = np.full(width, np.log(MOST_CONCENTRATED))
    low = np.where(never_twice, high, np.log(1e-6))
    at = (low + high) / 2.0  # logarithms; by Newton's method, or bisection if it leaves the bracket
    step = np.full(width, np.inf)
    for _ in range(100):
        found = expected(np.exp(at))
        low, high = np.where(found < different, at, low), np.where(found < different, high, at)
        slope = (expected(np.exp(at + NEAR)) - found) / NEAR  # cheaper than the derivative, and as good
        with np.errstate(divide="ignore", invalid="ignore"):
            newton = at - (found - different) / slope
        before, at = at, np.where((newton >= low) & (newton <= high), newton, (low + high) / 2.0)
        earlier, step = step, np.abs(at - before)
        if np.all((step < 1e-13) | ((step < CLOSE) & (step > earlier / 2.0))):  # only rounding is left
            break
    return np.exp(at)


class Document(NamedTuple):
    """Documents of one class, each left out by itself."""

    length: Floats
    weight: Floats
    left: Floats  # Σ different words of the others


def concentration_without(lengths: Floats, spread: Floats, start: float, gone: Document) -> Floats:
    """The concentration of one class without each of its documents; `spread` counts documents by length, and `start` is
    the concentration of all of them.

    What all documents add to the equation does not depend on which is left out, and is smooth: near that concentration
    a polynomial gives every digit. A document that changes the solution a lot is solved for by itself."""

    def drawn(logarithms: Floats) -> Floats:
        """The expected number of different words in all documents."""
        s = np.exp(logarithms)[:, None]
        return np.exp(logarithms) * ((special.digamma(s + lengths) - special.digamma(s)) @ spread)

    found = np.full(len(gone.length), MOST_CONCENTRATED)
    never_twice = gone.left >= (spread @ lengths - gone.weight * gone.length) * (1.0 - 1e-9)
    near = _near(drawn, float(np.log(start)), gone)
    found[~never_twice] = np.exp(near[~never_twice])
    for row in np.flatnonzero(~never_twice & np.isnan(near)):
        rest = spread - gone.weight[row] * (lengths == gone.length[row])
        (found[row],) = concentration(lengths, np.maximum(rest, 0.0)[:, None], gone.left[row : row + 1])
    return found


def _near(drawn: Callable[[Floats], Floats], start: float, gone: Document) -> Floats:
    """The log concentrations by Newton's method, from that of all documents; NaN if it diverges."""
    series = Chebyshev.interpolate(drawn, TERMS, [start - REACH, start + REACH])
    slope = series.deriv()
    at = np.full(len(gone.length), start)
    for _ in range(12):
        s = np.exp(at)
        with np.errstate(invalid="ignore", divide="ignore"):
            own = special.digamma(s + gone.length) - special.digamma(s)
            bent = special.trigamma(s + gone.length) - special.trigamma(s)
            excess = series(at) - gone.weight * s * own - gone.left
            step = excess / (slope(at) - gone.weight * s * (own + s * bent))
        before, at = at, np.where(np.abs(at - step - start) < REACH, at - step, np.nan)
        if not np.any(np.abs(at - before) > 1e-14):
            break
    return at
