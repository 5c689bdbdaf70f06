"""Leave-one-out of correlated columns: exact sums without each row, and many covariances at once.

The fast path is for blocks without missing cells whose covariance stays regular without the row. Any other row is
subtracted and scored by itself, with the same result.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tallybayes.counts.exact import Exact, Floats
from tallybayes.counts.sums import concatenated, mean, scatter_of_two, weighted_sums
from tallybayes.counts.tallies import Tallies
from tallybayes.counts.tally import Key, Rows
from tallybayes.families.blocks.moments import Moments, Updated, moments_of, updated
from tallybayes.families.left_out import one_by_one, taken, weights_of
from tallybayes.families.numbers.support import FURTHEST
from tallybayes.kernels import special

STEP = 1 << 17  # covariances of two columns at a time
APART = 1e-9  # the least variance of any combination of columns, relative to independent ones


class CorrelatedLeftOut:
    """The sums of a block, and rows subtracted from them."""

    def __init__(self, family: Any, tally: Tallies, classes: Sequence[Key]) -> None:
        self.family, self.alone = family, one_by_one(family, tally, classes)
        self.complete = not tally["apart"].filled()
        self.s = moments_of(family, tally, classes)
        columns, size = tally["columns"].aligned(family.columns, classes).sums, len(family.columns)
        pairs = tally["pairs"].aligned(family.pairs(), classes).sums["xy"]
        self.firsts, self.seconds = (
            np.concatenate([np.arange(size), side]) for side in np.triu_indices(size, 1)
        )  # of every product: squares, then pairs
        self.n, self.x = _by_class(columns["n"][:1]), _by_class(columns["x"])
        self.xy = _by_class(concatenated([columns["xx"], pairs]))

    def __call__(self, cells: Floats, rows: Rows) -> Floats:
        evidence = np.zeros((len(rows), len(rows.classes)))
        there = ~np.isnan(cells)
        whole = np.asarray(there.all(axis=1) & self.complete)
        step = max(STEP // (len(rows.classes) * cells.shape[1] ** 2), 1)
        at = np.flatnonzero(whole)
        for start in range(0, len(at), step):
            some = at[start : start + step]
            evidence[some], whole[some] = self._evidence(np.ascontiguousarray(cells[some]), rows.take(some))
        for row in np.flatnonzero(~whole & there.any(axis=1)).tolist():
            evidence[row] = self.alone(cells[row : row + 1], rows.slice(row, row + 1))[0]
        return evidence

    def _evidence(self, x: Floats, rows: Rows) -> tuple[Floats, Any]:
        """The evidence of rows, and for which of them it is valid."""
        s = self._moments(x, rows)
        known = updated(self.family, s)
        sound = np.all(s.all_n > 0, axis=1) & np.all(s.all_variance > 0, axis=1)
        variance = np.einsum("...ii->...i", known.covariance)
        usable = np.isfinite(known.covariance).all(axis=(2, 3)) & np.all(variance > 0, axis=2)
        usable &= (known.n[..., 0, 0] > 0) & (known.weight[..., 0, 0] > 0)
        scale = np.sqrt(np.where(usable[..., None], variance, 1.0))
        plain = np.eye(x.shape[1])
        correlation = np.where(usable[..., None, None], known.covariance, plain)
        correlation = correlation / (scale[..., :, None] * scale[..., None, :])
        usable &= np.linalg.eigvalsh(correlation)[..., 0] > APART
        root = np.linalg.cholesky(np.where(usable[..., None, None], correlation, plain))
        with np.errstate(over="ignore", invalid="ignore"):
            units = np.ldexp(1.0, -s.exponents)
            away = np.clip(x * units, -FURTHEST, FURTHEST)[:, None, :] - known.mean
            whitened = np.linalg.solve(root, np.where(usable[..., None], away / scale, 0.0)[..., None])[..., 0]
        return self._log_density(known, root, scale, np.square(whitened).sum(axis=-1)), sound & usable.all(axis=1)

    def _log_density(self, known: Updated, root: Floats, scale: Floats, distance: Floats) -> Floats:
        """As in `correlated_belief.JointDensity`."""
        size = root.shape[-1]
        volume = np.log(np.einsum("...ii->...i", root) * scale).sum(axis=-1) + self.s.exponents.sum() * np.log(2.0)
        if self.family.plugin:
            return -size / 2.0 * np.log(2.0 * np.pi) - volume - 0.5 * distance
        nu, weight = (np.where(each > 0, each, 1.0) for each in (known.n[..., 0, 0], known.weight[..., 0, 0]))
        wider = 1.0 + 1.0 / weight  # than the covariance, for the uncertainty of the mean
        around = special.log_rising(nu / 2.0, size / 2.0) - size / 2.0 * np.log(nu * np.pi * wider)
        return np.asarray(around - volume - (nu + size) / 2.0 * np.log1p(distance / wider / nu))

    def _moments(self, x: Floats, rows: Rows) -> Moments:
        """The moments of every class and of all rows, without each of these rows."""
        codes, each, size = rows.codes, np.arange(len(rows)), x.shape[1]
        own = self._own(x, weights_of(rows))
        mine = self._of(*(taken(sums, codes, part) for sums, part in zip((self.n, self.x, self.xy), own, strict=True)))
        whole = self._of(*(sums.sum()[None] - part for sums, part in zip((self.n, self.x, self.xy), own, strict=True)))
        n, means, spread = (
            np.repeat(array[None], len(rows), axis=0) for array in (self.s.n, self.s.mean, self.s.scatter)
        )
        n[each, codes], means[each, codes], spread[each, codes] = (
            np.broadcast_to(mine[0][:, None, None], (len(rows), size, size)),
            mine[1],
            mine[2],
        )
        total = np.repeat(whole[0][:, None], size, axis=1)
        variance = np.maximum(np.einsum("...ii->...i", whole[2]), 0.0)
        all_variance = np.divide(variance, total, out=np.zeros_like(variance), where=total > 0)
        return Moments(self.s.exponents, n, means, spread, total, whole[1], all_variance)

    def _own(self, x: Floats, weights: Floats) -> tuple[Exact, Exact, Exact]:
        """What each row added to the sums: of rows, of every column and of every product."""

        def products(*factors: Floats) -> Exact:
            count, width = factors[0].shape
            repeated = [np.repeat(weights, width), *(factor.reshape(-1) for factor in factors)]
            sums = weighted_sums(repeated, np.arange(count * width, dtype=np.int32), count * width)
            return Exact(sums.limbs.reshape(count, width, -1), sums.low)

        return Exact.of(weights)[:, None], products(x), products(x[:, self.firsts], x[:, self.seconds])

    def _of(self, n: Exact, x: Exact, xy: Exact) -> tuple[Floats, Floats, Floats]:
        """Counts, means and scatters of several sets of rows, each quotient rounded once."""
        count, exponents = len(n), self.s.exponents
        size, products = x.shape[1], xy.shape[1]
        places = np.tile(exponents[self.firsts] + exponents[self.seconds], count)
        between = scatter_of_two(_wide(n, products), x[:, self.firsts], x[:, self.seconds], xy, places)
        spread = np.zeros((count, size, size))
        spread[:, self.firsts, self.seconds] = spread[:, self.seconds, self.firsts] = between
        return n.round()[:, 0], np.ldexp(mean(_wide(n, size), x), -exponents), spread


def _by_class(sums: Exact) -> Exact:
    """[column, class] → [class, column]."""
    return Exact(np.ascontiguousarray(sums.limbs.swapaxes(0, 1)), sums.low).carried()


def _wide(n: Exact, columns: int) -> Exact:
    """The counts, repeated for each column."""
    return Exact(np.repeat(n.limbs, columns, axis=1), n.low)
