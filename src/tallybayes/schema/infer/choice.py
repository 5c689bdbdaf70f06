"""What a rule says about a column."""

from __future__ import annotations

from typing import NamedTuple

from tallybayes.families import Categorical, Family
from tallybayes.families.smoothing import FITTED


class Choice(NamedTuple):
    family: Family | None  # nothing: the column is left out
    reason: str


CATEGORY = Categorical(alpha=FITTED)


def unvarying(what: str, family: Family, whole: bool) -> Choice:
    """Cells that tell nothing are left out if they are all that there are; the family is for what may come else."""
    return Choice(None, f"every cell is {what}") if whole else Choice(family, f"every cell of the sample is {what}")
