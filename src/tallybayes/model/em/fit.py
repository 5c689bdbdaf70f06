"""The EM loop: rows are shared among the classes by the current beliefs and counted again, until the objective stops
rising."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from tallybayes.model.em.fitted import CONVERGED, ITERATIONS, WOULD_FALL
from tallybayes.model.em.problem import Counted, Problem, weights_of
from tallybayes.model.em.settings import EM
from tallybayes.model.model import Model


class Run(NamedTuple):
    """The result of EM from one start."""

    counts: Model
    counted: Counted
    curve: list[float]
    log_likelihood: float
    ended: str
    problem: Problem


def best_run(problem: Problem, starts: Sequence[Model], settings: EM, part: float = 0.0) -> Run:
    """Runs EM from each start and returns the run with the highest objective."""
    with_labels, without = weights_of(problem.rows, problem.threads).tolist()
    least = settings.tolerance * (with_labels + problem.weight * without)
    return max((fit(problem, start, settings, least, part) for start in starts), key=lambda run: run.curve[-1:])


def fit(problem: Problem, start: Model, settings: EM, least: float, part: float = 0.0) -> Run:
    """Runs EM from these counts until a step gains no more than `least`, or than this `part` of the total gain. The
    curve begins with the first beliefs that have counted every row: before that, unseen words and levels are ignored,
    and likelihoods are not comparable."""
    problem = problem.settled(start)
    found = problem.expect(problem.believe(start))
    problem = problem.settled(found.counts)
    run = Run(found.counts, found.counted, [], -np.inf, ITERATIONS, problem)
    tell = settings.progress or _nobody
    for step in range(1, settings.iterations + 1):
        known = problem.believe(found.counts)
        shared = problem.expect(known)
        objective = shared.log_likelihood + problem.log_prior(found.counts, known)
        before = run.curve[-1] if run.curve else -np.inf
        if np.isnan(objective) or objective < before:
            return run._replace(ended=WOULD_FALL)
        run = Run(found.counts, found.counted, [*run.curve, objective], shared.log_likelihood, ITERATIONS, problem)
        tell(step, objective)
        if objective - before <= max(least, part * (objective - run.curve[0])):
            return run._replace(ended=CONVERGED)
        found = shared
    return run


def _nobody(step: int, objective: float) -> None:
    pass
