"""What to ask next: the expected value of knowing a missing cell of a row.

The possible values of a column are listed with their probability in each class: all levels; numbers on a grid that is
dense where the classes are and reaches far out; for texts and blocks a sample. Then the answer is computed for each.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from tallybayes.counts.exact import Floats
from tallybayes.data import frames
from tallybayes.data.matching import MISSING
from tallybayes.families.base import Belief, Family
from tallybayes.families.events import NoJointError
from tallybayes.model import decide
from tallybayes.model.scoring import Beliefs
from tallybayes.schema.entries import Name, apart, each_once, in_order

POINTS = 2001  # of a grid of numbers
REACH = 9.0  # of the grid, in standard units
WHOLE = 1 << 14  # whole numbers that are listed
DRAWN = 400  # texts per class, or other values that cannot be listed; and numbers, to find their range
ENOUGH = 1.0 - 1e-9
LARGEST_LOG = 700.0  # of a number within the range of a double


class Question(NamedTuple):
    """A missing cell, and the expected gain from knowing it."""

    column: Name
    gain: float  # in nats, or in units of cost


class Values(NamedTuple):
    """Possible values of a cell, and log P(value | class) or scores, [class, value]."""

    cells: Any  # encoded for the family
    logs: Floats


def questions(known: Beliefs, row: Any, costs: Floats | None) -> list[Question]:
    """All missing cells, the most informative first."""
    batches = list(known.encoded(row, MISSING))
    if len(batches) != 1 or batches[0].rows != 1:
        raise ValueError(f"There are {sum(b.rows for b in batches)} rows; give one.")
    cells = batches[0].cells
    scores = known.scores_of(cells, 1)
    asked = dict.fromkeys(each_once(cells))
    lacking = [name for name, _ in in_order(asked) if bool(known.schema.columns[name].missing(cells[name])[0])]
    if known.schema.overlaps:
        (given,) = frames.batches(known.schema.frame(row))
        gains = [_gain_of_rows(known, name, given, scores, costs) for name in lacking]
    else:
        gains = [_gain(known, name, scores, costs) for name in lacking]
    return sorted(map(Question, lacking, gains), key=lambda question: -question.gain)


def _gain(known: Beliefs, name: Name, scores: Floats, costs: Floats | None) -> float:
    """The uncertainty before, minus the expected uncertainty afterwards."""
    values = values_of(known.schema.columns[name], known.counted[name], len(known.keys))
    if values is None:
        return 0.0
    before = decide.probabilities(scores, known.prior)
    weights = before[:, 0] @ np.exp(values.logs)
    after = np.repeat(scores, len(weights), axis=1)
    known.columns[name].add_evidence(values.cells, after)
    left = (weights * _open(decide.probabilities(after, known.prior), costs)).sum() / weights.sum()
    return float(_open(before, costs)[0] - left)


def _gain_of_rows(known: Beliefs, name: Name, row: pa.RecordBatch, scores: Floats, costs: Floats | None) -> float:
    """The same for a column that is in several entries: from rows with drawn values filled in."""
    classes = len(known.keys)
    values = known.counted[name].draw(np.random.default_rng(0), np.repeat(np.arange(classes), DRAWN))
    copies = pa.Table.from_batches([row]).take(pa.array(np.zeros(len(values), np.int64)))
    filled = {**dict(zip(copies.column_names, copies.columns, strict=True)), **apart(name, values)}
    before = decide.probabilities(scores, known.prior)
    after = [known.scores_of(batch.cells, batch.rows) for batch in known.encoded(pa.table(filled), MISSING)]
    open_still = _open(decide.probabilities(np.concatenate(after, axis=1), known.prior), costs)
    return float(_open(before, costs)[0] - np.repeat(before[:, 0] / DRAWN, DRAWN) @ open_still)


def values_of(family: Family, belief: Belief, classes: int) -> Values | None:
    """The possible values of a cell; None if they are not known."""
    if family.support is not None and not family.takes_blocks:
        return _numbers(family, belief, classes)
    try:
        levels = None if family.takes_blocks else belief.conditionals()[0][0].states
    except NoJointError:
        levels = None
    if levels is None:
        return _drawn(family, belief, classes)
    cells = family.encode(pa.array(levels, pa.string()))
    return Values(cells, belief.evidence_for(cells, classes)) if levels else None


def _numbers(family: Family, belief: Belief, classes: int) -> Values | None:
    support = family.support
    assert support is not None
    if support.whole:
        x = np.arange(WHOLE, dtype=np.float64)
        evidence = belief.evidence_for(x, classes)
        enough = int(np.searchsorted(np.cumsum(np.exp(evidence), axis=1).min(axis=0), ENOUGH)) + 1
        return Values(x[:enough], evidence[:, :enough])
    some = belief.draw(np.random.default_rng(0), np.repeat(np.arange(classes), DRAWN)).to_numpy(zero_copy_only=False)
    some = some[np.isfinite(some)]
    if not some.size:
        return None
    x, steps = _grid(np.log(some[some > 0]) if support.lowest == 0.0 and (some > 0).any() else some)
    if support.lowest == 0.0:
        held = np.abs(x) < LARGEST_LOG
        x, steps = np.exp(x[held]), steps[held] + x[held]
    return Values(x, belief.evidence_for(x, classes) + steps)


def _grid(some: Floats) -> tuple[Floats, Floats]:
    """Grid points around these numbers, and the logarithms of the steps between them: even in the middle, wider further
    out."""
    middle, wide = float(np.median(some)), float(np.quantile(some, 0.9) - np.quantile(some, 0.1)) or 1.0
    u = np.linspace(-REACH, REACH, POINTS)
    return middle + wide * np.sinh(u), np.log(wide * np.cosh(u) * (u[1] - u[0]))


def _drawn(family: Family, belief: Belief, classes: int) -> Values:
    """Values drawn from each class, all equally probable within their class."""
    numbers = np.repeat(np.arange(classes), DRAWN)
    cells = family.encode(belief.draw(np.random.default_rng(0), numbers))
    logs = np.where(numbers == np.arange(classes)[:, None], -np.log(DRAWN), -np.inf)
    return Values(cells, logs)


def _open(posterior: Floats, costs: Floats | None) -> Floats:
    """The entropy of every answer, or the expected cost of the best decision."""
    if costs is not None:
        return np.asarray(decide.expected_cost(posterior.T, costs).min(axis=1))
    logs = np.log(np.where(posterior > 0, posterior, 1.0))
    return np.asarray(-(posterior * logs).sum(axis=0))
