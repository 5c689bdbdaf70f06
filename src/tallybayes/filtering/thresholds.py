"""Spam, ham or unsure: two thresholds, and how to choose them by how much mail may be misjudged.

The score is the log-odds of spam, log P(spam) − log P(anything else): 0 is even, 4.6 is a probability of 0.99 and 6.9
of 0.999. Probabilities are so close to 1 for most spam that they would be hard to compare.
"""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

SPAM, HAM, UNSURE = "spam", "ham", "unsure"
SETTING = "thresholds"  # of a store
LARGEST = 1000.0  # the score of certainty
FALSE_POSITIVES = 0.001  # share of the good mail, by default
FALSE_NEGATIVES = 0.01  # share of the spam, by default


class Thresholds(NamedTuple):
    """A mail is spam at or above one score, and ham below another; in between it is unsure.

    >>> [Thresholds(spam=4.6, ham=0.0).verdict(score) for score in (-3.0, 0.0, 4.5, 4.6)]
    ['ham', 'unsure', 'unsure', 'spam']
    """

    spam: float = 4.6
    ham: float = 0.0

    def verdict(self, score: float) -> str:
        return SPAM if score >= self.spam else HAM if score < self.ham else UNSURE

    @classmethod
    def of(cls, kept: Any = None, *, spam: float | None = None, ham: float | None = None) -> Thresholds:
        """The thresholds given, or else those kept in a store, or else the defaults."""
        if kept is not None and not isinstance(kept, Mapping):
            raise ValueError(
                f"The thresholds are {kept!r}; they should look like {cls()._asdict()}. Choose them again."
            )
        given = {**(kept or {}), **{name: value for name, value in (("spam", spam), ("ham", ham)) if value is not None}}
        found = {name: _score(given[name], name) for name in cls._fields if name in given}
        usual = cls()
        upper = found.get("spam", max(usual.spam, found.get("ham", usual.ham)))
        lower = found.get("ham", min(usual.ham, upper))
        if lower > upper:
            raise ValueError(f"Mail would be spam from {upper:g} up and ham below {lower:g}, which overlap.")
        return cls(upper, lower)


def _score(value: Any, name: str) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or math.isnan(value):
        raise ValueError(f"The threshold of {name} is {value!r}; give a score, such as 4.6 for a probability of 0.99.")
    return float(value)


def score_of(spam: float, other: float) -> float:
    """The log-odds of two probabilities."""
    if spam <= 0.0 or other <= 0.0:
        return 0.0 if spam == other else LARGEST if spam > other else -LARGEST
    return max(min(math.log(spam) - math.log(other), LARGEST), -LARGEST)


class Choice(NamedTuple):
    """Thresholds, and their result on the mail they were chosen from."""

    thresholds: Thresholds
    ham: int
    lost: int  # good mails mistaken for spam
    spam: int
    missed: int  # spam mistaken for ham
    unsure: int


def choose_thresholds(
    scores: Sequence[float],
    are_spam: Sequence[bool],
    max_false_positives: float = FALSE_POSITIVES,
    max_false_negatives: float = FALSE_NEGATIVES,
) -> Choice:
    """The lowest spam threshold that loses at most a given share of the good mail, and the highest ham threshold that
    misses at most a given share of the spam. Each is halfway between two scores.

    >>> choose_thresholds([-4.0, -2.0, 1.0, 3.0, 9.0], [False, False, False, True, True], 0.0, 0.0)
    Choice(thresholds=Thresholds(spam=2.0, ham=2.0), ham=3, lost=0, spam=2, missed=0, unsure=0)
    """
    good = sorted(score for score, is_spam in zip(scores, are_spam, strict=True) if not is_spam)
    bad = sorted(score for score, is_spam in zip(scores, are_spam, strict=True) if is_spam)
    if not good or not bad:
        raise ValueError(f"There are {len(good)} good mails and {len(bad)} of spam; thresholds need some of both.")
    every = sorted({*good, *bad})
    may_lose, may_miss = _part(len(good), max_false_positives, "good"), _part(len(bad), max_false_negatives, "spam")
    upper = _above(every, good[-1 - may_lose]) if may_lose < len(good) else _below(every, every[0])
    lower = _below(every, bad[may_miss]) if may_miss < len(bad) else _above(every, every[-1])
    found = Thresholds(upper, min(lower, upper))
    verdicts = [found.verdict(score) for score in scores]
    pairs = list(zip(verdicts, are_spam, strict=True))
    lost, missed = pairs.count((SPAM, False)), pairs.count((HAM, True))
    return Choice(found, len(good), lost, len(bad), missed, verdicts.count(UNSURE))


def _part(n: int, share: float, what: str) -> int:
    """A share of n in decimal arithmetic: 0.29 of 100 is 29, although 0.29 * 100 is 28.999999999999996."""
    if not isinstance(share, (int, float)) or not 0 <= share <= 1:
        raise ValueError(f"The share of {what} mail that may be misjudged is {share!r}; give a number from 0 to 1.")
    from fractions import Fraction  # not for a filter, which must start quickly

    return int(Fraction(repr(share)) * n)


def _above(every: Sequence[float], score: float) -> float:
    at = bisect_right(every, score)
    return _between(score, every[at]) if at < len(every) else math.nextafter(score, math.inf)


def _below(every: Sequence[float], score: float) -> float:
    at = bisect_left(every, score)
    return _between(every[at - 1], score) if at else score


def _between(low: float, high: float) -> float:
    """The midpoint; a score equal to it is not below it."""
    middle = (low + high) / 2
    return middle if middle > low else high
