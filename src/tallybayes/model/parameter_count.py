"""How many parameters a model has, and how many the full joint distribution of its columns would have.

Naive Bayes has a distribution of each column in each class, so the numbers of parameters add up. In a table of all
combinations they multiply, which is why columns are assumed to be independent.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tallybayes.families.base import Belief
from tallybayes.schema.entries import Name, briefly, title

LARGE = 10**15  # numbers from here on are shown as powers of ten
FEW = 5  # columns that are named


@dataclass(frozen=True)
class ParameterCount:
    """The number of free parameters: of probabilities that add up to one, the last is not free.

    `columns` has the number for each column, over all classes, or None if it grows with the rows (`Density`). `joint`
    is the number for a table of the classes and the `tabled` columns, whose values can all be listed.
    """

    classes: int
    columns: dict[Name, int | None]
    tabled: tuple[Name, ...]
    joint: int

    @property
    def total(self) -> int:
        return self.classes + sum(n for n in self.columns.values() if n is not None)

    @property
    def joint_log10(self) -> float:
        return math.log10(self.joint) if self.joint else -math.inf

    def __str__(self) -> str:
        growing = [name for name, n in self.columns.items() if n is None]
        beside = f", in addition to those of {_listed(growing)}, which grow with the rows" if growing else ""
        table = "" if len(self.tabled) == len(self.columns) else f" of {_listed(self.tabled)}"
        against = f"; a table of the full joint distribution{table} has {shown(self.joint)}" if self.tabled else ""
        return f"{self.total:,} parameter{'s' * (self.total != 1)}{beside}{against}"


def parameter_count(beliefs: Mapping[Name, Belief], classes: int) -> ParameterCount:
    """The number of parameters of these columns in this many classes."""
    sizes = {name: belief.free() for name, belief in beliefs.items()}
    tabled = {name: size.outcomes for name, size in sizes.items() if size is not None and size.outcomes is not None}
    return ParameterCount(
        classes=classes - 1,
        columns={name: None if size is None else classes * size.each + size.shared for name, size in sizes.items()},
        tabled=tuple(tabled),
        joint=classes * math.prod(tabled.values()) - 1,
    )


def _listed(columns: Sequence[Name]) -> str:
    if len(columns) > FEW:
        return f"{len(columns):,} columns"
    return ", ".join(repr(briefly(title(name))) for name in columns)


def shown(n: int) -> str:
    """The number, rounded to a power of ten if it is too long to read.

    >>> shown(71), shown(2**601 - 1)
    ('71', 'about 8.3·10^180')
    """
    if n < LARGE:
        return f"{n:,}"
    power = math.log10(n)
    return f"about {10 ** (power % 1.0):.1f}·10^{int(power)}"
