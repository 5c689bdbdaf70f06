"""The base class of whatever adds and subtracts in place."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Self


class Additive(ABC):
    """Adds and subtracts in place, in time proportional to the other operand's size; `+` and `-` work on a copy."""

    @abstractmethod
    def copy(self) -> Self: ...

    @abstractmethod
    def __iadd__(self, other: Self) -> Self: ...

    @abstractmethod
    def __isub__(self, other: Self) -> Self: ...

    def __add__(self, other: Self) -> Self:
        result = self.copy()
        result += other
        return result

    def __sub__(self, other: Self) -> Self:
        result = self.copy()
        result -= other
        return result
