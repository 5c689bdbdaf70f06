"""Names in messages about one that does not exist."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from itertools import islice

SHOWN = 60  # names that are listed, and characters of one
FEW = 12  # names that a reader can look through
MOST = 1_000_000  # pairs of characters that are compared: the names may be a client's, and much alike


def those_there(names: Iterable[object]) -> str:
    """A list of names, not all if there are many.

    >>> those_there(["age", "city"]), those_there([])
    ("'age', 'city'", 'no columns')
    """
    every = list(names)
    more = len(every) - SHOWN
    return ", ".join(map(_quoted, every[:SHOWN])) + f" and {more:,} more" * (more > 0) or "no columns"


def hint(name: str, names: Collection[object]) -> str:
    """A sentence with the name that was probably meant, if there are more than a few.

    >>> hint("Income", ["income", *map(str, range(20))]), hint("Income", ["income"])
    (" Did you mean 'income'?", '')
    """
    near = closest(name, names) if len(names) > FEW else None
    return f" Did you mean {_quoted(near)}?" if near else ""


def closest(name: str, names: Iterable[object]) -> str | None:
    """The name most similar to one that does not exist, if there is one.

    >>> closest("Spma", ["ham", "spam"])
    'spam'
    """
    from difflib import get_close_matches

    if len(name) > SHOWN:
        return None
    some = islice(names, MOST // max(len(name), 10) ** 2)
    by_small = {each[:SHOWN].casefold(): each for each in some if isinstance(each, str)}
    near = get_close_matches(name.casefold(), by_small, 1)
    return by_small[near[0]] if near else None


def _quoted(name: object) -> str:
    return f"{name[:SHOWN]!r}…" if isinstance(name, str) and len(name) > SHOWN else repr(name)
