"""Means and covariances of a block, from exact sums, with a prior.

The covariance of two columns is that of the rows in which both are present (pairwise deletion), so no cell is ignored
because another one is missing. If nothing is missing, it is the usual covariance.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tallybayes.counts.exact import LIMB, Exact, Floats
from tallybayes.counts.sums import mean, scatter_of_two
from tallybayes.counts.tallies import Tallies
from tallybayes.counts.tally import Key

FLAT = 1e-13  # the least variance, relative to independent columns, that is not rounding
LEAST = 0.01  # the same, if covariances contradict one another


class Moments(NamedTuple):
    """The moments by class and column; each column in its own unit, so that no square is out of range."""

    exponents: NDArray[np.int64]  # of two: the columns' units
    n: Floats  # [class, column, column]: rows that have both
    mean: Floats  # [class, column]
    scatter: Floats  # [class, column, column]: Σ(x − mean)(y − mean)
    all_n: Floats  # [column], over all classes: how many values,
    all_mean: Floats  # their mean
    all_variance: Floats  # and their variance


class Updated(NamedTuple):
    """The posterior: the prior's rows and those counted, together."""

    n: Floats  # [class, column, column]: rows behind a covariance, the prior's included
    weight: Floats  # [class, column, column]: and behind the means
    mean: Floats  # [class, column]
    covariance: Floats  # [class, column, column]


def moments_of(family: Any, tally: Tallies, classes: Sequence[Key]) -> Moments:
    """The exact sums of these classes, each quotient rounded once."""
    columns, pairs = family.columns, family.pairs()
    n, x, xx = (tally["columns"].aligned(columns, classes).sums[name] for name in ("n", "x", "xx"))
    both = tally["pairs"].aligned(pairs, classes).sums
    one, other = (tally["apart"].aligned(some, classes).sums["x"] for some in (pairs, [(b, a) for a, b in pairs]))
    firsts, seconds = np.triu_indices(len(columns), 1)
    exponents = _exponents(n.sum(axis=1), xx.sum(axis=1))
    counts, spread = (np.zeros((len(columns), len(columns), len(classes))) for _ in range(2))
    itself = np.arange(len(columns))
    counts[itself, itself] = n.round()
    spread[itself, itself] = _scatter(n, x, x, xx, 2 * exponents)
    counts[firsts, seconds] = counts[seconds, firsts] = both["n"].round()
    between = _scatter(
        both["n"], x[firsts] - one, x[seconds] - other, both["xy"], exponents[firsts] + exponents[seconds]
    )
    spread[firsts, seconds] = spread[seconds, firsts] = between
    all_n, all_x, all_xx = (sums.sum(axis=1) for sums in (n, x, xx))
    total = all_n.round()
    variance = _scatter(all_n[:, None], all_x[:, None], all_x[:, None], all_xx[:, None], 2 * exponents)[:, 0]
    return Moments(
        exponents=exponents,
        n=counts.transpose(2, 0, 1),
        mean=np.ldexp(mean(n, x), -exponents[:, None]).T,
        scatter=spread.transpose(2, 0, 1),
        all_n=total,
        all_mean=np.ldexp(mean(all_n, all_x), -exponents),
        all_variance=np.divide(np.maximum(variance, 0.0), total, out=np.zeros(len(columns)), where=total > 0),
    )


def updated(family: Any, s: Moments) -> Updated:
    """A Normal-inverse-Wishart prior worth m rows, whose marginal for each column is that of `Gaussian`. The moments
    may have a leading axis, for several sets of rows."""
    m, n = family.m, s.n
    guess = np.where(s.all_variance > 0, s.all_variance, s.all_mean**2)
    spread = m * np.where(guess > 0, guess, 1.0)[..., None, :, None] * np.eye(n.shape[-1])
    weight = m + n
    own = np.einsum("...ii->...i", n)
    deviation = s.mean - s.all_mean[..., None, :]
    with np.errstate(divide="ignore", invalid="ignore"):
        mean = s.mean - m / (m + own) * deviation
        between = m * n / weight * deviation[..., :, None] * deviation[..., None, :]
        scatter = np.where(n > 0, s.scatter + between, 0.0)
        lost = (n > 0).astype(np.float64) * family.unbiased
        if family.shared:
            n, scatter, lost = (np.broadcast_to(a.sum(axis=-3, keepdims=True), n.shape) for a in (n, scatter, lost))
        covariance = (spread + scatter) / (m + n - lost)
    incomplete = np.any(own[..., :, None] != s.n, axis=(-2, -1))
    if family.shared:
        incomplete = np.broadcast_to(incomplete.any(axis=-1, keepdims=True), incomplete.shape)
    usable = np.where(np.isfinite(covariance), covariance, 0.0)
    for at in map(tuple, np.argwhere(incomplete)):
        covariance[at] = possible(usable[at])
    return Updated(m + n, weight, mean, covariance)


def possible(covariance: Floats) -> Floats:
    """Covariances from different rows may contradict one another: if a matrix is not positive definite, all
    correlations shrink until it is."""
    variance = np.diag(covariance)
    scale = np.sqrt(np.where(variance > 0, variance, 1.0))
    correlation = covariance / np.outer(scale, scale)
    np.fill_diagonal(correlation, 1.0)
    least = float(np.linalg.eigvalsh(correlation)[0])
    if least > FLAT:
        return covariance
    kept = (1.0 - LEAST) / (1.0 - least)
    return np.where(np.eye(len(variance)) > 0, covariance, kept * covariance)


def _exponents(n: Exact, xx: Exact) -> NDArray[np.int64]:
    """The powers of two closest to the size of each column's values."""
    pairs = zip(n.integers(), xx.integers(), strict=True)
    sizes = [square.bit_length() - count.bit_length() if square else None for count, square in pairs]
    return np.array([0 if s is None else (s + LIMB * (xx.low - n.low)) // 2 for s in sizes], np.int64)


def _scatter(n: Exact, x: Exact, y: Exact, xy: Exact, places: NDArray[np.int64]) -> Floats:
    return scatter_of_two(n, x, y, xy, np.repeat(places, n.shape[1]))
