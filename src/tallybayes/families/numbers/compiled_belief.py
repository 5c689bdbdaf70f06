"""Beliefs that a kernel scores: settings for every class, and many rows and columns at once."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tallybayes.counts.exact import Floats
from tallybayes.families.base import Scorer
from tallybayes.families.numbers.numeric_belief import NumericBelief


class CompiledBelief(NumericBelief):
    """A kernel and its settings for every class: many rows and several columns at once. `formula` says the same of
    single values."""

    kernel: Callable[..., int]
    logs: bool = False  # whether the settings speak of the logarithms of the cells

    def __init__(self, family: Any, s: Any, counted: bool, settings: list[Floats]) -> None:
        super().__init__(family, s, counted)
        self.settings = settings

    @classmethod
    def said(cls, x: Floats, settings: Sequence[Floats]) -> Floats:
        """What values say at these settings."""
        return cls.formula(np.log(x), *settings) - np.log(x) if cls.logs else cls.formula(x, *settings)

    @staticmethod
    @abstractmethod
    def formula(x: Floats, *settings: Floats) -> Floats:
        """The same of the values, or of their logarithms."""

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
            if cls.kernel(list(cells), *settings, scores, cls.logs):  # some may be infinite, or are not taken
                for belief, column in zip(beliefs, cells, strict=True):
                    belief.family.outside(column)

        return score


class Compiled(NamedTuple):
    """A kernel for several columns, and its settings in every class."""

    kind: type[CompiledBelief]
    settings: list[Floats]  # [column, class]
    fits: NDArray[np.bool_]  # the columns that it can score; the formula scores the others
