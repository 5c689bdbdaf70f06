"""From probabilities and true classes to the counts and sums of an evaluation."""

from __future__ import annotations

from collections import Counter
from typing import Any, NamedTuple

import numpy as np

from tallybayes.counts.exact import Codes, Floats, Indices, Mask
from tallybayes.model import decide
from tallybayes.model.decide import REJECTED
from tallybayes.model.evaluation.ranks import Ranks
from tallybayes.model.evaluation.result import INTERVALS, Evaluation

FEW_PAIRS = 1 << 12  # up to here a table is faster than sorting


class DecisionRule(NamedTuple):
    """How decisions are made, and what an error costs."""

    classes: tuple[Any, ...]
    given: Floats | None = None  # the costs given, if any
    costs: Floats | None = None  # the same, or those of errors where only `reject` is given
    reject: float | None = None

    @classmethod
    def of(cls, classes: tuple[Any, ...], costs: Any = None, reject: float | None = None) -> DecisionRule:
        given = None if costs is None else decide.cost_matrix(classes, costs)
        matrix = decide.cost_matrix(classes, {}) if given is None and reject is not None else given
        return cls(classes, given, matrix, reject)


class Truth(NamedTuple):
    """The true classes of some rows: `labels[codes[row]]`, and each row's index among the model's classes, −1 for an
    unseen class."""

    labels: list[Any]
    codes: Codes
    numbers: Indices


def compared(rule: DecisionRule, truth: Truth, posterior: Floats, losses: Floats, prior_losses: Floats) -> Evaluation:
    """`losses` are −log P(truth) of every row under the posterior, `prior_losses` under the prior."""
    plain = rule.costs is None
    decision = decide.most_probable(posterior) if plain else decide.decide(posterior, rule.given, rule.reject)
    pairs = _pairs(truth, rule.classes, decision)
    missed = truth.numbers < 0
    unknown = {label for label, _ in pairs}.difference(rule.classes) if missed.any() else set()
    decided: Any = slice(None) if plain else np.flatnonzero(decision != REJECTED)
    chosen = posterior[np.arange(len(decision)), decision]
    squares = _squares(posterior, truth.numbers)
    possible = np.isfinite(losses)
    finite = losses if possible.all() else losses[possible]
    paid, expected = _paid(rule, posterior, truth.numbers, decision)
    return Evaluation(
        classes=tuple(sorted(unknown.union(rule.classes))) if unknown else rule.classes,
        unknown=tuple(sorted(unknown)),
        pairs=pairs,
        intervals=intervals(chosen[decided], (decision == truth.numbers)[decided]),
        ranks=_ranks(rule.classes, posterior, truth.numbers),
        losses=float(finite.sum()),
        losses_squared=float(np.square(finite).sum()),
        prior_losses=float(prior_losses.sum()) + 0.0,
        impossible=len(losses) - len(finite),
        squares=float(squares.sum()),
        squares_squared=float(np.square(squares).sum()),
        expected_errors=float(_others(posterior, decision)[decided].sum()),
        paid=paid,
        expected_to_pay=expected,
    )


def _ranks(classes: tuple[Any, ...], posterior: Floats, truth: Indices) -> dict[Any, Ranks]:
    """The ranks of every class; with two classes, the second's mirror the first's."""
    shares = np.ascontiguousarray(posterior.T)
    if len(classes) == 2 and (truth >= 0).all():
        ranks = Ranks.of(shares[1], truth == 1)
        return {classes[0]: ranks.mirrored(), classes[1]: ranks}
    return {label: Ranks.of(shares[i], truth == i) for i, label in enumerate(classes)}


def _pairs(truth: Truth, classes: tuple[Any, ...], decision: Indices) -> Counter[tuple[Any, Any]]:
    """How often each (truth, decision) occurred; None for a rejected row."""
    names = [None, *classes]
    both = truth.codes.astype(np.int64) * len(names) + decision + 1
    if len(truth.labels) * len(names) <= FEW_PAIRS:
        every = np.bincount(both)
        found = np.flatnonzero(every)
        counts = every[found]
    else:
        found, counts = np.unique(both, return_counts=True)
    pairs = zip(*(half.tolist() for half in np.divmod(found, len(names))), strict=True)
    return Counter({(truth.labels[a], names[b]): n for (a, b), n in zip(pairs, counts.tolist(), strict=True)})


def _others(posterior: Floats, chosen: Indices) -> Floats:
    """The total probability of all classes but one: summed, since 1 − P would lose small values."""
    if posterior.shape[1] == 2:
        return np.where(chosen == 0, posterior[:, 1], posterior[:, 0])
    rest = posterior.copy()
    rest[np.arange(len(rest)), chosen] = 0.0
    return np.asarray(rest.sum(axis=1))


def _squares(posterior: Floats, truth: Indices) -> Floats:
    """Σ (P(class) − [class is true])² of every row, over all classes, unseen ones included."""
    off = posterior.copy()
    known = np.flatnonzero(truth >= 0)
    off[known, truth[known]] -= 1.0
    return np.einsum("ij,ij->i", off, off) + (truth < 0)


def intervals(probability: Floats, right: Mask) -> Floats:
    """For each interval of the decision's probability: the number of rows, the sum of their probabilities, and how many
    were right."""
    at = np.minimum((probability * INTERVALS).astype(np.intp), INTERVALS - 1)
    return np.stack([np.bincount(at, each, INTERVALS) for each in (np.ones(len(at)), probability, right)], axis=1)


def _paid(
    rule: DecisionRule, posterior: Floats, truth: Indices, decision: Indices
) -> tuple[float | None, float | None]:
    """What the decisions cost, and what the model expects them to cost. For an unseen class every decision costs 1."""
    if rule.costs is None:
        return None, None
    without = 0.0 if rule.reject is None else rule.reject
    real = np.where(truth < 0, 1.0, rule.costs[truth, decision])
    expected = decide.expected_cost(posterior, rule.costs)[np.arange(len(decision)), decision]
    rejected = decision == REJECTED
    return float(np.where(rejected, without, real).sum()), float(np.where(rejected, without, expected).sum())
