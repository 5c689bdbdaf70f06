"""A joint distribution given as a table, which answers the same questions as a model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from tallybayes.model.joint.questions import Events, asked

NEAR = Fraction(1, 10**9)  # how far from 1 the sum of the probabilities may be


class JointTable:
    """The probability of every combination of levels, as nested mappings, one for each column. They must add up to 1.

    >>> sites = JointTable(("major", "site"), {"CS": {"GitHub": 0.1, "Zhihu": 0.3}, "Media": {"GitHub": 0.6}})
    >>> sites.probability("site=GitHub"), sites.probability("site=GitHub | major=CS")
    (0.7, 0.25)
    """

    def __init__(self, columns: Sequence[str], table: Mapping[Any, Any]) -> None:
        self.columns = tuple(columns)
        self.cells = dict(_cells(table, len(self.columns)))
        self.levels = {column: sorted({cell[i] for cell in self.cells}) for i, column in enumerate(self.columns)}
        total = sum(self.cells.values(), Fraction(0))
        if abs(total - 1) > NEAR:
            raise ValueError(f"The probabilities add up to {float(total):g}, not to 1.")

    def probability(self, question: Any, given: Any = None) -> float:
        """P(question | given)."""
        events, known, given = asked(question, given, self.columns, "site=GitHub")
        whole = self._sum([known])
        if not whole:
            raise ValueError(f"The condition {given!r} has probability 0.")
        return float(self._sum([events, known]) / whole)

    def _sum(self, questions: Sequence[Events]) -> Fraction:
        kept = {}
        for column, levels in self.levels.items():
            events = [events[column] for events in questions if column in events]
            try:
                masks = [event.mask(levels) for event in events]
            except ValueError as error:
                raise ValueError(f"Column {column!r}: {error}") from None
            kept[column] = {level for i, level in enumerate(levels) if all(mask[i] for mask in masks)}
        inside = (
            p for cell, p in self.cells.items() if all(x in kept[c] for x, c in zip(cell, self.columns, strict=True))
        )
        return sum(inside, Fraction(0))


def _cells(table: Any, depth: int) -> list[tuple[tuple[str, ...], Fraction]]:
    """The levels and the probability of every combination in the table."""
    if depth == 0:
        try:
            p = Fraction(str(table))
        except ValueError:
            raise ValueError(f"{table!r} is not a probability.") from None
        if not 0 <= p <= 1:
            raise ValueError(f"{table!r} is not a probability: these lie between 0 and 1.")
        return [((), p)]
    if not isinstance(table, Mapping):
        raise TypeError(f"Give a mapping for each column, one within the other, not {table!r}.")
    return [((str(level), *rest), p) for level, inner in table.items() for rest, p in _cells(inner, depth - 1)]
