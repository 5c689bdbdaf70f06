"""The prior of a column's parameters: what is believed about a class before any of its rows is counted."""

from __future__ import annotations

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
    name, keys = model.schema.entry(column), model.keys()
    belief = model.schema.columns[name].believe(model.columns[name], [*keys, _another(keys)])
    return belief.posterior(len(keys))


def _another(keys: list[Key]) -> Key:
    """A key of the same type that no class has."""
    kind = type(keys[0]) if keys else str
    if issubclass(kind, bytes):
        return b"\0".join(key for key in keys if isinstance(key, bytes)) + b"\0"
    if issubclass(kind, str):
        return max(map(str, keys), key=len, default="") + "\0"
    return max(float(key) for key in keys) + 1.0
