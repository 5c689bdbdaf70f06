"""Means and covariances, and the joint density of whichever cells of a row are present."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from tallybayes.counts.exact import Floats, Indices, Mask
from tallybayes.families.belief import Belief, Free, NotLinearError, Part, Terms, by_class
from tallybayes.families.blocks.moments import FLAT, Moments, updated
from tallybayes.families.events import Conditional, NoJointError
from tallybayes.families.numbers.support import FURTHEST
from tallybayes.families.posteriors import NO_POSTERIOR, NormalInverseGamma, Posterior
from tallybayes.kernels import special

SMALL = 1 << 17  # multiplications: up to here BLAS starts no threads, which would compete with ours
MOST_PATTERNS = 1 << 12  # of missing cells whose densities are cached


class JointDensity(NamedTuple):
    """The density of some columns in a class: Gaussian or Student's t for those that vary; the others are certain."""

    certain: Mask
    root: Floats | None  # Cholesky root of the covariance of those that vary; None if it is unknown or singular
    inverse: Floats  # of the root
    nu: float  # degrees of freedom; infinite for a Gaussian
    constant: float

    def log_density(self, away: Floats) -> Floats:
        """The log density of rows, given as columns of deviations from the mean."""
        distance = np.empty(away.shape[1])
        step = max(SMALL // max(len(away), 1) ** 2, 1)
        for start in range(0, len(distance), step):
            whitened = self.inverse @ away[:, start : start + step]
            distance[start : start + step] = np.square(whitened, out=whitened).sum(axis=0)
        return self.constant + self._loss(distance, len(away))

    def _loss(self, distance: Floats, size: int) -> Floats:
        """How much lower the log density is at this squared distance than at the mean."""
        if np.isinf(self.nu):
            return -0.5 * distance
        return -(self.nu + size) / 2.0 * np.log1p(distance / self.nu)

    def shared_out(self, away: Floats) -> Floats:
        """The same loss for one row, shared out among the columns as its squared distance is."""
        shares = away * (self.inverse.T @ (self.inverse @ away))
        distance = shares.sum()
        return shares * (self._loss(distance, len(away)) / distance) if distance > 0 else np.zeros(len(away))


def density_of(covariance: Floats, nu: float, weight: float, log_units: Floats) -> JointDensity:
    """A Gaussian with this covariance, or if the degrees of freedom are finite, with mean and covariance integrated
    out; `log_units` are the logs of the columns' units."""
    certain = np.diag(covariance) == 0
    scale = np.sqrt(np.maximum(np.diag(covariance)[~certain], 0.0))  # unbiased, less than one row would be negative
    size = len(scale)
    nothing = JointDensity(certain, None, np.zeros((0, 0)), nu, -np.inf)
    if not (nu > 0 and weight > 0) or not np.all(np.isfinite(covariance)) or not np.all(scale > 0):
        return nothing
    try:
        root = np.linalg.cholesky(covariance[~certain][:, ~certain] / np.outer(scale, scale))
    except np.linalg.LinAlgError:
        return nothing
    if np.min(np.diag(root) ** 2, initial=1.0) < FLAT:
        return nothing
    root = scale[:, None] * root * np.sqrt(1.0 if np.isinf(nu) else 1.0 + 1.0 / weight)
    volume = np.log(np.diag(root)).sum() + log_units[~certain].sum()
    around = -size / 2.0 * np.log(2.0 * np.pi)
    if np.isfinite(nu) and size:
        around = special.log_rising(np.asarray(nu / 2.0), size / 2.0) - size / 2.0 * np.log(nu * np.pi)
    return JointDensity(certain, root, np.linalg.inv(root), nu, float(around - volume))


@dataclass(frozen=True)
class ByColumn(Posterior):
    """The posterior of the mean and the variance of each column of a block."""

    columns: dict[str, NormalInverseGamma]

    def marginals(self) -> dict[Any, Any]:
        found = {column: known.marginals() for column, known in self.columns.items()}
        return {f"{name}({column})": each for column, known in found.items() for name, each in known.items()}

    def mean(self) -> dict[Any, float]:
        found = {column: known.mean() for column, known in self.columns.items()}
        return {f"{name}({column})": each for column, known in found.items() for name, each in known.items()}


class CorrelatedBelief(Belief):
    """Means and covariances of every class, and cached densities by which columns are present."""

    has_parts = parts_are_columns = True

    def __init__(self, family: Any, s: Moments) -> None:
        self.family = family
        self.s = s
        self.known = updated(family, s)
        constant = (family.m > 0) & (s.all_variance == 0)
        self.silent = constant | (s.all_n == 0)  # no evidence: the same in all classes
        self.fixed = constant & (s.all_n > 0)
        half = -(s.exponents // 2)  # in halves: the whole may overflow
        self._units = [np.ldexp(1.0, part)[:, None] for part in (half, -s.exponents - half)]
        self._densities: dict[bytes, list[JointDensity]] = {}

    def _in_units(self, cells: Floats) -> Floats:
        """The cells in units of the columns: [column, row]."""
        x = cells.T
        for unit in self._units:
            x = x * unit
        return np.clip(x, -FURTHEST, FURTHEST, out=x)

    def add_evidence(self, cells: Floats, scores: Floats) -> None:
        x = self._in_units(cells)
        missing = np.isnan(x)
        if not missing.any() and not self.silent.any():
            self._add(x, ~self.silent, slice(x.shape[1]), scores)
            return
        for rows, seen in _patterns(~missing.T & ~self.silent):
            self._add(x[np.ix_(seen, rows)], seen, rows, scores)

    def _add(self, x: Floats, seen: Mask, rows: Any, scores: Floats) -> None:
        for c, density in enumerate(self._of(seen)):
            away = x - self.known.mean[c, seen, None]
            if density.root is None:
                evidence = np.where(np.all(away == 0.0, axis=0), 0.0, -np.inf)
            elif not density.certain.any():
                evidence = density.log_density(away)
            else:
                evidence = density.log_density(away[~density.certain])
                evidence = np.where(np.all(away[density.certain] == 0.0, axis=0), evidence, -np.inf)
            scores[c, rows] += evidence

    def parts(self, cells: Floats) -> Iterator[list[Part]]:
        """The evidence of each column: its share of the distance from the mean of each class."""
        for x in self._in_units(cells).T:
            evidence = np.zeros((len(x), len(self.known.mean)))
            seen = ~np.isnan(x) & ~self.silent
            for c, density in enumerate(self._of(seen)):
                away = x[seen] - self.known.mean[c, seen]
                shares = np.where(away == 0.0, 0.0, -np.inf)
                if density.root is not None:
                    shares[~density.certain] = density.shared_out(away[~density.certain])
                evidence[seen, c] = shares
            yield [Part(column, 1.0, each) for column, each in zip(self.family.columns, evidence, strict=True)]

    def _of(self, seen: Mask) -> list[JointDensity]:
        """The density of these columns in every class, computed once."""
        found = self._densities.get(seen.tobytes())
        if found is None:
            if len(self._densities) >= MOST_PATTERNS:
                self._densities.clear()
            found = self._densities[seen.tobytes()] = [self._density(c, seen) for c in range(len(self.known.mean))]
        return found

    def _density(self, c: int, seen: Mask) -> JointDensity:
        n, weight, _, covariance = (array[c] for array in self.known)
        among = np.ix_(seen, seen)
        nu = np.inf if self.family.plugin else float(n[among].min(initial=np.inf))
        log_units = self.s.exponents[seen] * np.log(2.0)
        return density_of(covariance[among], nu, float(weight[among].min(initial=np.inf)), log_units)

    def estimates(self) -> dict[str, Floats]:
        columns, exponents = self.family.columns, self.s.exponents
        mean = np.ldexp(self.known.mean, exponents)
        with np.errstate(over="ignore"):
            covariance = np.ldexp(self.known.covariance, exponents[:, None] + exponents)
        found = {f"mean({column})": mean[:, i] for i, column in enumerate(columns)}
        found |= {f"variance({column})": covariance[:, i, i] for i, column in enumerate(columns)}
        pairs = zip(self.family.pairs(), zip(*np.triu_indices(len(columns), 1), strict=True), strict=True)
        return found | {f"covariance({a}, {b})": covariance[:, i, j] for (a, b), (i, j) in pairs}

    def posterior(self, index: int) -> Posterior:
        n, weight, mean, covariance = (array[index] for array in self.known)
        if not np.all(np.diag(weight) > 0):
            raise ValueError(NO_POSTERIOR)
        found = {}
        for i, column in enumerate(self.family.columns):
            unit = np.ldexp(1.0, int(self.s.exponents[i]))
            scale = float(n[i, i] / 2.0 * covariance[i, i] * unit * unit)
            location = float(mean[i] * unit)
            found[column] = NormalInverseGamma(location, float(weight[i, i]), float(n[i, i] / 2.0), scale)
        return ByColumn(found)

    def conditionals(self) -> list[list[Conditional]]:
        raise NoJointError(
            "intervals of correlated columns have no closed-form probability; give each column its own family."
        )

    def free(self) -> Free:
        size = len(self.family.columns)
        spread = size * (size + 1) // 2
        return Free(size, spread) if self.family.shared else Free(size + spread)

    def linear(self) -> Terms:
        """Centred at the middle of the means: a large common term would cost digits."""
        if not (self.family.shared and self.family.plugin):
            raise NotLinearError(
                "Correlated is linear in the values only if all classes share one estimated covariance; use "
                "covariance='shared' and plugin=True."
            )
        speaking = ~self.silent
        density = self._of(speaking)[0]
        if density.root is None or density.certain.any():
            raise NotLinearError("Correlated without a covariance of all its columns is not linear; use m=1.0.")
        mean = self.known.mean[:, speaking]
        origin = np.nanmean(mean, axis=0)
        weights = (mean - origin) @ density.inverse.T @ density.inverse
        constant = -0.5 * np.einsum("ci,ci->c", weights, mean + origin)
        unknown = np.isnan(constant)  # no counts and no prior: every row is impossible
        table = np.zeros((len(speaking), len(mean)))
        table[speaking] = np.where(unknown, 0.0, np.ldexp(weights, -self.s.exponents[speaking]).T)
        return Terms(list(self.family.columns), table, np.where(unknown, -np.inf, constant))

    def draw(self, random: np.random.Generator, classes: Indices) -> pa.Array:
        """A record for every class index; a constant column has its value."""
        drawn = np.full((len(classes), len(self.fixed)), np.nan)
        free = ~self.fixed
        for number, rows in by_class(classes):
            density = self._density(number, free)
            if density.root is None:
                continue
            varied = random.standard_normal((len(rows), len(density.root))) @ density.root.T
            if np.isfinite(density.nu):
                varied = varied / np.sqrt(random.chisquare(density.nu, (len(rows), 1)) / density.nu)
            some = np.tile(self.known.mean[number, free], (len(rows), 1))
            some[:, ~density.certain] += varied
            drawn[np.ix_(rows, free)] = some
        drawn[:, self.fixed] = self.s.all_mean[self.fixed]
        with np.errstate(over="ignore"):
            found = np.clip(np.ldexp(drawn, self.s.exponents), -FURTHEST, FURTHEST)
        cells = [pa.array(column, from_pandas=True) for column in found.T]
        return cells[0] if len(cells) == 1 else pa.StructArray.from_arrays(cells, names=list(self.family.columns))


def _patterns(there: Mask) -> Iterator[tuple[Indices, Mask]]:
    """The rows grouped by which cells are present; rows without any are left out."""
    packed = np.packbits(there, axis=1)
    _, firsts, numbers = np.unique(packed, axis=0, return_index=True, return_inverse=True)
    for number, rows in by_class(numbers.reshape(-1)):
        if there[firsts[number]].any():
            yield rows, there[firsts[number]]
