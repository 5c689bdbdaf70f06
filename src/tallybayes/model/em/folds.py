"""Labelled rows split into folds: EM without the rows of a fold, their held-out loss, and the weight of rows without
labels that makes it lowest."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple, TypeVar

import numpy as np
import pyarrow as pa

from tallybayes.counts.exact import Counts, Floats
from tallybayes.data.labels import label_keys, label_values
from tallybayes.model.em.fit import EMProblem, best_run, count_labelled
from tallybayes.model.em.rows import RowBlock
from tallybayes.model.em.settings import EM, WEIGHTS
from tallybayes.model.em.start import starts_of
from tallybayes.model.mixed_beliefs import MixedBeliefs
from tallybayes.model.model import Model

FOLDS = 5
LEAST = 1e-15  # lower bound on the probability of a held-out label

T = TypeVar("T")
PART = 1e-3  # a run ends if a step gains less than this part of all gains: enough to compare weights
STARTS = 2  # random starts of a run
LEAST_ROWS = 2  # labelled rows needed of every class


class EMFolds:
    """The rows of a class go to the folds in turn, in the order of the passes; rows of weight 0 go to none."""

    def __init__(self, problem: EMProblem) -> None:
        self.problem = problem
        self.rows = np.zeros(len(problem.rows.keys), np.int64)  # labelled rows by class
        self._weight = 0.0  # their total weight
        self._of: dict[int, Counts] = {}  # the folds of a block's rows, by its first row
        blocks = problem.rows.each(lambda block: block._replace(encoded={}, kept={}), problem.threads)
        for block in blocks:
            if block.labelled:
                self._of[int(block.places[0])] = self._dealt(block)

    def _dealt(self, block: RowBlock) -> Counts:
        folds = np.full(len(block.codes), -1, np.int64)
        for code in np.unique(block.codes).tolist():
            mine = np.flatnonzero((block.codes == code) & (block.weights > 0))
            folds[mine] = (np.arange(len(mine)) + self.rows[code] + code) % FOLDS
            self.rows[code] += len(mine)
            self._weight += float(block.weights[mine].sum())
        return folds

    def of(self, block: RowBlock) -> Counts:
        return self._of[int(block.places[0])]

    def without(self, fold: int) -> EMProblem:
        """The problem without the labelled rows of a fold."""
        rows, problem = Without(self, fold), self.problem
        part = replace(problem, rows=rows, keeps=False)
        if problem.fixed is None:
            return part
        fixed = count_labelled(problem.given, rows, problem.keys, problem.label_type, problem.threads)
        fixed.label_type = problem.label_type
        return replace(part, fixed=fixed)

    def losses(self, counts: Model, fold: int) -> Floats:
        """The log-loss of each row of the fold, under the user's schema, times its weight relative to the mean."""
        problem, mean = self.problem, self._weight / max(self.rows.sum(), 1)
        known = MixedBeliefs(counts.beliefs(), problem.given.components)
        place = {key: i for i, key in enumerate(label_keys(problem.class_type, known.labels))}

        def lost(block: RowBlock) -> Floats:
            at = np.flatnonzero(self.of(block) == fold) if block.labelled else np.zeros(0, np.int64)
            if not at.size:
                return np.zeros(0)
            posterior = known.posterior(block.cells.take(pa.array(at)))
            codes = np.array([place.get(problem.rows.keys[code], -1) for code in block.codes[at].tolist()])
            probability = np.where(codes >= 0, posterior[np.arange(len(at)), codes], 0.0)
            return np.asarray(-np.log(np.maximum(probability, LEAST)) * (block.weights[at] / mean))

        return np.concatenate([np.zeros(0), *problem.rows.each(lost, problem.threads)])


class Without:
    """All rows except the labelled ones of a fold; filtered once for a frame, at every pass for a source."""

    def __init__(self, folds: EMFolds, fold: int) -> None:
        self.folds, self.fold, self.problem = folds, fold, folds.problem
        self.keys, self.label_type = self.problem.rows.keys, self.problem.rows.label_type
        self._taken: dict[int, RowBlock | None] = {}

    def each(self, work: Callable[[RowBlock], T], threads: int | None) -> Iterator[T]:
        def some(block: RowBlock) -> T | None:
            left = self._left(block) if block.labelled else block
            return None if left is None else work(left)

        return (found for found in self.problem.rows.each(some, threads) if found is not None)

    def _left(self, block: RowBlock) -> RowBlock | None:
        first = int(block.places[0])
        if first in self._taken:
            return self._taken[first]
        at = np.flatnonzero(self.folds.of(block) != self.fold)
        left: RowBlock | None = None
        if at.size:
            cells = block.cells.take(pa.array(at))
            encoded = self.problem.given.encode(cells)
            left = RowBlock(cells, encoded, encoded, block.codes[at], block.weights[at], block.places[at])
        if self.problem.keeps:
            self._taken[first] = left
        return left


class WeightChoice(NamedTuple):
    """The weight that was chosen, and why."""

    weight: float
    losses: dict[float, float]  # the held-out log-loss of every weight that was tried
    notes: tuple[str, ...] = ()


def choose_weight(problem: EMProblem, settings: EM) -> WeightChoice:
    """Rows without labels count only if that is better by more than the standard error of the difference, and if every
    class has at least two labelled rows: a class whose only row is held out has no start, and EM may drop it."""
    folds = EMFolds(problem)
    fewest = int(folds.rows.argmin())
    name = label_values(problem.class_type, [problem.rows.keys[fewest]])[0]
    _check(folds, name)
    if folds.rows[fewest] < LEAST_ROWS:
        return WeightChoice(
            0.0, {}, (f"Class {name!r} has one labelled row; choosing a weight takes two, so it is 0.",)
        )
    found = held_out_losses(folds, settings, WEIGHTS)
    best = best_weight(found)
    notes = () if best else ("No weight clearly lowers the held-out log-loss, so it is 0.",)
    return WeightChoice(best, {weight: float(each.mean()) for weight, each in found.items()}, notes)


def held_out_losses(folds: EMFolds, settings: EM, weights: Sequence[float]) -> dict[float, Floats]:
    """The losses of the labelled rows, each held out with its fold, for every weight of the others; by short runs."""
    quick = replace(settings, restarts=min(settings.restarts or STARTS, STARTS))
    losses: dict[float, list[Floats]] = {weight: [] for weight in weights}
    for fold in range(FOLDS):
        part = folds.without(fold)
        for weight in weights:
            losses[weight].append(folds.losses(_counts(replace(part, weight=weight), quick), fold))
    return {weight: np.concatenate(parts) for weight, parts in losses.items()}


def _check(folds: EMFolds, name: object) -> None:
    if not folds.rows.any():
        raise ValueError("EM(weight='chosen'): without labelled rows no weight can be chosen; give a number.")
    if folds.rows.sum() == 1:
        raise ValueError("EM(weight='chosen'): one labelled row is not enough to choose a weight; give a number.")
    if not folds.rows.all():
        raise ValueError(f"EM(weight='chosen'): no row is labelled {name!r}, so none can be held out; give a number.")


def _counts(problem: EMProblem, settings: EM) -> Model:
    if problem.fixed is not None and not problem.weight:
        return problem.fixed
    return best_run(problem, starts_of(problem, settings), settings, PART).counts


def best_weight(losses: Mapping[float, Floats]) -> float:
    """Of the weights whose losses, one per row, are clearly lower than without the unlabelled rows, the one with the
    lowest; 0 if there is none.

    >>> best_weight({0.0: np.array([1.0, 2.0, 3.0]), 0.1: np.array([0.9, 1.9, 2.7]), 1.0: np.array([0.0, 0.0, 5.0])})
    0.1
    """

    def is_clear(weight: float) -> bool:
        gained = losses[0.0] - losses[weight]
        return bool(gained.mean() > gained.std() / np.sqrt(len(gained)))

    return min(filter(is_clear, losses), key=lambda weight: float(losses[weight].mean()), default=0.0)
