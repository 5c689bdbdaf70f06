"""Evaluates a model on rows whose classes are known: each row is decided and compared with the truth.

One pass over a frame or a stream of frames, in constant memory: only counts and sums are kept, in an `Evaluation`
(`result`). `compare` compares decisions with the truth, and `ranks` keeps how probabilities rank the rows. Leans on
`model` and `mixture`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import astuple, dataclass
from functools import reduce
from operator import add
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from tallybayes.counts.exact import Floats, Indices
from tallybayes.counts.tally import Key
from tallybayes.data.errors import CellError, RowError
from tallybayes.data.labels import label_values
from tallybayes.data.matching import ERROR
from tallybayes.data.processors import limited
from tallybayes.model.batches import Batch, Given, check_threads, each_labelled
from tallybayes.model.classifier import check_model
from tallybayes.model.decide import most_rows
from tallybayes.model.evaluation.compare import DecisionRule, Truth, compared
from tallybayes.model.evaluation.result import ClassScore, Evaluation, Interval, standard_error
from tallybayes.model.mixture import Mixture
from tallybayes.model.model import Model

__all__ = ["ClassScore", "Evaluation", "Interval", "evaluate"]


class Decider(NamedTuple):
    """A model, and how it decides."""

    model: Model | Mixture
    rule: DecisionRule
    numbers: dict[Key, int]  # of the classes
    prior: Floats  # −log P of each class, and last that of an unseen class
    threads: int | None

    @classmethod
    def of(
        cls, model: Model | Mixture, costs: Any = None, reject: float | None = None, threads: int | None = None
    ) -> Decider:
        numbers = {key: number for number, key in enumerate(model.keys())}
        with np.errstate(divide="ignore"):
            prior = -np.log([*model.prior().values(), 0.0])
        return cls(model, DecisionRule.of(tuple(model.classes), costs, reject), numbers, prior, threads)


@limited
def evaluate(
    model: Model | Mixture,
    data: Any,
    labels: Any = None,
    *,
    costs: Any = None,
    reject: float | None = None,
    threads: int | None = None,
    absent: str = ERROR,
) -> Evaluation:
    """Compares the model's decision for each row with its label. `labels` and `data` are as for `Model.train`,
    `costs`, `reject` and `absent` as for `Model.decide`.

    >>> from tallybayes import Categorical
    >>> frame = {"outlook": ["sunny", "sunny", "rain", "rain"], "play": ["no", "no", "yes", "no"]}
    >>> model = Model.train({"outlook": Categorical()}, frame, "play")
    >>> evaluate(model, frame, "play").accuracy
    0.75
    """
    check_model(model, Model, Mixture)
    check_threads(threads)
    decider = Decider.of(model, costs, reject, threads)

    def evaluated(batch: Batch) -> list[Evaluation]:
        return [compared_with(decider, [answers]) for _, answers in answered(decider, batch)]

    given = Given(data, labels, label_type=model.label_type, absent=absent)
    parts = each_labelled(given, model.schema, evaluated)
    return together(part for some in parts for part in some)


def together(parts: Iterator[Evaluation]) -> Evaluation:
    """The evaluations of several parts of the rows as one."""
    first = next(parts, None)
    if first is None:
        raise ValueError("The data has no rows, so there is nothing to evaluate.")
    return reduce(add, parts, first)


class Answers(NamedTuple):
    """Some rows: their true classes, the posterior, and −log P(truth)."""

    truth: Truth
    posterior: Floats
    losses: Floats


def compared_with(decider: Decider, parts: Sequence[Answers]) -> Evaluation:
    """The evaluation of rows that were scored in parts."""
    if len(parts) == 1:
        truth, posterior, losses = parts[0]
    else:
        codes, numbers = (np.concatenate(each) for each in zip(*(part.truth[1:] for part in parts), strict=True))
        truth = Truth(parts[0].truth.labels, codes, numbers)
        posterior, losses = (np.concatenate(each) for each in zip(*(part[1:] for part in parts), strict=True))
    return compared(decider.rule, truth, posterior, losses, decider.prior[truth.numbers])


def losses_of(_: Decider, parts: Sequence[Answers]) -> Losses:
    """Their log-losses alone."""
    return reduce(add, (Losses.of(part.losses) for part in parts))


@dataclass(frozen=True)
class Losses:
    """Sums over rows of −log P(truth), where it is finite, and of its square."""

    n: int
    impossible: int
    total: float
    squared: float

    @classmethod
    def of(cls, losses: Floats) -> Losses:
        finite = losses[np.isfinite(losses)]
        return cls(len(losses), len(losses) - len(finite), float(finite.sum()), float(np.square(finite).sum()))

    def __add__(self, other: Losses) -> Losses:
        return Losses(*map(add, astuple(self), astuple(other)))

    @property
    def mean(self) -> float:
        """The mean over the rows whose true class was possible."""
        return self.total / (self.n - self.impossible) if self.n > self.impossible else np.inf

    @property
    def standard_error(self) -> float:
        return standard_error(self.total, self.squared, self.n - self.impossible)


def answered(decider: Decider, batch: Batch) -> Iterator[tuple[Batch, Answers]]:
    """The rows of a batch in blocks of bounded size, and their answers."""
    if decider.numbers and batch.label_type != decider.model.label_type:
        kinds = f"of type {batch.label_type}; those of the model are of type {decider.model.label_type}"
        raise TypeError(f"The labels are {kinds}. Give labels of the type that the model was trained on.")
    step = most_rows(len(decider.numbers))
    for first in range(0, len(batch.rows), step):
        block = batch.slice(first, min(first + step, len(batch.rows)))
        posterior = _posterior(decider, block.cells, block.start)
        truth = truth_of(block, decider.numbers)
        yield block, Answers(truth, posterior, _losses(decider, block.cells, posterior, truth.numbers))


def truth_of(batch: Batch, numbers: dict[Key, int]) -> Truth:
    """The true classes of rows; `numbers` has the model's index of each class."""
    codes = batch.rows.codes
    at = np.array([numbers.get(key, -1) for key in batch.rows.classes], np.intp)[codes]
    return Truth(label_values(batch.label_type, batch.rows.classes), codes, at)


def _posterior(decider: Decider, cells: pa.RecordBatch, start: int) -> Floats:
    try:
        return decider.model.posterior(cells, threads=decider.threads)
    except RowError as error:
        if error.column is None:
            raise
        raise CellError(error.row, error.reason).located(error.column, start) from None


def _losses(decider: Decider, cells: pa.RecordBatch, posterior: Floats, truth: Indices) -> Floats:
    """−log P(truth) of every row; infinite if the true class is impossible or unseen."""
    share = np.where(truth < 0, 0.0, posterior[np.arange(len(truth)), truth])
    with np.errstate(divide="ignore", invalid="ignore"):
        losses = -np.log(share)
        small = np.flatnonzero((share == 0.0) & (truth >= 0))
        if small.size:  # impossible, or underflowed
            joint = decider.model.log_joint(cells.take(pa.array(small)))
            lost = np.logaddexp.reduce(joint, axis=1) - joint[np.arange(len(small)), truth[small]]
            losses[small] = np.where(np.isnan(lost), np.inf, lost)
    return losses + 0.0  # turns −0.0 into 0.0
