"""A model of two classes as weights and an intercept: the log odds as a weighted sum of the row's features.

If only one class rules a slot out, its weight is infinite; if both do, it is 0. No number here is ever NaN.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from tallybayes.counts.exact import Floats
from tallybayes.families.belief import Belief, NotLinearError, Terms
from tallybayes.schema.entries import Name, title

SHOWN = 12  # slots that a repr names


class SlotWeights(Mapping[str, float]):
    """One column's weights by slot: a mapping over a list and an array, compact for any number of words.

    >>> weights = SlotWeights(["rain", "sun"], np.array([0.5, -1.0]))
    >>> weights["sun"], len(weights)
    (-1.0, 2)
    """

    def __init__(self, slots: Sequence[str], array: Floats) -> None:
        self.slots = slots
        self.array = array

    @cached_property
    def _index(self) -> dict[str, int]:
        return {slot: i for i, slot in enumerate(self.slots)}

    def __getitem__(self, slot: str) -> float:
        return float(self.array[self._index[slot]])

    def __iter__(self) -> Iterator[str]:
        return iter(self.slots)

    def __len__(self) -> int:
        return len(self.slots)

    def __repr__(self) -> str:
        return repr(dict(self)) if len(self) <= SHOWN else f"Weights of {len(self):,} slots"


@dataclass(frozen=True)
class Linear:
    """log P(label, row) − log P(other, row) = intercept + Σ weights[column][slot] · feature.

    The features of a category are its levels, 1 for the cell's own and 0 for the others; of a number it is the number
    itself, slot "x" (of `LogNormal` its logarithm, "log x"). The intercept is the classes' `prior` log odds and all
    columns' `constants`; a column whose cell is missing drops out with its constant. `absent` is what a slot adds where
    the cell does not have it: infinite if one class has it in every cell, otherwise 0.
    """

    label: Any
    other: Any  # the other class; None if it is all the rest
    prior: float
    constants: dict[Name, float]
    weights: dict[Name, SlotWeights]
    intercept: float
    absent: dict[Name, SlotWeights]

    def log_odds(self, features: Mapping[Any, Mapping[str, float]]) -> float:
        """The sum for one row, given the features of each column by slot. A column that is not given is missing, and
        slots without a weight add nothing. If both classes are ruled out, the prior decides, as in `Model.posterior`.

        >>> words = {"text": SlotWeights(["free", "lunch"], np.array([np.inf, -1.0]))}
        >>> view = Linear("spam", "ham", 0.5, {"text": 0.0}, words, 0.5, {"text": SlotWeights([], np.zeros(0))})
        >>> view.log_odds({"text": {"lunch": 2, "free": 0}})
        -1.5
        """
        terms = [self.prior]
        for column, cell in features.items():
            weights, present = self.weights[column], {slot for slot, x in cell.items() if x}
            terms.append(self.constants[column])
            terms += [weights[slot] * cell[slot] for slot in present if slot in weights]
            terms += [weight for slot, weight in self.absent[column].items() if slot not in present]
        return self.prior if {math.inf, -math.inf} <= set(terms) else math.fsum(terms)

    def __repr__(self) -> str:
        against = "the rest" if self.other is None else repr(self.other)
        lines = [f"{self.label!r} against {against}: intercept {self.intercept:.6g}"]
        return "\n".join(lines + [f"{title(name)}  {weights!r}" for name, weights in self.weights.items()])


def linear_view(beliefs: Mapping[Name, Belief], log_prior: Floats, labels: Sequence[Any], at: int) -> Linear:
    """The log-odds of class number `at` against the other one of two."""
    terms = {}
    for name, belief in beliefs.items():
        try:
            terms[name] = belief.linear()
        except NotLinearError as error:
            raise TypeError(f"Column {name!r}: {error}") from None
    constants = {name: term.constant for name, term in terms.items()}
    return Linear(
        label=labels[at],
        other=labels[1 - at],
        prior=float(_odds(log_prior, at)),
        constants={name: float(_odds(constant, at)) for name, constant in constants.items()},
        weights={name: SlotWeights(term.slots, _odds(term.weights, at)) for name, term in terms.items()},
        intercept=float(_odds(sum(constants.values(), start=log_prior), at)),
        absent={name: _absent(term, at) for name, term in terms.items()},
    )


def _absent(term: Terms, at: int) -> SlotWeights:
    """−∞ for slots that only this class has in every cell, ∞ for slots that only the other has."""
    slots, classes = (np.zeros(0, np.int32),) * 2 if term.certain is None else term.certain
    count = np.bincount(slots, minlength=len(term.slots))
    alone = np.flatnonzero(count[slots] == 1)
    alone = alone[np.argsort(slots[alone])]
    weights = np.where(classes[alone] == at, -np.inf, np.inf)
    return SlotWeights([term.slots[i] for i in slots[alone].tolist()], weights)


def _odds(logs: Floats, at: int) -> Floats:
    """The difference between the two classes; 0 if they are equal, even if both are −∞."""
    one, other = logs[..., at], logs[..., 1 - at]
    with np.errstate(invalid="ignore"):
        return np.where(one == other, 0.0, one - other)
