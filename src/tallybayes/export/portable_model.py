"""A model as tables and formulas, column by column: the input of every export."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from tallybayes.counts.exact import Floats
from tallybayes.families.portable import ByInterval, NotPortableError, Portable, Weighed
from tallybayes.families.weighed import Absence
from tallybayes.model.classifier import check_model
from tallybayes.model.model import Model
from tallybayes.schema.entries import in_order, title


class PortableColumn(NamedTuple):
    """The evidence of one column."""

    name: str
    evidence: Portable
    absence: Absence | None  # the evidence of a missing cell, and of a present one


class PortableModel(NamedTuple):
    """The whole model: the sum of these is the score of a class."""

    labels: list[Any]
    prior: Floats  # P(class), for rows that are impossible in every class
    start: Floats
    columns: list[PortableColumn]


def portable_model(
    model: Model, target: str, refuse: Callable[[Portable], None] = lambda portable: None
) -> PortableModel:
    """A model split into columns. A column that is not portable, or that `refuse` rejects, is an error."""
    check_model(model, Model)
    beliefs = model.beliefs()
    columns = []
    for name, belief in in_order(beliefs.columns):
        try:
            if not isinstance(name, str):
                raise NotPortableError("columns that are counted together cannot be exported one by one.")
            portable = belief.portable()
            refuse(portable)
            columns.append(PortableColumn(name, _finite(portable), beliefs.absences.get(name)))
        except NotPortableError as error:
            family = type(model.schema.columns[name]).__name__
            raise ValueError(f"Column {title(name)!r} ({family}) cannot be written as {target}: {error}") from None
    return PortableModel(beliefs.labels, np.exp(beliefs.prior), beliefs.start, columns)


def _finite(portable: Portable) -> Portable:
    """Finite edges only: without counts there is one interval from −∞ to ∞."""
    if not isinstance(portable, ByInterval):
        return portable
    below = int(np.isneginf(portable.edges).sum())
    there = np.isfinite(portable.edges)
    return ByInterval(portable.edges[there], portable.table[below : below + int(there.sum()) + 1])


def unweighed(portable: Portable) -> Portable:
    return portable.evidence if isinstance(portable, Weighed) else portable
