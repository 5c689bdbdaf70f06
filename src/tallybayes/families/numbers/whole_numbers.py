"""Whole numbers scored by table: a family's formula is evaluated once for the small ones."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, cached_property
from typing import Any

import numpy as np

from tallybayes import kernels
from tallybayes.counts.exact import Floats, Mask
from tallybayes.families.belief import Scorer
from tallybayes.families.centring import Adding, adding_weighed, weighed_table
from tallybayes.families.numbers.numeric_belief import NumericBelief

MOST_NUMBERS = 256  # from 0, in a table …
MOST_ENTRIES = 1 << 16  # … of at most this many entries over all classes


def first_numbers(classes: int) -> Floats:
    """The numbers in a table."""
    return np.arange(float(max(min(MOST_NUMBERS, MOST_ENTRIES // classes), 1)))[None, :]


def is_listed(x: Floats, count: int) -> Mask:
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
        return _looking_up(lambda: [belief.table for belief in beliefs], [belief.add_others for belief in beliefs])

    @classmethod
    def together_weighed(cls, beliefs: Sequence[Any], thetas: Floats) -> Scorer:
        each = list(zip(beliefs, thetas, strict=True))
        others = [adding_weighed(belief.add_others, theta, cls.bound) for belief, theta in each]
        return _looking_up(lambda: [weighed_table(belief.table, theta, cls.bound) for belief, theta in each], others)


def _looking_up(tables: Callable[[], list[Floats]], others: Sequence[Adding]) -> Scorer:
    """Scores by tables, which are made when they are first used, and by formulas for numbers beyond them."""
    made = cache(tables)

    def score(cells: Sequence[Any], scores: Floats) -> None:
        if kernels.add_whole(list(cells), made(), scores):
            for add, column in zip(others, cells, strict=True):
                add(column, scores)

    return score
