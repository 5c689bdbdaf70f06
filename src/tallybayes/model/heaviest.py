"""The words and values that weigh most for a class, over all columns."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from tallybayes.counts.exact import Floats
from tallybayes.families import Belief
from tallybayes.model.model import Model


class Weight(NamedTuple):
    """A word, level or interval that speaks for a class: how often it was met there, and its log odds against the other
    classes, taken together as often as they come."""

    column: str
    value: str
    n: float
    log_odds: float


def heaviest(model: Model, label: Any, top: int = 30, *, column: str | None = None) -> list[Weight]:
    """What speaks most for a class, the heaviest first: of texts their words, of categories their levels, of histograms
    their intervals. Only what was met in the class, and speaks for it, is named; columns of other numbers have nothing
    to name, and say what they believe in `Model.estimates`.

    >>> from tallybayes import Categorical
    >>> frame = {"outlook": ["sunny", "sunny", "rain", "rain"], "wind": ["weak", "strong", "weak", "weak"]}
    >>> model = Model.train({"outlook": Categorical(), "wind": Categorical()}, frame, ["no", "no", "yes", "yes"])
    >>> [(weight.column, weight.value, weight.n, round(weight.log_odds, 3)) for weight in heaviest(model, "yes")]
    [('outlook', 'rain', 2.0, 1.099), ('wind', 'weak', 2.0, 0.405)]
    """
    if not isinstance(top, int) or top < 0:
        raise ValueError(f"top={top!r}: give how many to name, a whole number of at least 0.")
    shares = model.prior()
    if label not in shares:
        raise ValueError(f"There is no class {label!r}; the classes are {', '.join(map(repr, shares))}.")
    with np.errstate(divide="ignore"):
        prior = np.log(list(shares.values()))
    index = list(shares).index(label)
    names = list(model.schema.columns) if column is None else [column]
    found = [weight for name in names for weight in _of_column(name, model.belief(name), index, prior, top)]
    return sorted(found, key=lambda weight: (-weight.log_odds, weight.column, weight.value))[:top]


def _of_column(name: str, belief: Belief, index: int, prior: Floats, top: int) -> list[Weight]:
    """Asks for more until there are enough: in a small class, what it never met may weigh more than what it did."""
    asked = top
    while True:
        weights = belief.heaviest(index, prior, asked)
        found = [Weight(name, *weight) for weight in weights if weight.n > 0 and weight.log_odds > 0]
        if len(found) == top or len(weights) < asked or weights[-1].log_odds <= 0:
            return found
        asked *= 4
