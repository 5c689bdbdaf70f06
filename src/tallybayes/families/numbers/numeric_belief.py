"""What the sums of a column of numbers say, by the formulas of its family."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from tallybayes.counts.exact import Floats
from tallybayes.families.base import Belief, Free, NotLinearError, Terms, by_class
from tallybayes.families.posteriors import Posterior

if TYPE_CHECKING:
    from tallybayes.families.numbers.numeric import Measured


class MeasuredBelief(Belief):
    """A family and its sums, scored by the family's own formula."""

    def __init__(self, family: Measured[Any], s: Any) -> None:
        self.family = family
        self.s = s

    @cached_property
    def _columns(self) -> Any:
        return type(self.s)(*(np.asarray(value)[..., None] for value in self.s))

    @cached_property
    def silent(self) -> bool:
        """Whether nothing was counted in any class and nothing is assumed: what is unknown rules no class out."""
        none = not np.any(self.s.n > 0)
        return none and bool(np.isneginf(self.family.log_likelihood(self._columns, np.ones((1, 1)))).all())

    def add_evidence(self, cells: Floats, scores: Floats) -> None:
        if self.silent:
            return
        missing = np.isnan(cells) | self.family.outside(cells)
        values = np.where(missing, 1.0, cells)
        said = self.family.log_likelihood(self._columns, values[None, :])
        scores[:, : len(cells)] += np.where(missing, 0.0, said)

    def estimates(self) -> dict[str, Floats]:
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            return self.family.estimate(self.s)

    def posterior(self, index: int) -> Posterior:
        try:
            with np.errstate(divide="raise", invalid="raise", over="ignore"):
                return self.family.posterior(type(self.s)(*(np.float64(value[index]) for value in self.s)))
        except FloatingPointError:
            raise ValueError(
                "Nothing is counted in this class and nothing is assumed: there is no posterior."
            ) from None

    def free(self) -> Free:
        common = self.family.in_common
        return Free(len(self.estimates()) - common, common)

    def linear(self) -> Terms:
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            weight, constant = self.family.linear(**self.family.estimate(self.s))
        if not self.family.plugin:
            raise NotLinearError(
                f"{type(self.family).__name__} integrates its parameters out, "
                "which is not linear in the value; use plugin=True."
            )
        unknown = np.isnan(weight + constant)  # nothing counted and nothing assumed: every value is impossible
        weights = np.where(unknown, 0.0, weight)[None, :]
        return Terms([self.family.feature], weights, np.where(unknown, -np.inf, constant))

    def draw(self, random: np.random.Generator, classes: NDArray[np.intp]) -> pa.Array:
        drawn = np.full(len(classes), np.nan)
        for number, rows in by_class(classes):
            s = type(self.s)(*(np.float64(value[number]) for value in self.s))
            with np.errstate(all="ignore"):
                parameters = self.family.draw_parameters(s, random, len(rows))
                if any(np.isnan(values).any() for values in parameters.values()):
                    continue
                values = self.family.support.nearest(self.family.draw(random, **parameters))
            drawn[rows] = np.where(np.isneginf(self.family.log_likelihood(s, values)), np.nan, values)
        return pa.array(drawn, pa.int64() if self.family.support.whole else None, from_pandas=True)
