"""The laws of a model as a function to run on any family: `check_family(family, values)`.

Run it on any family you add. It checks: settings have one canonical form and survive a round trip through text and
files; merging is adding; adding is an abelian group; weight two is twice; any order, batching and number of threads
give the same bytes; forgotten is never seen; missing is not counted; a file is read back the same; a single row, and a
column of a matrix, are scored as in a batch; what is drawn can be counted; the predictive distribution adds up to one;
a left-out row is scored as by a model trained without it. Needs hypothesis, which draws the rows, including negative
and fractional weights, missing cells and repeated values. Leans on `files`.
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
