"""How well a model does on rows whose classes are known: decided as they would be, and compared with the truth.

One pass over a frame or a stream of frames, in constant memory: what is kept of the rows are counts and sums, which
`Evaluation` adds up and reads.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import reduce
from operator import add
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from tallybayes.counts.exact import Floats
from tallybayes.counts.tally import Key
from tallybayes.data.errors import CellError, RowError
from tallybayes.data.labels import label_values
from tallybayes.data.matching import ERROR
from tallybayes.data.row_source import RowSource
from tallybayes.model import decide
from tallybayes.model.batches import Batch, check_threads, labelled
from tallybayes.model.decide import REJECTED
from tallybayes.model.evaluation.ranks import Ranks
from tallybayes.model.evaluation.result import INTERVALS, ClassScore, Evaluation, Interval
from tallybayes.model.model import Model
from tallybayes.model.sources import each_batch
from tallybayes.schema.entries import check_apart

__all__ = ["ClassScore", "Evaluation", "Interval", "evaluate"]

CELLS = 1 << 22  # probabilities that are looked at at once

Numbers = NDArray[np.intp]


class Asked(NamedTuple):
    """Who decides, and how: the same for all rows."""

    model: Model
    classes: tuple[Any, ...]
    numbers: dict[Key, int]  # of the classes
    prior: Floats  # of the same, as −log P, and of a class never met
    given: Floats | None  # costs, if there are any
    costs: Floats | None  # the same, or those of errors where only `reject` is given
    reject: float | None
    threads: int | None
    absent: str


def evaluate(
    model: Model,
    data: Any,
    labels: Any = None,
    *,
    costs: Any = None,
    reject: float | None = None,
    threads: int | None = None,
    absent: str = ERROR,
) -> Evaluation:
    """What the model decides for each row, beside the label it has. `labels` and `data` are as for `Model.train`,
    `costs`, `reject` and `absent` as for `Model.decide`.

    >>> from tallybayes import Categorical
    >>> frame = {"outlook": ["sunny", "sunny", "rain", "rain"], "play": ["no", "no", "yes", "no"]}
    >>> model = Model.train({"outlook": Categorical()}, frame, "play")
    >>> evaluate(model, frame, "play").accuracy
    0.75
    """
    check_threads(threads)
    labels = model.schema.label if labels is None else labels
    if isinstance(labels, str):
        check_apart(labels, model.schema.by_column, "label")
    if isinstance(data, RowSource):

        def evaluated(batch: pa.RecordBatch, labels: Any) -> Evaluation:
            return evaluate(model, batch, labels, costs=costs, reject=reject, threads=threads, absent=absent)

        parts = each_batch(data, model.schema, labels, evaluated, label_type=model.label_type, absent=absent)
    else:
        asked = _asked(model, costs, reject, threads, absent)
        parts = (part for batch in labelled(model.schema.frame(data), labels, None) for part in _parts(asked, batch))
    first = next(parts, None)
    if first is None:
        raise ValueError("The data has no rows, so there is nothing to evaluate.")
    return reduce(add, parts, first)


def _asked(model: Model, costs: Any, reject: float | None, threads: int | None, absent: str) -> Asked:
    classes = tuple(model.classes)
    given = None if costs is None else decide.cost_matrix(classes, costs)
    matrix = decide.cost_matrix(classes, {}) if given is None and reject is not None else given
    numbers = {key: number for number, key in enumerate(model.keys())}
    with np.errstate(divide="ignore"):
        prior = -np.log([*model.prior().values(), 0.0])
    return Asked(model, classes, numbers, prior, given, matrix, reject, threads, absent)


def _parts(asked: Asked, batch: Batch) -> Iterator[Evaluation]:
    """The rows of a batch, so many at once that their probabilities fit into memory."""
    if asked.classes and batch.label_type != asked.model.label_type:
        kinds = f"of type {batch.label_type}; those of the model are of type {asked.model.label_type}"
        raise TypeError(f"The labels are {kinds}. Give labels as the model was trained on.")
    step = max(CELLS // max(len(asked.classes), 1), 1)
    for start in range(0, len(batch.rows), step):
        yield _evaluated(asked, batch, slice(start, start + step))


def _evaluated(asked: Asked, batch: Batch, rows: slice) -> Evaluation:
    """Some rows of a batch."""
    cells, codes = batch.cells.slice(rows.start, rows.stop - rows.start), batch.rows.codes[rows]
    posterior = _posterior(asked, cells, batch.start + rows.start)
    truth = np.array([asked.numbers.get(key, -1) for key in batch.rows.classes], np.intp)[codes]
    plain = asked.costs is None
    decision = decide.most_probable(posterior) if plain else decide.decide(posterior, asked.given, asked.reject)
    pairs = _pairs(label_values(batch.label_type, batch.rows.classes), asked.classes, codes, decision)
    unknown = {label for label, _ in pairs}.difference(asked.classes) if (truth < 0).any() else set()
    losses = _losses(asked, cells, posterior, truth)
    possible, decided = np.isfinite(losses), decision != REJECTED
    paid, expected = _paid(asked, posterior, truth, decision)
    by_class = zip(asked.classes, np.ascontiguousarray(posterior.T), strict=True)
    return Evaluation(
        classes=tuple(sorted(unknown.union(asked.classes))) if unknown else asked.classes,
        unknown=tuple(sorted(unknown)),
        pairs=pairs,
        intervals=_intervals(posterior[decided, decision[decided]], (decision == truth)[decided]),
        ranks={label: Ranks.of(share, truth == i) for i, (label, share) in enumerate(by_class)},
        losses=float(losses[possible].sum()),
        prior_losses=float(asked.prior[truth].sum()) + 0.0,
        impossible=int(len(losses) - possible.sum()),
        squares=_squares(posterior, truth),
        expected_errors=float(_others(posterior, decision)[decided].sum()),
        paid=paid,
        expected_to_pay=expected,
    )


def _posterior(asked: Asked, cells: pa.RecordBatch, start: int) -> Floats:
    try:
        return asked.model.posterior(cells, threads=asked.threads, absent=asked.absent)
    except RowError as error:
        if error.column is None:
            raise
        raise CellError(error.row, error.reason).located(error.column, start) from None


def _pairs(labels: list[Any], classes: tuple[Any, ...], codes: Any, decision: Numbers) -> Counter[tuple[Any, Any]]:
    """How often each class was decided for each label; no class where the row was rejected."""
    names = [None, *classes]
    found, counts = np.unique(codes.astype(np.int64) * len(names) + decision + 1, return_counts=True)
    pairs = zip(*(half.tolist() for half in np.divmod(found, len(names))), strict=True)
    return Counter({(labels[a], names[b]): n for (a, b), n in zip(pairs, counts.tolist(), strict=True)})


def _losses(asked: Asked, cells: pa.RecordBatch, posterior: Floats, truth: Numbers) -> Floats:
    """−log P(truth) of every row; infinite where the truth is impossible, or a class that the model never met."""
    share = np.where(truth < 0, 0.0, posterior[np.arange(len(truth)), truth])
    with np.errstate(divide="ignore", invalid="ignore"):
        losses = -np.log(share)
        small = np.flatnonzero((share == 0.0) & (truth >= 0))
        if small.size:  # impossible, or less than the least number there is
            joint = asked.model.log_joint(cells.take(pa.array(small)), absent=asked.absent)
            lost = np.logaddexp.reduce(joint, axis=1) - joint[np.arange(len(small)), truth[small]]
            losses[small] = np.where(np.isnan(lost), np.inf, lost)
    return losses + 0.0  # there is no loss −0.0


def _others(posterior: Floats, chosen: Numbers) -> Floats:
    """The probability that each row leaves to all classes but one: added up, since 1 − P would lose a small one."""
    rest = posterior.copy()
    rest[np.arange(len(rest)), chosen] = 0.0
    return np.asarray(rest.sum(axis=1))


def _squares(posterior: Floats, truth: Numbers) -> float:
    """Σ (P(class) − [class is true])² over all rows and classes, those never met included."""
    off = posterior.copy()
    known = np.flatnonzero(truth >= 0)
    off[known, truth[known]] -= 1.0
    return float(np.vdot(off, off)) + len(truth) - len(known)


def _intervals(probability: Floats, right: NDArray[np.bool_]) -> Floats:
    """For each interval of the probability of what was decided: how often, the sum of it, how often rightly."""
    at = np.minimum((probability * INTERVALS).astype(np.intp), INTERVALS - 1)
    return np.stack([np.bincount(at, each, INTERVALS) for each in (np.ones(len(at)), probability, right)], axis=1)


def _paid(asked: Asked, posterior: Floats, truth: Numbers, decision: Numbers) -> tuple[float | None, float | None]:
    """What the decisions cost, and what the model expects them to. Of a class never met, every decision costs 1."""
    if asked.costs is None:
        return None, None
    without = 0.0 if asked.reject is None else asked.reject
    real = np.where(truth < 0, 1.0, asked.costs[truth, decision])
    expected = decide.expected_cost(posterior, asked.costs)[np.arange(len(decision)), decision]
    rejected = decision == REJECTED
    return float(np.where(rejected, without, real).sum()), float(np.where(rejected, without, expected).sum())
