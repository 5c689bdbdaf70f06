"""A mail, the verdict on it, and the interface of a filter, wherever its model is."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Mapping
from functools import cached_property
from typing import Any, NamedTuple, Self

from tallybayes.filtering.thresholds import SPAM, UNSURE, Thresholds, score_of
from tallybayes.mail.stamping import message_id, stamped

HEADER = "X-Tallybayes"
OF_MAILS = "mail-"  # the beginning of their ids
TWO = 2
ANY = "any"


class Verdict(NamedTuple):
    """Spam, ham or unsure; the probability and log-odds of spam; with more than two classes, also the most probable
    one."""

    word: str
    probability: float
    score: float
    thresholds: Thresholds
    most_probable: str | None = None

    @classmethod
    def of(cls, probabilities: Mapping[Any, float], spam: Any, thresholds: Thresholds) -> Verdict:
        """The verdict from the probabilities of all classes. A model with at most one class is always unsure.

        >>> print(Verdict.of({"ham": 0.002, "spam": 0.998}, "spam", Thresholds()))
        spam, 0.9980, score 6.21
        """
        if len(probabilities) < TWO:
            return cls(UNSURE, 0.5, 0.0, thresholds)
        mine = probabilities.get(spam, 0.0)
        score = score_of(mine, sum(share for label, share in probabilities.items() if label != spam))
        first = max(probabilities, key=probabilities.__getitem__) if len(probabilities) > TWO else None
        return cls(thresholds.verdict(score), mine, score, thresholds, None if first is None else str(first))

    @property
    def is_spam(self) -> bool:
        return self.word == SPAM

    def __str__(self) -> str:
        which = "" if self.most_probable is None else f", class {self.most_probable}"
        return f"{self.word}, {self.probability:.4f}, score {self.score:.2f}{which}"

    @property
    def line(self) -> bytes:
        """The header field as a line."""
        return stamped(b"\n", {HEADER: str(self)})[:-1]

    def on(self, raw: bytes) -> bytes:
        """The mail with this header field."""
        return stamped(raw, {HEADER: str(self)})


class Letter:
    """A mail, whose row and id are computed once.

    The id is a hash, because ids stay in a store's journal when rows are forgotten and must not reveal anything. It is
    the hash of the Message-ID, which all copies of a mail share, or if there is none, of the content.

    >>> Letter(b"Message-ID: <17@example.org>\\n\\nHello").id
    'mail-6c0cfc5cb0cfe01d06501371392042c2'
    """

    def __init__(self, raw: bytes) -> None:
        self.raw = raw

    @cached_property
    def row(self) -> dict[str, str | bool | int]:
        from tallybayes.mail.row import read_mail

        return read_mail(self.raw)

    @cached_property
    def id(self) -> str:
        import hashlib  # which loads OpenSSL, and is not needed to ask

        name = message_id(self.raw)
        if not name:  # without the hosts, which differ between copies
            content = {column: cell for column, cell in self.row.items() if column != "received"}
            name = b"\n" + json.dumps(content, sort_keys=True).encode()
        return f"{OF_MAILS}{hashlib.sha256(name).hexdigest()[:32]}"


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
