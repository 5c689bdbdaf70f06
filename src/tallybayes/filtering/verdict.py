"""The verdict on a mail, and its header field."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from tallybayes.filtering.thresholds import SPAM, UNSURE, Thresholds, score_of
from tallybayes.mail.stamping import stamped

HEADER = "X-Tallybayes"
TWO = 2


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
