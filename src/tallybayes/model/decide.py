"""From class probabilities to a decision: the most probable class, the least costly one, or none at all.

`posterior` is an array with one row per case and one column per class, as `Model.posterior` gives it. `costs[truth,
decision]` is what it costs to decide for one class when another is true; without costs every error costs 1.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from tallybayes.counts.exact import Floats, Indices
from tallybayes.data.errors import quoted

REJECTED = -1
CELLS = 1 << 22  # probabilities of rows that are decided at a time


def most_rows(classes: int) -> int:
    """How many rows to decide at a time, so that their probabilities take little memory."""
    return max(CELLS // max(classes, 1), 1)


def cost_matrix(classes: Sequence[Any], costs: Mapping[tuple[Any, Any], float] | Any) -> Floats:
    """Costs as a matrix: from a mapping (truth, decision) → cost, where errors not named cost 1, or a matrix.

    >>> cost_matrix(["healthy", "ill"], {("ill", "healthy"): 20.0})
    array([[ 0.,  1.],
           [20.,  0.]])
    """
    size = len(classes)
    at = {label: i for i, label in enumerate(classes)}
    for pair in costs if isinstance(costs, Mapping) else ():
        if not (isinstance(pair, tuple) and len(pair) == 2 and all(label in at for label in pair)):
            raise ValueError(f"There is a cost for {pair!r}; give costs by (truth, decision), both among {list(at)}.")
    try:
        if isinstance(costs, Mapping):
            matrix = 1.0 - np.eye(size)
            for (truth, decision), cost in costs.items():
                matrix[at[truth], at[decision]] = cost
        else:
            matrix = np.asarray(costs, np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"costs={quoted(costs)}: give numbers by (truth, decision), or a matrix of them.") from None
    if matrix.shape != (size, size) or not np.all(np.isfinite(matrix)):
        raise ValueError(
            f"The costs have the shape {matrix.shape}; {size} classes need {size} × {size} finite numbers."
        )
    return matrix


def probabilities(scores: Floats, prior: Floats) -> Floats:
    """P(class | row) from log P(class, row), both [class, row]. A row that is impossible in every class gets the prior,
    given as logarithms.

    >>> probabilities(np.array([[0.0, -np.inf], [np.log(3.0), -np.inf]]), np.log([0.2, 0.8]))
    array([[0.25, 0.2 ],
           [0.75, 0.8 ]])
    """
    top = scores.max(axis=0)
    possible = np.isfinite(top)
    shares = np.exp(np.where(possible, scores - np.where(possible, top, 0.0), prior[:, None]))
    return np.asarray(shares / shares.sum(axis=0))


def most_probable(posterior: Floats) -> Indices:
    """Each row's class of highest probability, the first one on a tie."""
    return np.asarray(posterior).argmax(axis=1)


def expected_cost(posterior: Floats, costs: Floats) -> Floats:
    """What each decision costs on average: Σ P(truth)·cost[truth, decision], a column per decision."""
    return np.asarray(posterior) @ costs


def decide(posterior: Floats, costs: Floats | None = None, reject: float | None = None) -> Indices:
    """Each row's most probable class, or with costs the decision of least expected cost; `REJECTED` where even that
    costs more than `reject`.

    >>> decide(np.array([[0.7, 0.3], [0.1, 0.9]]), reject=0.2)
    array([-1,  1])
    """
    if reject is not None and not (isinstance(reject, (int, float, np.number)) and reject >= 0):
        raise ValueError(f"reject={reject!r}: give the cost of not deciding, a number of at least 0.")
    if costs is None:
        chosen, risk = most_probable(posterior), error_probability(posterior)
    else:
        average = expected_cost(posterior, costs)
        chosen, risk = average.argmin(axis=1), average.min(axis=1)
    return chosen if reject is None else np.where(risk > reject, REJECTED, chosen)


def error_probability(posterior: Floats) -> Floats:
    """P(error | x) of deciding for the most probable class: the total probability of all the others."""
    # Summed, since 1 − max would lose small probabilities.
    posterior = np.sort(np.asarray(posterior), axis=1)
    return np.asarray(posterior[:, :-1].sum(axis=1))


def bayes_error(posterior: Floats) -> float:
    """The mean of P(error | x) over a sample: the error rate that the model expects of itself."""
    return float(error_probability(posterior).mean())
