"""Beliefs scored by a kernel: parameters for every class, and many rows and columns at once."""

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
    """A kernel and its parameters for every class, for many rows and several columns at once. `formula` computes the
    same for single values."""

    kernel: Callable[..., int]
    logs: bool = False  # whether the parameters are those of log x

    def __init__(self, family: Any, s: Any, counted: bool, settings: list[Floats]) -> None:
        super().__init__(family, s, counted)
        self.settings = settings

    @classmethod
    def evidence(cls, x: Floats, settings: Sequence[Floats]) -> Floats:
        """The log density of values at these parameters."""
        return cls.formula(np.log(x), *settings) - np.log(x) if cls.logs else cls.formula(x, *settings)

    @staticmethod
    @abstractmethod
    def formula(x: Floats, *settings: Floats) -> Floats:
        """The log density of x, or of log x."""

    def add_evidence(self, cells: Floats, scores: Floats) -> None:
        self.together([self])([cells], scores)

    @classmethod
    def joined(cls, beliefs: Sequence[Any]) -> list[Floats]:
        """The parameters of several columns, one row for each."""
        return [np.stack(each) for each in zip(*(belief.settings for belief in beliefs), strict=True)]

    @classmethod
    def together(cls, beliefs: Sequence[Any]) -> Scorer:
        settings = cls.joined(beliefs)

        def score(cells: Sequence[Any], scores: Floats) -> None:
            if cls.kernel(list(cells), *settings, scores, cls.logs):  # some cells are infinite or outside the support
                for belief, column in zip(beliefs, cells, strict=True):
                    belief.family.outside(column)

        return score


class Compiled(NamedTuple):
    """A kernel for several columns, and its parameters in every class."""

    kind: type[CompiledBelief]
    settings: list[Floats]  # [column, class]
    fits: NDArray[np.bool_]  # the columns that the kernel can score; the formula scores the others
