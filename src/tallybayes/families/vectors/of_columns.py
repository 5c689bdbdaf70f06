"""Which family counts the rows of a matrix, given one family for all its columns."""

from __future__ import annotations

from dataclasses import replace

from tallybayes.families.base import Family
from tallybayes.families.levels.bernoulli import Bernoulli
from tallybayes.families.numbers.numeric import Numeric
from tallybayes.families.smoothing import named_levels
from tallybayes.families.vectors.bag import Bag
from tallybayes.families.vectors.each import Each


def for_matrix(family: Family, size: int) -> Family:
    """The family of vectors of `size` numbers, each counted by this family."""
    if isinstance(family, (Bag, Each)):
        return family if family.size is not None else replace(family, size=size)
    if isinstance(family, Numeric):
        return Each(family, size=size)
    if not isinstance(family, Bernoulli):
        raise TypeError(
            f"{family!r} does not count a sparse matrix; give Bag(), or a family of numbers, for its columns."
        )
    if named_levels(family.alpha):
        raise TypeError(f"{family!r}: for the columns of a matrix, give alpha as one number for true and false.")
    return Bag(reading="bernoulli", alpha=family.alpha, size=size)
