"""The interface of a filter, wherever its model is."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import NamedTuple, Self

from tallybayes.filtering.letter import Letter
from tallybayes.filtering.verdict import Verdict

ANY = "any"


class Wanted(NamedTuple):
    """The class to learn a mail as, and the class to forget it as, if any."""

    learn: str | None = None
    forget: str | None = None


class Filter(ABC):
    """A model that judges mail and learns from it."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """Releases the model."""
        return None

    @abstractmethod
    def verdict(self, letter: Letter) -> Verdict: ...

    @abstractmethod
    def change(self, letter: Letter, wanted: Wanted) -> bool:
        """Learns or forgets a mail on a user's request. Returns whether anything changed: if mails have ids, learning
        one twice counts once, and learning it as the other class corrects it."""

    @abstractmethod
    def learn_own(self, letter: Letter, verdict: Verdict) -> bool:
        """Learns a mail as its verdict, unless it was learned before: a user's decision is never overruled."""
