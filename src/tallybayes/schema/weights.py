"""The weights of evidence: a few numbers in the schema, which are shown, saved and removable."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tallybayes.counts.exact import Floats
from tallybayes.families.settings import as_number
from tallybayes.schema.class_prior import numbers_from_json, numbers_to_json
from tallybayes.schema.entries import Name, checked_name, found, in_order

Weight = float | Mapping[Any, float]  # one for all classes, or one for each


@dataclass(frozen=True)
class Weights:
    """score(c) = prior · log P(c) + offset(c) + Σ weight(column) · evidence(column, c), made into probabilities.

    `columns` has a number of at least 0 for every column or block, or one for each class; a column that is not named
    counts 1, as in naive Bayes. `missing` weighs the evidence that a cell is missing or present; without a weight it
    does not count. `parts` has the weights of blocks with several pieces of evidence, each by its name. A class seen
    later takes the mean of the others, and no offset.

    P(c) is how frequent the class is among the rows. If the schema gives other probabilities as its prior, they replace
    these in full: log of the given ones − log P(c) is added to the score.

    >>> Weights({"outlook": 0.5}, prior=0.8)
    Weights(columns={'outlook': 0.5}, prior=0.8)
    """

    columns: Mapping[Any, Weight] = field(default_factory=dict)
    missing: Mapping[Any, Weight] = field(default_factory=dict)
    prior: float = 1.0
    offsets: Mapping[Any, float] = field(default_factory=dict)
    parts: Mapping[Any, Mapping[str, float]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name in ("columns", "missing"):
            given = getattr(self, name)
            if not isinstance(given, Mapping):
                raise TypeError(f"Weights({name}={given!r}): give a mapping from columns to numbers.")
            checked = {checked_name(column): _checked(f"{name}[{column!r}]", w) for column, w in given.items()}
            object.__setattr__(self, name, dict(in_order(checked)))
        parts = {
            checked_name(block): {part: _number(f"parts[{block!r}][{part!r}]", w, 0.0) for part, w in weights.items()}
            for block, weights in self.parts.items()
        }
        object.__setattr__(self, "parts", dict(in_order(parts)))
        object.__setattr__(self, "prior", _number("prior", self.prior, least=0.0))
        offsets = {_plain(label): _number(f"offsets[{label!r}]", b) for label, b in self.offsets.items()}
        object.__setattr__(self, "offsets", offsets)
        self.to_json()  # an error if labels are not of one type

    def __repr__(self) -> str:
        shown = {name: getattr(self, name) for name in ("columns", "missing", "prior", "offsets", "parts")}
        kept = {name: value for name, value in shown.items() if value not in ({}, 1.0)}
        return f"Weights({', '.join(f'{name}={value!r}' for name, value in kept.items())})"

    def check(self, names: Iterable[Name]) -> None:
        """Raises an error if a weight names a column that does not exist."""
        known = dict.fromkeys(names)
        for column in (*self.columns, *self.missing, *self.parts):
            if found(column, known) != column:
                has = ", ".join(map(repr, known)) or "no columns"
                raise ValueError(
                    f"There is a weight for {column!r}, but the schema has {has}. Correct the name, or remove it."
                )

    def of(self, column: Name, labels: Sequence[Any]) -> Floats:
        """The weight of a column for every class."""
        return _by_label(self.columns.get(column, 1.0), labels)

    def of_missing(self, column: Name, labels: Sequence[Any]) -> Floats:
        """The same for whether the cell is missing."""
        return _by_label(self.missing[column], labels)

    def of_parts(self, column: Name, parts: Sequence[str]) -> Floats | None:
        """The weight of each part of a block's evidence; None if its parts are not weighed separately."""
        given = self.parts.get(column)
        return None if given is None or not parts else np.array([given.get(part, 0.0) for part in parts])

    def offsets_of(self, labels: Sequence[Any]) -> Floats:
        return np.array([self.offsets.get(label, 0.0) for label in labels])

    def only(self, labels: Iterable[Any]) -> Weights:
        """The same for these classes only."""
        kept = set(labels)

        def of(weight: Weight) -> Weight:
            if not isinstance(weight, Mapping) or kept.issuperset(weight):
                return weight
            left = {label: number for label, number in weight.items() if label in kept}
            return left or math.fsum(weight.values()) / len(weight)

        if kept.issuperset(self.offsets) and all(of(w) is w for w in (*self.columns.values(), *self.missing.values())):
            return self
        columns, missing = ({name: of(w) for name, w in part.items()} for part in (self.columns, self.missing))
        offsets = {label: number for label, number in self.offsets.items() if label in kept}
        return Weights(columns, missing, self.prior, offsets, self.parts)

    def shown(self, column: Name | None) -> str:
        """The weight of a column, or of the prior, as text: a range if classes have different ones.

        >>> Weights({"a": 0.5, "b": {"x": 0.1, "y": 0.25}}).shown("b")
        '0.1…0.25'
        """
        weight = self.prior if column is None else self.parts.get(column) or self.columns.get(column, 1.0)
        ends = (min(weight.values()), max(weight.values())) if isinstance(weight, Mapping) else (weight, weight)
        return "…".join(dict.fromkeys(f"{end:.3g}" for end in ends))

    def to_json(self) -> dict[str, Any]:
        return {
            "prior": self.prior,
            "offsets": numbers_to_json(self.offsets),
            "columns": [[name, _weight_to_json(weight)] for name, weight in self.columns.items()],
            "missing": [[name, _weight_to_json(weight)] for name, weight in self.missing.items()],
            **({"parts": [[name, dict(weights)] for name, weights in self.parts.items()]} if self.parts else {}),
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Weights:
        if set(data) - {"parts"} != {"prior", "offsets", "columns", "missing"}:
            raise ValueError(f"there are no weights {sorted(data)!r}")
        columns, missing = (_named_from_json(data[part]) for part in ("columns", "missing"))
        parts = {tuple(name) if isinstance(name, list) else name: dict(each) for name, each in data.get("parts", [])}
        return cls(columns, missing, data["prior"], numbers_from_json(data["offsets"]), parts)


def as_weights(given: Any) -> Weights | None:
    """Weights in any form that a schema takes: None, a number for each column, or `Weights`."""
    if given is None or isinstance(given, Weights):
        return given
    if isinstance(given, Mapping):
        return Weights(given)
    raise TypeError(f"weights={given!r}: give Weights(…), a number for each column, or None to drop them.")


def _by_label(weight: Weight, labels: Sequence[Any]) -> Floats:
    if not isinstance(weight, Mapping):
        return np.full(len(labels), weight)
    mean = math.fsum(weight.values()) / len(weight)
    return np.array([weight.get(label, mean) for label in labels])


def _checked(name: str, weight: Any) -> Weight:
    if not isinstance(weight, Mapping):
        return _number(name, weight, least=0.0)
    if not weight:
        raise ValueError(f"Weights({name}={weight!r}): give a number, or one for each class.")
    return {_plain(label): _number(f"{name}[{label!r}]", w, least=0.0) for label, w in weight.items()}


def _number(name: str, value: Any, least: float = -math.inf) -> float:
    number = as_number(value, least)
    if number is None:
        wanted = "a number" if least < 0 else f"a number of at least {least:g}"
        raise ValueError(f"Weights({name}={value!r}): give {wanted}.")
    return number


def _plain(label: Any) -> Any:
    return label.item() if isinstance(label, np.generic) else label


def _weight_to_json(weight: Weight) -> Any:
    return numbers_to_json(weight) if isinstance(weight, Mapping) else weight


def _named_from_json(entries: Any) -> dict[Name, Weight]:
    named: dict[Name, Weight] = {}
    for name, weight in entries:
        column = checked_name(tuple(name) if isinstance(name, list) else name)
        if column in named:
            raise ValueError(f"there are two weights for {column!r}")
        named[column] = numbers_from_json(weight) if isinstance(weight, list) else weight
    return named
