"""Whether counts of columns, pairs and triples can have come from the same rows."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tallybayes.counts.exact import TRACE, Exact
from tallybayes.families.blocks.pair_layout import PairLayout


def discord(columns: Sequence[str], layout: PairLayout, n: Exact) -> str | None:
    """Why n[position, class] cannot come from rows, or None: all columns must have equally many cells, and the counts
    of a level with all levels of another column must add up to its own count."""

    def table(start: int, *some: int) -> Exact:
        sizes = layout.sizes[list(some)].tolist()
        limbs = n.limbs[start : start + int(np.prod(sizes))]
        return Exact(limbs.reshape(*sizes, *n.limbs.shape[1:]), n.low)

    singles = [table(int(start), j) for j, start in enumerate(layout.singles)]
    for column, single in zip(columns, singles, strict=True):
        if _differ(single.sum(), singles[0].sum()):
            return f"{column!r} would not have as many cells as {columns[0]!r}"
    for i, j, start in zip(layout.first.tolist(), layout.second.tolist(), layout.starts.tolist(), strict=True):
        both = table(start, i, j)
        if _differ(both.sum(axis=1), singles[i]) or _differ(both.sum(axis=0), singles[j]):
            return f"the counts of {columns[i]!r} and {columns[j]!r} would not add up to those of the pair"
    for (i, j, last), start in zip(layout.threes.T.tolist(), layout.three_starts.tolist(), strict=True):
        three, parts = table(start, i, j, last), ((j, last), (i, last), (i, j))
        for axis, part in enumerate(parts):
            if _differ(three.sum(axis=axis), table(int(layout.pairs[part]), *part)):
                one, other = (columns[j] for j in part)
                return f"the counts of {one!r} and {other!r} would not add up to those of their triples"
    return None


def _differ(one: Exact, other: Exact) -> bool:
    """Whether they differ by more than the rounding of decay."""
    rest = one - other
    if rest.is_zero().all():
        return False
    trace = 256 * TRACE * (1.0 + np.abs(other.round()))
    return bool((rest.is_below(trace) | (-rest).is_below(trace)).any())
