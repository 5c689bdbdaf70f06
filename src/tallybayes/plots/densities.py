"""The distribution of columns in each class: curves for numbers, bars for counts and levels, with credible bands and
with rows in the background."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from tallybayes.counts.exact import Floats
from tallybayes.model.model import Model
from tallybayes.model.shapes import COUNTS, LEVELS, NUMBERS, Shape, observed, shape
from tallybayes.plots.canvas import MOST, Mark, ink, labels_of, legend, marks, named
from tallybayes.plots.display import Display
from tallybayes.report.blocks import count
from tallybayes.report.characters import short, width
from tallybayes.schema.entries import Name

BINS = (8, 30)  # at least, and at most
RUG = 100  # rows of a class shown as a rug
BARS = 90  # that remain distinct in a panel
SEVERAL = 10  # levels in each of several panels
LINE_OF_ENTRY, CHARACTER = 0.55, 0.068  # inches that the mark of a class, and a character of its name, take in a legend


@dataclass(eq=False, repr=False)
class DensityDisplay(Display):
    """p(x | class) of one or more columns, a panel for each.

    >>> from tallybayes import Gaussian
    >>> model = Model.train({"temp": Gaussian()}, {"temp": [20.0, 21.0, 28.0, 30.0]}, ["in", "in", "out", "out"])
    >>> display = DensityDisplay.from_model(model, "temp").plot()
    >>> [line.get_label() for line in display.ax_.get_lines()]
    ['in', 'out']
    """

    shapes: list[Shape]
    rows: list[list[Floats] | None]
    classes: list[int]  # indices of those that are shown
    small: bool = False  # as one of several pictures

    across = 3

    @classmethod
    def from_model(
        cls,
        model: Model,
        columns: Name | Sequence[Name] | None = None,
        *,
        data: Any = None,
        labels: Any = None,
        classes: Any = None,
        mass: float = 0.95,
        top: int | None = None,
    ) -> Self:
        """Plots the `columns` named, or all that have a density or levels. `data` and `labels` are rows to show in the
        background, as histogram and rug or as dots beside bars. By default, `classes` are the six most frequent."""
        if columns is None:
            found = [each for name in model.schema.columns for each in _shape(model, name, mass, top or SEVERAL)]
        else:
            names: list[Any] = [columns] if isinstance(columns, (str, tuple)) else list(columns)
            shown = top or (20 if len(names) == 1 else SEVERAL)
            found = [shape(model, name, mass=mass, top=shown) for name in names]
        if not found:
            raise ValueError("No column of the model has a density or levels to show.")
        rows = [None if data is None else observed(model, each, data, labels) for each in found]
        return cls(found, rows, shown_classes(model, classes))

    @property
    def panels(self) -> int:
        return len(self.shapes)

    @property
    def size(self) -> tuple[float, float]:
        if self.panels > 1 or self.small:
            return (3.4, 2.7)
        (only,) = self.shapes
        bars = len(only.x) * len(self.classes) if only.kind == LEVELS else 0
        return (6.4, min(max(3.6, 0.9 + 0.2 * bars), 12.0))

    @property
    def alt(self) -> str:
        names = ", ".join(short(self.shapes[0].classes[i]) for i in self.classes)
        listed = ", ".join(short(each.column) for each in self.shapes[:12]) + ", …" * (len(self.shapes) > 12)
        verb = "is" if len(self.shapes) == 1 else "are"
        return f"How {listed} {verb} distributed in the classes {names}. " + " ".join(map(_peaks, self.shapes[:3]))

    def draw(self, axes: list[Any]) -> None:
        for at, (ax, each, rows) in enumerate(zip(axes, self.shapes, self.rows, strict=True)):
            handles = _DRAWN[each.kind](ax, each, rows, self.classes)
            ax.set_title(named(each.column, 26))
            if at == 0:
                self._name_classes(ax, handles, outside=self.panels > 1 or each.kind == LEVELS)

    def _name_classes(self, ax: Any, handles: list[Any], outside: bool) -> None:
        names = [self.shapes[0].classes[i] for i in self.classes]
        hidden = len(self.shapes[0].classes) - len(names)
        title = f"{len(names)} of {len(names) + hidden:,} classes" if hidden else None
        alone = len(ax.figure.axes) == self.panels and ax.figure.get_layout_engine() is not None
        if outside and alone:
            entry = LINE_OF_ENTRY + CHARACTER * max(width(named(name)) for name in names)
            side_by_side = max(int(ax.figure.get_figwidth() / entry), 1)
            where: dict[str, Any] = {"loc": "outside upper center", "ncols": min(len(names), side_by_side)}
            legend(ax.figure, handles, names, title=title, fontsize="small", title_fontsize="small", **where)
        else:
            legend(ax, handles, names, title=title, fontsize="small", title_fontsize="small")


def shown_classes(model: Model, classes: Any) -> list[int]:
    """The indices of the classes to show: those named, or the `MOST` most frequent."""
    known = model.classes
    if classes is not None:
        return [model.beliefs().number(label) for label in labels_of(classes)]
    rows = model.rows_by_class()
    return sorted(sorted(range(len(known)), key=lambda i: -rows[known[i]])[:MOST])


def _shape(model: Model, name: Name, mass: float, top: int) -> list[Shape]:
    try:
        return [shape(model, name, mass=mass, top=top)]
    except TypeError:  # texts, vectors and blocks have none
        return []


def _peaks(each: Shape) -> str:
    """The mode of each class."""
    if not len(each.x):
        return ""
    best = each.p.argmax(axis=1)
    modes = [f"{short(label)} at {short(_value(each.x[i]))}" for label, i in zip(each.classes, best, strict=True)]
    return f"{short(each.column)} is most probable in {', '.join(modes[:MOST])}."


def _value(x: Any) -> Any:
    return x if isinstance(x, str) else f"{x:.4g}"


def _curves(ax: Any, each: Shape, rows: list[Floats] | None, classes: list[int]) -> list[Any]:
    handles = []
    present = [] if rows is None else [i for i in classes if len(rows[i])]
    bins = int(np.clip(np.sqrt(max((len(rows[i]) for i in present), default=0)), *BINS)) if rows is not None else 1
    edges = np.linspace(each.x[0], each.x[-1], bins + 1)
    for at, (i, mark) in enumerate(zip(classes, marks(len(classes)), strict=True)):
        if rows is not None and len(rows[i]):
            _histogram(ax, rows[i], edges, mark)
            _rug(ax, rows[i], mark, at)
        if not np.isnan(each.low[i]).any():
            ax.fill_between(each.x, each.low[i], each.high[i], color=mark.color, alpha=0.3, linewidth=0)
        handles += ax.plot(each.x, each.p[i], mark.line, color=mark.color, label=named(each.classes[i]), linewidth=1.8)
    ax.set_xlim(each.x[0], each.x[-1])
    share = 0.015 + 0.03 * len(classes) if present else 0.0  # of the height, for the rug
    ax.set_ylim(0.0, ax.get_ylim()[1])
    ax.set_ylim(bottom=-share / (1.0 - share) * ax.get_ylim()[1])
    ax.set_ylabel("density" if each.kind == NUMBERS else "probability")
    return handles


def _histogram(ax: Any, values: Floats, edges: Floats, mark: Mark) -> None:
    """The shares are of all rows of the class, including those beyond the edges."""
    n = np.histogram(values, edges)[0] / len(values) / np.diff(edges)
    ax.stairs(n, edges, fill=True, color=mark.color, alpha=0.18, hatch=mark.hatch or None, linewidth=0)


def _rug(ax: Any, values: Floats, mark: Mark, at: int) -> None:
    some = np.sort(values)[np.linspace(0, len(values) - 1, min(len(values), RUG)).round().astype(int)]
    from matplotlib.lines import Line2D

    bottom = 0.012 + 0.03 * at
    x = np.stack([some, some, np.full(len(some), np.nan)], axis=1).ravel()  # one path is shorter than many
    y = np.tile([bottom, bottom + 0.022, np.nan], len(some))
    # Unlike a plotted line, this one does not stretch the axes.
    ax.add_line(Line2D(x, y, color=mark.color, linewidth=0.6, transform=ax.get_xaxis_transform()))


def _counts(ax: Any, each: Shape, rows: list[Floats] | None, classes: list[int]) -> list[Any]:
    if len(each.x) * len(classes) > BARS:
        return _curves(ax, each, rows, classes)
    found = [[float((n == x).mean()) for x in each.x] if len(n) else None for n in rows or ()]
    handles = _bars(ax, each, np.asarray(each.x), found, classes, upright=True)
    ax.set_ylabel("probability")
    ax.xaxis.get_major_locator().set_params(integer=True)
    return handles


def _levels(ax: Any, each: Shape, rows: list[Floats] | None, classes: list[int]) -> list[Any]:
    """Level by level from the top."""
    found = [n / n.sum() if n.sum() else None for n in rows or ()]
    handles = _bars(ax, each, np.arange(len(each.x)), found, classes, upright=False)
    size = {} if len(each.x) <= SEVERAL / 2 else {"fontsize": "x-small"}
    ax.set_yticks(range(len(each.x)), [named(x, 18) for x in each.x], **size)
    ax.set_ylim(len(each.x) - 0.4, -0.6)
    label = "probability"
    if each.more:
        least, most = (f"{share:.0%}" for share in (each.rest[classes].min(), each.rest[classes].max()))
        label += f"\n{count(each.more)} other levels: {least if least == most else f'{least} to {most}'} in all"
    ax.set_xlabel(label)
    return handles


def _bars(
    ax: Any, each: Shape, where: Any, found: Sequence[Any], classes: Sequence[int], *, upright: bool
) -> list[Any]:
    """A bar for each value and class, with whiskers, and with a dot at the share of rows that has it, if `found`."""
    handles, wide = [], 0.8 / len(classes)
    for at, (i, mark) in enumerate(zip(classes, marks(len(classes)), strict=True)):
        places, p = where + (at - (len(classes) - 1) / 2) * wide, each.p[i]
        filled = {"facecolor": mark.color, "hatch": mark.hatch or None, "edgecolor": ink(), "linewidth": 0.4}
        handles.append((ax.bar if upright else ax.barh)(places, p, wide, alpha=0.85, **filled))
        if not np.isnan(each.low[i]).any():
            span = {"yerr" if upright else "xerr": np.abs(np.stack([p - each.low[i], each.high[i] - p]))}
            ends: dict[str, Any] = {"fmt": "none", "ecolor": ink(), "elinewidth": 0.8, "capsize": 1.5}
            ax.errorbar(*((places, p) if upright else (p, places)), **span, **ends)
        if found and (share := found[i]) is not None:
            hollow = {"markersize": 4, "markerfacecolor": "none", "markeredgecolor": ink(), "linestyle": "none"}
            ax.plot(*((places, share) if upright else (share, places)), mark.marker, **hollow)
    return handles


_DRAWN = {NUMBERS: _curves, COUNTS: _counts, LEVELS: _levels}
