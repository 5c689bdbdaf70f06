"""Rows of a batch, as families count them: the class of each, and what it weighs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from tallybayes import kernels
from tallybayes.counts.exact import Codes, Exact, Floats
from tallybayes.counts.slots import Key
from tallybayes.counts.sums import cells_of, weighted_table


@dataclass
class Rows:
    """Which class each row of a batch belongs to, and what it weighs (nothing given: one each)."""

    classes: Sequence[Key]
    codes: Codes
    weights: Floats | None = None
    only: Key | None = field(default=None, init=False)  # the class of a row by itself, which counts once

    def __post_init__(self) -> None:
        if len(self.codes) == len(self.classes) == 1 and self.weights is None and self.codes[0] == 0:
            self.only = self.classes[0]

    def __len__(self) -> int:
        return len(self.codes)

    @cached_property
    def numbers(self) -> dict[Key, int]:
        """The classes by their numbers."""
        return {key: i for i, key in enumerate(self.classes)}

    @cached_property
    def groups(self) -> kernels.Groups:
        return kernels.Groups(self.codes, len(self.classes))

    def slice(self, start: int, stop: int) -> Rows:
        if stop - start == len(self):
            return self
        weights = None if self.weights is None else self.weights[start:stop]
        return Rows(self.classes, self.codes[start:stop], weights)

    def totals(self) -> Exact:
        """How many rows each class has, or what they weigh."""
        if "groups" in self.__dict__ and self.weights is None:  # somebody has counted them
            return Exact(self.groups.counts()[None, :, None])
        return self.count(np.zeros(len(self), np.int32), 1)

    def count(self, cells: Codes, slots: int) -> Exact:
        """How often each of `slots` numbered cells occurs in each class; a number below zero is missing."""
        width = len(self.classes)
        if self.weights is None:
            return Exact(kernels.count_codes(cells, self.codes, slots, width)[..., None])
        return weighted_table([self.weights], cells_of(cells, self.codes, slots, width), slots, width)
