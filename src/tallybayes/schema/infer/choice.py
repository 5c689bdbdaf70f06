"""What a rule says about a column."""

from __future__ import annotations

from typing import NamedTuple

from tallybayes.families import Categorical, Family
from tallybayes.families.smoothing import FITTED


class Choice(NamedTuple):
    family: Family | None  # nothing: the column is left out
    reason: str


NEARLY_ALL = 0.995  # which would be shown as 100%
CATEGORY = Categorical(alpha=FITTED)


def share_text(share: float) -> str:
    """A part of the cells, but not all of them, in words."""
    return f"{share:.0%}" if share < NEARLY_ALL else "nearly all"


def unvarying(what: str, family: Family, whole: bool) -> Choice:
    """Cells that tell nothing are left out if they are all that there are; the family is for what may come else."""
    return Choice(None, f"every cell is {what}") if whole else Choice(family, f"every cell of the sample is {what}")


def all_the_same(n: int, family: Family, whole: bool, missing: bool) -> Choice:
    """The `n` cells that are there are alike. Where others are missing, that may tell, and weighing finds out."""
    if missing:
        return Choice(family, f"the same in {n} cells, missing in the others, which may tell")
    return unvarying("the same", family, whole)
