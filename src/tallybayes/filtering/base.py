"""What a filter does, wherever its model lives."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import NamedTuple, Self

from tallybayes.filtering.letter import Letter
from tallybayes.filtering.verdict import Verdict

ANY = "any"


class Wanted(NamedTuple):
    """What a mail is to be learned as, spam or ham; and what it was learned as before, where that may be any."""

    learn: str | None = None
    forget: str | None = None


class Filter(ABC):
    """A model that says what mail is, and learns from it."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """Nothing more is asked of it."""
        return None

    @abstractmethod
    def verdict(self, letter: Letter) -> Verdict: ...

    @abstractmethod
    def change(self, letter: Letter, wanted: Wanted) -> bool:
        """Learns or forgets a mail because somebody said so. Whether anything changed: where mails have ids, what is
        said twice counts once, and saying the other class corrects it."""

    @abstractmethod
    def learn_own(self, letter: Letter, verdict: Verdict) -> bool:
        """Learns a mail as what it was taken for, unless it was learned before: nobody's word is overruled."""
