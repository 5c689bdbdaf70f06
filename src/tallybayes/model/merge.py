"""Many models as one: a running sum, one model at a time."""

from __future__ import annotations

from collections.abc import Iterable

from tallybayes.model.model import Model


def merge(models: Iterable[Model]) -> Model:
    """Adds up models, wherever they were trained. They are taken one at a time and left unchanged, so a generator of
    any length needs the memory of the sum and one model. Any order gives the same bytes.

    >>> from tallybayes import Categorical, digest
    >>> days = [({"outlook": ["sun", "rain"]}, ["no", "yes"]), ({"outlook": ["sun"]}, ["yes"])]
    >>> total = merge(Model.train({"outlook": Categorical()}, rows, labels) for rows, labels in days)
    >>> total.counts("outlook")["sun"]
    {'no': 1, 'yes': 1}
    """
    if isinstance(models, Model):
        raise TypeError("There is only one model. Give a list or another iterable of models.")
    total: Model | None = None
    for number, model in enumerate(models, 1):
        if not isinstance(model, Model):
            raise TypeError(f"Item {number} is a {type(model).__name__}, not a model.")
        try:
            total = model.copy() if total is None else _added(total, model)
        except (TypeError, ValueError) as error:
            raise type(error)(f"Model {number} cannot be added to those before it: {error}") from None
    if total is None:
        raise ValueError("There is nothing to merge. Give at least one model.")
    return total


def _added(total: Model, model: Model) -> Model:
    total += model
    return total
