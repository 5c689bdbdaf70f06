"""Which class of a model is spam, and which is ham."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from tallybayes.filtering.thresholds import HAM, SPAM


class Names(NamedTuple):
    """The names of the classes; by default spam and ham."""

    spam: str | None = None
    ham: str | None = None

    def of_spam(self, known: Sequence[Any]) -> Any:
        """The label of spam. A model with at most one class may not have seen spam yet."""
        found = _named(known, self.spam or SPAM)
        if found is None and len(known) > 1:
            raise ValueError(f"Which class is spam? There are {_listed(known)}. Give --spam-class.")
        return found if found is not None else self.spam or SPAM

    def of_ham(self, known: Sequence[Any]) -> Any:
        """The label of ham: the class of that name, or the only one that is not spam."""
        found = _named(known, self.ham or HAM)
        if found is not None or self.ham is not None:
            return self.ham if found is None else found
        spam = self.of_spam(known)
        others = [label for label in known if label != spam]
        if len(others) > 1:
            raise ValueError(f"Which class is ham? There are {_listed(others)}. Give --ham-class.")
        return others[0] if others else HAM

    def of(self, word: str, known: Sequence[Any]) -> Any:
        return self.of_spam(known) if word == SPAM else self.of_ham(known)


def _named(known: Sequence[Any], name: str) -> Any:
    similar = [label for label in known if str(label).casefold() == name.casefold()]
    exact = [label for label in similar if str(label) == name]
    return (exact or similar or [None])[0]


def _listed(labels: Sequence[Any]) -> str:
    return ", ".join(map(repr, labels))
