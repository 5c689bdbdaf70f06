"""The weights that maximise the probability of left-out labels: a convex problem in a few dozen variables.

The objective is Σ −log P(class | row) + λ·Σh(θ − θ̄) + 10·Σh(m) + ½(θ̄ − 0.2)² + ½(p − ¼)² + Σb², with θ, m, p ≥ 0. The
weights θ of columns shrink towards their mean, by λ = 13·√(columns/rows), at least 1; the mean θ̄ towards 0.2, the
weights m of missing cells towards 0, and the weight p of the prior towards ¼; b are offsets of the classes. The
pseudo-Huber function h is quadratic near 0 and linear from about ¼ on, so that a few columns may be unlike all others.
With many rows this matters little; with few, weights without information stay near the mean. With more than two classes
each may have weights of its own: θ and m are then their means, towards which they shrink by μ·Σδ², where δ are the
differences and μ = 5·classes·columns/rows, at least 0.2; beside texts at least 1, and for texts, whose evidence is
large, at least 30. Each of k parts of blocks has a weight β, which shrinks towards 1/k by ½(β − 1/k)². With such parts,
left-out rows are often predicted without any error, so a tenth of the mean margin is added: of the evidence for a row's
class, each piece cut at ±10, against the mean of others.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from tallybayes import kernels
from tallybayes.counts.exact import Codes, Floats
from tallybayes.families.lbfgs import Smooth, curvature_of, lbfgs

MANY = 1000  # rows, from which on a class has weights of its own if there are texts
SOME = 10  # rows per class that a class with weights of its own needs
TOGETHER, LOOSELY = 13.0, 1.0  # λ is TOGETHER·√(columns/rows), at least LOOSELY
ALIKE, FREELY = 5.0, 0.2  # μ is ALIKE·classes·columns/rows, at least FREELY; beside texts LOOSELY …
CLOSELY = 30.0  # … and for texts this
SILENT = 10.0  # the penalty on the weights of missing cells
NEAR = 0.25  # up to about here, penalties on weights of columns and missing cells are quadratic, beyond it linear
MEAN, PRIOR = 0.2, 0.25  # what the mean and the weight of the prior shrink towards
SURE, FAR = 0.1, 10.0  # with parts, the penalty on the mean margin, and where the margin of a piece is cut
DIGITS = 6  # of a weight
START = 0.5
STEP = 10  # of many rows, every tenth is used for a first approximation …
MOST = 300  # … unless there are more weights than this


@dataclass(frozen=True)
class Evidenced:
    """The evidence of left-out rows by piece: columns, then missing cells, then the parts of blocks, then the prior."""

    evidence: Floats  # [piece, class, row], or of two classes the second against the first, [piece, 1, row]
    base: Floats  # [class, row]: −∞ where no other row has the class, else 0
    labels: Codes
    weights: Floats  # of the rows
    squares: Floats  # Σ weight · evidence², [piece, class]
    plain: Floats  # the weight of each piece in the unweighed model
    columns: int
    missing: int
    parts: int
    texts: tuple[int, ...] = ()  # the columns whose evidence has many parts, such as words

    def loss(self, thetas: Floats, offsets: Floats) -> tuple[float, Floats]:
        """Σ −log P(class | row), and its gradient."""
        return kernels.weighed_loss(self.evidence, self.base, self.labels, self.weights, thetas, offsets)

    def mean_loss(self, thetas: Floats, offsets: Floats) -> float:
        return self.loss(thetas, offsets)[0] / max(float(self.weights.sum()), 1e-300)

    def loss_alone(self, piece: int) -> float:
        """The mean loss of one piece and the prior."""
        two = replace(self, evidence=np.ascontiguousarray(self.evidence[[piece, -1]]))
        return two.mean_loss(np.ones((len(self.base), 2)), np.zeros(len(self.base)))

    def every(self, step: int) -> Evidenced:
        """Every `step`-th row, reweighted so that the loss is about that of all."""
        evidence, base = (np.ascontiguousarray(array[..., ::step]) for array in (self.evidence, self.base))
        labels, weights = np.ascontiguousarray(self.labels[::step]), float(step) * self.weights[::step]
        return replace(self, evidence=evidence, base=base, labels=labels, weights=weights)

    @property
    def against(self) -> bool:
        """Whether this is the evidence of the second class against the first."""
        return self.evidence.shape[1] < self.base.shape[0]

    @cached_property
    def shape(self) -> tuple[int, int]:
        """Classes and pieces."""
        return self.base.shape[0], self.evidence.shape[0]

    @cached_property
    def naive(self) -> float:
        """The mean loss of the unweighed model."""
        thetas = np.tile(self.plain, (self.shape[0], 1))
        return self.mean_loss(np.ascontiguousarray(thetas), np.zeros(self.shape[0]))

    def unweighed(self) -> Fit:
        """The weights of the unweighed model."""
        classes, pieces = self.shape
        thetas = np.broadcast_to(self.plain[:-1], (classes, pieces - 1))
        return Fit(thetas, float(self.plain[-1]), np.zeros(classes), self.naive)


class Fit(NamedTuple):
    thetas: Floats  # [class, piece], without the prior
    prior: float
    offsets: Floats
    loss: float


def fit_weights(known: Evidenced) -> Fit | None:
    """The best weights; None if they are no better than the unweighed model."""
    classes, pieces = known.shape
    if classes < 2 or not len(known.labels):
        return None
    apart = classes > 2 and len(known.labels) >= max(SOME * classes, MANY if known.texts else 0)
    layout = Layout(classes if apart else 1, pieces - 1 - known.parts, known.parts, classes)
    best = np.array([float(f"{value:.{DIGITS}g}") for value in _minimum(known, layout)])
    thetas, offsets = layout.unpacked(best)
    fit = Fit(thetas[:, :-1], float(thetas[0, -1]), offsets, known.mean_loss(thetas, offsets))
    return fit if fit.loss < known.naive else None


class Layout(NamedTuple):
    """The layout of all weights in one vector: those of columns and missing cells, for each of `own` classes or one for
    all, then those of parts, of the prior, and the offsets."""

    own: int
    each: int
    parts: int
    classes: int

    @property
    def size(self) -> int:
        return self.own * self.each

    def start(self) -> Floats:
        """The starting point: equal weights, no offsets."""
        return np.concatenate([np.full(self.size + self.parts + 1, START), np.zeros(self.classes)])

    def bounds(self) -> tuple[Floats, Floats]:
        """Weights are at least 0; offsets are unbounded."""
        return np.where(self.start() > 0, 0.0, -np.inf), np.full(len(self.start()), np.inf)

    def unpacked(self, values: Floats) -> tuple[Floats, Floats]:
        """The weights by class and piece, the prior last, and the offsets."""
        end = self.size + self.parts + 1
        thetas = np.empty((self.classes, self.each + self.parts + 1))
        thetas[:, : self.each] = values[: self.size].reshape(self.own, self.each)
        thetas[:, self.each :] = values[self.size : end]
        return thetas, values[end:]

    def packed(self, by_piece: Floats, offsets: Floats) -> Floats:
        """The vector of a gradient by class and piece, the prior last, and by class: entries that share a weight are
        summed."""
        each = by_piece[:, : self.each]
        each = each if self.own == self.classes else each.sum(axis=0)
        return np.concatenate([each.reshape(-1), by_piece[:, self.each :].sum(axis=0), offsets])


def _minimum(known: Evidenced, layout: Layout) -> Floats:
    """The minimum of the objective. With many rows, some of them give a first approximation of the minimum and of its
    curvature, so that few steps with all rows remain."""
    unit, (low, high) = _units(known, layout), layout.bounds()
    start, curvature = layout.start() / unit, None
    if len(known.labels) >= MANY * STEP and len(start) <= MOST:
        some = known.every(STEP)
        near = _objective(some, layout, unit)
        first = _curvature(some, layout, unit, start) if some.against else None
        start = lbfgs(near, start, low, high, fall=1e-6, slope=1e-3, curvature=first)
        curvature = _curvature(some, layout, unit, start)
    objective = _objective(known, layout, unit)
    return unit * lbfgs(objective, start, low, high, fall=1e-9, slope=1e-3, curvature=curvature)


def _objective(known: Evidenced, layout: Layout, unit: Floats) -> Smooth:
    """The objective, in variables scaled by `unit`."""
    classes, pieces = known.shape
    strengths = _strengths(known, layout)

    def value(values: Floats) -> tuple[float, Floats]:
        values = values * unit
        loss, slope = known.loss(*layout.unpacked(values))
        slopes = layout.packed(slope[: classes * pieces].reshape(classes, pieces), slope[classes * pieces :])
        penalty, pull = _penalty(values, layout, strengths)
        return loss + penalty, (slopes + pull) * unit

    return value


def _curvature(known: Evidenced, layout: Layout, unit: Floats, at: Floats) -> Floats:
    """Second derivatives of the objective: for two classes, Σ weight · P · (1 − P) · x xᵀ and those of the penalty."""
    if not known.against:
        return curvature_of(_objective(known, layout, unit), at)
    values = at * unit
    (thetas, _), offsets = layout.unpacked(values)
    x = np.concatenate([known.evidence[:, 0], np.ones((2, len(known.labels))) * [[-1.0], [1.0]]])
    scores = np.einsum("p,pr->r", np.append(thetas, offsets), x) + (known.base[1] - known.base[0])
    unsure = known.weights * 0.25 * (1.0 - np.tanh(0.5 * scores) ** 2)
    bent = np.einsum("ir,jr->ij", x * unsure, x) + _penalty_curvature(values, layout, _strengths(known, layout))
    return np.asarray(bent * np.outer(unit, unit))


def _units(known: Evidenced, layout: Layout) -> Floats:
    """The scale of each variable: steps of one unit have about the same effect."""
    classes, _ = known.shape
    unsure = (1.0 / classes) * (1.0 - 1.0 / classes)
    curved = unsure * known.squares.T
    offsets = np.full(classes, unsure * known.weights.sum())
    return np.asarray(1.0 / np.sqrt(layout.packed(curved, offsets) + _together(known)))


class Strengths(NamedTuple):
    """How strongly weights shrink."""

    pieces: Floats  # those of columns towards their mean; negative for missing cells, whose weights shrink towards 0
    classes: Floats  # those of each class towards their mean
    all: Floats | float = 0.0  # every weight towards 0, in proportion to its size


def _strengths(known: Evidenced, layout: Layout) -> Strengths:
    pieces = np.repeat([_together(known), -SILENT], [known.columns, known.missing])
    alike, least = ALIKE * known.shape[0] * known.columns / len(known.labels), LOOSELY if known.texts else FREELY
    classes = np.full(len(pieces), max(alike, least))
    classes[list(known.texts)] = max(alike, CLOSELY)
    return Strengths(pieces, classes, SURE * _margins(known, layout) if known.parts else 0.0)


def _margins(known: Evidenced, layout: Layout) -> Floats:
    """What each weight adds to the mean margin of the rows' own classes."""
    classes, pieces = known.shape
    own = np.equal.outer(np.arange(classes), known.labels)
    signs = np.where(own, 1.0, -1.0 / (classes - 1)) * (known.weights / known.weights.sum())
    signs, furthest = (signs[1:], FAR) if known.against else (signs, 0.5 * FAR)
    by_piece = np.zeros((classes, pieces))
    for j, evidence in enumerate(known.evidence[:-1]):
        by_piece[: len(signs), j] = np.einsum("cr,cr->c", np.clip(evidence, -furthest, furthest), signs)
    return np.maximum(layout.packed(by_piece, np.zeros(classes)), 0.0)


def _together(known: Evidenced) -> float:
    """λ: the fewer rows there are for each column, the less a column's weight can be known."""
    return max(TOGETHER * math.sqrt(known.columns / len(known.labels)), LOOSELY)


def _penalty(values: Floats, layout: Layout, strengths: Strengths) -> tuple[float, Floats]:
    size, end = layout.size, layout.size + layout.parts
    each, parts, prior, offsets = values[:size], values[size:end], values[end], values[end + 1 :]
    each = each.reshape(layout.own, layout.each)
    thetas, column = each.mean(axis=0) if layout.own > 1 else each[0], strengths.pieces > 0
    count = int(column.sum())
    mean = thetas[column].mean() if count else MEAN
    off, apart, strong = parts - 1.0 / max(layout.parts, 1), each - thetas, np.abs(strengths.pieces)
    tail = _tail(thetas - np.where(column, mean, 0.0))
    penalty = strong @ tail.value + 0.5 * ((mean - MEAN) ** 2 + off @ off + (prior - PRIOR) ** 2) + offsets @ offsets
    pull = strong * tail.slope
    slopes = pull + np.where(column, (mean - MEAN - pull[column].sum()) / max(count, 1), 0.0)
    slopes = slopes / layout.own
    slopes = slopes if layout.own == 1 else np.tile(slopes, layout.own) + 2.0 * (strengths.classes * apart).reshape(-1)
    penalty += float((strengths.classes * apart**2).sum()) + float(np.sum(strengths.all * values))
    return float(penalty), np.concatenate([slopes, off, [prior - PRIOR], 2.0 * offsets]) + strengths.all


def _penalty_curvature(values: Floats, layout: Layout, strengths: Strengths) -> Floats:
    """Second derivatives of the penalty where all classes share their weights."""
    column, thetas = strengths.pieces > 0, values[: layout.size]
    share = column / max(int(column.sum()), 1)
    bent = np.abs(strengths.pieces) * _tail(thetas - np.where(column, share @ thetas, 0.0)).curvature
    found = np.diag(np.concatenate([bent, np.ones(layout.parts + 1), np.full(layout.classes, 2.0)]))
    pulled = np.outer(bent * column, share)
    found[: len(share), : len(share)] += (1.0 + bent @ column) * np.outer(share, share) - pulled - pulled.T
    return found


class Tail(NamedTuple):
    value: Floats
    slope: Floats
    curvature: Floats


def _tail(away: Floats) -> Tail:
    """The pseudo-Huber function h: away² near 0, and 2·NEAR·|away| far from it."""
    root = np.sqrt(1.0 + (away / NEAR) ** 2)
    return Tail(2.0 * away * away / (root + 1.0), 2.0 * away / root, 2.0 / root**3)
