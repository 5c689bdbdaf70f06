"""The weight of rows without labels, chosen by the log-loss of held-out labelled rows.

Basic EM can do harm if columns do not follow their families (Nigam et al. 2000), which only labelled rows can show.
They are split into folds. Each fold is held out in turn: EM runs on the other folds and the rows without labels, and
the fold is scored. Leaving a row out of the final counts is not enough, since the shares of the unlabelled rows depend
on it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from tallybayes.counts.exact import Floats
from tallybayes.data.labels import label_values
from tallybayes.model.em.fit import EMProblem, best_run
from tallybayes.model.em.folds import FOLDS, EMFolds
from tallybayes.model.em.settings import EM, WEIGHTS
from tallybayes.model.em.start import starts_of
from tallybayes.model.model import Model

PART = 1e-3  # a run ends if a step gains less than this part of all gains: enough to compare weights
STARTS = 2  # random starts of a run
LEAST_ROWS = 2  # labelled rows needed of every class


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
