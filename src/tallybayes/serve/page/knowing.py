"""What it knows: classes, the strongest words and values, and the distribution of each column in each class."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from starlette.responses import Response

from tallybayes.model.heaviest import Weight, heaviest_in
from tallybayes.model.scoring import Beliefs
from tallybayes.model.shapes import LEVELS, shape_in
from tallybayes.report.plain import to_text
from tallybayes.schema.entries import Name, title
from tallybayes.serve.models import Facts, ServedModel
from tallybayes.serve.page.charts import POINTS, Chart, chart_of
from tallybayes.serve.page.trying import current_of
from tallybayes.serve.page.visits import Visit

FEW_CLASSES = 6  # shown by default, the most frequent first
FEW_COLUMNS = 24  # shown by default
TOP = 12  # words and values of a class
FEW_LEVELS = 16  # of a column, the most frequent
FEW_PARAMETERS = 6  # of a column; with more, none are shown


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
