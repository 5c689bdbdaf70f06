"""EM: rows are scored, shared among the classes by the current beliefs and counted again, until the objective stops
rising.

Only in `share` does floating point enter: scores are rounded, and shares are rounded to multiples of 2⁻³² that add up
to the weight of the row. From there on, everything is counted exactly, in any order.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from tallybayes import kernels
from tallybayes.counts.exact import Counts, Exact, Floats, Mask
from tallybayes.counts.rows import UNIT, Rows, SharedRows, UnitRows
from tallybayes.counts.sums import weighted_sums
from tallybayes.counts.tally import Key, Tally
from tallybayes.model.batches import Batch
from tallybayes.model.em.fitted import CONVERGED, ITERATIONS, WOULD_FALL
from tallybayes.model.em.rows import AnyRows, RowBlock
from tallybayes.model.em.settings import EM
from tallybayes.model.model import Model
from tallybayes.model.sample import RowSample
from tallybayes.model.scoring import Beliefs
from tallybayes.model.tallying import Piece, shared_tallies, tallies_of
from tallybayes.schema.class_prior import counted_prior
from tallybayes.schema.schema import Schema

RowShares = tuple[tuple[Counts, Rows], ...]  # row numbers and their shares
HEAVIEST = 2.0**21  # of a row: its weight in units of the grid must be an integer that a double holds


class Shared(NamedTuple):
    """Rows shared among the classes, and their likelihood."""

    rows: SharedRows
    log_likelihood: Exact  # Σ weight · log P(row), as one number; for a labelled row, P(row, label)
    impossible: int  # rows that are impossible in every class


def share(scores: Floats, weights: Floats, keys: list[Key], allowed: Mask | None = None) -> Shared:
    """Shares rows by scores[class, row], which are overwritten. `allowed` are the classes that labelled rows may have.
    A row that is impossible in every class is shared equally."""
    if weights.max(initial=0.0) > HEAVIEST:
        raise ValueError(
            f"A row weighs {weights.max():g}, and EM shares rows that weigh up to {HEAVIEST:,.0f}; divide all weights "
            "by the same number."
        )
    none = np.zeros(len(weights), bool)
    if allowed is not None:
        none = ~np.isfinite(np.where(allowed, scores, -np.inf).max(axis=0))
        scores = np.where(allowed, np.where(none, 0.0, scores), -np.inf)
    starts, codes, units, logs = kernels.share_out(scores, np.rint(weights / UNIT))
    impossible = none | np.isneginf(logs)
    rows = UnitRows(keys, codes, units, starts)
    summed = weighted_sums([np.where(impossible, 0.0, logs), weights], np.zeros(len(logs), np.int32), 1)
    return Shared(rows, summed, int((impossible & (weights > 0)).sum()))


class Expectation(NamedTuple):
    """The result of a pass over the rows."""

    log_likelihood: float  # of the rows under the beliefs that shared them
    counts: Model
    counted: RowShares


class Passed(NamedTuple):
    """The result of a block."""

    log_likelihood: Exact
    impossible: int
    places: Counts
    rows: Rows
    piece: Piece | None  # None if it is counted already


@dataclass(frozen=True)
class EMProblem:
    """The rows and settings of EM. Components are what is counted; each belongs to a class."""

    given: Schema  # the user's
    schema: Schema  # the one that EM scores with
    rows: AnyRows
    keys: list[Key]  # of the components
    labels: list[Any]
    of_class: Counts  # the class of each component
    weight: float  # of a row without a label
    fixed: Model | None  # the labelled rows, if each class is one component: their counts do not change
    label_type: pa.DataType
    threads: int | None
    keeps: bool  # whether to keep the shares of rows

    @property
    def class_type(self) -> pa.DataType:
        """The type of class labels; `label_type` is that of components."""
        return self.label_type if self.given.components is None else self.given.components

    def believe(self, counts: Model) -> Beliefs:
        rows = counts.rows.aligned([""], self.keys).sums["n"].round()[0]
        return Beliefs(self.schema, self.keys, self.labels, rows, counts.columns)

    def settled(self, counts: Model) -> EMProblem:
        """The same problem, with the settings that EM holds fixed chosen from these counts."""
        families = {
            name: family.settled(family.believe(counts.columns[name], self.keys))
            for name, family in self.given.columns.items()
        }
        schema = Schema(families, prior=self.given.prior, label=self.given.label)
        return replace(self, schema=schema)

    def log_prior(self, counts: Model, known: Beliefs) -> float:
        """The log prior density of all parameters, up to a constant."""
        logs = [
            family.log_prior(counts.columns[name], self.keys, known.columns[name])
            for name, family in self.schema.columns.items()
        ]
        return sum(logs) + self._log_class_prior(known)

    def _log_class_prior(self, known: Beliefs) -> float:
        if isinstance(self.schema.prior, (str, dict)):
            return 0.0
        pseudo = counted_prior(self.schema.prior, self.labels)
        return float(np.where(pseudo > 0, pseudo * np.where(pseudo > 0, known.prior, 0.0), 0.0).sum())

    def expect(self, known: Beliefs) -> Expectation:
        """Shares the rows among the components by these beliefs, and counts the shares."""
        counts = Model(self.given)
        total, impossible, counted = Exact.zeros((1,)), 0, []
        for passed in self.rows.each(lambda block: self._pass(block, known), self.threads):
            total = total + passed.log_likelihood
            impossible += passed.impossible
            if passed.piece is not None:
                counts._take(self.label_type, *passed.piece)
            if self.keeps:
                counted.append((passed.places, passed.rows))
        if self.fixed is not None:  # adds the smaller model to the larger one, which costs less
            counts._take(self.label_type, self.fixed.rows.copy(), {k: v.copy() for k, v in self.fixed.columns.items()})
        log_likelihood = -np.inf if impossible else float(total.round()[0])
        return Expectation(log_likelihood, counts, tuple(counted))

    def _pass(self, block: RowBlock, known: Beliefs) -> Passed:
        scores = known.scores_of(block.encoded, len(block.codes))
        if block.labelled and self.fixed is not None:
            logs = scores[block.codes, np.arange(len(block.codes))]
            impossible = ~np.isfinite(logs)
            total = weighted_sums([np.where(impossible, 0.0, logs), block.weights], np.zeros(len(logs), np.int32), 1)
            return Passed(total, int(impossible.sum()), block.places, block.rows(self.keys), None)
        allowed = self.of_class[:, None] == block.codes if block.labelled else None
        weights = block.weights if block.labelled else block.weights * self.weight
        found = share(scores, weights, self.keys, allowed)
        columns = shared_tallies(self.given, block.cells, block.kept, found.rows, 0)
        piece = Tally.of_rows(found.rows), columns
        return Passed(found.log_likelihood, found.impossible, block.places, found.rows, piece)


def count_labelled(schema: Schema, rows: AnyRows, keys: Sequence[Key], label_type: pa.DataType, threads: Any) -> Model:
    """The counts of the labelled rows."""
    model = Model(schema, label_type)

    def count(block: RowBlock) -> Piece | None:
        if not block.labelled:
            return None
        counted = block.rows(keys)
        return Tally.of_rows(counted), tallies_of(schema, block.encoded, counted, 0)

    for piece in rows.each(count, threads):
        if piece is not None:
            model._take(label_type, *piece)
    return model


def total_weights(problem: EMProblem) -> tuple[float, float]:
    """The total weight of rows with labels, and of those without."""
    total = [0.0, 0.0]
    for labelled, weight in problem.rows.each(lambda block: (block.labelled, block.weights.sum()), problem.threads):
        total[not labelled] += float(weight)
    return total[0], total[1]


def show(problem: EMProblem, sample: RowSample) -> None:
    """Adds the labelled rows to a sample: only these can be left out of the counts."""
    blocks = problem.rows.each(lambda block: block if block.labelled else None, problem.threads)
    for block in filter(None, blocks):
        sample.add(Batch(block.cells, problem.label_type, block.rows(problem.keys), 0))


class Run(NamedTuple):
    """The result of EM from one start."""

    counts: Model
    counted: RowShares
    curve: list[float]
    log_likelihood: float
    ended: str
    problem: EMProblem


def best_run(problem: EMProblem, starts: Sequence[Model], settings: EM, part: float = 0.0) -> Run:
    """Runs EM from each start and returns the run with the highest objective."""
    with_labels, without = total_weights(problem)
    least = settings.tolerance * (with_labels + problem.weight * without)
    return max((fit(problem, start, settings, least, part) for start in starts), key=lambda run: run.curve[-1:])


def fit(problem: EMProblem, start: Model, settings: EM, least: float, part: float = 0.0) -> Run:
    """Runs EM from these counts until a step gains no more than `least`, or than this `part` of the total gain. The
    curve begins with the first beliefs that have counted every row: before that, unseen words and levels are ignored,
    and likelihoods are not comparable."""
    problem = problem.settled(start)
    found = problem.expect(problem.believe(start))
    problem = problem.settled(found.counts)
    run = Run(found.counts, found.counted, [], -np.inf, ITERATIONS, problem)
    tell = settings.progress or (lambda step, objective: None)
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
