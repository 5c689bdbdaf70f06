"""The structures that counts of pairs can be read by: their names, how one is given, and which suits the rows best."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from tallybayes.counts.exact import Counts, Floats
from tallybayes.counts.tally import Key, Rows
from tallybayes.families.blocks import networks
from tallybayes.families.blocks.pair_counts import PairCounts
from tallybayes.families.left_out import LeftOut, weights_of
from tallybayes.families.settings import refused

NAIVE, TREE, DEPENDENT, AVERAGED, AUTO = "naive", "tree", "k-dependence", "averaged", "auto"
CANDIDATES = (NAIVE, TREE, DEPENDENT, AVERAGED)  # of equals, the first is taken
MOST_AVERAGED = 60  # columns: the time that averaging takes grows with their square
EQUAL = 1e-9  # losses that differ by less than this are the same

Structure = str | Mapping[str, str]


def as_structure(family: Any, name: str, given: Any) -> Structure:
    """One of the names, or for each column that has one its parent."""
    if isinstance(given, Mapping):
        if not all(isinstance(each, str) for each in (*given, *given.values())):
            raise refused(family, name, given, "columns by their names, each with its parent")
        return dict(sorted((str(child), str(parent)) for child, parent in given.items()))
    if isinstance(given, str) and given in (*CANDIDATES, AUTO):
        return str(given)
    listed = ", ".join(map(repr, (*CANDIDATES, AUTO)))
    raise refused(family, name, given, f"one of {listed}, or for each column that has one its parent")


def given_parents(structure: Mapping[str, str], columns: Sequence[str], alone: Sequence[str]) -> Counts:
    """A network that was given, by the numbers of the columns; an error, if it is none."""
    number, parents = {column: j for j, column in enumerate(columns)}, np.full(len(columns), networks.NONE, np.int64)
    for child, parent in structure.items():
        for column in (child, parent):
            if column not in number:
                has = ", ".join(map(repr, columns))
                raise ValueError(
                    f"structure={{{child!r}: {parent!r}}}: there is no column {column!r}; there are {has}."
                )
            if column in alone:
                raise ValueError(f"structure={{{child!r}: {parent!r}}}: {column!r} is counted alone, in no pair.")
        parents[number[child]] = number[parent]
    for child in structure:
        at, way = number[child], list[int]()
        while at != networks.NONE:
            if at in way:
                circle = " → ".join(repr(columns[j]) for j in [*way[way.index(at) :], at])
                raise ValueError(f"structure={dict(structure)!r} goes round in a circle: {circle}.")
            way.append(at)
            at = int(parents[at])
    return parents


def found_parents(structure: str, counts: PairCounts) -> Counts:
    """The network of this name that the counts suggest."""
    if structure == TREE:
        return networks.tree(counts)
    return networks.one_dependence(counts) if structure == DEPENDENT else networks.no_parents(counts)


def candidates(paired: int) -> tuple[str, ...]:
    """Those that so many columns can be read by."""
    return CANDIDATES if paired <= MOST_AVERAGED else CANDIDATES[:-1]


def least_loss(ways: Mapping[str, LeftOut], totals: Floats, cells: Any, rows: Rows, classes: Sequence[Key]) -> str:
    """Of several ways to read the same counts, the one under which the classes of these rows, each left out, are most
    probable; `totals` are the rows of each class."""
    number = {key: i for i, key in enumerate(classes)}
    codes = np.array([number[key] for key in rows.classes], np.int32)[rows.codes]
    weights = weights_of(rows)
    each = np.arange(len(codes))
    left = np.tile(totals, (len(codes), 1))
    left[each, codes] -= weights
    kept = (left[each, codes] > 1e-9 * totals[codes]) & (weights > 0)
    numbered = Rows(list(classes), codes[kept], None if rows.weights is None else weights[kept])
    losses: dict[str, float] = {}
    for name, leave_out in ways.items():
        with np.errstate(divide="ignore"):
            joint = leave_out(np.ascontiguousarray(cells[kept]), numbered) + np.log(np.maximum(left[kept], 0.0))
        joint = np.where(np.isneginf(joint).all(axis=1, keepdims=True), 0.0, joint)
        own = joint[np.arange(len(joint)), numbered.codes]
        loss = np.logaddexp.reduce(joint, axis=1) - np.maximum(own, joint.max(axis=1) - 700.0)
        losses[name] = float(np.sort(loss * weights[kept]).sum()) / (float(np.sort(weights[kept]).sum()) or 1.0)
    best = min(losses.values())
    return next(name for name, loss in losses.items() if loss <= best + EQUAL)
