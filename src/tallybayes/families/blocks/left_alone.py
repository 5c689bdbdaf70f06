"""Columns that are not counted in pairs, and why: those with too many levels, and the widest if all pairs would be too
many."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tallybayes.families.blocks.coding import MOST, Code, code_count, is_numeric
from tallybayes.families.blocks.pair_layout import PairLayout

MOST_POSITIONS = 3_000_000  # of columns and their combinations: each has a name of some 150 bytes …
MOST_CELLS = 25_000_000  # … times classes

Layout = Callable[[Sequence[int], Collection[int]], PairLayout]  # of columns with these sizes, some of them alone


def left_alone(
    columns: Sequence[str],
    cells: Sequence[pa.Array],
    codes: Sequence[Code],
    given: Sequence[str],
    classes: int,
    of: Layout,
) -> dict[str, str]:
    """The columns to be counted alone, each with the reason."""
    reasons = dict.fromkeys(given, "as given") | _too_many_levels(columns, cells, codes)
    sizes = [code_count(code) for code in codes]
    while True:
        layout = of(sizes, [columns.index(name) for name in reasons])
        if layout.size <= MOST_POSITIONS and layout.size * classes <= MOST_CELLS:
            return reasons
        at = widest(layout)
        reasons[columns[at]] = f"{sizes[at]:,} codes, and all columns together would be too many"


def widest(layout: PairLayout) -> int:
    """The paired column with the most codes; the last one on a tie."""
    return max(np.flatnonzero(layout.is_paired).tolist(), key=lambda j: (int(layout.sizes[j]), j))


def _too_many_levels(columns: Sequence[str], cells: Sequence[pa.Array], codes: Sequence[Code]) -> dict[str, str]:
    found = {}
    for column, part, code in zip(columns, cells, codes, strict=True):
        if code is not None and not is_numeric(code) and len(code) == MOST:
            levels = pc.count_distinct(part).as_py()
            if levels > MOST:
                found[column] = f"{levels:,} levels in {len(part):,} rows, more than {MOST}"
    return found
