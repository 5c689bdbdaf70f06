"""The weight of each piece of evidence, fitted on rows left out of the counts.

Naive Bayes adds up the evidence of columns as if they were independent. If columns repeat each other, its probabilities
are too extreme. A row can be left out exactly, by subtracting it from the counts, so weights can be fitted that make
the labels of left-out rows as probable as possible, without retraining. The counts do not change.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from tallybayes.counts.exact import Indices
from tallybayes.data.errors import numbered_by
from tallybayes.data.matching import ERROR
from tallybayes.families import Family
from tallybayes.model.batches import Batch, Given, each_labelled
from tallybayes.model.classifier import check_model
from tallybayes.model.model import Model
from tallybayes.model.pieces import ByColumn, Pieces, codes_of, left_out_evidence, pieces_of
from tallybayes.model.sample import RowSample
from tallybayes.model.sampled_rows import SampledRows
from tallybayes.model.tallying import check_cells
from tallybayes.model.weights_fit import Evidenced, fit_weights
from tallybayes.schema import Schema
from tallybayes.schema.class_prior import FREQUENCIES, is_given
from tallybayes.schema.weights import Weights

ROWS = 20_000  # that are left out; more would change little
TEXTS = 10_000  # rows with text that are left out: each has many words
CELLS = 2**26  # of evidence, one per row, class and piece: half a gigabyte
SOME_COPIES = 1.1  # the weight of a row with its copies, on average, that may mislead families
LEAST = 200  # rows, however many cells they have


class Weighing(NamedTuple):
    """Weights, and the log-loss of left-out rows without and with them."""

    weights: Weights | None  # None if no weights are better
    rows: int  # that were left out
    naive: float
    weighed: float


def weigh(
    model: Model, data: Any, labels: Any = None, *, weights: Any = None, rows: int | None = None, absent: str = ERROR
) -> Model:
    """The same counts with their evidence weighed. `data` are rows that the model has counted. Up to 20,000 of them, or
    10,000 with texts (at most 10 MB), or `rows`, are left out of the counts, a tenth at a time, and the weights
    maximise the probability of their labels. Many classes and columns make it fewer, to bound memory and time.

    The sample depends on the rows alone, so the same rows give the same weights in any order. Although each row is left
    out of the counts that score it, the weights depend on it: after forgetting rows, weigh again.

    >>> from tallybayes import Categorical
    >>> told = ["sun", "rain", "rain", "sun", "sun"] * 20
    >>> days, play = {"told": told, "told again": told}, ["no", "yes", "yes", "no", "yes"] * 20
    >>> model = weigh(Model.train(dict.fromkeys(days, Categorical()), days, play), days, play)
    >>> {name: round(weight, 1) for name, weight in model.schema.weights.columns.items()}
    {'told': 0.7, 'told again': 0.7}
    """
    check_model(model, Model)
    return reweighed(model, sampled_rows(model, data, labels, weights, rows, absent))[0]


def sampled_rows(
    model: Model, data: Any, labels: Any = None, weights: Any = None, rows: int | None = None, absent: str = ERROR
) -> SampledRows:
    """The rows to leave out; an error if they cannot have been counted."""
    sample = sample_for(model.schema, rows)
    given = Given(data, labels, weights, label_type=model.label_type, absent=absent)

    def add(batch: Batch) -> None:
        def check(cells: pa.RecordBatch, at: Indices) -> None:
            with numbered_by(at + batch.start):
                check_cells(model.schema, cells)

        sample.add(batch, check)

    for _ in each_labelled(given, model.schema, add, cast=True):
        pass
    if not sample.seen:
        raise ValueError(
            "The data has no rows, so there is nothing to weigh. Give the rows that the model was trained on."
        )
    found = sample.rows()
    _check_counted(model, found)
    return found


def _check_counted(model: Model, rows: SampledRows) -> None:
    codes_of(rows, model.keys())
    model.copy().leave_out(Model.of_batch(model.schema, rows.batch(np.arange(len(rows)))))


def sample_for(schema: Schema, rows: int | None = None) -> RowSample:
    """A sample for `Model.train` to fill while it counts, large enough to fit weights."""
    texts = [name for name, family in schema.by_column.items() if family.is_text]
    return RowSample(schema.by_column, rows if rows is not None else TEXTS if texts else ROWS, texts, schema.numeric)


def reweighed(model: Model, rows: SampledRows, cells: int = CELLS) -> tuple[Model, Weighing]:
    """The model with weights fitted on these rows, which it has counted, and the gain; `cells` bounds the work. The
    rows have the classes as frequent as they are there, whatever a prior that is given says about others."""
    prior = model.schema.prior
    plain = model.believing(weights=None, prior=FREQUENCIES if is_given(prior) else prior)
    steadied = {name: family.eager for name, family in plain.schema.columns.items() if family.eager != family}
    plain = plain.believing(steadied) if steadied else plain
    pieces = pieces_of(plain)
    fitted = sum(family.pieces_left_out for family in plain.schema.columns.values())
    rows = rows.at_most(most_rows(len(plain.classes), len(pieces.plain()) + fitted, cells))
    plain, evidence = _fitted(plain, rows)
    known = left_out_evidence(plain, rows, pieces, evidence)
    plain = _steadied(plain, rows, pieces, known)
    fit = fit_weights(known)
    if fit is None and not plain.schema.overlaps:
        return plain.believing(prior=prior), Weighing(None, len(known.labels), known.naive, known.naive)
    fit = fit or known.unweighed()
    weights = pieces.weights(fit, plain.classes)
    return plain.believing(weights=weights, prior=prior), Weighing(weights, len(known.labels), known.naive, fit.loss)


def _steadied(model: Model, rows: SampledRows, pieces: Pieces, known: Evidenced) -> Model:
    """If rows were counted more than once, the model with the steady form of those families that predict left-out rows
    better in it, each column by itself. Their evidence is replaced."""
    if rows.own.sum() < SOME_COPIES * len(rows):
        return model
    steadied = {name: (family, family.steady) for name, family in model.schema.columns.items()}
    steady = {name: steady for name, (family, steady) in steadied.items() if steady != family}
    if not steady:
        return model
    others = model.only(list(steady)).believing(steady)
    theirs = pieces_of(others)
    instead, chosen = left_out_evidence(others, rows, theirs), {}
    for j, name in enumerate(theirs.names):
        at = pieces.names.index(name)
        if instead.loss_alone(j) < known.loss_alone(at):
            known.evidence[at], known.squares[at] = instead.evidence[j], instead.squares[j]
            chosen[name] = steady[name]
    return model.believing(chosen) if chosen else model


def most_rows(classes: int, pieces: int, cells: int) -> int:
    """How many rows have no more cells of evidence than this."""
    return max(cells // max(classes * pieces, 1), LEAST)


def _fitted(model: Model, rows: SampledRows) -> tuple[Model, ByColumn]:
    """The model with the settings that families fit on left-out rows, such as how several readings of the same words
    are mixed, and the evidence of those families for these rows."""
    encoded, keys = model.schema.encode(rows.cells), model.keys()
    counted = rows.counted()
    changes: dict[Any, Family] = {}
    evidence: ByColumn = {}
    for name, family in model.schema.columns.items():
        fitted, found = family.fit_left_out(model.columns[name], encoded[name], counted, keys)
        if fitted is not family:
            changes[name] = fitted
        if found is not None:
            evidence[name] = found
    if not changes:
        return model, evidence
    believed = model.believing(changes)
    believed.schema.reasons = dict(model.schema.reasons)  # they have the families that they had
    return believed, evidence
