"""Leave-one-out: each counted row is scored by the model without it, by subtraction and in one pass; and the evaluation
of a model that way."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from tallybayes import kernels
from tallybayes.counts.exact import Exact, Floats
from tallybayes.counts.rows import places_of
from tallybayes.counts.tally import Rows, Tally
from tallybayes.data.errors import RowError
from tallybayes.data.matching import ERROR
from tallybayes.data.processors import limited
from tallybayes.families.base import Belief
from tallybayes.families.left_out import LeftOut, equal_rows, one_by_one, totals_without, weights_of
from tallybayes.model.batches import Batch, Given, check_threads, each_labelled, in_pieces, labelled, size_of
from tallybayes.model.classifier import check_model
from tallybayes.model.evaluation import Evaluation, together, truth_of
from tallybayes.model.evaluation.compare import DecisionRule, Truth, compared
from tallybayes.model.evidence import Evidence
from tallybayes.model.model import Model
from tallybayes.model.tallying import tallies_of
from tallybayes.schema.entries import Name, check_apart

BLOCK = 1 << 13  # rows scored at a time
CELLS = 1 << 24  # of evidence, one per row, class and column, of the rows left out at a time …
FEWEST = 1024  # … which are at least so many
FEW = 5  # classes named in a message


@limited
def left_out(
    model: Model,
    data: Any,
    labels: Any = None,
    *,
    weights: Any = None,
    threads: int | None = None,
    absent: str = ERROR,
    choose_again: bool = False,
) -> Evidence:
    """The evidence for rows that the model has counted, each under the model without that row: leave-one-out, exact and
    without retraining. `data`, `labels` and `weights` are as for `Model.train`, with all rows or some of them; rows
    that cannot have been counted are an error.

    The class prior is also computed without the row, so `evidence.prior` has a row for each. If a row is the only one
    of its class, the class is gone for that row: its prior is −∞. Whatever a family chooses from all rows stays as it
    is: the intervals of a `Histogram`, the bandwidth of a `Density`, the words that `min_count` and `limit` keep. With
    `choose_again=True` these are chosen without the row as well, for every row, which is slow.

    >>> from tallybayes import Categorical
    >>> frame = {"outlook": ["sunny", "sunny", "rain", "rain"]}
    >>> model = Model.train({"outlook": Categorical()}, frame, ["no", "no", "yes", "no"])
    >>> np.exp(left_out(model, frame, ["no", "no", "yes", "no"]).total()).round(3).tolist()
    [[0.333, 0.111], [0.333, 0.111], [0.4, 0.0], [0.167, 0.222]]
    """
    check_model(model, Model)
    check_apart(model.schema.by_column, label=labels, weight=weights)
    given = Given(data, labels, weights, absent=absent)
    leave_out = LeaveOneOut(model, threads=threads, choose_again=choose_again)
    return leave_out.joined([leave_out(batch) for batch in labelled(given, model.schema, plain_row=True)])


class LeaveOneOut:
    """Scores each row of a batch by the model without it. All batches are subtracted from the same copy of the model:
    each by itself may look as if it had been counted."""

    def __init__(self, model: Model, *, threads: int | None = None, choose_again: bool = False) -> None:
        check_threads(threads)
        if model.schema.weights is not None:
            raise TypeError("Left-out evidence is not weighed; use model.believing(weights=None).")
        self.model, self.threads = model, threads
        self._rest, self._known = model.copy(), model.beliefs()
        self._how = {
            name: one_by_one(family, model.columns[name], self._known.keys)
            if choose_again
            else family.left_out(model.columns[name], self._known.keys)
            for name, family in model.schema.columns.items()
        }

    def __call__(self, batch: Batch) -> Evidence:
        model = self.model
        encoded = model.schema.encode(batch.cells, batch.start)
        rows = _numbered(model, batch)
        _check_counted(self._rest, encoded, batch)
        prior = _priors(model, rows)
        size = size_of(batch.cells) if len(rows) > 1 else 0
        scored = _scored(self._known.columns, self._how, encoded, rows, self.threads, size)
        for row in np.flatnonzero(np.isneginf(prior[np.arange(len(rows)), rows.codes])).tolist():
            _score_alone(model, {name: cells[row : row + 1] for name, cells in encoded.items()}, rows, row, scored)
        return self._evidence(prior, scored)

    def joined(self, parts: list[Evidence]) -> Evidence:
        none = np.zeros((0, len(self._known.keys)))
        columns = {name: np.concatenate([none, *(part.columns[name] for part in parts)]) for name in self._how}
        return self._evidence(np.concatenate([none, *(part.prior for part in parts)]), columns)

    def _evidence(self, prior: Floats, columns: dict[Name, Floats]) -> Evidence:
        return Evidence(self._known.labels, prior, columns, len(prior), scores=self._known.ordering)


def _numbered(model: Model, batch: Batch) -> Rows:
    """The rows with their classes numbered as in the model. A row of weight 0 has added nothing, so its class need not
    be known, and any number will do."""
    model._check_label_type(batch.label_type)
    keys = model.keys()
    codes = batch.rows.codes_in(keys)
    unseen = np.flatnonzero((codes < 0) & (weights_of(batch.rows) != 0))
    if unseen.size:
        (label,) = model._labels([batch.rows.classes[batch.rows.codes[unseen[0]]]])
        known = ", ".join(map(repr, model.classes[:FEW])) + ", …" * (len(keys) > FEW)
        row = batch.start + int(unseen[0])
        what = (
            f"has the label {label!r}, but the model has counted only {known}. Only counted rows can be left out: give "
            "rows that the model was trained on."
        )
        raise RowError(row, f"the row {what}", f"Row {row} {what}")
    return Rows(keys, np.maximum(codes, 0), batch.rows.weights)


def _check_counted(rest: Model, encoded: Mapping[Name, Any], batch: Batch) -> None:
    """Subtracts the rows from the remaining counts; an error if that is impossible."""
    own = Model(rest.schema, batch.label_type)
    own.rows, own.columns = Tally.of_rows(batch.rows), tallies_of(rest.schema, encoded, batch.rows, batch.start)
    rest.leave_out(own)


def _priors(model: Model, rows: Rows) -> Floats:
    """log P(class) without each row."""
    firsts, kinds = equal_rows(np.zeros(len(rows), np.int32), rows)
    counts, codes = model.rows.aligned([""], rows.classes).sums["n"][0], rows.codes[firsts]
    each = np.arange(len(firsts))
    left = totals_without(counts, Exact.of(weights_of(rows)[firsts]), each, codes)
    prior = np.broadcast_to(model.schema.log_prior(left, model._labels(rows.classes)), left.shape).copy()
    gone = left[each, codes] <= 0
    prior[each[gone], codes[gone]] = -np.inf
    total = np.logaddexp.reduce(prior, axis=1, keepdims=True)
    return (prior - np.where(np.isfinite(total), total, 0.0))[kinds]


def _score_alone(model: Model, cells: Mapping[Name, Any], rows: Rows, row: int, scored: Mapping[Name, Floats]) -> None:
    """Scores a row that is the only one of its class. Without it there is one class less, which may affect a family."""
    rest, own = model.copy(), Model(model.schema, model.label_type)
    only = rows.slice(row, row + 1)
    own.rows, own.columns = Tally.of_rows(only), tallies_of(model.schema, cells, only, row)
    rest._take_away(own)
    keys = rest.keys()
    there = places_of(keys, rows.classes)
    for name, family in model.schema.columns.items() if keys else ():
        belief = family.believe(rest.columns[name], keys)
        scored[name][row, there] = belief.evidence_for(cells[name], len(keys))[:, 0]


def _scored(
    beliefs: Mapping[Name, Belief],
    how: Mapping[Name, LeftOut],
    encoded: Mapping[Name, Any],
    rows: Rows,
    threads: int | None,
    size: int,
) -> dict[Name, Floats]:
    """The evidence of every column for every row, [row, class]. Leaving out a row of weight 0 changes nothing."""
    idle = weights_of(rows) == 0

    def score(start: int, stop: int) -> dict[Name, list[Floats]]:
        found: dict[Name, list[Floats]] = {name: [] for name in how}
        for at in range(start, stop, BLOCK):
            kernels.heed_signals()
            end = min(at + BLOCK, stop)
            for name, work in how.items():
                logs = work(encoded[name][at:end], rows.slice(at, end))
                if idle[at:end].any():
                    scores = beliefs[name].evidence_for(encoded[name][at:end], len(rows.classes))
                    logs[idle[at:end]] = scores.T[idle[at:end]]
                found[name].append(logs)
        return found

    parts = list(in_pieces(len(rows), threads, score, size))
    return {name: np.concatenate([block for part in parts for block in part[name]]) for name in how}


def evaluate_left_out(
    model: Model,
    data: Any,
    labels: Any = None,
    *,
    costs: Any = None,
    reject: float | None = None,
    threads: int | None = None,
    absent: str = ERROR,
) -> Evaluation:
    """Compares the decision for each row, by the model without it, with its label."""
    rule = DecisionRule.of(tuple(model.classes), costs, reject)
    leave_out = LeaveOneOut(model, threads=threads)
    numbers = {key: number for number, key in enumerate(model.keys())}

    def evaluated(batch: Batch) -> Evaluation:
        found = leave_out(batch)
        return evaluate_scores(rule, truth_of(batch, numbers), found.total(), found.priors)

    given = Given(data, labels, label_type=model.label_type, absent=absent)
    return together(each_labelled(given, model.schema, evaluated, most=most_left_out(model)))


def most_left_out(model: Model) -> int:
    """How many rows to leave out at a time, so that their evidence takes little memory; a few at least, since each time
    costs as much as the model is large."""
    return max(CELLS // max(len(model.classes) * len(model.schema.columns), 1), FEWEST)


def evaluate_scores(rule: DecisionRule, truth: Truth, joint: Floats, priors: Floats) -> Evaluation:
    """The same from log P(class, row) and log P(class) of every row. A row that is impossible in every class gets the
    prior, or if that rules out all classes too, equal probabilities."""
    marginal = np.logaddexp.reduce(joint, axis=1)
    dead = ~np.isfinite(marginal)
    with np.errstate(invalid="ignore"):
        posterior = np.exp(np.where(dead[:, None], priors, joint - marginal[:, None]))
    none = posterior.sum(axis=1) <= 0.0
    posterior[none] = 1.0 / posterior.shape[1]
    before = _losses(priors, truth)
    return compared(rule, truth, posterior, np.where(dead, before, _losses(joint, truth)), before)


def _losses(scores: Floats, truth: Truth) -> Floats:
    """−log P(truth); infinite if the true class is impossible or unseen."""
    with np.errstate(invalid="ignore"):
        lost = np.logaddexp.reduce(scores, axis=1) - scores[np.arange(len(scores)), truth.numbers]
    return np.where(np.isnan(lost) | (truth.numbers < 0), np.inf, lost) + 0.0
