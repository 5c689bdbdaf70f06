"""Try it: the answer for a row, its evidence, and how it changes when the right class is learned."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from starlette.responses import Response

from tallybayes.data.inputs import columns_of
from tallybayes.filtering.base import OF_MAILS
from tallybayes.model.evidence import PRIOR
from tallybayes.model.scoring import Beliefs
from tallybayes.report import evidence
from tallybayes.report.blocks import Bar, Bars, Piece, Table, share, strongest, times
from tallybayes.report.evidence import WordFacts
from tallybayes.report.marks import Cut, by_family, marked
from tallybayes.report.plain import to_text
from tallybayes.serve.models import ServedModel
from tallybayes.serve.page.fields import as_text, fields_for, is_of_mail, new_id, row_and_id
from tallybayes.serve.page.visits import Visit
from tallybayes.serve.rows import Row, one_row
from tallybayes.serve.tables import LABEL
from tallybayes.store import Change, DifferentContentError
from tallybayes.store.writer import Current

FEW = 6  # classes that have a button, and are listed with their probabilities
TOP, OF_TEXTS = 12, 5  # bars of columns, and of the words of each; fewer if several columns have words
BEFORE = "class prior"  # the title of the prior's bar
LONGEST = 20_000  # characters of a text that are shown
STEPS = (0.1, 0.5, 1.2, 2.5)  # log-odds at which a highlight gets stronger


@dataclass(frozen=True)
class Text:
    """A text with its words marked."""

    column: str
    pieces: Sequence[Highlight]
    cut: bool


@dataclass(frozen=True)
class Answer:
    """The answer for a row."""

    version: int
    best: Any
    probability: float
    ranked: Sequence[tuple[str, float]]
    possible: bool
    bars: Bars | None
    details: Sequence[Table]
    texts: Sequence[Text]

    @property
    def drawn(self) -> Sequence[tuple[Bar, float, str]]:
        """Every bar with its length, positive for the answer, and its odds as text."""
        if self.bars is None:
            return []
        named = [bar._replace(title=BEFORE) if bar.title == PRIOR else bar for bar in self.bars.bars]
        most = strongest(self.bars.bars)
        signed = [(bar, share(bar, most) * (1 if bar.log_odds > 0 else -1)) for bar in named]
        return [(bar, round(100 * share, 2), self.bars.odds(bar)) for bar, share in signed]


@dataclass(frozen=True)
class Taught:
    """An answer before and after its class was learned."""

    change: Change
    label: str
    before: Answer | None  # None if nothing was known before
    after: Answer

    @property
    def both(self) -> Sequence[tuple[str, float | None, float]]:
        """The probabilities of classes before and after, beginning with the answers."""
        old = {} if self.before is None else dict(self.before.ranked)
        wanted = [
            self.label,
            *(each[0] for each in (*([] if self.before is None else self.before.ranked), *self.after.ranked)),
        ]
        new = dict(self.after.ranked)
        return [(name, old.get(name), new[name]) for name in dict.fromkeys(wanted) if name in new][:FEW]


def current_of(model: ServedModel) -> Current | None:
    """The current beliefs; None if nothing is learned yet."""
    try:
        return model.current()
    except ValueError:
        if model.brief()["classes"]:  # another error
            raise
        return None


def answer_of(model: ServedModel, row: Row) -> Answer | None:
    """The model's current answer; None if it has learned nothing yet."""
    current = current_of(model)
    if current is None:
        return None
    number, beliefs = current
    frame = one_row(row, model.store.schema)
    (posterior,) = beliefs.posterior(frame).tolist()
    found = beliefs.evidence(frame)
    texts = _filled_texts(beliefs, row)
    facts = evidence.facts(found, cells=columns_of([row]), rows=1, top=OF_TEXTS if len(texts) > 1 else TOP)
    (first,) = facts.rows
    laid = list(evidence.blocks(facts))
    ranked = sorted(zip(map(to_text, beliefs.labels), posterior, strict=True), key=lambda pair: -pair[1])
    return Answer(
        version=number,
        best=to_text(first.class_),
        probability=max(posterior),
        ranked=ranked,
        possible=first.possible,
        bars=next((block for block in laid if isinstance(block, Bars)), None),
        details=[block for block in laid if isinstance(block, Table)],
        texts=_with_marks([_text(beliefs, name, row, first.columns) for name in texts]),
    )


def _with_marks(texts: Sequence[Text]) -> Sequence[Text]:
    """Those of several texts that have a marked word: in the others there is nothing to see."""
    return texts if len(texts) == 1 else [text for text in texts if any(piece.strength for piece in text.pieces)]


def _filled_texts(beliefs: Beliefs, row: Row) -> list[str]:
    columns = beliefs.columns.items()
    texts = [name for name, belief in columns if belief.has_parts and beliefs.schema.columns[name].is_text]
    return [name for name in texts if isinstance(name, str) and row.get(name)]


def _text(beliefs: Beliefs, name: str, row: Row, columns: Sequence[evidence.ColumnFacts]) -> Text:
    text = str(row[name])
    words = next(column.words for column in columns if column.column == name)
    return Text(name, highlighted(text, words, by_family(beliefs, name)), len(text) > LONGEST)


async def empty_form(visit: Visit) -> Response:
    return await visit.service.ask(_shown, visit, visit.model, {}, new_id(), None)


async def asked(visit: Visit) -> Response:
    form = await visit.form()

    def work() -> Response:
        model = visit.model
        row, id = row_and_id(model.store.schema, form.fields)
        return _shown(visit, model, row, id, answer_of(model, row))

    return await visit.service.ask(work)


async def taught(visit: Visit) -> Response:
    """Learns a row, or corrects it if it was just learned. The id makes this idempotent, so reloading the page is safe
    without a redirect, and the row need not be stored in between."""
    form, model = await visit.form(), visit.model

    def work() -> Response:
        fields = form.fields
        row, id = row_and_id(model.store.schema, fields)
        label = fields.get("new-label", "").strip() or fields.get("label", "")
        before = answer_of(model, row)
        change = _teach(model, row, label, id, fields.get("known") == "yes")
        if not change.already:
            visit.service.metrics.made(model.name, change)
        after = answer_of(model, row)
        assert after is not None, "a row was learned"
        taught = Taught(change, to_text(label), None if change.already else before, after)
        return _shown(visit, model, row, id, after, taught)

    return await visit.service.change(work)


def _teach(model: ServedModel, row: Row, label: str, id: str, known: bool) -> Change:
    entry = model.labelled(row, label_named(model, label), id)
    if known:
        return model.store.correct(id, entry.label, prove=True)
    try:
        return model.store.learn(entry.row, entry.label, id=id, prove=True)
    except DifferentContentError:
        if not id.startswith(OF_MAILS):
            raise
        return model.store.correct(id, entry.label, prove=True)  # as filters do


def label_named(model: ServedModel, text: str) -> Any:
    """The class with this name, for labels of any type; or a new class, without the space around its name."""
    if not text.strip():
        raise ValueError("Which class is it? Choose one, or type a new one.")
    known = {to_text(label): label for label in model.known_labels()}
    return known.get(text, known.get(text.strip(), text.strip()))


def _shown(
    visit: Visit, model: ServedModel, row: Row, id: str, answer: Answer | None, taught: Taught | None = None
) -> Response:
    current = current_of(model)
    beliefs = None if current is None else current.beliefs
    given = taught.label if taught is not None else None if answer is None else answer.best
    return visit.show(
        "try.html",
        fields=fields_for(model.store.schema, beliefs, row),
        answer=answer,
        taught=taught,
        others=[] if answer is None else [name for name, _ in answer.ranked if name != given],
        few=FEW,
        id=id,
        row=as_text(row),
        empty=beliefs is None,
        takes_mail=is_of_mail(model.store.schema),
        host=visit.site,
        label_column=model.store.schema.label or LABEL,
    )


@dataclass(frozen=True)
class Highlight:
    """A part of a text, and the strength of its mark: positive for the answer, negative against it."""

    text: str
    strength: int = 0
    odds: str = ""


def highlighted(text: str, words: Sequence[WordFacts], cut: Cut) -> list[Highlight]:
    """The text, up to a limit, with the weakest evidence left unmarked."""
    found: list[Highlight] = []
    for strength, pieces in groupby(marked(text[:LONGEST], words, cut), _strength):
        if strength:
            found += [Highlight(piece.text, strength, times(piece.log_odds)) for piece in pieces]
        else:
            found.append(Highlight("".join(piece.text for piece in pieces)))
    return found


def _strength(piece: Piece) -> int:
    return int(math.copysign(sum(abs(piece.log_odds) >= step for step in STEPS), piece.log_odds))
