"""What a column looks like in each class: p(x | class) over a grid, over whole numbers or over levels, and how well
that is known."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from tallybayes.counts.exact import Floats
from tallybayes.data.matching import MISSING, matched
from tallybayes.families.base import Belief, Family
from tallybayes.families.events import NoJointError
from tallybayes.model.batches import labelled
from tallybayes.model.model import Model
from tallybayes.schema.entries import Name, title

POINTS = 401  # of a grid
FEW = 60  # whole numbers that are shown one by one
TOP = 20  # levels
DRAWN = 2000  # numbers of each class, to see where most of them lie
TAIL = 0.01  # of these, on either side, that are not shown

NUMBERS, COUNTS, LEVELS = "numbers", "counts", "levels"


@dataclass(frozen=True, eq=False)
class Shape:
    """`p[class, x]` is the density of numbers, or the probability of whole numbers and levels; with probability `mass`
    it lies from `low` to `high`, which are NaN where a family does not know. Of many levels the most frequent are
    here; `rest` is what is left in each class for the `more` others."""

    column: str
    kind: str  # numbers, counts or levels
    classes: Sequence[Any]
    x: Any  # numbers as an array, levels as a list of texts
    p: Floats
    low: Floats
    high: Floats
    mass: float
    more: int
    rest: Floats


def shape(
    model: Model, column: Name, *, mass: float = 0.95, top: int = TOP, span: tuple[float, float] | None = None
) -> Shape:
    """Of a column of numbers or levels. `span` is where numbers are looked at; by default where most of them lie.

    >>> from tallybayes import Categorical
    >>> frame = {"outlook": ["sunny", "sunny", "rain", "rain"]}
    >>> model = Model.train({"outlook": Categorical()}, frame, ["no", "no", "no", "yes"])
    >>> found = shape(model, "outlook")
    >>> found.x, found.p.round(3).tolist()
    (['rain', 'sunny'], [[0.4, 0.6], [0.667, 0.333]])
    """
    if not 0.0 < mass < 1.0:
        raise ValueError(f"mass={mass!r}: give a probability between 0 and 1, as 0.95.")
    known, name = model.beliefs(), model.schema.entry(column)
    family, belief = model.schema.columns[name], known.counted[name]
    if family.support is not None and not family.takes_vectors:
        kind, x = _numbers(family, belief, len(known.labels), span)
        return _of_cells(title(name), kind, known.labels, x, family, belief, mass)
    try:
        ((levels,),) = belief.conditionals()
    except (NoJointError, ValueError):
        raise TypeError(
            f"Column {title(name)!r} is counted by {family.brief}, which has no density or probability of single "
            "values to show. Words and levels that weigh most are in HeaviestDisplay."
        ) from None
    return _of_levels(title(name), known.labels, levels, family, belief, np.exp(known.prior), mass, top)


def _numbers(family: Family, belief: Belief, classes: int, span: tuple[float, float] | None) -> tuple[str, Floats]:
    whole = family.support is not None and family.support.whole
    low, high = span or _span(family, belief, classes)
    if whole:
        step = max(int(high - low) // POINTS, 1)
        return COUNTS, np.arange(np.floor(low), np.ceil(high) + 1.0, step)
    return NUMBERS, np.linspace(low, high, POINTS)


def _span(family: Family, belief: Belief, classes: int) -> tuple[float, float]:
    """Where most numbers of every class lie, by numbers that are drawn."""
    each = np.repeat(np.arange(classes), DRAWN)
    random = np.random.Generator(np.random.PCG64(0))
    drawn = np.asarray(belief.draw(random, each).to_numpy(zero_copy_only=False), float).reshape(classes, DRAWN)
    known = drawn[~np.isnan(drawn).any(axis=1)]
    if not len(known):
        return 0.0, 1.0
    low, high = np.quantile(known, [TAIL, 1.0 - TAIL], axis=1)
    first, last = float(low.min()), float(high.max())
    room = 0.05 * (last - first) or 0.05 * abs(first) or 0.5
    lowest = -np.inf if family.support is None else family.support.lowest
    return max(first - room, lowest), last + room


def _of_cells(
    column: str, kind: str, classes: Sequence[Any], x: Floats, family: Family, belief: Belief, mass: float
) -> Shape:
    support = family.support
    inside = x[~support.outside(x)] if support is not None else x
    cells = family.encode(pa.array(inside))
    said = np.zeros((len(classes), len(inside)))
    belief.add_evidence(cells, said)
    low, high = _bounds(belief, cells, len(inside), len(classes), mass)
    return Shape(column, kind, classes, inside, np.exp(said), low, high, mass, 0, np.zeros(len(classes)))


def _of_levels(
    column: str,
    classes: Sequence[Any],
    found: Any,
    family: Family,
    belief: Belief,
    prior: Floats,
    mass: float,
    top: int,
) -> Shape:
    """Those that come most often, in their order."""
    names = [str(state) for state in found.states]
    kept = np.sort(np.argsort(-(found.table @ prior), kind="stable")[:top])
    cells = family.encode(pa.array([names[i] for i in kept], pa.string()))
    low, high = _bounds(belief, cells, len(kept), len(classes), mass)
    rest = np.clip(1.0 - found.table[kept].sum(axis=0), 0.0, 1.0) if len(kept) < len(names) else np.zeros(len(classes))
    shown = [names[i] for i in kept]
    return Shape(column, LEVELS, classes, shown, found.table[kept].T, low, high, mass, len(names) - len(kept), rest)


def _bounds(belief: Belief, cells: Any, size: int, classes: int, mass: float) -> tuple[Floats, Floats]:
    """[class, x], NaN where nothing is known."""
    low, high = np.full((2, classes, size), np.nan)
    for index in range(classes):
        found = belief.credible(index, cells, mass) if size else None
        if found is not None:
            low[index], high[index] = np.exp(found[0]), np.exp(found[1])
    return low, high


def observed(model: Model, found: Shape, data: Any, labels: Any = None) -> list[Floats]:
    """What rows of known classes have in a column, for every class: its numbers, or how often each of the levels that
    are shown comes."""
    name, keys = model.schema.entry(found.column), model.keys()
    family = model.schema.columns[name]
    numbers: list[list[Floats]] = [[np.zeros(0)] for _ in keys]
    counts = np.zeros((len(keys), len(found.x)))
    for batch in labelled(model.schema.frame(data), model.schema.label if labels is None else labels, None):
        cells = family.encode(matched(batch.cells, [found.column], MISSING)[found.column])
        if found.kind == LEVELS:
            tally: Any = family.tally(cells, batch.rows)
            levels, met = tally.table(keys)
            counts += np.array([met[levels.index(x)] if x in levels else np.zeros(len(keys)) for x in found.x]).T
            continue
        at = np.array([keys.index(key) if key in keys else -1 for key in batch.rows.classes], np.intp)
        for i, mine in enumerate(numbers):
            values = np.asarray(cells)[at[batch.rows.codes] == i]
            mine.append(values[np.isfinite(values)])
    return list(counts) if found.kind == LEVELS else [np.concatenate(mine) for mine in numbers]
