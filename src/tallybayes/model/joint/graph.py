"""Which columns can depend on which: the network of a model, and d-separation by Bayes' ball; and how much they depend
on one another within the classes: conditional mutual information, with a G-test."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from typing import Any, NamedTuple

from tallybayes.counts.lookup import nearest
from tallybayes.families.events import PairInformation
from tallybayes.kernels import special
from tallybayes.model.joint.elimination import with_ancestors

UP, DOWN = "up", "down"  # how the ball comes to a node: from a child, or from a parent


@dataclass(frozen=True)
class Independence:
    """Whether two nodes are d-separated by the given ones: independent in every distribution with this graph. If not,
    `path` is a shortest active path between them."""

    one: str
    other: str
    given: tuple[str, ...]
    path: tuple[str, ...]
    arrows: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return not self.path

    def __str__(self) -> str:
        given = f" given {', '.join(self.given)}" if self.given else ""
        if not self.path:
            return f"{self.one} and {self.other} are independent{given}"
        way = self.path[0] + "".join(f" {a} {node}" for a, node in zip(self.arrows, self.path[1:], strict=True))
        return f"{self.one} and {self.other} may depend on each other{given}: {way}"


@dataclass(frozen=True)
class Graph:
    """The graph of a Bayesian network: every node with its parents.

    >>> graph = Graph({"play": (), "outlook": ("play",), "wind": ("play",)})
    >>> print(graph.independent("outlook", "wind"))
    outlook and wind may depend on each other: outlook ← play → wind
    >>> bool(graph.independent("outlook", "wind", given=["play"]))
    True
    """

    parents: Mapping[str, tuple[str, ...]]

    def __post_init__(self) -> None:
        kept = {str(node): tuple(some) for node, some in self.parents.items()}
        for node, some in kept.items():
            for parent in some:
                if parent not in kept:
                    raise ValueError(
                        f"{node!r} has the parent {parent!r}, which is not a node.{nearest(parent, [*kept])}"
                    )
        object.__setattr__(self, "parents", kept)
        self._check_no_cycle()

    @property
    def nodes(self) -> tuple[str, ...]:
        return tuple(self.parents)

    @property
    def edges(self) -> list[tuple[str, str]]:
        """From parents to children."""
        return [(parent, node) for node, some in self.parents.items() for parent in some]

    @cached_property
    def children(self) -> dict[str, tuple[str, ...]]:
        found: dict[str, list[str]] = {node: [] for node in self.parents}
        for parent, child in self.edges:
            found[parent].append(child)
        return {node: tuple(some) for node, some in found.items()}

    def _check_no_cycle(self) -> None:
        left = dict(self.parents)
        while free := [node for node, some in left.items() if not any(parent in left for parent in some)]:
            left = {node: some for node, some in left.items() if node not in free}
        if left:
            raise ValueError(f"The network has a cycle among {', '.join(map(repr, left))}.")

    def independent(self, one: str, other: str, given: Iterable[str] | str = ()) -> Independence:
        """By Bayes' ball: two nodes are independent if a ball from one cannot reach the other. A given node stops it,
        except between two of its parents: a common child that is given, or has a given descendant, lets it through."""
        known = (given,) if isinstance(given, str) else tuple(given)
        for node in (one, other, *known):
            if node not in self.parents:
                raise ValueError(f"There is no node {node!r}.{nearest(node, [*self.parents])}")
        if one in known or other in known:
            return Independence(one, other, known, ())  # a given node is independent of everything
        if one == other:
            return Independence(one, other, known, (one,))
        return self._thrown(one, other, known)

    def _thrown(self, one: str, other: str, known: tuple[str, ...]) -> Independence:
        given, opened = set(known), with_ancestors(known, self.parents)
        before: dict[tuple[str, str], tuple[str, str] | None] = {(one, UP): None}
        waiting = deque(before)
        while waiting:
            at = waiting.popleft()
            if at[0] == other:
                return self._way(at, before, one, other, known)
            for step in self._steps(*at, given, opened):
                if step not in before:
                    before[step] = at
                    waiting.append(step)
        return Independence(one, other, known, ())

    def _steps(self, node: str, came: str, given: set[str], opened: set[str]) -> list[tuple[str, str]]:
        """Where the ball goes next, from a node that it reached from a child (up) or a parent (down)."""
        up = [(parent, UP) for parent in self.parents[node]]
        down = [(child, DOWN) for child in self.children[node]]
        if came == UP:
            return [] if node in given else up + down
        return (up if node in opened else []) + ([] if node in given else down)

    def _way(self, at: Any, before: Mapping[Any, Any], one: str, other: str, known: tuple[str, ...]) -> Independence:
        steps = [at]
        while before[steps[-1]] is not None:
            steps.append(before[steps[-1]])
        steps.reverse()
        arrows = tuple("←" if came == UP else "→" for _, came in steps[1:])
        return Independence(one, other, known, tuple(node for node, _ in steps), arrows)

    def to_dot(self, *, plates: bool = False) -> str:
        """In Graphviz's DOT language. With `plates`, in plate notation: the nodes are in a plate that is repeated for
        every row, and each has a node for its distribution, in a plate repeated for every value of its parents.

        >>> print(Graph({"class": (), "word": ("class",)}).to_dot(plates=True))
        digraph {
          subgraph "cluster 0" {
            label="each row";
            "class";
            "word";
          }
          subgraph "cluster 1" {
            label="each class";
            "P(word | class)";
          }
          "class" -> "word";
          "P(class)" -> "class";
          "P(word | class)" -> "word";
        }
        <BLANKLINE>
        """
        lines = [f"  {_quoted(node)};" for node in self.nodes]
        arrows = self.edges
        if plates:
            lines = list(self._plates())
            arrows += [(_distribution(node, some), node) for node, some in self.parents.items()]
        lines += [f"  {_quoted(parent)} -> {_quoted(child)};" for parent, child in arrows]
        return "\n".join(["digraph {", *lines, "}", ""])

    def _plates(self) -> Iterator[str]:
        plates = [("row", [*self.nodes])]
        for given in dict.fromkeys(filter(None, self.parents.values())):
            alike = [_distribution(node, some) for node, some in self.parents.items() if some == given]
            plates.append((", ".join(given), alike))
        for number, (each, nodes) in enumerate(plates):
            yield f'  subgraph "cluster {number}" {{'
            yield f"    label={_quoted(f'each {each}')};"
            yield from (f"    {_quoted(node)};" for node in nodes)
            yield "  }"

    def to_networkx(self) -> Any:
        """As a `networkx.DiGraph`, if that library is installed."""
        try:
            networkx = import_module("networkx")
        except ImportError:
            raise ImportError("to_networkx needs networkx: pip install networkx.") from None
        graph = networkx.DiGraph()
        graph.add_nodes_from(self.nodes)
        graph.add_edges_from(self.edges)
        return graph


def _distribution(node: str, parents: tuple[str, ...]) -> str:
    return f"P({node} | {', '.join(parents)})" if parents else f"P({node})"


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'


class Dependence(NamedTuple):
    """Two columns: their conditional mutual information given the class, in nats, which is also the Kullback-Leibler
    divergence of naive Bayes' product from the pair counts; G = 2 · rows · information, and its p-value."""

    one: str
    other: str
    information: float
    g: float
    degrees_of_freedom: int
    p: float


class Dependences(tuple[Dependence, ...]):
    """Every pair of columns that are counted together, the most dependent first."""

    def __new__(cls, found: Sequence[PairInformation]) -> Dependences:
        rows = [Dependence(*each, _chance(each.g, each.degrees_of_freedom)) for each in found]
        return super().__new__(cls, sorted(rows, key=lambda row: (-row.information, row.one, row.other)))

    def __repr__(self) -> str:
        wide = max((len(f"{row.one}, {row.other}") for row in self), default=0)
        lines = [f"{'':{wide}}  {'nats':>8}  {'G':>10}  {'df':>5}  {'p':>8}"]
        for row in self:
            name, df = f"{row.one}, {row.other}", row.degrees_of_freedom
            lines.append(f"{name:{wide}}  {row.information:8.4f}  {row.g:10.2f}  {df:5d}  {row.p:8.2g}")
        return "\n".join(lines)


def _chance(g: float, df: int) -> float:
    """P(at least this G), if the columns were independent within every class."""
    return float(special.chdtrc(df, g)) if df > 0 else 1.0
