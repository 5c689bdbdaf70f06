"""The weights under which left-out rows are most probable: a convex problem of a few dozen numbers.

What is minimised is Σ −log P(class | row) + λ·Σ(θ − θ̄)² + 10·Σm² + ½(θ̄ − 0.2)² + ½(p − ¼)² + Σb², with θ, m, p ≥ 0:
weights of columns are drawn towards each other, and all of them together towards being unsure; weights m of cells being
missing towards nothing. With many rows that matters little; with few, weights that nothing is known of stay near the
mean.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from tallybayes import kernels
from tallybayes.counts.exact import Codes, Floats
from tallybayes.families.minimum import minimum

MANY = 1000  # rows, from which on …
TOGETHER, LOOSELY = 4.0, 1.0  # λ: … weights are drawn to their mean less strongly
SILENT = 10.0  # how strongly those of missing cells are drawn to nothing
MEAN, PRIOR = 0.2, 0.25  # what the mean, and the weight of the prior, are drawn to
DIGITS = 6  # of a weight
START = 0.5


@dataclass(frozen=True)
class Evidenced:
    """Left-out rows, and what each piece of evidence says of them: columns, then what is missing, then the prior."""

    evidence: Floats  # [row, class, piece]
    base: Floats  # [row, class]: −∞ where no other row has the class, else 0
    labels: Codes
    weights: Floats  # of the rows
    columns: int
    missing: int

    def loss(self, thetas: Floats, offsets: Floats) -> tuple[float, Floats]:
        """Σ −log P(class | row), and its gradient."""
        return kernels.weighed_loss(self.evidence, self.base, self.labels, self.weights, thetas, offsets)

    def mean_loss(self, thetas: Floats, offsets: Floats) -> float:
        return self.loss(thetas, offsets)[0] / max(float(self.weights.sum()), 1e-300)

    @cached_property
    def shape(self) -> tuple[int, int]:
        """Classes and pieces."""
        return self.evidence.shape[1], self.evidence.shape[2]

    def naive(self) -> float:
        """The mean loss where columns and prior count one, and nothing is said of missing cells."""
        thetas = np.ones(self.shape)
        thetas[:, self.columns : -1] = 0.0
        return self.mean_loss(thetas, np.zeros(self.shape[0]))


class Fit(NamedTuple):
    thetas: Floats  # [class, piece], without the prior
    prior: float
    offsets: Floats
    loss: float


def fit_weights(known: Evidenced) -> Fit | None:
    """The best weights; nothing, where they are no better than none."""
    classes, _ = known.shape
    if classes < 2 or not len(known.labels):
        return None
    apart = classes > 2 and len(known.labels) >= MANY
    found = _minimised(known, classes if apart else 1)
    fit = found._replace(loss=known.mean_loss(*_laid_out(found)))
    return fit if fit.loss < known.naive() else None


def _laid_out(fit: Fit) -> tuple[Floats, Floats]:
    prior = np.full((len(fit.offsets), 1), fit.prior)
    return np.ascontiguousarray(np.hstack([fit.thetas, prior])), fit.offsets


def _minimised(known: Evidenced, own: int) -> Fit:
    """With a set of weights for each of `own` classes, or one for all."""
    classes, pieces = known.shape
    size = own * (pieces - 1)

    def unpacked(values: Floats) -> Fit:
        thetas = np.broadcast_to(values[:size].reshape(own, pieces - 1), (classes, pieces - 1))
        return Fit(thetas, float(values[size]), values[size + 1 :], 0.0)

    def objective(values: Floats) -> tuple[float, Floats]:
        loss, slope = known.loss(*_laid_out(unpacked(values)))
        of_thetas = slope[: classes * pieces].reshape(classes, pieces)
        each = of_thetas[:, :-1] if own == classes else of_thetas[:, :-1].sum(axis=0)
        slopes = np.concatenate([each.reshape(-1), [of_thetas[:, -1].sum()], slope[classes * pieces :]])
        penalty, pull = _penalty(values, size, strengths)
        return loss + penalty, slopes + pull

    unit, strengths = _units(known, own), _strengths(known, own)

    def scaled(values: Floats) -> tuple[float, Floats]:
        loss, slopes = objective(values * unit)
        return loss, slopes * unit

    start = np.concatenate([np.full(size + 1, START), np.zeros(classes)])
    low = np.where(np.arange(len(start)) <= size, 0.0, -np.inf)
    best = unit * minimum(scaled, start / unit, low, np.full(len(start), np.inf), fall=1e-7, slope=1e-3)
    return unpacked(np.array([float(f"{value:.{DIGITS}g}") for value in best]))


def _units(known: Evidenced, own: int) -> Floats:
    """How far each number has to change for about the same effect: steps are as long in all directions."""
    classes, _ = known.shape
    unsure = (1.0 / classes) * (1.0 - 1.0 / classes)
    curved = unsure * np.einsum("r,rcp,rcp->cp", known.weights, known.evidence, known.evidence)
    each = curved[:, :-1] if own == classes else curved[:, :-1].sum(axis=0)
    offsets = np.full(classes, unsure * known.weights.sum())
    return np.asarray(1.0 / np.sqrt(np.concatenate([each.reshape(-1), [curved[:, -1].sum()], offsets]) + TOGETHER))


def _strengths(known: Evidenced, own: int) -> Floats:
    """How strongly the weight of each piece is drawn: a column's to the mean of columns, another to nothing."""
    together = TOGETHER if len(known.labels) < MANY else LOOSELY
    return np.tile(np.repeat([together, -SILENT], [known.columns, known.missing]), own)


def _penalty(values: Floats, size: int, strengths: Floats) -> tuple[float, Floats]:
    thetas, prior, offsets = values[:size], values[size], values[size + 1 :]
    column = strengths > 0
    count = int(column.sum())
    mean = thetas[column].mean() if count else MEAN
    away = thetas - np.where(column, mean, 0.0)
    pull = np.abs(strengths) * away
    penalty = pull @ away + 0.5 * (mean - MEAN) ** 2 + 0.5 * (prior - PRIOR) ** 2 + offsets @ offsets
    slopes = 2.0 * pull + np.where(column, (mean - MEAN) / max(count, 1), 0.0)
    return float(penalty), np.concatenate([slopes, [prior - PRIOR], 2.0 * offsets])
