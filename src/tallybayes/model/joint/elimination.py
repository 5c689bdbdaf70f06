"""Variable elimination: columns that a question does not mention are summed (or maximised) out of a network of tables.

The next column to go is the one that leaves the smallest table; in naive Bayes and in trees that is never more than a
table of one column, however many columns there are.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

import numpy as np

from tallybayes.counts.exact import Floats, Mask
from tallybayes.families.events import Conditional

MOST = 20_000_000  # numbers in a table

T = TypeVar("T")


class Factor(NamedTuple):
    """A table over some columns: [states of each …, class]."""

    columns: tuple[int, ...]
    table: Floats


Masks = Mapping[int, Mask]
Chosen = tuple[int, tuple[int, ...], Any]  # a column, the columns its best state depends on, and that state


def log_sum(network: Sequence[Conditional], masks: Masks) -> Floats:
    """log P(columns within these masks | class)."""
    wanted = with_ancestors(masks, {each.column: each.parents for each in network})  # all others sum to one
    factors = [_masked(each, masks) for each in network if each.column in wanted]
    return _eliminated(factors, sorted(wanted), network[0].table.shape[-1], None)


def log_max(network: Sequence[Conditional], masks: Masks) -> tuple[Floats, list[dict[int, int]]]:
    """For every class, log P of the most probable states of all columns within the masks, and those states."""
    chosen: list[Chosen] = []
    width = network[0].table.shape[-1]
    best = _eliminated([_masked(each, masks) for each in network], [e.column for e in network], width, chosen)
    found: list[dict[int, int]] = []
    for c in range(width):
        states: dict[int, int] = {}
        for column, others, table in reversed(chosen):
            states[column] = int(table[(*(states[other] for other in others), c)])
        found.append(states)
    return best, found


def with_ancestors(nodes: Iterable[T], parents: Mapping[T, Iterable[T]]) -> set[T]:
    """These nodes of a network and all that they depend on."""
    found, left = set[T](), list(nodes)
    while left:
        node = left.pop()
        if node not in found:
            found.add(node)
            left.extend(parents[node])
    return found


def _masked(each: Conditional, masks: Masks) -> Factor:
    """As a factor with its columns in ascending order; states outside the mask have probability 0."""
    columns, table = (*each.parents, each.column), each.table
    if each.column in masks:
        table = table * masks[each.column][:, None]
    order = sorted(range(len(columns)), key=columns.__getitem__)
    return Factor(tuple(columns[i] for i in order), np.transpose(table, (*order, len(columns))))


def _eliminated(factors: list[Factor], columns: Sequence[int], width: int, chosen: list[Chosen] | None) -> Floats:
    logs, left = np.zeros(width), list(columns)
    while left:
        column = min(left, key=lambda each: (_size_without(factors, each), each))
        left.remove(column)
        joined = _product([each for each in factors if column in each.columns])
        axis = joined.columns.index(column)
        others = tuple(each for each in joined.columns if each != column)
        if chosen is not None:
            chosen.append((column, others, joined.table.argmax(axis=axis)))
        table = joined.table.sum(axis=axis) if chosen is None else joined.table.max(axis=axis)
        scale = table.max(axis=tuple(range(table.ndim - 1))) if table.ndim > 1 else table
        with np.errstate(divide="ignore"):
            logs = logs + np.log(scale)
        factors = [each for each in factors if column not in each.columns]
        if others:
            factors.append(Factor(others, table / np.where(scale > 0, scale, 1.0)))
    return logs


def _size_without(factors: Sequence[Factor], column: int) -> int:
    """The size of the table that eliminating a column leaves."""
    sizes: dict[int, int] = {}
    for each in factors:
        if column in each.columns:
            sizes.update(zip(each.columns, each.table.shape, strict=False))
    sizes.pop(column, None)
    return int(np.prod(list(sizes.values()), dtype=object))


def _product(factors: Sequence[Factor]) -> Factor:
    columns = tuple(sorted({column for each in factors for column in each.columns}))
    sizes = {column: n for each in factors for column, n in zip(each.columns, each.table.shape, strict=False)}
    size = int(np.prod([sizes[column] for column in columns], dtype=object)) * factors[0].table.shape[-1]
    if size > MOST:
        raise MemoryError(f"The question needs a table of {size:,} numbers; ask about fewer columns at once.")
    result: Any = 1.0
    for each in factors:
        shape = [sizes[column] if column in each.columns else 1 for column in columns]
        result = result * each.table.reshape([*shape, each.table.shape[-1]])
    return Factor(columns, result)
