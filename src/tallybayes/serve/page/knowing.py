"""What it knows: classes, the strongest words and values, and the distribution of each column in each class."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from starlette.responses import Response

from tallybayes.counts.exact import Floats
from tallybayes.model.heaviest import Weight, heaviest_in
from tallybayes.model.scoring import Beliefs
from tallybayes.model.shapes import COUNTS, LEVELS, Shape, shape_in
from tallybayes.report.plain import to_text
from tallybayes.schema.entries import Name, title
from tallybayes.serve.models import Facts, ServedModel
from tallybayes.serve.page.trying import current_of
from tallybayes.serve.page.visits import Visit

WIDE, HIGH = 600, 180  # of a chart, in units of its view box
POINTS = 200  # of a curve
FEW_CLASSES = 6  # shown by default, the most frequent first
FEW_COLUMNS = 24  # shown by default
TOP = 12  # words and values of a class
FEW_LEVELS = 16  # of a column, the most frequent
FEW_PARAMETERS = 6  # of a column; with more, none are shown


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


@dataclass(frozen=True)
class Column:
    """A column as a chart, a table of levels, or lines of text."""

    title: str
    family: str
    chart: Chart | None = None
    levels: Sequence[tuple[str, Sequence[float]]] = ()
    more: int = 0  # levels that are not shown
    lines: Sequence[str] = ()
    parameters: Sequence[tuple[str, Sequence[str]]] = ()

    @property
    def is_drawn(self) -> bool:
        return self.chart is not None or bool(self.levels or self.lines)


@dataclass(frozen=True)
class Known:
    """The facts of the page."""

    facts: Facts
    shares: Sequence[tuple[str, float, float]]  # the classes, with the number and share of their rows
    shown: Sequence[str]  # the classes that are shown
    weights: Sequence[tuple[str, Sequence[Weight]]]
    columns: Sequence[Column]
    left: Sequence[str]  # columns that are not shown


def known_by(model: ServedModel, label: str | None, column: str | None) -> Known | None:
    """What the model knows about the most frequent classes and the first columns, or about those requested; None if it
    has learned nothing."""
    facts, current = model.facts(), current_of(model)
    if current is None:
        return None
    beliefs = current.beliefs
    total = sum(facts["classes"].values()) or 1.0
    ranked = sorted(facts["classes"].items(), key=lambda pair: -pair[1])
    labels = {to_text(each): each for each in beliefs.labels}
    shown = [name for name, _ in ranked if name in labels][:FEW_CLASSES]
    if label in labels and label not in shown:
        shown = [label, *shown[:-1]]
    numbers = [beliefs.number(labels[name]) for name in shown]
    names = list(beliefs.schema.columns)
    wanted = [name for name in names if column is None or title(name) == column][:FEW_COLUMNS]
    return Known(
        facts=facts,
        shares=[(name, n, n / total) for name, n in ranked],
        shown=shown,
        weights=[(name, heaviest_in(beliefs, labels[name], TOP)) for name in shown],
        columns=[_column(beliefs, name, numbers, shown) for name in wanted],
        left=[title(name) for name in names if name not in wanted],
    )


def _column(beliefs: Beliefs, name: Name, numbers: Sequence[int], shown: Sequence[str]) -> Column:
    family, belief = beliefs.schema.columns[name], beliefs.counted[name]
    about = Column(title(name), family.brief)
    if not isinstance(name, str):
        return replace(about, lines=belief.drawing())
    try:
        found = shape_in(beliefs, name, numbers, top=FEW_LEVELS, points=POINTS)
    except TypeError:  # texts and vectors, whose parts are shown elsewhere
        return about
    if found.kind == LEVELS:
        levels = [(level, shares.tolist()) for level, shares in zip(found.x, found.p.T, strict=True)]
        return replace(about, levels=sorted(levels, key=lambda row: (-max(row[1]), row[0])), more=found.more)
    estimates = {key: [f"{values[i]:.4g}" for i in numbers] for key, values in belief.estimates().items()}
    few = list(estimates.items()) if len(estimates) <= FEW_PARAMETERS else []
    return replace(about, chart=chart_of(found, shown), parameters=few)


async def knows(visit: Visit) -> Response:
    query = visit.query()

    def work() -> Response:
        found = known_by(visit.model, query.get("class"), query.get("column") or None)
        return visit.show("knows.html", known=found)

    return await visit.service.look(work)
