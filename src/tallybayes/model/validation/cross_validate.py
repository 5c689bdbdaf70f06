"""Cross-validation: the evaluations of all folds, one by one and pooled; and learning curves, whose training sets of
every size are sums of folds."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property, reduce
from operator import add
from typing import Any, NamedTuple

import numpy as np

from tallybayes.data.errors import check_whole, is_whole
from tallybayes.data.matching import ERROR
from tallybayes.data.processors import limited
from tallybayes.families import Family
from tallybayes.model.batches import Given
from tallybayes.model.evaluation import Decider, Evaluation, compared_with
from tallybayes.model.model import Model
from tallybayes.model.reported import Reported
from tallybayes.model.validation.dealing import Deal
from tallybayes.model.validation.folds import Folds, counted_folds
from tallybayes.model.validation.held_out import deciders_of, given_again, hold_out
from tallybayes.model.validation.retrained import folds_to_hold_out
from tallybayes.schema import Schema


@dataclass(frozen=True, eq=False, repr=False)
class CrossValidation(Reported):
    """Each fold's `Evaluation` by the counts of all others, and `pooled`, the evaluation of all rows together. Every
    measure of the pooled one is an attribute here too (`found.accuracy`).

    `standard_errors` are computed over rows, each of which is held out once per repeat. Repeats make the estimate
    steadier but not more certain, so they do not shrink the errors. Rows of a group are not independent: with groups,
    standard errors are computed over folds, as is that of the ROC AUC for more than two classes. Training sets overlap,
    so either kind is somewhat too small.

    If all rows of a class are in one fold, the class is unknown when that fold is held out: these rows are errors, they
    are among the `impossible`, and the log-loss is infinite; `unseen_classes` counts them, and `log_loss_of_possible`
    is the log-loss of all other rows.

    >>> from tallybayes import Categorical
    >>> frame = {"outlook": ["sunny", "sunny", "rain", "rain", "rain"] * 4}
    >>> found = cross_validate({"outlook": Categorical()}, frame, ["no", "yes", "yes", "yes", "yes"] * 4, k=4)
    >>> found.accuracy, round(found.standard_errors["accuracy"], 3), found.per_fold("accuracy")
    (0.8, 0.092, [0.8, 0.8, 0.8, 0.8])
    """

    folds: tuple[Evaluation, ...]  # repeat by repeat, without empty folds
    k: int
    repeats: int = 1
    seed: int = 0
    grouped: bool = False

    @cached_property
    def pooled(self) -> Evaluation:
        return reduce(add, self.folds)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or "folds" not in self.__dict__:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        return getattr(self.pooled, name)

    @property
    def unseen_classes(self) -> Counter[Any]:
        """How many rows were held out together with all others of their class."""
        found = (Counter({label: fold.rows_by_class[label] for label in fold.unknown}) for fold in self.folds)
        return sum(found, Counter())

    def per_fold(self, measure: str) -> list[float]:
        """One measure of every fold, like `per_fold("accuracy")`."""
        return [getattr(fold, measure) for fold in self.folds]

    @property
    def standard_errors(self) -> dict[str, float]:
        by_row = {name: error * math.sqrt(self.repeats) for name, error in self.pooled.standard_errors.items()}
        return {
            name: self._over_folds(name) if self.grouped or math.isnan(error) else error
            for name, error in by_row.items()
        }

    def _over_folds(self, measure: str) -> float:
        """The standard error of the mean over folds; repeats do not make it smaller."""
        name = "log_loss_of_possible" if measure == "log_loss" else measure
        values = np.array([value for value in self.per_fold(name) if math.isfinite(value)])
        n = len(values) / self.repeats
        return float(np.std(values, ddof=1) / math.sqrt(n)) if len(values) > 1 else math.nan


Beliefs = Mapping[Any, Mapping[Any, Any]]  # by name: arguments of `Model.believing`
Described = Schema | Mapping[Any, Family] | Model


@limited
def cross_validate(
    schema: Described,
    data: Any,
    labels: Any = None,
    *,
    beliefs: Beliefs | None = None,
    k: int = 10,
    repeats: int = 1,
    groups: Any = None,
    stratify: bool = True,
    seed: int = 0,
    weights: Any = None,
    weigh: bool = False,
    costs: Any = None,
    reject: float | None = None,
    threads: int | None = None,
    absent: str = ERROR,
) -> CrossValidation | dict[Any, CrossValidation]:
    """Scores every row by the counts of all folds but its own: the total minus its fold, so each row is counted once,
    whatever k. `folds` documents how rows are assigned; repeat r uses the seed + r.

    `beliefs` are several beliefs about the same counts, by name: arguments of `Model.believing`, like `{"laplace":
    {"alpha": 1.0}, "fitted": {"alpha": "fitted"}}`; then there is a result for each name. `weights` apply when rows are
    counted; held out, every row counts one. With `weigh`, the evidence of every training set is weighed by its own
    rows. Data that can be read only once, like a stream, is given as a function that opens it.

    What a schema chooses by the labels, the questions of trees, is chosen again without each fold, and its rows are
    counted again; all rows are in memory then.

    >>> from tallybayes import Categorical
    >>> frame = {"outlook": ["sunny", "rain"] * 10, "play": ["no", "yes"] * 10}
    >>> cross_validate({"outlook": Categorical()}, frame, "play", k=5).accuracy
    1.0
    """
    check_whole("repeats", repeats, 1)
    _schemas(_schema_of(schema), beliefs)  # raises errors before anything is counted
    again = given_again(data, labels, weights, groups, absent)
    found: dict[Any, list[Evaluation]] = defaultdict(list)
    for repeat in range(repeats):
        counted = folds_to_hold_out(schema, again(), Deal(k, stratify, seed + repeat), threads, weigh)
        tried = _schemas(counted.schema, beliefs)
        for name, evaluations in evaluated_folds(counted, tried, again(), threads, costs, reject).items():
            found[name] += evaluations
    grouped = groups is not None
    results = {name: CrossValidation(tuple(each), k, repeats, seed, grouped) for name, each in found.items()}
    return next(iter(results.values())) if beliefs is None else results


def _schema_of(given: Described) -> Schema:
    return given.schema if isinstance(given, Model) else given if isinstance(given, Schema) else Schema(given)


def _schemas(schema: Schema, beliefs: Beliefs | None) -> dict[Any, Schema]:
    """The schema of each belief, by name; the schema itself if none are given."""
    if beliefs is None:
        return {"": schema}
    if not isinstance(beliefs, Mapping) or not beliefs:
        raise ValueError(f"beliefs={beliefs!r}: give names and changes, like {{'laplace': {{'alpha': 1.0}}}}.")
    for name, changes in beliefs.items():
        if not isinstance(changes, Mapping):
            raise TypeError(f"{name!r} is {changes!r}; give arguments of `believing`, like {{'alpha': 0.5}}.")
    return {name: schema.believing(changes) for name, changes in beliefs.items()}


def evaluated_folds(
    counted: Folds, schemas: Mapping[Any, Schema], given: Given, threads: int | None, costs: Any, reject: float | None
) -> dict[Any, list[Evaluation]]:
    """The evaluation of each fold by the counts of all others, under each schema."""
    deciders = deciders_of(counted, schemas, costs, reject)
    return hold_out(counted, deciders, compared_with, given, threads)


class LearningCurvePoint(NamedTuple):
    """The evaluation of models of about this many rows on held-out rows, over all folds.

    >>> from tallybayes import Categorical
    >>> frame = {"outlook": ["sunny", "rain"] * 10}
    >>> learning_curve({"outlook": Categorical()}, frame, ["no", "yes"] * 10, k=5)[0].held_out.accuracy
    1.0
    """

    rows: float  # on average over folds
    held_out: Evaluation


@limited
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
            deciders = {fold: {"": Decider.of(trained[at], threads=1)} for at, fold in enumerate(folds)}
            scored = hold_out(counted, deciders, compared_with, again(), threads)[""]
            found.append(LearningCurvePoint(sum(model.n for model in trained) / len(folds), reduce(add, scored)))
    return found


def _sizes(sizes: Iterable[int] | None, folds: int) -> list[int]:
    wanted = list(range(1, folds)) if sizes is None else list(sizes)
    for size in wanted:
        if not is_whole(size, 1) or size >= folds:
            raise ValueError(
                f"sizes: {size!r} is not a number of folds to train on; with {folds} folds, give 1 to {folds - 1}."
            )
    return wanted
