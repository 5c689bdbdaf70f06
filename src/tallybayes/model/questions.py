"""What to ask next: the expected value of knowing a missing cell of a row.

The possible values of a column are listed with their probability in each class: all levels; numbers on a grid that is
dense around every class and reaches far out; for texts and blocks a sample. Then the answer is computed for each.
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
from tallybayes.families.numbers.support import Support
from tallybayes.model import decide
from tallybayes.model.scoring import Beliefs
from tallybayes.schema.entries import Name, apart, each_once, in_order

POINTS = 2001  # of a grid of numbers, over all classes
FEWEST = 25  # of them for a class
REACH = 9.0  # of the grid, in standard units
MISSED = 0.02  # of a class: the most that a grid may miss
DRAWN = 400  # texts per class, or other values that cannot be listed; and numbers, to find their range
CELLS = 1 << 23  # values × classes that are scored
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
    drawn = _at_most(DRAWN, len(known.keys))
    values = known.counted[name].draw(np.random.default_rng(0), np.repeat(np.arange(len(known.keys)), drawn))
    copies = pa.Table.from_batches([row]).take(pa.array(np.zeros(len(values), np.int64)))
    filled = {**dict(zip(copies.column_names, copies.columns, strict=True)), **apart(name, values)}
    before = decide.probabilities(scores, known.prior)
    after = [known.scores_of(batch.cells, batch.rows) for batch in known.encoded(pa.table(filled), MISSING)]
    open_still = _open(decide.probabilities(np.concatenate(after, axis=1), known.prior), costs)
    return float(_open(before, costs)[0] - np.repeat(before[:, 0] / drawn, drawn) @ open_still)


def _at_most(number: int, classes: int) -> int:
    """How many values of each class to score for every class, if memory allows so many."""
    return max(min(number, CELLS // classes**2), 1)


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
    """Grids around the numbers of every class, as one. If it misses some of a class, which may be a few narrow peaks
    far apart, drawn numbers instead."""
    support = family.support
    assert support is not None
    drawn = belief.draw(np.random.default_rng(0), np.repeat(np.arange(classes), DRAWN))
    some = np.asarray(drawn.to_numpy(zero_copy_only=False), np.float64).reshape(classes, DRAWN)
    points = _at_most(max(POINTS // classes, FEWEST), classes)
    grids = [_grid(each[np.isfinite(each)], support, points) for each in some]
    x = np.unique(support.nearest(np.concatenate(grids)))
    if not x.size:
        return None
    steps = np.gradient(x) if len(x) > 1 else np.ones(1)  # whole numbers next to each other are one apart
    evidence = belief.evidence_for(x, classes)
    with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
        logs = evidence + np.log(steps)
        total = np.logaddexp.reduce(logs, axis=1, keepdims=True)
    if not np.all(np.abs(total) < MISSED):
        return None if drawn.null_count else _drawn(family, belief, classes)
    return Values(x, logs - total)


def _grid(some: Floats, support: Support, points: int) -> Floats:
    """Points around these numbers: close to each other in the middle, wider apart further out."""
    logs = support.lowest == 0.0 and not support.whole
    some = np.log(some[some > 0]) if logs else some
    if not some.size:
        return np.zeros(0)
    low, middle, high = np.quantile(some, [0.1, 0.5, 0.9])
    with np.errstate(over="ignore", invalid="ignore"):
        x = middle + ((high - low) or 1.0) * np.sinh(np.linspace(-REACH, REACH, (points | 1) + 2)[1:-1])
        x = np.exp(x[np.abs(x) < LARGEST_LOG]) if logs else np.floor(x) if support.whole else x
    return np.asarray(x[np.isfinite(x)])


def _drawn(family: Family, belief: Belief, classes: int) -> Values:
    """Values drawn from each class, all equally probable within their class."""
    number = _at_most(DRAWN, classes)
    numbers = np.repeat(np.arange(classes), number)
    cells = family.encode(belief.draw(np.random.default_rng(0), numbers))
    logs = np.where(numbers == np.arange(classes)[:, None], -np.log(number), -np.inf)
    return Values(cells, logs)


def _open(posterior: Floats, costs: Floats | None) -> Floats:
    """The entropy of every answer, or the expected cost of the best decision."""
    if costs is not None:
        return np.asarray(decide.expected_cost(posterior.T, costs).min(axis=1))
    logs = np.log(np.where(posterior > 0, posterior, 1.0))
    return np.asarray(0.0 - (posterior * logs).sum(axis=0))
