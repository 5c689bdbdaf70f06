"""Whole numbers scored by table: a family's formula is evaluated once for the small ones."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallybayes import kernels
from tallybayes.counts.exact import Floats
from tallybayes.families.base import Scorer
from tallybayes.families.numbers.numeric_belief import NumericBelief

MOST_NUMBERS = 256  # from 0, in a table …
MOST_ENTRIES = 1 << 16  # … of at most this many entries over all classes


def first_numbers(classes: int) -> Floats:
    """The numbers in a table."""
    return np.arange(float(max(min(MOST_NUMBERS, MOST_ENTRIES // classes), 1)))[None, :]


def is_listed(x: Floats, count: int) -> NDArray[np.bool_]:
    """Which numbers are integers below `count`."""
    return (x >= 0) & (x < count) & (x == np.floor(x))


class WholeBelief(NumericBelief):
    """A table for the first numbers, and the formula for all others; the same number is always scored the same way."""

    @cached_property
    def table(self) -> Floats:
        logs = self.family.log_likelihood(self._columns, first_numbers(len(self.s[0])))
        return np.ascontiguousarray(np.where(self.silent, 0.0, logs).T)

    def add_evidence(self, cells: Floats, scores: Floats) -> None:
        self.together([self])([cells], scores)

    def add_others(self, cells: Floats, scores: Floats) -> None:
        """The same for numbers beyond the table."""
        super().add_evidence(np.where(is_listed(cells, len(self.table)), np.nan, cells), scores)

    @classmethod
    def together(cls, beliefs: Sequence[Any]) -> Scorer:
        def score(cells: Sequence[Any], scores: Floats) -> None:
            if kernels.add_whole(list(cells), [belief.table for belief in beliefs], scores):
                for belief, column in zip(beliefs, cells, strict=True):
                    belief.add_others(column, scores)

        return score
