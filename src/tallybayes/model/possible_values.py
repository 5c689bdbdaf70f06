"""The possible values of a column, with their probability in each class: to sum over whatever the value may be.

All levels are listed; numbers on a grid that is dense around every class and reaches far out; for texts and blocks a
sample.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from tallybayes.counts.exact import Floats
from tallybayes.families.base import Belief, Family
from tallybayes.families.events import NoJointError
from tallybayes.families.numbers.support import Support

POINTS = 2001  # of a grid of numbers, over all classes
FEWEST = 25  # of them for a class
REACH = 9.0  # of the grid, in standard units
MISSED = 0.02  # of a class: the most that a grid may miss
DRAWN = 400  # texts per class, or other values that cannot be listed; and numbers, to find their range
CELLS = 1 << 23  # values × classes that are scored
LARGEST_LOG = 700.0  # of a number within the range of a double


class Values(NamedTuple):
    """Possible values of a cell, and log P(value | class) or scores, [class, value]."""

    cells: Any  # encoded for the family
    logs: Floats


def values_of(family: Family, belief: Belief, classes: int) -> Values | None:
    """The possible values of a cell; None if they are not known."""
    if family.support is not None and not family.takes_blocks:
        listed = belief.representatives()
        return _numbers(family, belief, classes) if listed is None else Values(*listed)
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
    points = at_most(max(POINTS // classes, FEWEST), classes)
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
    number = at_most(DRAWN, classes)
    numbers = np.repeat(np.arange(classes), number)
    cells = family.encode(belief.draw(np.random.default_rng(0), numbers))
    logs = np.where(numbers == np.arange(classes)[:, None], -np.log(number), -np.inf)
    return Values(cells, logs)


def at_most(number: int, classes: int) -> int:
    """How many values of each class to score for every class, if memory allows so many."""
    return max(min(number, CELLS // classes**2), 1)
