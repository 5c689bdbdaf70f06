"""What to ask next: how much knowing a missing cell is expected to tell about the class of a row.

Whatever the column, its possible values are listed with how probable they are in each class: all levels; numbers on a
grid that is dense where the classes are and reaches far out; texts and blocks as they may be drawn. Then the answer is
worked out for each.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from tallybayes.counts.exact import Floats
from tallybayes.data.matching import MISSING
from tallybayes.families.base import Belief, Family
from tallybayes.families.smoothing import SmoothedBelief
from tallybayes.model import decide
from tallybayes.model.scoring import Beliefs
from tallybayes.schema.entries import Name, in_order

POINTS = 2001  # of a grid of numbers
REACH = 9.0  # how far it goes, on the scale of its own
WHOLE = 1 << 14  # whole numbers that are gone through
DRAWN = 400  # texts for each class, or what else cannot be listed, and numbers to find out where they lie
ENOUGH = 1.0 - 1e-9
LARGEST_LOG = 700.0  # of a number that can be computed with


class Question(NamedTuple):
    """A missing cell, and what is gained by knowing it."""

    column: Name
    gain: float  # in nats, or in costs


class Values(NamedTuple):
    """Values that a cell may have, and log P(value | class), or what stands for it: [class, value]."""

    cells: Any  # as the family takes them
    logs: Floats


def questions(known: Beliefs, row: Any, costs: Floats | None) -> list[Question]:
    """Of all cells that are missing, the most telling first."""
    batches = list(known.encoded(row, MISSING))
    if len(batches) != 1 or batches[0].rows != 1:
        raise ValueError(f"Which cell of which row? There are {sum(b.rows for b in batches)} rows; give one.")
    cells = batches[0].cells
    scores = known.scores_of(cells, 1)
    lacking = [name for name in cells if bool(known.schema.columns[name].missing(cells[name])[0])]
    found = [Question(name, _gain(known, name, scores, costs)) for name, _ in in_order(dict.fromkeys(lacking))]
    return sorted(found, key=lambda question: -question.gain)


def _gain(known: Beliefs, name: Name, scores: Floats, costs: Floats | None) -> float:
    """What is not known before, less what will not be known afterwards."""
    values = values_of(known.schema.columns[name], known.counted[name], len(known.keys))
    if values is None:
        return 0.0
    before = decide.probabilities(scores, known.prior)
    weights = before[:, 0] @ np.exp(values.logs)
    after = np.repeat(scores, len(weights), axis=1)
    known.columns[name].add_evidence(values.cells, after)
    left = (weights * _open(decide.probabilities(after, known.prior), costs)).sum() / weights.sum()
    return float(_open(before, costs)[0] - left)


def values_of(family: Family, belief: Belief, classes: int) -> Values | None:
    """What the cell may be; nothing, where that is not known."""
    if family.support is not None and not family.takes_blocks:
        return _numbers(family, belief, classes)
    if isinstance(belief, SmoothedBelief):
        cells = family.encode(pa.array(belief.levels, pa.string()))
        return Values(cells, _said(belief, cells, len(belief.levels), classes)) if belief.levels else None
    return _drawn(family, belief, classes)


def _said(belief: Belief, cells: Any, size: int, classes: int) -> Floats:
    said = np.zeros((classes, size))
    belief.add_evidence(cells, said)
    return said


def _numbers(family: Family, belief: Belief, classes: int) -> Values | None:
    support = family.support
    assert support is not None
    if support.whole:
        x = np.arange(WHOLE, dtype=np.float64)
        said = _said(belief, x, len(x), classes)
        enough = int(np.searchsorted(np.cumsum(np.exp(said), axis=1).min(axis=0), ENOUGH)) + 1
        return Values(x[:enough], said[:, :enough])
    some = belief.draw(np.random.default_rng(0), np.repeat(np.arange(classes), DRAWN)).to_numpy(zero_copy_only=False)
    some = some[np.isfinite(some)]
    if not some.size:
        return None
    x, steps = _grid(np.log(some[some > 0]) if support.lowest == 0.0 and (some > 0).any() else some)
    if support.lowest == 0.0:
        held = np.abs(x) < LARGEST_LOG
        x, steps = np.exp(x[held]), steps[held] + x[held]
    return Values(x, _said(belief, x, len(x), classes) + steps)


def _grid(some: Floats) -> tuple[Floats, Floats]:
    """Points around these, and the logarithms of the steps between them: even in the middle, and wider the further
    out."""
    middle, wide = float(np.median(some)), float(np.quantile(some, 0.9) - np.quantile(some, 0.1)) or 1.0
    u = np.linspace(-REACH, REACH, POINTS)
    return middle + wide * np.sinh(u), np.log(wide * np.cosh(u) * (u[1] - u[0]))


def _drawn(family: Family, belief: Belief, classes: int) -> Values:
    """As many of each class, each as probable as the others of its class."""
    numbers = np.repeat(np.arange(classes), DRAWN)
    cells = family.encode(belief.draw(np.random.default_rng(0), numbers))
    logs = np.where(numbers == np.arange(classes)[:, None], -np.log(DRAWN), -np.inf)
    return Values(cells, logs)


def _open(posterior: Floats, costs: Floats | None) -> Floats:
    """The entropy of every answer, or what the best decision costs."""
    if costs is not None:
        return np.asarray(decide.expected_cost(posterior.T, costs).min(axis=1))
    logs = np.log(np.where(posterior > 0, posterior, 1.0))
    return np.asarray(-(posterior * logs).sum(axis=0))
