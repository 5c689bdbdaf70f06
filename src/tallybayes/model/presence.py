"""P(word | class) of all words, or of all columns that are true or false: the vector that a class of documents is."""

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
    """`p[class, name]`: of a text its words as the reading has them, of columns P(true | class)."""

    what: str  # words, alphabetically, or columns, in the order of the schema
    names: Sequence[str]
    classes: Sequence[Any]
    p: Floats


def presence(model: Model, column: Name | None = None) -> Presence:
    """Of the words of a column of texts; of all columns that are true or false, if there is none.

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
            raise ValueError("There is no column of texts, and none that is true or false, so there are no words.")
        return Presence("columns", list(yes), known.labels, np.array(list(yes.values())).T)
    name = text_column(texts, None if column is None else model.schema.entry(column))
    table = dict(sorted(known.counted[name].estimates().items()))  # not as they were met: equal models look equal
    return Presence("words", list(table), known.labels, np.array(list(table.values())).reshape(len(table), -1).T)
