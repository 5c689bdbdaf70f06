"""Whole numbers scored by table: what a family's formula says about the small ones is worked out once."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

from tallybayes import kernels
from tallybayes.counts.exact import Floats
from tallybayes.families.base import Scorer
from tallybayes.families.numbers.numeric_belief import MeasuredBelief

MOST_NUMBERS = 256  # from 0, in a table …
MOST_ENTRIES = 1 << 16  # … of so many entries, all classes together


class WholeBelief(MeasuredBelief):
    """A table of the first numbers, and the formula for all others: each number is always scored in the same way."""

    @cached_property
    def table(self) -> Floats:
        count = max(min(MOST_NUMBERS, MOST_ENTRIES // len(self.s.n)), 1)
        said = self.family.log_likelihood(self._columns, np.arange(float(count))[None, :])
        return np.ascontiguousarray(np.where(self.silent, 0.0, said).T)

    def add_evidence(self, cells: Floats, scores: Floats) -> None:
        self.together([self])([cells], scores)

    def add_others(self, cells: Floats, scores: Floats) -> None:
        """The same for the numbers that the table has not."""
        listed = (cells >= 0) & (cells < len(self.table)) & (cells == np.floor(cells))
        super().add_evidence(np.where(listed, np.nan, cells), scores)

    @classmethod
    def together(cls, beliefs: Sequence[Any]) -> Scorer:
        def score(cells: Sequence[Any], scores: Floats) -> None:
            if kernels.add_whole(list(cells), [belief.table for belief in beliefs], scores):
                for belief, column in zip(beliefs, cells, strict=True):
                    belief.add_others(column, scores)

        return score
