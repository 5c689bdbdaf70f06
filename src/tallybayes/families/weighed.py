"""Weighed beliefs: a column's evidence minus its mean over the classes, clipped, times a weight."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from tallybayes import kernels
from tallybayes.counts.exact import Exact, Floats, Indices
from tallybayes.families.base import Family
from tallybayes.families.belief import Belief, Free, Part, Scorer, Terms, WordWeight
from tallybayes.families.centring import centred, weighed_table
from tallybayes.families.portable import ByFormula, ByWords, NotPortableError, Portable, Weighed
from tallybayes.families.posteriors import Posterior


def weighed(belief: Belief, theta: Floats, parts: Floats | None = None) -> Belief:
    """The belief with its evidence weighed; still a table lookup if it was one. `parts` are the weights of several
    pieces of evidence."""
    if parts is not None:
        return WeighedParts(belief, parts)
    folded = belief.with_table(lambda table: weighed_table(table, theta, belief.bound))
    return folded or WeighedBelief(belief, theta)


class WeighedBelief(Belief):
    """Another belief with its evidence weighed. Questions about parameters are passed on to it."""

    likelihood = False

    def __init__(self, belief: Belief, theta: Floats) -> None:
        self.belief = belief
        self.theta = theta
        self.has_parts = belief.has_parts

    @property
    def kind(self) -> Any:
        return type(self), self.belief.kind

    def add_evidence(self, cells: Any, scores: Floats) -> None:
        self.together([self])([cells], scores)

    @classmethod
    def together(cls, beliefs: Sequence[Any]) -> Scorer:
        inner = [belief.belief for belief in beliefs]
        return type(inner[0]).together_weighed(inner, np.stack([belief.theta for belief in beliefs]))

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

    def draw(self, random: np.random.Generator, classes: Indices) -> pa.Array:
        return self.belief.draw(random, classes)


class WeighedParts(WeighedBelief):
    """Another belief with a weight for each of its pieces of evidence."""

    def __init__(self, belief: Belief, parts: Floats) -> None:
        super().__init__(belief, np.ones(1))
        self.weights = parts

    def add_evidence(self, cells: Any, scores: Floats) -> None:
        evidence = np.zeros((len(self.weights), *scores.shape))
        self.belief.add_parts(cells, self.weights, evidence)
        for weight, each in zip(self.weights, evidence, strict=True):
            if weight:
                kernels.add_weighed(each, np.full(len(scores), weight), self.belief.bound, scores)

    def parts(self, cells: Any) -> Iterator[list[Part]]:
        return self.belief.weighed_parts(cells, self.weights)

    @classmethod
    def together(cls, beliefs: Sequence[Any]) -> Scorer:
        return Belief.together(beliefs)

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


def absence(present: Sequence[Exact], rows: Floats) -> Absence:
    """The absence of the cells of several columns, [column, class], from the number of those present in each class and
    the number of its rows."""
    return Absence.of(np.minimum([each.round() for each in present], rows), rows)
