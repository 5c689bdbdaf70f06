"""Weighed evidence: a column's evidence minus its mean over the classes, clipped, times a weight.

Clipping keeps a single cell from deciding everything: a level that a class never had changes the odds by at most e³⁰.
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


def centred(evidence: Floats, bound: float) -> Floats:
    """Evidence minus its mean over the classes, clipped, evidence[class, …]; 0 for a row that is impossible in every
    class."""
    top = evidence.max(axis=0)
    bounded = np.maximum(evidence, np.where(np.isneginf(top), 0.0, top) - 2.0 * bound)
    return np.clip(bounded - bounded.mean(axis=0), -bound, bound)


def weighed(belief: Belief, theta: Floats, parts: Floats | None = None) -> Belief:
    """The belief with its evidence weighed; still a table lookup if it was one. `parts` are the weights of several
    pieces of evidence."""
    if parts is not None:
        return WeighedParts(belief, parts)

    def change(table: Floats) -> Floats:
        return np.ascontiguousarray(centred(table.T, belief.bound).T * theta)

    return belief.with_table(change) or WeighedBelief(belief, theta)


class WeighedBelief(Belief):
    """Another belief with its evidence weighed. Questions about parameters are passed on to it."""

    likelihood = False

    def __init__(self, belief: Belief, theta: Floats) -> None:
        self.belief = belief
        self.theta = theta
        self.has_parts = belief.has_parts

    def add_evidence(self, cells: Any, scores: Floats) -> None:
        evidence = np.zeros_like(scores)
        self.belief.add_evidence(cells, evidence)
        scores += self.theta[:, None] * centred(evidence, self.belief.bound)

    def parts(self, cells: Any) -> Iterator[list[Part]]:
        for parts in self.belief.parts(cells):
            yield [part._replace(evidence=self.theta * centred(part.evidence, self.belief.bound)) for part in parts]

    def heaviest(self, index: int, prior: Floats, top: int) -> list[WordWeight]:
        return self.belief.heaviest(index, prior, top)

    @property
    def parents(self) -> dict[str, Any]:
        return self.belief.parents

    def drawing(self) -> list[str]:
        return self.belief.drawing()

    def portable(self) -> Portable:
        evidence = self.belief.portable()
        if not isinstance(evidence, (ByFormula, ByWords)):
            raise NotPortableError("its evidence is weighed in a way that has no table. Export the model unweighed.")
        return Weighed(evidence, self.theta, self.belief.bound)

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
    """Another belief with a weight for each of its pieces of evidence."""

    def __init__(self, belief: Belief, parts: Floats) -> None:
        super().__init__(belief, np.ones(1))
        self.weights = parts

    def add_evidence(self, cells: Any, scores: Floats) -> None:
        evidence = np.zeros((len(self.weights), *scores.shape))
        self.belief.add_parts(cells, evidence)
        for weight, each in zip(self.weights, evidence, strict=True):
            scores += weight * centred(each, self.belief.bound)

    def portable(self) -> Portable:
        raise NotPortableError("it gives several pieces of evidence per row, each with its own weight.")


class Absence(NamedTuple):
    """The evidence for every class of a cell being missing, and of its being present."""

    missing: Floats
    present: Floats

    @classmethod
    def of(cls, present: Floats, rows: Floats) -> Absence:
        """From the number of present cells and of rows in each class, the last axis; smoothed by two rows per class,
        with cells missing as often as over all classes."""
        lacking = np.maximum(rows - present, 0.0)
        share = (lacking.sum(axis=-1, keepdims=True) + 1.0) / (rows.sum(axis=-1, keepdims=True) + 2.0)
        logs = np.log([lacking + 2.0 * share, rows - lacking + 2.0 * (1.0 - share)]) - np.log(rows + 2.0)
        return cls(*(centred(evidence.T, Belief.bound).T for evidence in logs))

    def times(self, theta: Floats) -> Absence:
        return Absence(self.missing * theta, self.present * theta)

    def add(self, family: Family, cells: Any, scores: Floats) -> None:
        missing = family.missing(cells)
        scores[:, : len(missing)] += np.where(missing, self.missing[:, None], self.present[:, None])


def absence(family: Family, tally: Any, classes: Sequence[Key], rows: Floats) -> Absence:
    """The absence of a column's cells, given the number of rows of each class."""
    return Absence.of(np.minimum(family.present(tally, classes).round(), rows), rows)
