"""How likely the words of a document are to come again in it, from how many different ones documents have."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.polynomial import Chebyshev
from numpy.typing import NDArray

from tallybayes.counts.exact import Floats
from tallybayes.kernels import special

MOST_CONCENTRATED = 1e9
REACH = 0.5  # in logarithms, around a concentration: so far a polynomial …
TERMS = 24  # … of this degree is what it stands for, to the last digit


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


class Document(NamedTuple):
    """Documents of one class, each of which is left out by itself."""

    length: Floats
    weight: Floats
    left: Floats  # how many different words the others have, added up

    def where(self, kept: NDArray[np.bool_]) -> Document:
        return Document(self.length[kept], self.weight[kept], self.left[kept])


def concentration_without(lengths: Floats, spread: Floats, start: float, gone: Document) -> Floats:
    """The concentration of one class without each of its documents; `spread` says how many are so long, and `start` is
    that of all of them.

    What all documents add to the equation is the same for whichever is left out, and smooth: near that
    concentration, it is a polynomial to the last digit. A document without which all is different is solved for by
    itself."""
    found = np.full(len(gone.length), MOST_CONCENTRATED)
    never_twice = gone.left >= (spread @ lengths - gone.weight * gone.length) * (1.0 - 1e-9)
    near = _near(_Drawn(lengths, spread), float(np.log(start)), gone)
    found[~never_twice] = np.exp(near[~never_twice])
    for row in np.flatnonzero(~never_twice & np.isnan(near)):
        rest = spread - gone.weight[row] * (lengths == gone.length[row])
        (found[row],) = concentration(lengths, np.maximum(rest, 0.0)[:, None], gone.left[row : row + 1])
    return found


class _Drawn(NamedTuple):
    """How many different words documents of these lengths have at a concentration."""

    lengths: Floats
    n: Floats

    def at(self, logarithms: Floats) -> Floats:
        s = np.exp(logarithms)[:, None]
        return np.exp(logarithms) * ((special.digamma(s + self.lengths) - special.digamma(s)) @ self.n)


def _near(drawn: _Drawn, start: float, gone: Document) -> Floats:
    """The logarithms of the concentrations, by Newton's steps from that of all documents; NaN where they lead away."""
    series = Chebyshev.interpolate(drawn.at, TERMS, [start - REACH, start + REACH])
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
