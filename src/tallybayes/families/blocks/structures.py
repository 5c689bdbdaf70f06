"""The structures for counts of pairs: their names, how one is given, and which fits the rows best."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from tallybayes.counts.exact import Floats
from tallybayes.counts.tally import Key, Rows
from tallybayes.families.blocks import networks
from tallybayes.families.blocks.networks import Parents
from tallybayes.families.blocks.pair_counts import PairCounts
from tallybayes.families.left_out import LeftOut, weights_of
from tallybayes.families.settings import refused

NAIVE, TREE, DEPENDENT, AVERAGED, AUTO = "naive", "tree", "k-dependence", "averaged", "auto"
CANDIDATES = (NAIVE, TREE, DEPENDENT, AVERAGED)  # the first wins a tie
EQUAL = 1e-9  # losses that differ by less than this are the same

Structure = str | Mapping[str, Any]


def as_structure(family: Any, name: str, given: Any) -> Structure:
    """One of the names, or a mapping from columns to their parent, or a tuple of parents."""
    if isinstance(given, Mapping):
        parents = {child: (some,) if isinstance(some, str) else tuple(some) for child, some in _items(given)}
        if not all(isinstance(each, str) for child, some in parents.items() for each in (child, *some)):
            raise refused(family, name, given, "a mapping from column names to parents")
        return {child: some[0] if len(some) == 1 else some for child, some in sorted(parents.items()) if some}
    if isinstance(given, str) and given in (*CANDIDATES, AUTO):
        return str(given)
    listed = ", ".join(map(repr, (*CANDIDATES, AUTO)))
    raise refused(family, name, given, f"one of {listed}, or a mapping from columns to their parents")


def _items(given: Mapping[Any, Any]) -> list[tuple[Any, Any]]:
    return [(child, some if isinstance(some, (str, list, tuple)) else (some,)) for child, some in given.items()]


def given_parents(structure: Mapping[str, Any], columns: Sequence[str], alone: Sequence[str], k: int) -> Parents:
    """A given network by the indices of its columns; an error if it is not valid."""
    number = {column: j for j, column in enumerate(columns)}
    parents: Parents = [[] for _ in columns]
    for child, given in structure.items():
        some = (given,) if isinstance(given, str) else given
        shown = f"structure={{{child!r}: {given!r}}}"
        for column in (child, *some):
            if column not in number:
                raise ValueError(f"{shown}: there is no column {column!r}; there are {', '.join(map(repr, columns))}.")
            if column in alone:
                raise ValueError(f"{shown}: {column!r} is counted alone, not in pairs.")
        if len(some) > k or len({child, *some}) <= len(some):
            raise ValueError(f"{shown}: a column is counted together with up to {k} other{'s' * (k > 1)}.")
        parents[number[child]] = [number[parent] for parent in some]
    _check_no_circle(parents, columns)
    return parents


def _check_no_circle(parents: Parents, columns: Sequence[str]) -> None:
    left = set(range(len(parents)))
    while free := {j for j in left if not left & set(parents[j])}:
        left -= free
    if left:
        at, way = min(left), list[int]()
        while at not in way:
            way.append(at)
            at = next(p for p in parents[at] if p in left)
        circle = " → ".join(repr(columns[j]) for j in [*way[way.index(at) :], at])
        raise ValueError(f"The structure has a cycle: {circle}.")


def found_parents(structure: str, counts: PairCounts, k: int) -> Parents:
    """The network of this name that the counts suggest."""
    if structure == TREE:
        return networks.tree(counts)
    return networks.dependence(counts, k) if structure == DEPENDENT else networks.no_parents(counts)


def candidates(averaged: bool) -> tuple[str, ...]:
    """The structures to try; "averaged" only if there are not too many columns."""
    return CANDIDATES if averaged else CANDIDATES[:-1]


def least_loss(ways: Mapping[str, LeftOut], totals: Floats, cells: Any, rows: Rows, classes: Sequence[Key]) -> str:
    """The structure with the lowest log-loss on these rows, each left out; `totals` are the rows of each class."""
    codes = rows.codes_in(classes)
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
