"""The laws that make a model its counts, as a function to run on any family: `check_family(family, values)`.

Run it on any family you add. It checks: its settings have one form, and texts and files bring it back; merging is
adding; adding is an abelian group; weight two is twice; any order, any batching, any number of threads give the same
bytes; forgotten is never seen; missing is not counted; a file comes back the same; a row by itself, and a column of a
matrix, say what they say among others; what is drawn can be counted; what the family says about all possible values
adds up to one; a row left out is scored as by a model trained without it. Needs hypothesis, which draws the rows:
negative and fractional weights, missing cells and repeated values among them. Leans on `files`.
"""

from tallybayes.testing.check import check_belief, check_family
from tallybayes.testing.grids import over_counts, over_half_line, over_levels, over_line
from tallybayes.testing.laws import predictive_adds_up_to_one

__all__ = [
    "check_belief",
    "check_family",
    "over_counts",
    "over_half_line",
    "over_levels",
    "over_line",
    "predictive_adds_up_to_one",
]
