"""Beliefs in a form that other programs can compute: databases, ONNX.

A level, an interval or a word is looked up in a table; a number goes into a formula of sums, products, quotients and
logarithms, which is written once and computed by anything that has these: see `Arithmetic`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np

from tallybayes.counts.exact import Floats
from tallybayes.families.numbers.support import REAL, Support

SHIFT = 10  # from here on Stirling's series has sixteen digits


class NotPortableError(TypeError):
    """Why a belief cannot be computed by other programs."""


class Arithmetic(Protocol):
    """The operations of another program on its own numbers, besides + − · /."""

    def log(self, x: Any) -> Any: ...

    def if_equal(self, x: Any, number: float, then: Any, otherwise: Any) -> Any: ...


class Operand(ABC):
    """A number of another program, with the operators that formulas use."""

    @abstractmethod
    def combined(self, operator: str, left: Any, right: Any) -> Any:
        """Two numbers, of which this is one, combined by "Add", "Sub", "Mul" or "Div"."""

    def __add__(self, other: Any) -> Any:
        return self.combined("Add", self, other)

    def __radd__(self, other: Any) -> Any:
        return self.combined("Add", other, self)

    def __sub__(self, other: Any) -> Any:
        return self.combined("Sub", self, other)

    def __rsub__(self, other: Any) -> Any:
        return self.combined("Sub", other, self)

    def __mul__(self, other: Any) -> Any:
        return self.combined("Mul", self, other)

    def __rmul__(self, other: Any) -> Any:
        return self.combined("Mul", other, self)

    def __truediv__(self, other: Any) -> Any:
        return self.combined("Div", self, other)

    def __rtruediv__(self, other: Any) -> Any:
        return self.combined("Div", other, self)


class ByLevel(NamedTuple):
    """Looked up by text; missing and unknown cells add nothing."""

    levels: Sequence[str]
    table: Floats  # [level, class]
    truth: bool = False  # whether cells are boolean, however that is written


class ByInterval(NamedTuple):
    """Looked up by the number of edges that are ≤ x."""

    edges: Floats
    table: Floats  # [interval, class]


class ByFormula(NamedTuple):
    """formula(arithmetic, x, *settings), up to a term that all classes share; of log x if `logs`."""

    formula: Callable[..., Any]
    settings: Sequence[Floats]  # [class]
    support: Support = REAL
    logs: bool = False


class Cutting(NamedTuple):
    """How a text is cut into words: by the settings of `Words` that have these names."""

    lower: bool
    shortest: int
    punctuation: bool
    stop_words: Sequence[str]
    ngrams: tuple[int, int]
    characters: tuple[int, int] | None


class ByWords(NamedTuple):
    """The sum over the words of a text; a word that is not in the table adds nothing."""

    cutting: Cutting
    words: Sequence[str]
    table: Floats  # [word, class]
    repeats: bool  # whether a word counts each time it occurs
    document: Floats  # [class]: added for every text
    again: Floats | None = None  # added log2(1 + occurrences) times: [word, class]
    gamma: float = 0.0  # the sum is divided by (different words / length) to this power
    length: float = 1.0


class Weighed(NamedTuple):
    """The evidence for each class minus the mean of all, clipped, times the class's weight."""

    evidence: ByFormula | ByWords
    theta: Floats
    bound: float


Portable = ByLevel | ByInterval | ByFormula | ByWords | Weighed


def checked(found: ByFormula) -> ByFormula:
    """The formula, if its settings are finite in every class."""
    if not all(np.isfinite(setting).all() for setting in found.settings):
        raise NotPortableError("every value is impossible in a class without counts or prior. Give the family a prior.")
    return found


def straight(arithmetic: Arithmetic, x: Any, slope: Any, constant: Any) -> Any:
    return x * slope + constant


def normal(arithmetic: Arithmetic, x: Any, mean: Any, precision: Any, constant: Any) -> Any:
    away = x - mean
    return constant - away * away * (precision * 0.5)


def student(arithmetic: Arithmetic, x: Any, mean: Any, precision: Any, power: Any, constant: Any) -> Any:
    away = x - mean
    return constant - arithmetic.log(away * away * precision + 1.0) * power


def lomax(arithmetic: Arithmetic, x: Any, time: Any, power: Any, constant: Any) -> Any:
    return constant - arithmetic.log(x / time + 1.0) * power


def negative_binomial(arithmetic: Arithmetic, x: Any, shape: Any, slope: Any, constant: Any) -> Any:
    return log_rising(arithmetic, shape, x) + x * slope + constant


def beta_geometric(arithmetic: Arithmetic, x: Any, b: Any, both: Any, constant: Any) -> Any:
    rising = log_rising(arithmetic, b, x) - log_rising(arithmetic, both, x)
    return rising - arithmetic.log(x + both) + constant


def log_rising(arithmetic: Arithmetic, a: Any, x: Any) -> Any:
    """log Γ(a + x) − log Γ(a), by Stirling's series, shifted by ten."""
    b = a + float(SHIFT)
    way = _product(arithmetic, x + a) - _product(arithmetic, a)
    bent = (b - 0.5) * _log_of_one_and(arithmetic, x / b) + x * arithmetic.log(x + b) - x
    return bent + _series(x + b) - _series(b) - way


def _product(arithmetic: Arithmetic, z: Any) -> Any:
    """log z(z+1)…(z+9), five at a time: the whole product might overflow a double."""
    halves = []
    for start in range(0, SHIFT, SHIFT // 2):
        product = z + float(start)
        for further in range(start + 1, start + SHIFT // 2):
            product = product * (z + float(further))
        halves.append(arithmetic.log(product))
    return halves[0] + halves[1]


def _log_of_one_and(arithmetic: Arithmetic, u: Any) -> Any:
    """log(1 + u) to full precision, by Kahan's formula."""
    w = u + 1.0
    return arithmetic.if_equal(w, 1.0, u, arithmetic.log(w) * u / (w - 1.0))


def _series(z: Any) -> Any:
    """The correction to Stirling's formula: 1/12z − 1/360z³ + 1/1260z⁵ − 1/1680z⁷."""
    square = z * z
    inner = (1.0 / 1680.0) / square * -1.0 + 1.0 / 1260.0
    return (1.0 / 12.0 - (1.0 / 360.0 - inner / square) / square) / z
