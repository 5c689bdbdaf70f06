"""Which equal rows are copies of one row, and which are independent cases that happen to be equal.

A table of few levels has equal rows by chance: two passengers of the same class, sex and age. Two equal rows of many
numbers are one row that somebody repeated. The other rows tell which: a case is like a given one with about the
probability that is the product, over the columns, of the share of other distinct rows with the same cell.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from tallybayes.data.fingerprints import fingerprints

Numbers = NDArray[np.float64]
Mask = NDArray[np.bool_]

FEW = 100  # distinct rows
MANY = 20  # rows for each distinct one, on average: then equal rows are common
EXPECTED = 0.5  # rows like a given one, at least, …
LIKELY = 10.0  # … and a tenth of those that are there: columns are seldom independent …
DEPENDENT = 1e6  # … and even less so if equal rows are common


def are_cases(cells: pa.RecordBatch, number: Numbers, asked: Mask, total: float) -> Mask:
    """Whether the rows that are equal to each of these distinct ones are independent cases, of those `asked` about.
    Each of these stands for a `number` of rows, of `total` rows in all.

    They are cases if one is as likely as not, and no more than ten times as many are there as expected. If there are
    twenty rows for each distinct one, columns may depend on each other much more. Few distinct rows are then always
    cases: without all rows that are equal, little would be left."""
    distinct, at = len(number), np.flatnonzero(asked)
    common = number.sum() >= MANY * distinct
    needed = number[at] / DEPENDENT if common else np.maximum(number[at] / LIKELY, EXPECTED)
    expected, itself = np.full(len(at), float(total)), 0 if common else 1
    for name in sorted(cells.schema.names) if not (common and distinct <= FEW) else ():
        if not len(at):
            break
        marks = fingerprints(cells, [name])
        kinds, of_row = np.unique(marks[at], return_inverse=True)
        place = np.minimum(kinds.searchsorted(marks), len(kinds) - 1)
        sizes = np.bincount(place[kinds[place] == marks], minlength=len(kinds))
        expected *= (sizes[of_row] - itself) / max(distinct - itself, 1)
        likely = expected >= needed
        at, needed, expected = at[likely], needed[likely], expected[likely]
    cases = np.zeros(distinct, bool)
    cases[at] = True
    return cases
