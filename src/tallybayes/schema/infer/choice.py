"""What a rule chooses for a column, and why."""

from __future__ import annotations

from typing import NamedTuple

from tallybayes.families import Categorical, Family
from tallybayes.families.smoothing import FITTED


class Choice(NamedTuple):
    family: Family | None  # None: the column is left out
    reason: str
    alone: Family | None = None  # the family if no other column is counted, unless it is the same …
    last: bool = False  # … and if nor is any as alone


NEARLY_ALL = 0.995  # would round to 100%
CATEGORY = Categorical(alpha=FITTED)


def share_text(share: float) -> str:
    """A share of the cells as text, never rounded to 100%."""
    return f"{share:.0%}" if share < NEARLY_ALL else "nearly all"


SO_FAR = "every cell of the sample is"
NO_CELLS = f"{SO_FAR} missing"


def unvarying(what: str, family: Family, whole: bool) -> Choice:
    """Cells that are all the same: left out if there are no others, else counted by this family."""
    return Choice(None, f"every cell is {what}") if whole else Choice(family, f"{SO_FAR} {what}")


def all_the_same(n: int, family: Family, whole: bool, missing: bool) -> Choice:
    """The `n` present cells are equal. If others are missing, that may be informative."""
    if missing:
        return Choice(family, f"the same in {n} cells, missing in the others, which may be informative")
    return unvarying("the same", family, whole)
