"""Curves and bars as numbers that a template puts into SVG: what every class expects of a column."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from tallybayes.counts.exact import Floats
from tallybayes.data.errors import CellError
from tallybayes.families import Belief, Family

WIDE, HIGH = 600, 180  # of a chart, in its own units
POINTS = 200  # of a curve
DRAWN = 400  # values of every class, from which the range is taken
TAIL = 0.01  # of them, that may lie beyond
MOST_WHOLE = 60  # whole numbers that have a step each


@dataclass(frozen=True)
class Tick:
    x: float
    text: str


@dataclass(frozen=True)
class Chart:
    """A curve for every class: points as SVG has them."""

    curves: Sequence[tuple[str, str]]  # the class, and its points
    ticks: Sequence[Tick]
    low: str
    high: str
    wide: int = WIDE
    tall: int = HIGH


def densities(family: Family, belief: Belief, classes: Sequence[int], names: Sequence[str]) -> Chart | None:
    """How probable every number is in some of the classes; nothing, where that cannot be drawn."""
    drawn = belief.draw(np.random.default_rng(0), np.repeat(np.array(classes), DRAWN))
    values = np.asarray(drawn.drop_null().cast(pa.float64()))
    if not len(values):
        return None
    low, high = np.quantile(values, [TAIL, 1 - TAIL])
    whole = family.support is not None and family.support.whole
    x = _grid(float(low), float(high), whole)
    scores = np.zeros((belief_classes(belief), len(x)))
    try:
        belief.add_evidence(family.encode(pa.array(x)), scores)
    except CellError:  # one value only, and nothing may lie beside it
        return None
    y = np.exp(scores[list(classes)])
    top = float(y[np.isfinite(y)].max(initial=0.0))
    if not 0 < top < np.inf:
        return None
    place = (x - x[0]) / (x[-1] - x[0]) * WIDE
    curves = [
        (name, _points(place, np.nan_to_num(each / top, posinf=1.0), whole))
        for name, each in zip(names, y, strict=True)
    ]
    ticks = [Tick(round(float(at), 2), _number(value)) for at, value in _ticks(x)]
    return Chart(curves, ticks, _number(x[0]), _number(x[-1]))


def belief_classes(belief: Belief) -> int:
    """How many classes there are."""
    return len(next(iter(belief.estimates().values())))


def _number(value: float) -> str:
    """As people read it.

    >>> _number(20000.0), _number(-0.25), _number(3e9)
    ('20,000', '-0.25', '3e+09')
    """
    return f"{value:,.4g}" if not 1 <= abs(value) < 1e7 else f"{float(f'{value:.4g}'):,.12g}"


def _grid(low: float, high: float, whole: bool) -> Floats:
    if whole:
        first, last = np.floor(low), np.ceil(high) + 1
        return np.arange(first, last + 1, max(1.0, np.ceil((last - first) / MOST_WHOLE)))
    if not high > low:
        room = abs(low) * 0.1 or 1.0
        low, high = low - room, high + room
    return np.linspace(low, high, POINTS)


def _points(x: Floats, y: Floats, stepped: bool) -> str:
    """As SVG's polyline takes them; whole numbers as steps."""
    if stepped:
        x, y = np.repeat(x, 2)[1:], np.repeat(y, 2)[:-1]
    return " ".join(f"{a:.1f},{HIGH - b * HIGH:.1f}" for a, b in zip(x, y, strict=True))


def _ticks(x: Floats) -> list[tuple[float, float]]:
    """Round numbers within the range, and where they are."""
    span = float(x[-1] - x[0])
    step = 10 ** np.floor(np.log10(span / 4))
    step *= next(factor for factor in (1, 2, 5, 10) if span / (step * factor) <= 4.5)
    values = np.arange(np.ceil(x[0] / step), np.floor(x[-1] / step) + 1) * step
    return [((value - x[0]) / span * WIDE, 0.0 if abs(value) < step / 1e6 else value) for value in values]
