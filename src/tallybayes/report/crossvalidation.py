"""A cross-validation: the evaluation of all held-out rows, and how the folds differ."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import astuple, dataclass, replace
from typing import Any

from tallybayes.model.validation.cross_validate import CrossValidation
from tallybayes.report import evaluation
from tallybayes.report.blocks import Block, Lines, Table, count, how_many
from tallybayes.report.characters import short
from tallybayes.report.evaluation import EvaluationFacts


@dataclass(frozen=True)
class FoldFacts:
    n: int
    accuracy: float
    log_loss: float
    brier: float
    roc_auc: float
    calibration_error: float


@dataclass(frozen=True)
class CrossValidationFacts:
    """The measures of `CrossValidation`."""

    k: int
    repeats: int
    seed: int
    grouped: bool
    unseen_classes: Mapping[Any, int]  # rows that were held out together with all others of their class
    pooled: EvaluationFacts
    folds: tuple[FoldFacts, ...]


def facts(result: CrossValidation) -> CrossValidationFacts:
    pooled = replace(evaluation.facts(result.pooled), standard_errors=result.standard_errors)
    each = tuple(FoldFacts(f.n, f.accuracy, f.log_loss, f.brier, f.roc_auc, f.calibration_error) for f in result.folds)
    unseen = result.unseen_classes
    return CrossValidationFacts(result.k, result.repeats, result.seed, result.grouped, unseen, pooled, each)


def blocks(facts: CrossValidationFacts) -> Iterator[Block]:
    yield from brief(facts)
    yield from evaluation.by_class(facts.pooled)
    yield evaluation.calibration(facts.pooled)
    yield _fold_table(facts)


def brief(facts: CrossValidationFacts) -> Iterator[Block]:
    repeats = f", {how_many(facts.repeats, 'time', 'times')}" if facts.repeats > 1 else ""
    errors = "folds" if facts.grouped else "rows"
    grouped = ", groups kept together" if facts.grouped else ""
    empty = facts.k * facts.repeats - len(facts.folds)
    grouped += f", {count(empty)} without rows" if empty else ""
    split = f"{facts.k} folds{repeats}{grouped}, seed {facts.seed}; every row is scored by a model without its fold."
    yield Lines([split, f"± is the standard error over {errors}."])
    yield Table(list(evaluation.summary(facts.pooled)), align="lrl")
    if facts.unseen_classes:
        rows = [f"{short(label)} ({count(n)})" for label, n in [*facts.unseen_classes.items()][: evaluation.FEW]]
        more = ", …" * (len(facts.unseen_classes) > evaluation.FEW)
        yield Lines(
            [
                f"All rows of a class were held out together, so the model had none of it: {', '.join(rows)}{more}.",
                "They count as errors in which the true class was impossible.",
            ]
        )


def _fold_table(facts: CrossValidationFacts) -> Table:
    rows = [
        (str(number), count(each.n), *("" if math.isnan(value) else f"{value:.4f}" for value in astuple(each)[1:]))
        for number, each in enumerate(facts.folds)
    ]
    head = ("fold", "rows", "accuracy", "log-loss", "Brier score", "ROC AUC", "ECE")
    return Table(rows, head, "folds", "rr")
