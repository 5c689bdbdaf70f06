"""EM: rows are split as the counts say and counted again, until the objective stops rising."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tallybayes.model.em.fitted import CONVERGED, ITERATIONS, WOULD_FALL
from tallybayes.model.em.problem import Counted, Problem
from tallybayes.model.em.settings import EM
from tallybayes.model.model import Model


class Run(NamedTuple):
    """Where EM ended, from one start."""

    counts: Model
    counted: Counted
    curve: list[float]
    log_likelihood: float
    ended: str
    problem: Problem


def fit(problem: Problem, start: Model, settings: EM, rows: float) -> Run:
    """From the counts that it starts with. The first values of the curve are those of beliefs that have counted every
    row: what is not yet met is ignored, and says nothing of how probable the rows are."""
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
        if objective - before <= settings.tolerance * rows:
            return run._replace(ended=CONVERGED)
        found = shared
    return run


def _nobody(step: int, objective: float) -> None:
    pass
