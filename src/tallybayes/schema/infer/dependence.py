"""Which columns are counted together as well, where they may depend on each other, and by which families."""

from __future__ import annotations

from collections.abc import Mapping

from tallybayes.families import Family, Pairs, Several, Trees
from tallybayes.schema.entries import Name

NONE, AUTO, TREES, PAIRS = "none", "auto", "trees", "pairs"
KINDS = (NONE, AUTO, TREES, PAIRS)
MOST = 60  # columns of which every two are counted together, and each is asked about given each other


def check_dependence(dependence: str) -> None:
    if dependence not in KINDS:
        raise ValueError(f"dependence={dependence!r}: give one of {', '.join(map(repr, KINDS))}.")


def with_dependence(
    columns: Mapping[Name, Family], reasons: Mapping[Name, str], dependence: str
) -> tuple[dict[Name, Family], dict[Name, str]]:
    """Columns and why they have their families, and beside these a block of all of them that are numbers or levels."""
    together = [name for name, family in columns.items() if isinstance(name, str) and _can_be_asked(family)]
    if dependence == NONE or len(together) < 2:
        return dict(columns), dict(reasons)
    name = tuple(sorted(together))
    pairs, why = _pairs(len(together), dependence)
    if dependence == PAIRS:
        family: Family | None = pairs
    else:
        family = Trees() if pairs is None else Several(members=(Trees(), pairs))
    if family is None:
        return dict(columns), {**reasons, name: why}
    return {**columns, name: family}, {**reasons, name: why}


def _pairs(columns: int, dependence: str) -> tuple[Pairs | None, str]:
    questions = "questions about columns that may depend on each other"
    if dependence == TREES:
        return None, questions
    if columns > MOST:
        return None, f"{questions}; no pairs of columns, for there are more than {MOST}"
    return Pairs(structure="averaged"), "columns that may depend on each other; what that tells is weighed"


def _can_be_asked(family: Family) -> bool:
    """Whether cells are numbers or levels: neither texts nor vectors."""
    return not (family.is_text or family.takes_vectors or family.takes_blocks)
