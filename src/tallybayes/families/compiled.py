"""Beliefs that a kernel scores: settings for every class, and many rows and columns at once."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tallybayes.exact import Floats
from tallybayes.families.base import Scorer
from tallybayes.families.measured import MeasuredBelief


class CompiledBelief(MeasuredBelief):
    """A kernel and its settings for every class: many rows and several columns at once. `formula` says the same of
    single values."""

    kernel: Callable[..., int]
    settings: list[Floats]

    @staticmethod
    @abstractmethod
    def formula(x: Floats, *settings: Floats) -> Floats:
        """What values say at these settings."""

    def add_evidence(self, cells: Floats, scores: Floats) -> None:
        self.together([self])([cells], scores)

    @classmethod
    def joined(cls, beliefs: Sequence[Any]) -> list[Floats]:
        """The settings of several columns, one row for each."""
        return [np.stack(each) for each in zip(*(belief.settings for belief in beliefs), strict=True)]

    @classmethod
    def together(cls, beliefs: Sequence[Any]) -> Scorer:
        settings = cls.joined(beliefs)

        def score(cells: Sequence[Any], scores: Floats) -> None:
            if cls.kernel(list(cells), *settings, scores):  # some values are so far out that they may be infinite
                for belief, column in zip(beliefs, cells, strict=True):
                    belief.family.check(column)

        return score
