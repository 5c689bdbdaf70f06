"""Which column depends on which: the network of a model, parents above their children."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from tallybayes.model.joint.graph import Graph
from tallybayes.model.model import Model
from tallybayes.plots.canvas import PALETTE, ink, named
from tallybayes.plots.display import Display
from tallybayes.report.characters import short

MOST = 60  # columns that are drawn


@dataclass(eq=False, repr=False)
class GraphDisplay(Display):
    """The network of a model. Arrows go from parents to children; their width is the mutual information given the
    class, if that was counted. The class is a parent of every column, which the title states and no arrow shows.

    >>> from tallybayes import Pairs
    >>> frame = {"outlook": ["sunny", "rain"] * 8, "wind": ["weak", "strong"] * 8}
    >>> model = Model.train({("outlook", "wind"): Pairs(structure="tree")}, frame, ["no", "yes", "yes", "no"] * 4)
    >>> GraphDisplay.from_model(model).edges
    [('outlook', 'wind')]
    """

    label: str  # the name of the class variable
    parents: Mapping[str, tuple[str, ...]]  # without the class
    information: Mapping[frozenset[str], float]  # of two columns, in nats
    more: int  # columns that are not drawn

    @classmethod
    def from_model(cls, model: Model) -> Self:
        graph: Graph = model.graph()
        label = next(iter(graph.parents))
        parents = {node: tuple(p for p in some if p != label) for node, some in graph.parents.items() if node != label}
        linked = {node for node, some in parents.items() for node in (node, *some) if some}
        shown = [node for node in parents if node in linked][:MOST] or [*parents][:MOST]
        kept = {node: tuple(p for p in parents[node] if p in shown) for node in shown}
        try:
            information = {frozenset([each.one, each.other]): each.information for each in model.dependence()}
        except ValueError:  # nothing was counted together
            information = {}
        return cls(label, kept, information, len(parents) - len(kept))

    @property
    def edges(self) -> list[tuple[str, str]]:
        return [(parent, node) for node, some in self.parents.items() for parent in some]

    @property
    def size(self) -> tuple[float, float]:
        deep = 1 + max((at[1] for at in layered(self.parents).values()), default=0.0)
        return (6.8, min(1.2 + 0.8 * deep, 8.0))

    @property
    def alt(self) -> str:
        parts = [f"{short(child)} depends on {short(parent)}" for parent, child in self.edges]
        listed = "; ".join(parts[:10]) + "; …" * (len(parts) > 10)
        listed = f"In addition, {listed}" if listed else "No column depends on another"
        return f"Every column depends on {short(self.label)}. {listed}."

    def draw(self, axes: list[Any]) -> None:
        (ax,) = axes
        places = layered(self.parents)
        most = max(self.information.values(), default=0.0) or 1.0
        for parent, child in self.edges:
            share = self.information.get(frozenset([parent, child]), most) / most
            ax.annotate(
                "",
                places[child],
                places[parent],
                arrowprops={
                    "arrowstyle": "-|>",
                    "color": ink(),
                    "linewidth": 0.6 + 2.4 * share,
                    "shrinkA": 11,
                    "shrinkB": 11,
                },
            )
        for node, (x, y) in places.items():
            box = {"boxstyle": "round,pad=0.35", "facecolor": PALETTE[5], "edgecolor": ink(), "linewidth": 0.8}
            ax.text(x, y, named(node, 18), ha="center", va="center", color="black", fontsize="small", bbox=box)
        ax.set_xlim(-0.02, 1.02)
        ax.set_ylim(max((y for _, y in places.values()), default=0.0) + 0.5, -0.5)
        more = f"; {self.more:,} columns without other parents are not shown" if self.more else ""
        ax.set_title(f"{named(self.label)} is a parent of every column{more}")
        ax.axis("off")


def layered(parents: Mapping[str, Sequence[str]]) -> dict[str, tuple[float, float]]:
    """Nodes below their parents: x from 0 to 1, and the number of steps down."""
    depth: dict[str, int] = {}
    while len(depth) < len(parents):
        for node, some in parents.items():
            if node not in depth and all(parent in depth for parent in some):
                depth[node] = max((depth[parent] + 1 for parent in some), default=0)
    places: dict[str, tuple[float, float]] = {}
    for level in range(max(depth.values(), default=-1) + 1):
        here = [node for node in parents if depth[node] == level]
        here.sort(key=lambda node: np.mean([places[parent][0] for parent in parents[node]] or [0.5]))
        for at, node in enumerate(here):
            places[node] = ((at + 0.5) / len(here), float(level))
    return places
