"""The distribution of a column in every class, as curves that a template puts into SVG."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tallybayes.counts.exact import Floats
from tallybayes.model.shapes import COUNTS, Shape

WIDE, HIGH = 600, 180  # of a chart, in units of its view box
POINTS = 200  # of a curve


@dataclass(frozen=True)
class Tick:
    x: float
    text: str


@dataclass(frozen=True)
class Chart:
    """A curve for every class."""

    curves: Sequence[tuple[str, str]]  # the class, and the points of its SVG polyline
    ticks: Sequence[Tick]
    low: str
    high: str
    wide: int = WIDE
    tall: int = HIGH


def chart_of(found: Shape, names: Sequence[str]) -> Chart | None:
    """A numeric column as curves, with steps for whole numbers; None if no class has a density."""
    top = float(found.p[np.isfinite(found.p)].max(initial=0.0))
    if not top > 0:
        return None
    steps = found.kind == COUNTS
    x, y = found.x, np.nan_to_num(found.p / top, posinf=1.0)
    if steps:
        half = (x[1] - x[0]) / 2 if len(x) > 1 else 0.5
        x, y = np.stack([x - half, x + half], axis=1).ravel(), np.repeat(y, 2, axis=1)
    start, span = float(x[0]), float(x[-1] - x[0])
    curves = [(name, _points((x - start) / span, each)) for name, each in zip(names, y, strict=True)]
    ticks = [Tick(round((value - start) / span * WIDE, 2), _number(value)) for value in _ticks(start, span, steps)]
    return Chart(curves, ticks, _number(found.x[0]), _number(found.x[-1]))


def _number(value: float) -> str:
    """A readable number.

    >>> _number(20000.0), _number(-0.25), _number(3e9)
    ('20,000', '-0.25', '3e+09')
    """
    return f"{value:,.4g}" if not 1 <= abs(value) < 1e7 else f"{float(f'{value:.4g}'):,.12g}"


def _points(x: Floats, y: Floats) -> str:
    """The points of an SVG polyline, from fractions of width and height."""
    return " ".join(f"{a * WIDE:.1f},{HIGH - b * HIGH:.1f}" for a, b in zip(x, y, strict=True))


def _ticks(start: float, span: float, whole: bool) -> list[float]:
    """Round numbers within the range.

    >>> _ticks(-0.5, 2.0, whole=True), _ticks(-0.5, 2.0, whole=False)
    ([0.0, 1.0], [-0.5, 0.0, 0.5, 1.0, 1.5])
    """
    step = 10 ** np.floor(np.log10(span / 4))
    step *= next(factor for factor in (1, 2, 5, 10) if span / (step * factor) <= 4.5)
    step = max(step, 1.0) if whole else step
    values = np.arange(np.ceil(start / step), np.floor((start + span) / step) + 1) * step
    return [0.0 if abs(value) < step / 1e6 else float(value) for value in values]
