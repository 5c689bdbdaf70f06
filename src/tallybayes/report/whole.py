"""The whole report on a model and test rows, part by part: what was counted, how good it is, what each column tells,
what weighs most, its most confident mistakes, and how to verify the model."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from tallybayes.model.diagnosis import Diagnosis, Mistake
from tallybayes.model.information import information
from tallybayes.model.model import Model
from tallybayes.report import evaluation, evidence, model
from tallybayes.report.blocks import Block, Heading, Lines, Marked, Picture, Table, briefly, count, how_many
from tallybayes.report.characters import clean, short
from tallybayes.report.evaluation import EvaluationFacts
from tallybayes.report.evidence import ColumnFacts, EvidenceFacts
from tallybayes.report.model import ModelFacts
from tallybayes.report.plain import spoken
from tallybayes.report.schema import MOST_COLUMNS
from tallybayes.report.steps import marked
from tallybayes.schema.entries import title

TOP = 8  # pieces of evidence of a mistake
LONGEST = 2000  # characters of a text that are shown
WITHOUT = "There are no pictures, since matplotlib is not installed: pip install 'tallybayes[plot]'."
NO_ROWS = "No rows were given to test the model on, so how good it is is not known."

PICTURES_FIRST = ("densities", "weighty")  # before the numbers

Pictures = Mapping[str, Sequence[Picture]]  # by the part that they belong to


@dataclass(frozen=True)
class TellingFacts:
    """What a column tells about the class by itself."""

    column: str
    information: float | None  # from the counts, in nats; None if unknown
    gain: float | None  # on the test rows, in nats; None without them
    share: float | None  # of the evidence about them


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
    columns: tuple[TellingFacts, ...]  # those that tell most first
    mistakes: tuple[MistakeFacts, ...]  # the surest first
    pictures: bool


def facts(asked: Model, diagnosis: Diagnosis | None = None, *, pictures: bool = False) -> WholeFacts:
    """The facts of the model, and of test rows if there are any."""
    from tallybayes.files import counts_digest

    measured = None if diagnosis is None or diagnosis.evaluation is None else evaluation.facts(diagnosis.evaluation)
    mistakes = () if diagnosis is None else tuple(_mistake(asked, each) for each in diagnosis.mistakes)
    told = _told(asked, diagnosis)
    return WholeFacts(model.facts(asked), counts_digest(asked), measured, told, mistakes, pictures)


def _told(asked: Model, diagnosis: Diagnosis | None) -> tuple[TellingFacts, ...]:
    found = [] if not asked.classes else information(asked).items()
    said = {} if diagnosis is None else diagnosis.by_column()
    rows = [
        TellingFacts(title(name), told, said[name].gain if name in said else None, said[name].share if said else None)
        for name, told in found
    ]
    return tuple(sorted(rows, key=lambda each: (-max(each.gain or 0.0, each.information or 0.0), each.column)))


def _mistake(asked: Model, wrong: Mistake) -> MistakeFacts:
    cells = {name: [value] for name, value in wrong.cells.items()}
    said = asked.evidence({name: values for name, values in cells.items() if values != [None]}, absent="missing")
    against = wrong.truth if wrong.truth in asked.classes and wrong.truth != wrong.decision else None
    told = evidence.facts(said, label=wrong.decision, against=against, cells=cells, top=TOP)
    return MistakeFacts(wrong.row + 1, wrong.truth, wrong.decision, wrong.probability, told)


def blocks(facts: WholeFacts, pictures: Pictures) -> Iterator[Block]:
    """Part by part, each with its pictures."""
    yield from brief(facts)
    for name, heading, part in PARTS:
        drawn = pictures.get(name, ())
        found = [*drawn, *part(facts)] if name in PICTURES_FIRST else [*part(facts), *drawn]
        if found:
            yield Heading(heading)
            yield from found


def brief(facts: WholeFacts) -> Iterator[Block]:
    """What it is about, in a few lines."""
    known, measured = facts.model, facts.evaluation
    classes = how_many(len(known.classes), "class", "classes")
    lines = [f"A model of {how_many(known.rows)} in {classes} and {how_many(len(known.columns), 'column', 'columns')}."]
    if measured is None:
        lines.append(NO_ROWS)
    else:
        lines.append(
            f"Of {how_many(measured.n, 'test row', 'test rows')} it decides {measured.accuracy:.1%} rightly; always "
            f"saying {short(measured.commonest)} would be right in {measured.baseline:.1%}."
        )
    yield Lines([*lines, *([] if facts.pictures else [WITHOUT])])


def _counted(facts: WholeFacts) -> Iterator[Block]:
    yield from model.brief(facts.model)


def _quality(facts: WholeFacts) -> Iterator[Block]:
    if facts.evaluation is not None:
        yield from (block for block in evaluation.blocks(facts.evaluation) if _title(block) != "calibration")


def _calibration(facts: WholeFacts) -> Iterator[Block]:
    if facts.evaluation is not None:
        yield Lines(["Of rows that are given a probability of 0.9, nine of ten should be right."])
        yield from (block for block in evaluation.blocks(facts.evaluation) if _title(block) == "calibration")


def _title(block: Block) -> str:
    return getattr(block, "title", "")


def _telling(facts: WholeFacts) -> Iterator[Block]:
    if not facts.columns:
        return
    tested = facts.evaluation is not None
    lines = ["Information is I(column; class) by the counts, in nats: what the column by itself tells of the class."]
    if tested:
        lines.append(
            "Gain is the same as the test rows have it: how much smaller the log-loss is than the prior's; below 0 the "
            "column misleads. Share is its part of all that was said for and against the decisions."
        )
    yield Lines(lines)
    rows = [
        [
            briefly(each.column),
            _number(each.information),
            *([_number(each.gain), _number(each.share)] if tested else []),
        ]
        for each in facts.columns[:MOST_COLUMNS]
    ]
    head = ["column", "information", *(["gain", "share"] if tested else [])]
    yield Table(rows, head, more=max(len(facts.columns) - MOST_COLUMNS, 0))


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.4f}"


def _densities(facts: WholeFacts) -> Iterator[Block]:
    yield from model.believed(facts.model)


def _weighty(facts: WholeFacts) -> Iterator[Block]:
    yield from model.weighty(facts.model)


def _mistakes(facts: WholeFacts) -> Iterator[Block]:
    if facts.evaluation is None:
        return
    if not facts.mistakes:
        yield Lines(["No decision is wrong."])
        return
    yield Lines(["Where the label is right, these show what the model does not know; some labels may be wrong."])
    for wrong in facts.mistakes:
        heading = f"row {count(wrong.row)}: {short(wrong.truth)} taken for {short(wrong.decision)}"
        yield Lines([], heading)
        row = wrong.evidence.rows[0]
        for column in row.columns:
            if column.words and isinstance(column.value, (str, bytes)):
                yield _text(column, row.class_, row.against)
        yield from (_as_detail(block) for block in evidence.blocks(wrong.evidence))


def _as_detail(block: Block) -> Block:
    return replace(block, detail=True) if isinstance(block, Table) else block


def _text(column: ColumnFacts, first: Any, second: Any) -> Marked:
    whole = clean(spoken(column.value), "\n")
    pieces = marked(whole[:LONGEST], column.words)
    return Marked(pieces, spoken(first), spoken(second), max(len(whole) - LONGEST, 0))


def _digest(facts: WholeFacts) -> Iterator[Block]:
    yield Lines(
        [
            f"sha256 of the model: {facts.model.sha256}",
            f"sha256 of its counts alone, whatever is believed of them: {facts.counts_sha256}",
            "Equal counts are equal bytes: a model that forgot a row has the digest of one that never saw it. Check "
            "the file by sha256sum, or in Python by tallybayes.digest(tallybayes.load(path)).",
        ]
    )


Part = Callable[[WholeFacts], Iterator[Block]]
PARTS: tuple[tuple[str, str, Part], ...] = (
    ("counted", "What was counted", _counted),
    ("quality", "How good it is", _quality),
    ("calibration", "Whether its probabilities are what they say", _calibration),
    ("telling", "What each column tells", _telling),
    ("densities", "What the columns look like in each class", _densities),
    ("weighty", "What weighs most", _weighty),
    ("mistakes", "The mistakes it was surest of", _mistakes),
    ("digest", "Which model this is", _digest),
)
