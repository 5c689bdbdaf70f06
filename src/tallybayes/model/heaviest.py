"""The words and values that weigh most for a class, over all columns."""

from __future__ import annotations

from typing import Any, NamedTuple

from tallybayes.counts.exact import Floats
from tallybayes.data.errors import check_whole
from tallybayes.families import Belief
from tallybayes.model.classifier import check_model
from tallybayes.model.model import Model
from tallybayes.model.scoring import Beliefs
from tallybayes.schema.entries import Name, title


class Weight(NamedTuple):
    """A word, level or interval that is evidence for a class: how often it occurred there, and its log-odds against all
    other classes, weighted by their frequency."""

    column: str
    value: str
    n: float
    log_odds: float


def heaviest(model: Model, label: Any, top: int = 30, *, column: Name | None = None) -> list[Weight]:
    """The strongest evidence for a class, in descending order: words of texts, levels of categories, intervals of
    histograms. Only evidence for the class that occurred in it is listed. Other numeric columns have no slots to list;
    see `Model.estimates` for them.

    >>> from tallybayes import Categorical
    >>> frame = {"outlook": ["sunny", "sunny", "rain", "rain"], "wind": ["weak", "strong", "weak", "weak"]}
    >>> model = Model.train({"outlook": Categorical(), "wind": Categorical()}, frame, ["no", "no", "yes", "yes"])
    >>> [(weight.column, weight.value, weight.n, round(weight.log_odds, 3)) for weight in heaviest(model, "yes")]
    [('outlook', 'rain', 2.0, 1.099), ('wind', 'weak', 2.0, 0.405)]
    """
    check_model(model, Model)
    return heaviest_in(model.beliefs(), label, top, column=column)


def heaviest_in(beliefs: Beliefs, label: Any, top: int = 30, *, column: Name | None = None) -> list[Weight]:
    """The same from `Beliefs`."""
    check_whole("top", top)
    index = beliefs.number(label)
    names = list(beliefs.columns) if column is None else [beliefs.schema.entry(column)]
    columns = ((name, beliefs.columns[name]) for name in names)
    found = [weight for name, belief in columns for weight in _of_column(name, belief, index, beliefs.prior, top)]
    return sorted(found, key=lambda weight: (-weight.log_odds, weight.column, weight.value))[:top]


def _of_column(name: Name, belief: Belief, index: int, prior: Floats, top: int) -> list[Weight]:
    """Requests more weights until enough of them occurred in the class: in a small class, words that it never had may
    weigh more."""
    wanted = top
    while True:
        weights = belief.heaviest(index, prior, wanted)
        found = [Weight(title(name), *weight) for weight in weights if weight.n > 0 and weight.log_odds > 0]
        if len(found) == top or len(weights) < wanted or weights[-1].log_odds <= 0:
            return found
        wanted *= 4
