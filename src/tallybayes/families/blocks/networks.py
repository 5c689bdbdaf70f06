"""Structure learning: mutual information, and the networks that it suggests, all from counts."""

from __future__ import annotations

import numpy as np

from tallybayes.counts.exact import Floats
from tallybayes.families.blocks.pair_counts import PairCounts

DIGITS = 12  # of information that are compared: later ones depend on the order of summation
Parents = list[list[int]]  # those of every column, the closest first


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
