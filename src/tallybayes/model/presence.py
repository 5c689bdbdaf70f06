"""P(word | class) of all words, or of all boolean columns: a class of documents as a vector."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tallybayes.counts.exact import Floats
from tallybayes.model.evidence import text_column
from tallybayes.model.model import Model
from tallybayes.schema.entries import Name, title


@dataclass(frozen=True, eq=False)
class Presence:
    """`p[class, name]`: P(word | class) under the family's event model, or P(true | class) of boolean columns."""

    what: str  # words, alphabetically, or columns, in the order of the schema
    names: Sequence[str]
    classes: Sequence[Any]
    p: Floats


def presence(model: Model, column: Name | None = None) -> Presence:
    """The words of a text column, or if there is none, all boolean columns.

    >>> from tallybayes import Bernoulli
    >>> frame = {"free": [True, True, False, False], "lunch": [False, True, True, True]}
    >>> model = Model.train(dict.fromkeys(frame, Bernoulli(alpha=0)), frame, ["spam", "spam", "ham", "ham"])
    >>> found = presence(model)
    >>> found.names, found.p.tolist()
    (['free', 'lunch'], [[0.0, 1.0], [1.0, 0.5]])
    """
    known = model.beliefs()
    texts: list[Name] = [name for name, belief in known.counted.items() if belief.has_parts and isinstance(name, str)]
    if column is None and not texts:
        tables = {name: belief.estimates() for name, belief in known.counted.items() if isinstance(name, str)}
        yes = {title(name): table["true"] for name, table in tables.items() if table.keys() == {"false", "true"}}
        if not yes:
            raise ValueError("There is no text column and no boolean column, so there are no words.")
        return Presence("columns", list(yes), known.labels, np.array(list(yes.values())).T)
    name = text_column(texts, None if column is None else model.schema.entry(column))
    table = known.counted[name].estimates()
    return Presence("words", list(table), known.labels, np.array(list(table.values())).reshape(len(table), -1).T)
