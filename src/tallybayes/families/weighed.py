"""Evidence that is weighed: what a column says beyond what it says of all classes alike, within bounds, times a weight.

The bounds keep a single cell from deciding everything: a level that a class has never met says no more than e³⁰ to one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from tallybayes.counts.exact import Floats
from tallybayes.counts.tally import Key
from tallybayes.families.base import Belief, Family, Free, Part, Terms, WordWeight
from tallybayes.families.portable import ByFormula, ByWords, NotPortableError, Portable, Weighed
from tallybayes.families.posteriors import Posterior


def centred(said: Floats, bound: float) -> Floats:
    """What is said of each class beyond the mean of all, said[class, …]; a row that no class allows says nothing."""
    top = said.max(axis=0)
    held = np.maximum(said, np.where(np.isneginf(top), 0.0, top) - 2.0 * bound)
    return np.clip(held - held.mean(axis=0), -bound, bound)


def weighed(belief: Belief, theta: Floats, parts: Floats | None = None) -> Belief:
    """The belief with what it says of every class weighed; looked up as before, where it is looked up in a table. Where
    it says several things, `parts` are their weights."""
    if parts is not None:
        return WeighedParts(belief, parts)

    def change(table: Floats) -> Floats:
        return np.ascontiguousarray(centred(table.T, belief.bound).T * theta)

    return belief.with_table(change) or WeighedBelief(belief, theta)


class WeighedBelief(Belief):
    """What another belief says, weighed. What it knows of parameters is its own affair."""

    likelihood = False

    def __init__(self, belief: Belief, theta: Floats) -> None:
        self.belief = belief
        self.theta = theta
        self.has_parts = belief.has_parts

    def add_evidence(self, cells: Any, scores: Floats) -> None:
        said = np.zeros_like(scores)
        self.belief.add_evidence(cells, said)
        scores += self.theta[:, None] * centred(said, self.belief.bound)

    def parts(self, cells: Any) -> Iterator[list[Part]]:
        for parts in self.belief.parts(cells):
            yield [part._replace(said=self.theta * centred(part.said, self.belief.bound)) for part in parts]

    def heaviest(self, index: int, prior: Floats, top: int) -> list[WordWeight]:
        return self.belief.heaviest(index, prior, top)

    @property
    def parents(self) -> dict[str, Any]:
        return self.belief.parents

    def drawing(self) -> list[str]:
        return self.belief.drawing()

    def portable(self) -> Portable:
        said = self.belief.portable()
        if not isinstance(said, (ByFormula, ByWords)):
            raise NotPortableError("its evidence is weighed in a way that has no table. Export the model unweighed.")
        return Weighed(said, self.theta, self.belief.bound)

    def linear(self) -> Terms:
        slots, weights, constant, certain = self.belief.linear()
        weights = (weights - weights.mean(axis=1, keepdims=True)) * self.theta
        return Terms(slots, weights, (constant - constant.mean()) * self.theta, certain)

    def estimates(self) -> dict[str, Floats]:
        return self.belief.estimates()

    def posterior(self, index: int) -> Posterior:
        return self.belief.posterior(index)

    def free(self) -> Free | None:
        return self.belief.free()

    def draw(self, random: np.random.Generator, classes: NDArray[np.intp]) -> pa.Array:
        return self.belief.draw(random, classes)


class WeighedParts(WeighedBelief):
    """The several things that another belief says, each weighed by itself."""

    def __init__(self, belief: Belief, parts: Floats) -> None:
        super().__init__(belief, np.ones(1))
        self.weights = parts

    def add_evidence(self, cells: Any, scores: Floats) -> None:
        said = np.zeros((len(self.weights), *scores.shape))
        self.belief.add_parts(cells, said)
        for weight, each in zip(self.weights, said, strict=True):
            scores += weight * centred(each, self.belief.bound)

    def portable(self) -> Portable:
        raise NotPortableError("it says several things of a row, each of which is weighed by itself.")


class Absence(NamedTuple):
    """What it says about every class that a cell is missing, and that it is not."""

    missing: Floats
    present: Floats

    @classmethod
    def of(cls, present: Floats, rows: Floats) -> Absence:
        """From how many rows of each class have a cell, and how many there are: two rows are added to every class, as
        many of them missing as in all classes together."""
        lacking = np.maximum(rows - present, 0.0)
        share = (lacking.sum() + 1.0) / (rows.sum() + 2.0)
        logs = np.log([lacking + 2.0 * share, rows - lacking + 2.0 * (1.0 - share)]) - np.log(rows + 2.0)
        return cls(*(centred(said, Belief.bound) for said in logs))

    def times(self, theta: Floats) -> Absence:
        return Absence(self.missing * theta, self.present * theta)

    def add(self, family: Family, cells: Any, scores: Floats) -> None:
        missing = family.missing(cells)
        scores[:, : len(missing)] += np.where(missing, self.missing[:, None], self.present[:, None])


def absence(family: Family, tally: Any, classes: Sequence[Key], rows: Floats) -> Absence:
    """Of a column, where the classes have so many rows."""
    return Absence.of(np.minimum(family.present(tally, classes).round(), rows), rows)
