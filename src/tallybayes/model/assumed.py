"""What is believed of a column before any row of a class is counted: the prior that a posterior starts from."""

from __future__ import annotations

from tallybayes.counts.tally import Key
from tallybayes.families.posteriors import Posterior
from tallybayes.model.model import Model
from tallybayes.schema.entries import Name


def assumed(model: Model, column: Name) -> Posterior:
    """The parameters of a class of which nothing is counted yet. What a prior takes from the whole column, as the mean
    and the variance of `Gaussian`, it takes from all the classes that are.

    >>> from tallybayes import Poisson
    >>> model = Model.train({"calls": Poisson(shape=2.0)}, {"calls": [3, 5]}, ["a", "a"])
    >>> assumed(model, "calls").mean(), model.parameters("calls", "a").mean()
    ({'rate': 2.0}, {'rate': 3.333...})
    """
    name, keys = model.schema.entry(column), model.keys()
    belief = model.schema.columns[name].believe(model.columns[name], [*keys, _another(keys)])
    return belief.posterior(len(keys))


def _another(keys: list[Key]) -> Key:
    """A class that there is not, of the type of the others."""
    kind = type(keys[0]) if keys else str
    if issubclass(kind, bytes):
        return b"\0".join(key for key in keys if isinstance(key, bytes)) + b"\0"
    if issubclass(kind, str):
        return max(map(str, keys), key=len, default="") + "\0"
    return max(float(key) for key in keys) + 1.0
