"""The full report on a model and its test rows: counts, quality, calibration, information per column, the strongest
words and values, the most confident mistakes, and how to verify the model."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from tallybayes.model.diagnosis import Diagnosis, Mistake
from tallybayes.model.evaluation import Evaluation
from tallybayes.model.information import information
from tallybayes.model.model import Model
from tallybayes.report import evaluation, evidence, model
from tallybayes.report.blocks import Block, Heading, Lines, Marked, Picture, Table, count, how_many
from tallybayes.report.characters import clean, short
from tallybayes.report.evaluation import EvaluationFacts
from tallybayes.report.evidence import ColumnFacts, EvidenceFacts
from tallybayes.report.marks import marked
from tallybayes.report.model import ModelFacts
from tallybayes.report.plain import to_text
from tallybayes.schema.entries import MOST_COLUMNS, briefly, title

TOP = 8  # pieces of evidence shown for a mistake
LONGEST = 2000  # characters of a text that are shown
NO_PICTURES = "There are no pictures because matplotlib is not installed: pip install 'tallybayes[plot]'."
TOO_GOOD = (
    "The model has counted exactly as many rows of each class as there are here. If it was trained on these rows, the "
    "figures are too good: "
)
NO_ROWS = "No test rows were given, so the model is not evaluated here."

PICTURES_FIRST = ("densities", "weighty")  # before the numbers

Pictures = Mapping[str, Sequence[Picture]]  # by section


@dataclass(frozen=True)
class TellingFacts:
    """How informative a column is about the class by itself."""

    column: str
    information: float | None  # from the counts, in nats; None if unknown
    gain: float | None  # on the test rows, in nats; None without them
    share: float | None  # of all evidence on the test rows


@dataclass(frozen=True)
class MistakeFacts:
    row: int  # counted from 1
    truth: Any
    decision: Any
    probability: float  # of the decision
    evidence: EvidenceFacts


@dataclass(frozen=True)
class WholeFacts:
    model: ModelFacts
    counts_sha256: str
    evaluation: EvaluationFacts | None
    columns: tuple[TellingFacts, ...]  # the most informative first
    mistakes: tuple[MistakeFacts, ...]  # the most confident first
    pictures: bool


def facts(asked: Model, diagnosis: Diagnosis | None = None, *, pictures: bool = False) -> WholeFacts:
    """The facts of the model, and of test rows if there are any."""
    from tallybayes.files import counts_digest

    measured = None if diagnosis is None or diagnosis.evaluation is None else evaluation.facts(diagnosis.evaluation)
    mistakes = () if diagnosis is None else tuple(_mistake(asked, each) for each in diagnosis.mistakes)
    columns = _columns(asked, diagnosis)
    return WholeFacts(model.facts(asked), counts_digest(asked), measured, columns, mistakes, pictures)


def _columns(asked: Model, diagnosis: Diagnosis | None) -> tuple[TellingFacts, ...]:
    found = [] if not asked.classes else information(asked).items()
    tested = {} if diagnosis is None else diagnosis.by_column()
    rows = [
        TellingFacts(
            title(name), nats, tested[name].gain if name in tested else None, tested[name].share if tested else None
        )
        for name, nats in found
    ]
    return tuple(sorted(rows, key=lambda each: (-max(each.gain or 0.0, each.information or 0.0), each.column)))


def _mistake(asked: Model, wrong: Mistake) -> MistakeFacts:
    cells = {name: [value] for name, value in wrong.cells.items()}
    found = asked.evidence({name: values for name, values in cells.items() if values != [None]}, absent="missing")
    against = wrong.truth if wrong.truth in asked.classes and wrong.truth != wrong.decision else None
    shown = evidence.facts(found, label=wrong.decision, against=against, cells=cells, top=TOP)
    return MistakeFacts(wrong.row + 1, wrong.truth, wrong.decision, wrong.probability, shown)


def blocks(facts: WholeFacts, pictures: Pictures) -> Iterator[Block]:
    """Section by section, each with its pictures."""
    yield from brief(facts)
    for name, heading, part in PARTS:
        drawn = pictures.get(name, ())
        found = [*drawn, *part(facts)] if name in PICTURES_FIRST else [*part(facts), *drawn]
        if found:
            yield Heading(heading)
            yield from found


def brief(facts: WholeFacts) -> Iterator[Block]:
    """A summary in a few lines."""
    known, measured = facts.model, facts.evaluation
    classes = how_many(len(known.classes), "class", "classes")
    lines = [f"A model of {how_many(known.rows)} in {classes} and {how_many(len(known.columns), 'column', 'columns')}."]
    if measured is None:
        lines.append(NO_ROWS)
    else:
        lines.append(
            f"Accuracy on {how_many(measured.n, 'test row', 'test rows')}: {measured.accuracy:.1%}. Always deciding "
            f"for {short(measured.majority_class)}, the majority class, would reach {measured.baseline:.1%}."
        )
        if counted_as_many(known.classes, measured):
            lines.append(f"{TOO_GOOD}cross-validate, or test on other rows.")
    yield Lines([*lines, *([] if facts.pictures else [NO_PICTURES])])


def counted_as_many(classes: Mapping[Any, float], measured: Evaluation | EvaluationFacts) -> bool:
    """Whether a model, which has counted so many rows of each class, was evaluated on as many."""
    return measured.n > 0 and {each.label: each.n for each in measured.per_class if each.n} == classes


def _quality(facts: WholeFacts) -> Iterator[Block]:
    if facts.evaluation is not None:
        yield from evaluation.brief(facts.evaluation)
        yield from evaluation.by_class(facts.evaluation)


def _calibration(facts: WholeFacts) -> Iterator[Block]:
    if facts.evaluation is not None:
        yield Lines(["Of the decisions made with probability 0.9, nine in ten should be right."])
        yield evaluation.calibration(facts.evaluation)


def _telling(facts: WholeFacts) -> Iterator[Block]:
    if not facts.columns:
        return
    tested = facts.evaluation is not None
    lines = ["Information is the mutual information I(column; class) in nats, estimated from the counts."]
    if tested:
        lines.append(
            "Gain is how far the column alone lowers the log-loss on the test rows, compared with the prior; below 0 "
            "the column misleads. Share is the column's part of all evidence for and against the decisions."
        )
    yield Lines(lines)
    names = ["information", "gain", "share"] if tested else ["information"]
    rows = [[briefly(each.column), *(_number(getattr(each, name)) for name in names)] for each in facts.columns]
    yield Table(rows[:MOST_COLUMNS], ["column", *names], more=max(len(facts.columns) - MOST_COLUMNS, 0))


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.4f}"


def _mistakes(facts: WholeFacts) -> Iterator[Block]:
    if facts.evaluation is None:
        return
    if not facts.mistakes:
        yield Lines(["There are no mistakes."])
        return
    yield Lines(["Check these labels first. Where the label is right, the row shows what the model has yet to learn."])
    for wrong in facts.mistakes:
        heading = f"row {count(wrong.row)}: {short(wrong.truth)} mistaken for {short(wrong.decision)}"
        yield Lines([], heading)
        row = wrong.evidence.rows[0]
        for column in row.columns:
            if column.words and isinstance(column.value, (str, bytes)):
                yield _text(column, row.class_, row.against)
        for block in evidence.blocks(wrong.evidence):
            yield replace(block, detail=True) if isinstance(block, Table) else block


def _text(column: ColumnFacts, first: Any, second: Any) -> Marked:
    whole = clean(to_text(column.value), "\n")
    pieces = marked(whole[:LONGEST], column.words)
    return Marked(pieces, to_text(first), to_text(second), max(len(whole) - LONGEST, 0))


def _digest(facts: WholeFacts) -> Iterator[Block]:
    yield Lines(
        [
            f"sha256 of the model: {facts.model.sha256}",
            f"sha256 of its counts alone, without priors and other beliefs: {facts.counts_sha256}",
            "Equal counts are equal bytes: a model that forgot a row has the digest of one that never saw it. Check "
            "the file with sha256sum, or in Python with tallybayes.digest(tallybayes.load(path)).",
        ]
    )


Part = Callable[[WholeFacts], Iterator[Block]]
PARTS: tuple[tuple[str, str, Part], ...] = (
    ("counted", "What was counted", lambda facts: model.brief(facts.model)),
    ("quality", "How good the model is", _quality),
    ("calibration", "How well its probabilities are calibrated", _calibration),
    ("telling", "How informative each column is", _telling),
    ("densities", "How each class is distributed", lambda facts: model.believed(facts.model)),
    ("weighty", "The strongest words and values", lambda facts: model.weighty(facts.model)),
    ("mistakes", "The most confident mistakes", _mistakes),
    ("digest", "How to verify this model", _digest),
)
