"""Decision regions: along one column, with the probability of error shaded, and in the plane of two."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from tallybayes.counts.exact import Floats
from tallybayes.data import frames
from tallybayes.data.matching import MISSING, completed
from tallybayes.model.batches import Batch, Given, labelled
from tallybayes.model.decision_regions import Line, Plane, line, plane
from tallybayes.model.model import Model
from tallybayes.model.shapes import LEVELS
from tallybayes.plots.canvas import MOST, ink, legend, marks, named
from tallybayes.plots.display import Display
from tallybayes.report.characters import short
from tallybayes.schema.entries import Name

LIKELIHOOD, JOINT, POSTERIOR = "likelihood", "joint", "posterior"
TITLES = {LIKELIHOOD: "p(x | class)", JOINT: "P(class) · p(x | class)", POSTERIOR: "P(class | x)"}
DOTS = 300  # rows that are drawn
NAMED = 12  # regions that are named


@dataclass(eq=False, repr=False)
class DecisionDisplay(Display):
    """One column: p(x | class), P(class) · p(x | class) with the probability of error shaded, and P(class | x). The
    strip below shows the decision.

    >>> from tallybayes import Gaussian
    >>> model = Model.train({"x": Gaussian()}, {"x": [4.0, 5.0, 9.0, 11.0]}, ["C1", "C1", "C2", "C2"])
    >>> display = DecisionDisplay.from_model(model.believing(prior={"C1": 2 / 3, "C2": 1 / 3}), "x").plot()
    >>> [ax.get_title() for ax in display.axes_]
    ['p(x | class)', 'P(class) · p(x | class)', 'P(class | x)']
    """

    line: Line
    what: tuple[str, ...]

    share = "col"
    size = (6.4, 2.3)

    @classmethod
    def from_model(
        cls,
        model: Model,
        column: Name,
        *,
        costs: Any = None,
        span: tuple[float, float] | None = None,
        what: Sequence[str] = (LIKELIHOOD, JOINT, POSTERIOR),
    ) -> Self:
        """`what` names the panels. For another prior, pass `model.believing(prior=…)`."""
        unknown = [each for each in what if each not in TITLES]
        if unknown or not what:
            raise ValueError(f"what={tuple(what)!r}: give some of {', '.join(map(repr, TITLES))}.")
        found = line(model, column, costs=costs, span=span)
        if found.shape.kind == LEVELS:
            raise TypeError(f"Column {found.shape.column!r} has levels, not numbers; plot it with DensityDisplay.")
        return cls(found, tuple(what))

    @property
    def panels(self) -> int:
        return len(self.what)

    @property
    def alt(self) -> str:
        found, names = self.line, self.line.shape.classes
        parts = [f"{short(names[c])} from {low:.4g} to {high:.4g}" for c, low, high in self.regions()]
        listed = "; ".join(parts[:8]) + "; …" * (len(parts) > 8)
        error = "not known" if math.isnan(found.error) else f"{found.error:.4f}"
        return f"Decision regions of {short(found.shape.column)}: {listed}. P(error) is {error}."

    def regions(self) -> list[tuple[int, float, float]]:
        """The index of the class decided for, and where its region begins and ends."""
        x, decision = np.asarray(self.line.shape.x, float), np.asarray(self.line.decision)
        cuts = np.flatnonzero(np.diff(decision)) + 1
        edges = [x[0], *((x[cut - 1] + x[cut]) / 2 for cut in cuts), x[-1]]
        first = [0, *cuts.tolist()]
        return [(int(decision[at]), edges[i], edges[i + 1]) for i, at in enumerate(first)]

    def draw(self, axes: list[Any]) -> None:
        for ax, what in zip(axes, self.what, strict=True):
            self._panel(ax, what)
        axes[-1].set_xlabel(named(self.line.shape.column, 60))

    def _panel(self, ax: Any, what: str) -> None:
        found, x = self.line, self.line.shape.x
        curves = {LIKELIHOOD: found.shape.p, JOINT: found.joint, POSTERIOR: found.posterior}[what]
        handles, styles = [], marks(len(found.shape.classes))
        for p, mark in zip(curves, styles, strict=True):
            handles += ax.plot(x, p, mark.line, color=mark.color, linewidth=1.8)
        if what == JOINT:
            wrong = curves.sum(axis=0) - curves[found.decision, np.arange(len(x))]
            handles.append(ax.fill_between(x, 0, wrong, facecolor=ink(), alpha=0.25, hatch="////", linewidth=0))
        if what != LIKELIHOOD:
            for at, low, high in self.regions():
                ax.axvspan(low, high, 0, 0.045, color=styles[at].color, hatch=styles[at].hatch or None, linewidth=0)
                ax.axvline(low, color=ink(), linewidth=0.6, alpha=0.6) if low > x[0] else None
        top = float(np.nanmax(np.where(np.isfinite(curves), curves, 0.0), initial=0.0)) or 1.0
        ax.set_ylim(-0.06 * top if what != LIKELIHOOD else 0.0, 1.06 * top)
        ax.set_xlim(x[0], x[-1])
        ax.set_title(TITLES[what])
        self._name_classes(ax, handles)

    def _name_classes(self, ax: Any, handles: list[Any]) -> None:
        """Names the classes with the widest regions, and what is drawn besides classes."""
        names = self.line.shape.classes
        wide = np.zeros(len(names))
        for at, low, high in self.regions():
            wide[at] += high - low
        shown = sorted(np.argsort(-wide, kind="stable")[:MOST].tolist())
        error = "not known" if math.isnan(self.line.error) else f"= {self.line.error:.3f}"
        others = [f"P(error) {error}"] * (len(handles) - len(names))
        title = f"{len(shown)} of {len(names):,} classes" if len(shown) < len(names) else None
        settings = {"title": title, "fontsize": "small", "title_fontsize": "small"}
        drawn = [*(handles[i] for i in shown), *handles[len(names) :]]
        legend(ax, drawn, [*(names[i] for i in shown), *others], **settings)


@dataclass(eq=False, repr=False)
class BoundaryDisplay(Display):
    """The plane of two columns, coloured by the most probable class: the stronger the colour, the more probable.

    >>> from tallybayes import Gaussian
    >>> frame = {"x": [0.0, 1.0, 5.0, 6.0], "y": [1.0, 0.0, 6.0, 5.0]}
    >>> model = Model.train(dict.fromkeys(frame, Gaussian()), frame, ["a", "a", "b", "b"])
    >>> BoundaryDisplay.from_model(model, "x", "y")
    BoundaryDisplay: The most probable class by x (across) and y (up): a in 50%, b in 50% of the area.
    """

    plane: Plane
    rows: list[tuple[Any, Any]]  # by class, the coordinates of some rows

    size = (5.6, 4.4)

    @classmethod
    def from_model(
        cls,
        model: Model,
        one: str,
        other: str,
        *,
        given: Mapping[str, Any] | None = None,
        data: Any = None,
        labels: Any = None,
        spans: tuple[tuple[float, float] | None, tuple[float, float] | None] = (None, None),
    ) -> Self:
        """The decision regions of two columns. Other columns are missing, unless `given`. `data` and `labels` are rows
        to show."""
        found = plane(model, one, other, given=given, spans=spans)
        rows = [] if data is None else _places(model, found, data, labels)
        return cls(found, rows)

    @property
    def alt(self) -> str:
        shares = np.bincount(self.plane.decision.ravel(), minlength=len(self.plane.classes)) / self.plane.decision.size
        ranked = sorted(zip(shares.tolist(), self.plane.classes, strict=True), key=lambda pair: -pair[0])
        parts = ", ".join(f"{short(label)} in {share:.0%}" for share, label in ranked[:8] if share)
        one, other = map(short, self.plane.columns)
        return f"The most probable class by {one} (across) and {other} (up): {parts} of the area."

    def draw(self, axes: list[Any]) -> None:
        (ax,) = axes
        found, styles = self.plane, marks(len(self.plane.classes))
        from matplotlib.colors import to_rgb

        colours = np.array([to_rgb(mark.color) for mark in styles])[found.decision]
        surest = found.posterior.max(axis=0)
        least = 1.0 / len(found.classes)
        alpha = 0.12 + 0.55 * np.clip((surest - least) / max(1.0 - least, 1e-9), 0.0, 1.0)
        (left, right), (bottom, top) = (
            _extent(axis, kind) for axis, kind in zip((found.x, found.y), found.kinds, strict=True)
        )
        picture = np.concatenate([colours, alpha[..., None]], axis=2)
        ax.imshow(picture, extent=(left, right, bottom, top), origin="lower", aspect="auto", interpolation="nearest")
        x, y = _middles(left, right, len(found.x)), _middles(bottom, top, len(found.y))
        if min(len(x), len(y)) > 1 and LEVELS not in found.kinds:  # lines, for readers who cannot see the colours
            for at in self.decided:
                ax.contour(x, y, found.decision == at, levels=[0.5], colors=[ink()], linewidths=0.8)
        if not self.rows:  # otherwise their markers show the class
            self._name_regions(ax, x, y)
        handles, names = self._handles(ax, styles)
        legend(ax, handles, names, fontsize="small", loc="upper left", bbox_to_anchor=(1.0, 1.0))
        ax.set_xlim(left, right)
        ax.set_ylim(bottom, top)
        for axis, values, kind in ((ax.xaxis, found.x, found.kinds[0]), (ax.yaxis, found.y, found.kinds[1])):
            if kind == LEVELS:
                axis.set_ticks(range(len(values)), [named(value, 16) for value in values])
        ax.set_xlabel(named(found.columns[0], 60))
        ax.set_ylabel(named(found.columns[1], 60))

    @property
    def decided(self) -> list[int]:
        """The indices of the classes that have a region."""
        return np.unique(self.plane.decision).tolist()

    def _name_regions(self, ax: Any, x: Floats, y: Floats) -> None:
        """Names each region where it is widest."""
        from scipy.ndimage import distance_transform_edt

        for at in self.decided[:NAMED]:
            steps = 1.0 / len(y), 1.0 / len(x)
            inside = distance_transform_edt(np.pad(self.plane.decision == at, 1), steps)[1:-1, 1:-1]
            row, column = np.unravel_index(inside.argmax(), inside.shape)
            where: dict[str, Any] = {"ha": "center", "va": "center", "fontsize": "small", "fontweight": "bold"}
            ax.text(x[column], y[row], named(self.plane.classes[at], 16), **where)

    def _handles(self, ax: Any, styles: list[Any]) -> tuple[list[Any], list[Any]]:
        from matplotlib.patches import Patch

        decided = self.decided
        shown = [i for i in range(len(styles)) if i in decided or (self.rows and len(self.rows[i][0]))][:NAMED]
        handles: list[Any] = []
        for i in shown:
            mark = styles[i]
            if self.rows:
                handles += ax.plot(
                    *self.rows[i],
                    mark.marker,
                    markersize=3.5,
                    markerfacecolor=mark.color,
                    markeredgecolor=ink(),
                    markeredgewidth=0.4,
                    linestyle="none",
                )
            else:
                handles.append(Patch(facecolor=mark.color, alpha=0.6))
        return handles, [self.plane.classes[i] for i in shown]


def _jittered(at: int | None, row: int) -> float | None:
    """Spreads the rows of a level sideways, by the golden ratio."""
    return None if at is None else at + 0.6 * (row * 0.6180339887 % 1.0 - 0.5)


def _extent(axis: Any, kind: str) -> tuple[float, float]:
    if kind == LEVELS:
        return -0.5, len(axis) - 0.5
    half = (axis[-1] - axis[0]) / max(len(axis) - 1, 1) / 2 or 0.5
    return float(axis[0]) - half, float(axis[-1]) + half


def _middles(low: float, high: float, count: int) -> Floats:
    """The middles of as many equal parts."""
    half = (high - low) / count / 2
    return np.linspace(low + half, high - half, count)


def _places(model: Model, found: Plane, data: Any, labels: Any) -> list[tuple[Any, Any]]:
    batches = labelled(Given(data, labels), model.schema)
    levels = [name for name, kind in zip(found.columns, found.kinds, strict=True) if kind == LEVELS]
    codes, cells = _numbered_cells(model, batches, found.columns, levels, DOTS)
    places = []
    for name, axis, kind in zip(found.columns, (found.x, found.y), found.kinds, strict=True):
        at = {value: i for i, value in enumerate(axis)} if kind == LEVELS else {}
        places.append([_jittered(at.get(cell), i) if kind == LEVELS else cell for i, cell in enumerate(cells[name])])
    rows = [(c, x, y) for c, x, y in zip(codes, *places, strict=True) if x is not None and y is not None]
    split = [[(x, y) for c, x, y in rows if c == number] for number in range(len(found.classes))]
    return [tuple(map(list, zip(*some, strict=True))) if some else ([], []) for some in split]  # type: ignore[misc]


def _numbered_cells(
    model: Model, batches: Iterable[Batch], columns: Sequence[str], levels: Collection[str], most: int
) -> tuple[list[int], dict[str, list[Any]]]:
    """The class index of the first `most` rows, −1 if unseen, and their cells: those of `levels` as text, all others
    unchanged."""
    keys = model.keys()
    codes: list[int] = []
    cells: dict[str, list[Any]] = {name: [] for name in columns}
    for batch in batches:
        room = most - len(codes)
        if room <= 0:
            break
        codes += batch.rows.codes_in(keys)[:room].tolist()
        found = completed(batch.cells.slice(0, room), columns, MISSING)
        for name in columns:
            values = frames.column(found, name).to_pylist()
            cells[name] += [None if x is None else frames.level_text(x) for x in values] if name in levels else values
    return codes, cells
