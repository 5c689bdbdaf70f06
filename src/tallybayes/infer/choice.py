"""What a rule says about a column."""

from __future__ import annotations

from typing import NamedTuple

from tallybayes.families import Categorical, Family
from tallybayes.families.smoothing import FITTED


class Choice(NamedTuple):
    family: Family | None  # nothing: the column is left out
    reason: str


CATEGORY = Categorical(alpha=FITTED)
SAME = "every cell is the same"
ENOUGH = 20  # cells from which one may conclude that a column never varies, or always does
