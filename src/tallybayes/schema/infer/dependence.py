"""Chooses the columns to count together as well, because they may depend on each other, and their families."""

from __future__ import annotations

from collections.abc import Mapping

import pyarrow as pa
import pyarrow.compute as pc

from tallybayes.data import frames
from tallybayes.families import Correlated, Crossed, Family, Pairs, Several, Trees
from tallybayes.schema.entries import Name
from tallybayes.schema.infer.numbers import FEW_LEVELS

NONE, AUTO, TREES, PAIRS = "none", "auto", "trees", "pairs"
NUMBERS = "numbers that may be correlated; their evidence is weighed"
KINDS = (NONE, AUTO, TREES, PAIRS)
MANY_LEVELS = 100  # if at least two columns have this many levels, pairs of levels are counted as words …
SOME_LEVELS = 10  # … for all columns with at least this many levels …
MOST_CROSSED = 8  # … unless there are more such columns than this
MOST = 60  # columns: with more, pairs of columns are not counted
FEW = 5_000  # rows: with fewer, trees are small, and more of them are better …
MOST_PAIRS = 200  # … which may ask about two columns at a time, if there are at most so many pairs …
FEW_PAIRS = 50  # … or so many, with more rows
ROWS_OF_NUMBER = 10  # of the sample, for each number, if numbers are counted as correlated …
ROWS_OF_WHOLE = 150  # … and at least so many, if they include those of few values, which are levels by themselves


def check_dependence(dependence: str) -> None:
    if dependence not in KINDS:
        raise ValueError(f"dependence={dependence!r}: give one of {', '.join(map(repr, KINDS))}.")


def with_dependence(
    columns: Mapping[Name, Family], reasons: Mapping[Name, str], dependence: str, sample: pa.RecordBatch
) -> tuple[dict[Name, Family], dict[Name, str]]:
    """The columns with their families and reasons, a block of all that are numeric or categorical, and one of
    numbers."""
    together = [name for name, family in columns.items() if isinstance(name, str) and _can_be_asked(family)]
    if dependence == NONE or len(together) < 2:
        return dict(columns), dict(reasons)
    name = tuple(sorted(together))
    trees = Trees(n=300, random=150, crossed=MOST_PAIRS) if len(sample) < FEW else Trees(crossed=FEW_PAIRS)
    members: list[Family] = [] if dependence == PAIRS else [trees]
    why = "columns that may depend on each other; their evidence is weighed"
    if dependence != TREES and len(together) <= MOST:
        members.append(Pairs(structure="averaged"))
    elif dependence != TREES:
        why += f"; no pairs of columns, since there are more than {MOST}"
    crossed = _of_many_levels(columns, together, sample) if dependence == AUTO else []
    if crossed:
        members.append(Crossed(of=tuple(crossed)))
        why += f"; pairs of levels of {', '.join(crossed)}, which have many"
    blocks: dict[Name, Family] = {}
    numbers = _correlated(columns, name, sample) if dependence == AUTO else ()
    if numbers:
        linear = Correlated(covariance="shared")
        if numbers == name:
            members.append(linear)
        else:
            blocks[numbers] = linear
    if members:
        blocks[name] = members[0] if len(members) == 1 else Several(members=tuple(members))
    return {**columns, **blocks}, {**reasons, **dict.fromkeys(blocks, NUMBERS), name: why}


def _correlated(columns: Mapping[Name, Family], names: tuple[str, ...], sample: pa.RecordBatch) -> tuple[str, ...]:
    """The numbers to count as correlated: all of them, without those of few values, or none."""
    numbers = tuple(name for name in names if columns[name].support is not None)
    more = tuple(name for name in names if name in numbers or _is_scale(sample.column(name)))
    for some in (more, numbers) if len(sample) >= ROWS_OF_WHOLE else (numbers,):
        if 1 < len(some) <= MOST and len(sample) >= ROWS_OF_NUMBER * len(some):
            return some
    return ()


def _is_scale(cells: pa.Array) -> bool:
    """Whether cells are numbers, but few different ones: grades, answers from 1 to 5, or 0 and 1."""
    kind = cells.type
    is_number = pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind)
    return is_number and pc.count_distinct(cells.filter(pc.is_finite(cells))).as_py() <= FEW_LEVELS


def _of_many_levels(columns: Mapping[Name, Family], names: list[str], sample: pa.RecordBatch) -> list[str]:
    """The categorical columns without those of very few levels, if some have too many for a table of pairs."""
    levels = [name for name in names if columns[name].support is None]
    counts = {name: len(pc.unique(frames.texts(sample.column(name)))) for name in levels}
    some = [name for name in levels if counts[name] > SOME_LEVELS]
    many = [name for name in some if counts[name] > MANY_LEVELS]
    return some if len(many) > 1 and len(some) <= MOST_CROSSED else []


def _can_be_asked(family: Family) -> bool:
    """Whether cells are numbers or levels, not texts or vectors."""
    return not (family.is_text or family.takes_vectors or family.takes_blocks)
