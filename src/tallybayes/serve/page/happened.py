"""What happened: the last changes and their receipts, and forms to forget or correct rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from starlette.responses import Response

from tallybayes.report.plain import to_text
from tallybayes.serve.models import Labelled, ServedModel
from tallybayes.serve.page.trying import label_named
from tallybayes.serve.page.visits import Visit, moved, path_of
from tallybayes.serve.problems import Problem
from tallybayes.store import UnknownRowError
from tallybayes.store.chain import CORRECT, LEARN, Record

LAST = 25  # changes that are shown
LONGEST = 18  # digits of a number
FOR_A_NEW_CLASS = "To make a new class, tick “new class”."


@dataclass(frozen=True)
class Happened:
    """One change; `left` if the row is still there and has not changed since."""

    record: Record
    left: bool
    receipt: str  # its path


@dataclass(frozen=True)
class Done:
    """A change just made, and an earlier moment at which the model was byte for byte the same."""

    record: Record
    receipt: str
    again: str


async def changes(visit: Visit) -> Response:
    query = visit.query()

    def work() -> Response:
        model = visit.model
        wanted, unknown = query.get("id", ""), ""
        try:
            records = [model.store.receipt(wanted).record] if wanted else model.store.changes(LAST)
        except UnknownRowError as error:
            records, unknown = [], str(error)
        return visit.show(
            "changes.html",
            facts=model.facts(),
            changes=[_happened(model, record) for record in records],
            done=_done(model, query.get("done", "")),
            wanted=wanted,
            unknown=unknown,
            labels=list(map(to_text, model.known_labels())),
            last=LAST,
        )

    return await visit.service.look(work)


def _happened(model: ServedModel, record: Record) -> Happened:
    there = record.id is not None and record.what in (LEARN, CORRECT)
    newest = model.store.receipt(record.id).record if there else None
    return Happened(record, newest is not None and newest.number == record.number, _receipt(model, record))


def _receipt(model: ServedModel, record: Record) -> str:
    return path_of(model.name, "receipts", record.number)


def _done(model: ServedModel, text: str) -> Done | None:
    """The change that the visitor has just made."""
    number = _number_in(text, model)
    if number is None:
        return None
    record = model.store.receipt(number=number).record
    return Done(record, _receipt(model, record), _again(record, model.store.changes(LAST)))


def _number_in(text: str, model: ServedModel) -> int | None:
    """The number of a change that was made."""
    if not text.isdecimal() or len(text) > LONGEST or int(text) > model.store.number:
        return None
    return int(text)


def _again(record: Record, others: Sequence[Record]) -> str:
    """When the model was the same: before or after an earlier change."""
    for other in others:
        if record.after is not None and other.number < record.number:
            if other.before == record.after:
                return f"before change {other.number:,}"
            if other.after == record.after:
                return f"after change {other.number:,}"
    return ""


async def forget(visit: Visit) -> Response:
    id, model = (await visit.form()).fields.get("id", ""), visit.model

    def work() -> int:
        done = model.forget([Labelled(None, None, id)], prove=True)
        visit.service.metrics.changed(model.name, done)
        return model.store.receipt(id).record.number

    return moved(f"{path_of(model.name, 'changes')}?done={await visit.service.change(work)}")


async def correct(visit: Visit) -> Response:
    fields, model = (await visit.form()).fields, visit.model

    def work() -> int:
        label, new = label_named(model, fields.get("label", "")), "new-class" in fields
        done = model.correct([(fields.get("id", ""), label)], prove=True, new_class=new, advice=FOR_A_NEW_CLASS)
        visit.service.metrics.changed(model.name, done)
        return model.store.receipt(fields["id"]).record.number

    return moved(f"{path_of(model.name, 'changes')}?done={await visit.service.change(work)}")


async def receipt(visit: Visit) -> Response:
    given = visit.scope["path_params"]["number"]
    number = _number_in(given, visit.model)
    if number is None:
        which = f"{given[:LONGEST]} yet" if given.isdecimal() else repr(given[:LONGEST])
        raise Problem(404, f"There is no change {which}.")
    text = await visit.service.look(lambda: visit.model.store.receipt(number=number).text())
    named = {"content-disposition": f'attachment; filename="receipt-{number}.json"'}
    return Response(text, media_type="application/json", headers=named)
