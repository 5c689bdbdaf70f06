"""How much a row without a label should count: the weight with the lowest log-loss on held-out labelled rows.

Basic EM can do harm where columns do not follow their families (Nigam et al. 2000), and only labelled rows can tell.
They are dealt into folds. Each fold is held out in turn: EM runs on the other folds and the rows without labels, and
the fold is scored. Leaving a row out of the final counts would not do, since a model that had seen it split the others.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TypeVar

import numpy as np
import pyarrow as pa

from tallybayes.counts.exact import Counts, Floats
from tallybayes.model.em.fit import fit
from tallybayes.model.em.problem import Problem, count_labelled
from tallybayes.model.em.rows import Block
from tallybayes.model.em.settings import EM, WEIGHTS
from tallybayes.model.model import Model

FOLDS = 5
TOLERANCE = 1e-3  # which is enough to tell weights apart
LEAST_ROWS = 2.0  # of every class, with labels
LEAST = 1e-15  # of a probability, where a held-out row is impossible

T = TypeVar("T")


def choose_weight(problem: Problem, settings: EM) -> tuple[float, dict[float, float]]:
    """The best weight, and the log-loss of held-out labelled rows under each. Rows without labels count only where that
    is clearly better: by more than the standard error of the difference, and where every class has at least two
    labelled rows. A class is unknown while its only row is held out, and EM may well do away with it."""
    if problem.fixed is None or not problem.fixed.n:
        raise ValueError("EM(weight='chosen'): there are no rows with labels to choose the weight by; give a number.")
    losses: dict[float, list[Floats]] = {weight: [] for weight in WEIGHTS}
    quick = replace(settings, tolerance=max(settings.tolerance, TOLERANCE), progress=None)
    for fold in range(FOLDS):
        rows = Without(problem, fold)
        fixed = count_labelled(problem.given, rows, problem.keys, problem.label_type, problem.threads)
        fixed.label_type = problem.label_type
        if not fixed.n:
            continue
        for weight in WEIGHTS:
            part = replace(problem, rows=rows, fixed=fixed, weight=weight, keeps=False)
            counts = fixed if not weight else fit(part, fixed, quick, problem.fixed.n).counts
            losses[weight].append(_losses(problem, counts, fold))
    found = {weight: np.concatenate([np.zeros(0), *parts]) for weight, parts in losses.items()}
    if not len(found[0.0]):
        raise ValueError("EM(weight='chosen'): one row with a label is not enough to choose by; give a number.")
    enough = problem.fixed.rows.aligned([""], problem.keys).sums["n"].round()[0].min() >= LEAST_ROWS
    return _best(found) if enough else 0.0, {weight: float(each.mean()) for weight, each in found.items()}


def _best(losses: dict[float, Floats]) -> float:
    """Of weights that cannot be told apart the largest: with small ones, smoothing outweighs what is counted."""

    def gain(weight: float, over: float, errors: float) -> float:
        """How much lower the loss is, less so many standard errors."""
        apart = losses[over] - losses[weight]
        return float(apart.mean() - errors * apart.std() / np.sqrt(len(apart)))

    better = [weight for weight in losses if gain(weight, 0.0, 1.0) > 0]
    best = max(better, key=lambda weight: gain(weight, 0.0, 1.0), default=0.0)
    return max((weight for weight in better if gain(weight, best, -1.0) >= 0), default=0.0)


class Without:
    """The rows but for the labelled ones of a fold."""

    def __init__(self, problem: Problem, fold: int) -> None:
        self.problem, self.fold = problem, fold
        self.keys, self.label_type = problem.rows.keys, problem.rows.label_type

    def each(self, work: Callable[[Block], T], threads: int | None) -> Iterator[T]:
        def some(block: Block) -> T | None:
            if not block.labelled:
                return work(block)
            at = np.flatnonzero(_folds(block) != self.fold)
            return work(_taken(self.problem, block, at)) if at.size else None

        return (found for found in self.problem.rows.each(some, threads) if found is not None)


def _folds(block: Block) -> Counts:
    """Which fold each row is in: those of a class by turns, in the order of their fingerprints."""
    folds = np.zeros(len(block.codes), np.int64)
    for code in np.unique(block.codes).tolist():
        mine = np.flatnonzero(block.codes == code)
        folds[mine] = (np.arange(len(mine)) + code) % FOLDS
    return folds


def _taken(problem: Problem, block: Block, at: Counts) -> Block:
    cells = block.cells.take(pa.array(at))
    encoded = problem.given.encode(cells, 0, problem.absent)
    return Block(cells, encoded, encoded, block.codes[at], block.weights[at], block.places[at])


def _losses(problem: Problem, counts: Model, fold: int) -> Floats:
    """Of each of the fold's rows, as often as it weighs, by the model as the user has it."""
    known = counts.keys()
    place = {key: i for i, key in enumerate(known)}
    beliefs = counts.beliefs()

    def lost(block: Block) -> Floats:
        at = np.flatnonzero(_folds(block) == fold) if block.labelled else np.zeros(0, np.int64)
        if not at.size:
            return np.zeros(0)
        posterior: Floats = beliefs.posterior(block.cells.take(pa.array(at)), None, problem.absent)
        codes = np.array([place.get(problem.keys[code], -1) for code in block.codes[at].tolist()])
        said = np.where(codes >= 0, posterior[np.arange(len(at)), codes], 0.0)
        return np.asarray(-np.log(np.maximum(said, LEAST)) * block.weights[at])

    return np.concatenate([np.zeros(0), *problem.rows.each(lost, problem.threads)])
