"""A model as tables and formulas, column by column: what every export starts from."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from tallybayes.counts.exact import Floats
from tallybayes.families.portable import ByInterval, NotPortableError, Portable, Weighed
from tallybayes.families.weighed import Absence
from tallybayes.model.model import Model
from tallybayes.schema.entries import in_order, title


class Column(NamedTuple):
    """What one column says."""

    name: str
    said: Portable
    absence: Absence | None  # what it says that a cell is missing, and that it is not


class Said(NamedTuple):
    """Everything that a model says: the sum of these is its score of a class."""

    labels: list[Any]
    prior: Floats  # P(class), for rows that no class allows
    start: Floats
    columns: list[Column]


def said_by(model: Model, target: str, refuse: Callable[[Portable], None] = lambda said: None) -> Said:
    """A model taken apart. A column that cannot be, or that `refuse` says the target has no words for, is an error."""
    beliefs = model.beliefs()
    columns = []
    for name, belief in in_order(beliefs.columns):
        try:
            if not isinstance(name, str):
                raise NotPortableError("columns that are counted together are no table or formula of one column.")
            said = belief.portable()
            refuse(said)
            columns.append(Column(name, _finite(said), beliefs.absences.get(name)))
        except NotPortableError as error:
            family = type(model.schema.columns[name]).__name__
            raise ValueError(f"Column {title(name)!r} ({family}) cannot be written as {target}: {error}") from None
    return Said(beliefs.labels, np.exp(beliefs.prior), beliefs.start, columns)


def _finite(said: Portable) -> Portable:
    """Intervals between numbers alone: where nothing was counted, there is one from −∞ to ∞."""
    if not isinstance(said, ByInterval):
        return said
    below = int(np.isneginf(said.edges).sum())
    there = np.isfinite(said.edges)
    return ByInterval(said.edges[there], said.table[below : below + int(there.sum()) + 1])


def unweighed(said: Portable) -> Portable:
    return said.said if isinstance(said, Weighed) else said
