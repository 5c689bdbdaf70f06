"""The shape of a column in each class: p(x | class) over a grid, whole numbers or levels, with credible bounds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from tallybayes.counts.exact import Floats
from tallybayes.data import frames
from tallybayes.data.matching import MISSING, completed
from tallybayes.families.base import Belief, Family
from tallybayes.families.events import Conditional, NoJointError
from tallybayes.families.numbers.support import Support
from tallybayes.model.batches import Given, labelled
from tallybayes.model.model import Model
from tallybayes.model.scoring import Beliefs
from tallybayes.schema.entries import Name, title

POINTS = 401  # of a grid
TOP = 20  # levels
DRAWN = 2000  # numbers of each class, to find their range
TAIL = 0.01  # the share of these that is cut off on either side

NUMBERS, COUNTS, LEVELS = "numbers", "counts", "levels"


@dataclass(frozen=True, eq=False)
class Shape:
    """`p[class, x]` is the density of numbers, or the probability of whole numbers and levels; `low` and `high` are its
    credible interval of probability `mass`, NaN if unknown or not requested. Of many levels only the most frequent are
    listed; `rest` is the probability in each class of the `more` others."""

    column: str
    kind: str  # numbers, counts or levels
    classes: Sequence[Any]
    x: Any  # numbers as an array, levels as a list of texts
    p: Floats
    low: Floats
    high: Floats
    mass: float | None
    more: int
    rest: Floats


def shape(
    model: Model, column: Name, *, mass: float = 0.95, top: int = TOP, span: tuple[float, float] | None = None
) -> Shape:
    """The shape of a column of numbers or levels. `span` is the range of numbers; by default the one that holds most of
    them.

    >>> from tallybayes import Categorical
    >>> frame = {"outlook": ["sunny", "sunny", "rain", "rain"]}
    >>> model = Model.train({"outlook": Categorical()}, frame, ["no", "no", "no", "yes"])
    >>> found = shape(model, "outlook")
    >>> found.x, found.p.round(3).tolist()
    (['rain', 'sunny'], [[0.4, 0.6], [0.667, 0.333]])
    """
    if not 0.0 < mass < 1.0:
        raise ValueError(f"mass={mass!r}: give a probability between 0 and 1, like 0.95.")
    return shape_in(model.beliefs(), column, mass=mass, top=top, span=span)


def shape_in(
    beliefs: Beliefs,
    column: Name,
    classes: Sequence[int] | None = None,
    *,
    mass: float | None = None,
    top: int = TOP,
    span: tuple[float, float] | None = None,
    points: int = POINTS,
) -> Shape:
    """The same from `Beliefs`, for all classes or those with the given indices. Without a `mass`, `low` and `high` are
    not computed, which may save most of the time."""
    name = beliefs.schema.entry(column)
    family, belief = beliefs.schema.columns[name], beliefs.counted[name]
    shown = range(len(beliefs.labels)) if classes is None else classes
    looked = _Looked(title(name), family, belief, list(shown), [beliefs.labels[i] for i in shown], mass)
    if family.support is not None and not family.takes_vectors:
        low, high = span or looked.span(family.support)
        return looked.at_numbers(family.support, low, high, points, len(beliefs.labels))
    try:
        ((levels,),) = belief.conditionals()
    except (NoJointError, ValueError):
        raise TypeError(
            f"Column {title(name)!r} is counted by {family.brief}, which has no density or probability of single "
            "values to show. For words and levels see HeaviestDisplay."
        ) from None
    return looked.at_levels(levels, np.exp(beliefs.prior), top)


class _Looked(NamedTuple):
    """A column, and the classes in question."""

    column: str
    family: Family
    belief: Belief
    numbers: list[int]  # of the classes
    labels: list[Any]
    mass: float | None

    def span(self, support: Support) -> tuple[float, float]:
        """The range of most numbers of every class, found by drawing."""
        each = np.repeat(np.array(self.numbers, np.intp), DRAWN)
        random = np.random.Generator(np.random.PCG64(0))
        drawn = np.asarray(self.belief.draw(random, each).to_numpy(zero_copy_only=False), float).reshape(-1, DRAWN)
        known = drawn[~np.isnan(drawn).any(axis=1)]
        if not len(known):
            return 0.0, 1.0
        low, left, right, high = np.quantile(known, [TAIL, 0.05, 0.95, 1.0 - TAIL], axis=1)
        reach = np.where(right > left, 0.5 * (right - left), np.inf)  # cuts off heavy tails
        first, last = float(np.maximum(low, left - reach).min()), float(np.minimum(high, right + reach).max())
        room = 0.05 * (last - first) or 0.05 * abs(first) or 0.5
        return max(first - room, support.lowest), last + room

    def at_numbers(self, support: Support, low: float, high: float, points: int, classes: int) -> Shape:
        """Over a grid, or over every whole number if there are not too many."""
        if support.whole:
            kind, x = COUNTS, np.arange(np.floor(low), np.ceil(high) + 1.0, max(np.ceil((high - low) / points), 1.0))
        else:
            kind, x = NUMBERS, np.linspace(low, high, points)
        inside = x[~support.outside(x)]
        cells = self.family.encode(pa.array(inside))
        logs = self.belief.evidence_for(cells, classes)
        return self._shape(kind, inside, np.exp(logs[self.numbers]), cells, 0, np.zeros(len(self.numbers)))

    def at_levels(self, found: Conditional, prior: Floats, top: int) -> Shape:
        """The most frequent levels, in that order."""
        names, table = [str(state) for state in found.states], found.table[:, self.numbers]
        kept = np.sort(np.argsort(-(table @ prior[self.numbers]), kind="stable")[:top])
        shown, more = [names[i] for i in kept], len(names) - len(kept)
        rest = np.clip(1.0 - table[kept].sum(axis=0), 0.0, 1.0) if more else np.zeros(len(self.numbers))
        return self._shape(LEVELS, shown, table[kept].T, self.family.encode(pa.array(shown, pa.string())), more, rest)

    def _shape(self, kind: str, x: Any, p: Floats, cells: Any, more: int, rest: Floats) -> Shape:
        """The shape with the bounds of p, NaN if unknown or not requested."""
        low, high = np.full((2, *p.shape), np.nan)
        for at, number in enumerate(self.numbers):
            found = self.belief.credible(number, cells, self.mass) if self.mass is not None and len(x) else None
            if found is not None:
                low[at], high[at] = np.exp(found[0]), np.exp(found[1])
        return Shape(self.column, kind, self.labels, x, p, low, high, self.mass, more, rest)


def observed(model: Model, found: Shape, data: Any, labels: Any = None) -> list[Floats]:
    """The values of labelled rows in a column, for every class: its numbers, or how often each of the levels shown
    occurs."""
    name, keys = model.schema.entry(found.column), model.keys()
    family = model.schema.columns[name]
    numbers: list[list[Floats]] = [[np.zeros(0)] for _ in keys]
    counts = np.zeros((len(keys), len(found.x)))
    for batch in labelled(Given(data, labels), model.schema):
        cells = family.encode(frames.column(completed(batch.cells, [found.column], MISSING), found.column))
        if found.kind == LEVELS:
            tally: Any = family.tally(cells, batch.rows)
            levels, met = tally.table(keys)
            counts += np.array([met[levels.index(x)] if x in levels else np.zeros(len(keys)) for x in found.x]).T
            continue
        codes = batch.rows.codes_in(keys)
        for i, mine in enumerate(numbers):
            values = np.asarray(cells)[codes == i]
            mine.append(values[np.isfinite(values)])
    return list(counts) if found.kind == LEVELS else [np.concatenate(mine) for mine in numbers]
