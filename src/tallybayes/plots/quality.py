"""How good a model is: a reliability diagram, a confusion matrix, and a map on which confused classes are close
together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from tallybayes.counts.exact import Floats
from tallybayes.model.evaluation import Evaluation, Interval
from tallybayes.plots.canvas import PALETTE, ink, named
from tallybayes.plots.display import Display
from tallybayes.report.blocks import count, how_many
from tallybayes.report.characters import short

WRITTEN = 12  # classes whose numbers are written in the matrix
NAMED = 40  # classes that are named beside it
NAMES = 24  # of more classes, those that are confused most
MANY_TIMES = 50  # ratio of the fullest interval to the emptiest, above which the scale is logarithmic
STEPS = 300  # of the layout of the map
LINKS = 30  # pairs of classes that the map connects


@dataclass(eq=False, repr=False)
class ReliabilityDisplay(Display):
    """Reliability diagram: the accuracy of decisions, with its credible interval, against their probability. The panel
    below has the number of rows."""

    intervals: list[Interval]
    error: float  # the expected calibration error
    mass: float = 0.95

    panels = 2
    share = "col"
    heights = (3.0, 1.2)
    size = (4.8, 2.2)

    @classmethod
    def from_evaluation(cls, evaluation: Evaluation, *, mass: float = 0.95) -> Self:
        return cls(evaluation.calibration, evaluation.calibration_error, mass)

    @property
    def alt(self) -> str:
        parts = [f"{each.probability:.2f} → {each.accuracy:.2f} of {count(each.n)}" for each in self.intervals]
        return (
            f"Reliability, as probability and accuracy: {', '.join(parts) or 'no rows'}. "
            f"The expected calibration error is {self.error:.3f}."
        )

    def draw(self, axes: list[Any]) -> None:
        ax, below = axes
        ax.plot([0, 1], [0, 1], ":", color=ink(), linewidth=1)
        x = np.array([each.probability for each in self.intervals])
        y = np.array([each.accuracy for each in self.intervals])
        ends = np.array([each.credible(self.mass) for each in self.intervals]).reshape(-1, 2)
        spans = np.maximum(np.stack([y - ends[:, 0], ends[:, 1] - y]), 0.0)
        ax.errorbar(x, y, yerr=spans, fmt="o", color=PALETTE[0], ecolor=PALETTE[0], capsize=2, markersize=4)
        ax.plot(x, y, "-", color=PALETTE[0], linewidth=0.8, alpha=0.5)
        ax.set_ylabel("accuracy")
        ax.set_ylim(-0.02, 1.02)
        ax.set_xlim(-0.01, 1.01)
        ax.set_title(f"ECE {self.error:.3f}")
        rows, starts = [each.n for each in self.intervals], [each.low for each in self.intervals]
        widths = [each.high - each.low for each in self.intervals]
        below.bar(starts, rows, widths, align="edge", color=PALETTE[0], edgecolor=ink(), linewidth=0.4)
        below.set_ylabel("rows")
        if max(rows, default=0) > MANY_TIMES * min(rows, default=1):
            below.set_yscale("log")
        below.set_xlabel("probability of the decision")


@dataclass(eq=False, repr=False)
class ConfusionDisplay(Display):
    """Confusion matrix: truth by decision, each row normalised to the number of rows of its class.

    >>> from tallybayes import Categorical, Model, evaluate
    >>> frame = {"sky": ["sun", "sun", "rain", "rain"]}
    >>> model = Model.train({"sky": Categorical()}, frame, ["no", "no", "yes", "no"])
    >>> ConfusionDisplay.from_evaluation(evaluate(model, frame, ["no", "no", "no", "yes"]))
    ConfusionDisplay: Confusion matrix of 2 classes: 3 rows are right; yes mistaken for no 1 time.
    """

    classes: list[Any]
    n: Any  # [truth, decision]; the last decision is "rejected", if any row was
    rejected: bool

    @classmethod
    def from_evaluation(cls, evaluation: Evaluation) -> Self:
        rejected, n = evaluation.rejected > 0, evaluation.confusion.astype(float)
        return cls(list(evaluation.classes), n if rejected else n[:, :-1], rejected)

    @property
    def size(self) -> tuple[float, float]:
        side = min(2.2 + 0.42 * len(self.classes), 7.0)
        return (side + 0.6, side)

    @property
    def alt(self) -> str:
        wrong = [
            (n, f"{short(a)} mistaken for {short(b)} {how_many(float(n), 'time', 'times')}")
            for i, a in enumerate(self.classes)
            for j, b in enumerate(self.classes)
            if i != j and (n := self.n[i, j])
        ]
        most = [text for _, text in sorted(wrong, key=lambda pair: -pair[0])[:6]]
        right = how_many(float(np.trace(self.n)), "row is", "rows are")
        return f"Confusion matrix of {len(self.classes)} classes: {right} right; {', '.join(most) or 'no errors'}."

    def draw(self, axes: list[Any]) -> None:
        (ax,) = axes
        total = self.n.sum(axis=1, keepdims=True)
        share = np.divide(self.n, total, out=np.zeros_like(self.n), where=total > 0)
        from matplotlib.colors import to_rgb

        picture = np.zeros((*share.shape, 4))
        picture[..., :3] = to_rgb(PALETTE[0])
        picture[..., 3] = np.sqrt(share)  # so that a rare confusion is seen
        ax.imshow(picture, interpolation="nearest", aspect="equal")
        if len(self.classes) <= WRITTEN:
            for (i, j), rows in np.ndenumerate(self.n):
                shade = "white" if share[i, j] > 0.35 else ink()
                ax.text(j, i, count(rows), ha="center", va="center", fontsize="small", color=shade)
        shown = self._named_classes()
        size = "small" if len(shown) <= WRITTEN else "x-small" if len(self.classes) <= NAMED else 5
        names = [named(self.classes[i], 16) for i in shown]
        turned = {"rotation": 90} if len(self.classes) > 4 or max(map(len, names)) > 10 else {}
        ax.yaxis.set_ticks(shown, names, fontsize=size)
        ax.xaxis.set_ticks(shown, names, fontsize=size, **turned)
        if self.rejected and len(self.classes) <= NAMED:
            names = [*(named(label, 16) for label in self.classes), "rejected"]
            ax.set_xticks(range(len(names)), names, rotation=90 if len(names) > 4 else 0)
        ax.set_ylabel("truth")
        ax.set_xlabel("decision")
        for side in ax.spines.values():
            side.set_visible(True)

    def _named_classes(self) -> list[int]:
        """Classes that are named: all, or if there are many, those that are confused most."""
        if len(self.classes) <= NAMED:
            return list(range(len(self.classes)))
        square = self.n[:, : len(self.classes)]
        wrong = square.sum(axis=1) + square.sum(axis=0) - 2 * np.diag(square)
        shown: list[int] = []
        for i in np.argsort(-wrong, kind="stable").tolist():
            if len(shown) < NAMES and all(abs(i - other) >= len(self.classes) / NAMED for other in shown):
                shown.append(i)
        return sorted(shown)


@dataclass(eq=False, repr=False)
class ClassMapDisplay(Display):
    """A map of confused classes: close together, and joined by lines whose width is the share of rows mistaken for the
    other class. Classes without confusions are left out."""

    classes: list[Any]  # that are confused
    rows: Any  # of each
    links: list[tuple[int, int, float]]  # two classes, and the share of their rows mistaken for the other
    others: int  # classes that are not shown

    @classmethod
    def from_evaluation(cls, evaluation: Evaluation, *, most: int = LINKS) -> Self:
        """Plots the pairs of classes that are confused most, as a share of their rows."""
        confused: dict[frozenset[Any], int] = {}
        for (truth, decision), n in evaluation.pairs.items():
            if decision is not None and truth != decision:
                pair = frozenset([truth, decision])
                confused[pair] = confused.get(pair, 0) + n
        rows = evaluation.rows_by_class
        shares = {pair: n / max(sum(rows[label] for label in pair), 1) for pair, n in confused.items()}
        ranked = sorted(shares, key=lambda pair: (-shares[pair], sorted(map(str, pair))))[:most]
        shown = [label for label in evaluation.classes if any(label in pair for pair in ranked)]
        at = {label: i for i, label in enumerate(shown)}
        links = [(*sorted(at[label] for label in pair), shares[pair]) for pair in ranked]
        counts = np.array([rows[label] for label in shown], float)
        return cls(shown, counts, links, len(evaluation.classes) - len(shown))  # type: ignore[arg-type]

    @property
    def size(self) -> tuple[float, float]:
        return (7.2, 6.0) if len(self.classes) > 8 else (5.0, 3.6)

    @property
    def alt(self) -> str:
        parts = [f"{short(self.classes[i])} and {short(self.classes[j])} ({share:.1%})" for i, j, share in self.links]
        listed = ", ".join(parts[:6]) + ", …" * (len(parts) > 6)
        return f"Classes mistaken for one another, with the share of rows: {listed or 'none'}."

    def draw(self, axes: list[Any]) -> None:
        (ax,) = axes
        ax.axis("off")
        more = f"; {how_many(self.others, 'class', 'classes')} not shown" if self.others else ""
        pairs = "pair" if len(self.links) == 1 else f"{len(self.links)} pairs"
        ax.set_title(f"most confused {pairs}{more}" if self.links else "")
        if not self.classes:
            ax.text(0.5, 0.5, "There are no mistakes.", ha="center", va="center", transform=ax.transAxes)
            return
        places = spread(len(self.classes), self.links)
        widest = max(share for _, _, share in self.links)
        for i, j, share in self.links:
            ax.plot(*places[[i, j]].T, color=PALETTE[1], linewidth=0.5 + 5.0 * share / widest, alpha=0.55, zorder=1)
        sizes = 20.0 + min(170.0, 2000.0 / len(self.classes)) * np.sqrt(self.rows / max(self.rows.max(), 1.0))
        ax.scatter(*places.T, s=sizes, color=PALETTE[0], edgecolor=ink(), linewidth=0.5, zorder=2)
        for i, label in enumerate(self.classes):
            near = [places[b if a == i else a][1] for a, b, _ in self.links if i in (a, b)]
            up = 1 if places[i][1] >= np.mean(near) else -1  # away from its neighbours
            where = {"textcoords": "offset points", "ha": "center", "va": "bottom" if up > 0 else "top"}
            ax.annotate(named(label, 22), places[i], (0, 4 * up), fontsize="x-small", zorder=3, **where)
        ax.margins(0.12)


def spread(nodes: int, links: Sequence[tuple[int, int, float]]) -> Floats:
    """Places by Fruchterman and Reingold's algorithm: links attract in proportion to their strength, and all nodes
    repel. It starts from a circle, so equal graphs get equal layouts."""
    angle = 2.0 * np.pi * np.arange(nodes) / max(nodes, 1)
    places = np.stack([np.cos(angle), np.sin(angle)], axis=1) * (1.0 + 0.05 * (np.arange(nodes) % 3))[:, None]
    if nodes < 2:
        return places
    pull = np.zeros((nodes, nodes))
    strongest = max((share for _, _, share in links), default=1.0) or 1.0
    for i, j, share in links:
        pull[i, j] = pull[j, i] = 0.3 + 0.7 * share / strongest
    near = 2.6 / np.sqrt(nodes)
    for step in range(STEPS):
        apart = places[:, None] - places[None]
        distance = np.maximum(np.hypot(*apart.transpose(2, 0, 1)), 1e-3)
        force = near**2 / distance**2 - pull * distance / near
        np.fill_diagonal(force, 0.0)
        move = (apart * force[..., None]).sum(axis=1) - 0.3 * places  # a little towards the middle
        length = np.maximum(np.hypot(*move.T), 1e-9)[:, None]
        places = places + move / length * np.minimum(length, 0.15 * (1.0 - step / STEPS))
    return places
