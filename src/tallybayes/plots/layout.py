"""Graph layout: linked nodes close together, none on top of another."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from tallybayes.counts.exact import Floats

STEPS = 300


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
