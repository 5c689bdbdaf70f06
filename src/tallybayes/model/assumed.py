"""The prior of a column's parameters: what is believed about a class before any of its rows is counted."""

from __future__ import annotations

from typing import cast

from tallybayes.counts.tally import Key
from tallybayes.families.posteriors import Posterior
from tallybayes.model.model import Model
from tallybayes.schema.entries import Name


def assumed(model: Model, column: Name) -> Posterior:
    """The prior of the parameters of a class with no rows. A prior that depends on the whole column, like the mean and
    variance of `Gaussian`, takes it from the classes counted so far.

    >>> from tallybayes import Poisson
    >>> model = Model.train({"calls": Poisson(shape=2.0)}, {"calls": [3, 5]}, ["a", "a"])
    >>> assumed(model, "calls").mean(), model.parameters("calls", "a").mean()
    ({'rate': 2.0}, {'rate': 3.333...})
    """
    name, keys, another = model.schema.entry(column), model.keys(), object()  # which no class is called
    belief = model.schema.columns[name].believe(model.columns[name], [*keys, cast(Key, another)])
    return belief.posterior(len(keys))
