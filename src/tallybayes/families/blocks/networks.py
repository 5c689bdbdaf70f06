"""Network structures for counts of pairs: given, or found by mutual information, and which fits the rows best."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np

from tallybayes.counts.exact import Floats
from tallybayes.counts.tally import Key, Rows
from tallybayes.families.blocks.pair_counts import PairCounts
from tallybayes.families.left_out import LeftOut, weights_of
from tallybayes.families.settings import refused

DIGITS = 12  # of information that are compared: later ones depend on the order of summation
Parents = list[list[int]]  # those of every column, the closest first
NAIVE, TREE, DEPENDENT, AVERAGED, AUTO = "naive", "tree", "k-dependence", "averaged", "auto"
CANDIDATES = (NAIVE, TREE, DEPENDENT, AVERAGED)  # the first wins a tie
EQUAL = 1e-9  # losses that differ by less than this are the same
Structure = str | Mapping[str, Any]


def no_parents(counts: PairCounts) -> Parents:
    return [[] for _ in range(counts.columns)]


def tree(counts: PairCounts) -> Parents:
    """The parent of every column in the maximum spanning tree of conditional mutual information (Chow and Liu's, given
    the class), directed away from the column with the most information about the class. Columns that are counted alone
    have none."""
    between, about = conditional_information(counts), class_information(counts)
    parents, left = no_parents(counts), [j for j in range(counts.columns) if counts.layout.is_paired[j]]
    if not left:
        return parents
    root = max(left, key=lambda j: (about[j], -j))
    left.remove(root)
    best = dict.fromkeys(left, root)  # its closest column in the tree, the earliest on a tie
    while left:
        new = max(left, key=lambda j: (between[j, best[j]], -j))
        left.remove(new)
        parents[new] = [best[new]]
        for j in left:
            best[j] = new if between[j, new] > between[j, best[j]] else best[j]
    return parents


def dependence(counts: PairCounts, k: int) -> Parents:
    """KDB: columns in the order of their information about the class; each depends on up to `k` earlier ones with the
    highest mutual information, if that is more than chance."""
    size, n = np.maximum(counts.levels - 1, 0), float(counts.totals.sum()) or 1.0
    classes = int((counts.totals > 0).sum())
    about = class_information(counts) - size * max(classes - 1, 0) / (2.0 * n)
    between = conditional_information(counts) - np.outer(size, size) * classes / (2.0 * n)
    order = sorted(range(counts.columns), key=lambda j: (-about[j], j))
    parents = no_parents(counts)
    for at, j in enumerate(order):
        before = [i for i in order[:at] if counts.layout.pairs[i, j] >= 0 and between[i, j] > 0]
        parents[j] = [i for _, i in sorted((-float(between[i, j]), i) for i in before)][:k]
    return parents


def class_information(counts: PairCounts) -> Floats:
    """I(column; class) in nats, for every column."""
    return np.round([_information(_read(counts, j)) for j in range(counts.columns)], DIGITS)


def conditional_information(counts: PairCounts) -> Floats:
    """I(column; column | class) in nats, for every two columns that are counted together; else 0."""
    layout, found = counts.layout, np.zeros((counts.columns, counts.columns))
    if not len(layout.first):
        return found
    gaps = counts.smoothing.ignored and any(counts.single(j)[0].any() for j in range(counts.columns))
    if gaps:  # each pair over the rows where neither is missing
        pairs = zip(layout.first.tolist(), layout.second.tolist(), strict=True)
        nats = np.array([_information(counts.pair(i, j)[1:, 1:]) for i, j in pairs])
    else:
        nats = _all_at_once(counts)
    found[layout.first, layout.second] = found[layout.second, layout.first] = np.round(nats, DIGITS)
    return found


def _all_at_once(counts: PairCounts) -> Floats:
    """N·I = Σ n(i,j,c) log n(i,j,c) − Σ n(i,c) log n(i,c) − Σ n(j,c) log n(j,c) + Σ n(c) log n(c)"""
    layout, n = counts.layout, float(counts.totals.sum()) or 1.0
    each = _weighed_log(counts.n[: layout.pairs_end]).sum(axis=1)
    single = np.add.reduceat(each[: int(layout.sizes.sum())], layout.singles)
    both = np.add.reduceat(each, layout.starts)
    total = both - single[layout.first] - single[layout.second] + _weighed_log(counts.totals).sum()
    return np.maximum(total / n, 0.0)


def _read(counts: PairCounts, j: int) -> Floats:
    return np.where(counts.met[j][:, None], counts.single(j), 0.0)


def _information(table: Floats) -> float:
    """The mutual information of the first two axes of a table of counts, given the third, if there is one."""
    parts = ((table, 1.0), (table.sum(axis=0), -1.0), (table.sum(axis=1), -1.0), (table.sum(axis=(0, 1)), 1.0))
    total = sum((sign * float(_weighed_log(part).sum()) for part, sign in parts), 0.0)
    return max(total / (float(table.sum()) or 1.0), 0.0)


def _weighed_log(n: Floats) -> Floats:
    """n log n, and 0 for n = 0."""
    n = np.asarray(n)
    return n * np.log(np.where(n > 0, n, 1.0))


def as_structure(family: Any, name: str, given: Any) -> Structure:
    """One of the names, or a mapping from columns to their parent, or a tuple of parents."""
    if isinstance(given, Mapping):
        parents = {child: tuple(some) if isinstance(some, (list, tuple)) else (some,) for child, some in given.items()}
        if not all(isinstance(each, str) for child, some in parents.items() for each in (child, *some)):
            raise refused(family, name, given, "a mapping from column names to parents")
        return {child: some[0] if len(some) == 1 else some for child, some in sorted(parents.items()) if some}
    if isinstance(given, str) and given in (*CANDIDATES, AUTO):
        return str(given)
    listed = ", ".join(map(repr, (*CANDIDATES, AUTO)))
    raise refused(family, name, given, f"one of {listed}, or a mapping from columns to their parents")


def given_parents(structure: Mapping[str, Any], columns: Sequence[str], alone: Collection[str], k: int) -> Parents:
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
        return tree(counts)
    return dependence(counts, k) if structure == DEPENDENT else no_parents(counts)


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
