"""An evaluation: how often decisions were right, how good the probabilities are, and which classes are confused."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from typing import Any

from tallybayes.model.evaluation import ClassScore, Evaluation, Interval
from tallybayes.report.blocks import Block, Lines, Table, count, how_many
from tallybayes.report.characters import aligned, short, width

FEW = 12  # classes or confusions that are shown
WIDEST = 100  # characters of a table


@dataclass(frozen=True)
class Pair:
    truth: Any
    decision: Any  # None: rejected
    n: int


@dataclass(frozen=True)
class EvaluationFacts:
    """The measures of `Evaluation`."""

    n: int
    classes: tuple[Any, ...]
    unknown: tuple[Any, ...]
    rejected: int
    impossible: int
    correct: int
    accuracy: float
    baseline: float
    error: float
    expected_error: float
    log_loss: float
    log_loss_of_possible: float
    prior_log_loss: float
    brier: float
    roc_auc: float
    calibration_error: float
    standard_errors: Mapping[str, float]
    cost: float | None
    expected_cost: float | None
    majority_class: Any
    macro: Mapping[str, float]
    per_class: list[ClassScore]
    calibration: list[Interval]
    confusion: tuple[Pair, ...]  # the most frequent first


def facts(result: Evaluation) -> EvaluationFacts:
    pairs = sorted(result.pairs.items(), key=lambda found: (-found[1], str(found[0])))
    confusion = tuple(Pair(*pair, n) for pair, n in pairs)
    names = [field.name for field in fields(EvaluationFacts) if field.name != "confusion"]
    return EvaluationFacts(**{name: getattr(result, name) for name in names}, confusion=confusion)


def blocks(facts: EvaluationFacts) -> Iterator[Block]:
    """The summary, the classes (the worst of many), the confusions and the calibration."""
    yield from brief(facts)
    yield from by_class(facts)
    yield calibration(facts)


def brief(facts: EvaluationFacts) -> Iterator[Block]:
    yield Table(list(summary(facts)), align="lrl")
    if facts.unknown:
        listed = ", ".join(repr(short(label)) for label in facts.unknown[:FEW]) + ", …" * (len(facts.unknown) > FEW)
        yield Lines([f"The model has not seen {listed}."])


def by_class(facts: EvaluationFacts) -> Iterator[Block]:
    yield _class_table(facts)
    yield _confusions(facts)


def summary(facts: EvaluationFacts) -> Iterator[tuple[str, str, str, str]]:
    """The name of each measure, its value, its standard error, and what to compare it with."""
    error = {name: f"± {value:.4f}" if math.isfinite(value) else "" for name, value in facts.standard_errors.items()}
    rejected = f"; {how_many(facts.rejected)} rejected" if facts.rejected else ""
    right = f"{count(facts.correct)} of {count(facts.n - facts.rejected)} right{rejected}"
    yield "accuracy", f"{facts.accuracy:.4f}", error["accuracy"], right
    yield "  baseline", f"{facts.baseline:.4f}", "", f"always {short(facts.majority_class)}, the majority class"
    yield "error", f"{facts.error:.4f}", "", f"the model expects {facts.expected_error:.4f}"
    if facts.impossible:
        others = f"{facts.log_loss_of_possible:.4f} {error['log_loss']}".rstrip()
        without = f"; {others} without" * (facts.impossible < facts.n)
        possible = f"true class impossible in {how_many(facts.impossible)}{without}"
        yield "log-loss", f"{facts.log_loss:.4f}", "", possible
    else:
        yield "log-loss", f"{facts.log_loss:.4f}", error["log_loss"], ""
    yield "  baseline", f"{facts.prior_log_loss:.4f}", "", "the prior alone"
    yield "Brier score", f"{facts.brier:.4f}", error["brier"], ""
    several = len(facts.classes) > 2
    auc_of = "each class against the rest, on average" if several else ""
    if math.isnan(facts.roc_auc):
        yield "ROC AUC", "", "", "undefined: it compares rows of different classes"
    else:
        yield "ROC AUC", f"{facts.roc_auc:.4f}", error["roc_auc"], auc_of
    yield "ECE", f"{facts.calibration_error:.4f}", "", "the expected calibration error"
    if facts.cost is not None:
        yield "cost", f"{facts.cost:.4f}", "", f"the model expects {facts.expected_cost:.4f}"


def _class_table(facts: EvaluationFacts) -> Table:
    present = [score for score in facts.per_class if score.n or score.decided]
    worst = sorted(present, key=lambda score: (score.f1, -score.n))[:FEW] if len(present) > FEW else present
    rows = [(short(s.label), count(s.n), count(s.decided), *(f"{share:.3f}" for share in s[3:])) for s in worst]
    decided = count(facts.n - facts.rejected)
    rows.append(("(all, mean)", count(facts.n), decided, *(f"{share:.3f}" for share in facts.macro.values())))
    title = "classes" if worst is present else f"the {FEW} worst of {count(len(present))} classes, by F1"
    return Table(rows, ("class", "rows", "decided", "precision", "recall", "F1"), title)


def _confusions(facts: EvaluationFacts) -> Block:
    """The confusion matrix if it is narrow enough, or else the most frequent errors."""
    if len(facts.classes) <= FEW:
        table = _matrix(facts)
        if max(map(width, aligned([table.head, *table.rows], table.at_right))) <= WIDEST:
            return table
    wrong = [pair for pair in facts.confusion if pair.decision is not None and pair.truth != pair.decision]
    if not wrong:
        return Lines(["There are no mistakes."])
    rows = [(short(pair.truth), short(pair.decision), count(pair.n)) for pair in wrong[:FEW]]
    most = f"the {FEW} most frequent of {count(len(wrong))}" if len(wrong) > FEW else "the most frequent first"
    return Table(rows, ("truth", "decision", "rows"), f"errors, {most}", "llr")


def _matrix(facts: EvaluationFacts) -> Table:
    decisions = [*facts.classes, *([None] if facts.rejected else [])]
    n = {(pair.truth, pair.decision): pair.n for pair in facts.confusion}
    rows = [[short(truth), *(count(n.get((truth, each), 0)) for each in decisions)] for truth in facts.classes]
    names = ["rejected" if each is None else short(each) for each in decisions]
    return Table(rows, ["truth \\ decision", *names], "confusion")


def calibration(facts: EvaluationFacts) -> Table:
    rows = [
        (f"{part.low:.2f} to {part.high:.2f}", count(part.n), f"{part.probability:.3f}", f"{part.accuracy:.3f}")
        for part in facts.calibration
    ]
    return Table(rows, ("probability", "rows", "mean", "accuracy"), "calibration")
