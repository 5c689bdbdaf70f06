"""Learning curves: folds are counted once, and training sets of every size are sums of them."""

from __future__ import annotations

from collections.abc import Iterable
from functools import reduce
from operator import add
from typing import Any, NamedTuple

from tallybayes.data.matching import ERROR
from tallybayes.model.evaluation import Decider, Evaluation, compared_with
from tallybayes.model.model import Model
from tallybayes.model.validation.cross_validate import Described
from tallybayes.model.validation.dealing import Deal
from tallybayes.model.validation.folds import counted_folds
from tallybayes.model.validation.held_out import HeldOut, given_again, hold_out


class LearningCurvePoint(NamedTuple):
    """The evaluation of models of about this many rows on held-out rows, over all folds."""

    rows: float  # on average over folds
    held_out: Evaluation


def learning_curve(
    schema: Described,
    data: Any,
    labels: Any = None,
    *,
    k: int = 10,
    sizes: Iterable[int] | None = None,
    groups: Any = None,
    stratify: bool = True,
    seed: int = 0,
    weights: Any = None,
    threads: int | None = None,
    absent: str = ERROR,
) -> list[LearningCurvePoint]:
    """Rows are dealt to k folds, as `folds` does, and counted once. Each fold is scored by the sum of the next 1, 2, …,
    k − 1 folds, or of as many as `sizes` say; adding models is all the training there is. The rows are read once to
    count them, and once for every size.

    >>> from tallybayes import Categorical
    >>> frame = {"outlook": ["sunny", "rain"] * 10}
    >>> found = learning_curve({"outlook": Categorical()}, frame, ["no", "yes"] * 10, k=5, sizes=[1, 4])
    >>> [(each.rows, round(each.held_out.log_loss, 3)) for each in found]
    [(4.0, 0.288), (16.0, 0.105)]
    """
    again = given_again(data, labels, weights, groups, absent)
    counted = counted_folds(schema, again(), Deal(k, stratify, seed), threads)
    folds, found = counted.filled, list[LearningCurvePoint]()
    trained = [Model(counted.schema, counted.total.label_type) for _ in folds]
    wanted = _sizes(sizes, len(folds))
    for size in range(1, max(wanted, default=0) + 1):
        for at, model in enumerate(trained):
            model += counted.models[folds[(at + size) % len(folds)]]
        if size in wanted:
            deciders = {fold: {"": Decider.of(trained[at], None, None, 1, absent)} for at, fold in enumerate(folds)}
            scored = hold_out(HeldOut(counted, deciders, compared_with, add), again(), threads)[""]
            found.append(LearningCurvePoint(sum(model.n for model in trained) / len(folds), reduce(add, scored)))
    return found


def _sizes(sizes: Iterable[int] | None, folds: int) -> list[int]:
    wanted = list(range(1, folds)) if sizes is None else list(sizes)
    for size in wanted:
        if isinstance(size, bool) or not isinstance(size, int) or not 1 <= size < folds:
            raise ValueError(
                f"sizes: {size!r} is not a number of folds to train on; with {folds} folds, give 1 to {folds - 1}."
            )
    return wanted
