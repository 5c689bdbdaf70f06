"""What each operation does: from a call to its answer.

A small question is answered at once, since a thread would cost more than the answer. Whatever may take longer, or waits
for the disk, runs in a thread.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any

from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from tallybayes.schema import Schema
from tallybayes.serve.bodies import JSON, MAIL, parsed
from tallybayes.serve.calls import Call, answer, encoded
from tallybayes.serve.models import Facts, Labelled, ServedModel
from tallybayes.serve.problems import LATER, Problem, asking
from tallybayes.serve.requests import (
    check_members,
    entries_of,
    flag,
    label_in,
    rows_of,
    to_compare,
    to_correct,
    to_forget,
    to_learn,
)
from tallybayes.serve.rows import Row, label_of, label_type
from tallybayes.serve.tables import ARROW, CSV, ID, LABEL, labelled, table_of
from tallybayes.serve.tokens import bearer

PROVE, NEW_CLASS = "prove", "new_class"
FOR_A_NEW_CLASS = f'To make a new class, send "{NEW_CLASS}": true.'
PIECE = 1 << 18  # bytes of a file sent at a time, so that a slow client blocks only itself


async def predict(call: Call) -> Response:
    model, kind = call.model, call.media_type()
    body = await call.body()
    if kind != JSON:
        call.query()
    if kind in (CSV, ARROW):
        return answer(await call.service.ask(_predict_table, model, body, kind))
    read = partial(_mail, model.store.schema) if kind == MAIL else _rows
    if len(body) > model.limits.small or model.width is None:
        return answer(await call.service.ask(lambda: encoded(model.predict_rows(read(body)))))
    with asking:
        rows = read(body)
        if len(rows) * model.width <= model.limits.few:
            return answer(encoded(model.predict_rows(rows)))
    return answer(await call.service.ask(lambda: encoded(model.predict_rows(rows))))


def _rows(body: bytes) -> list[Row]:
    request = parsed(body)
    rows = rows_of(request)
    check_members(request, ("row", "rows"))
    return rows


def _mail(schema: Schema, body: bytes) -> list[Row]:
    try:
        from tallybayes.filtering.in_memory import check_columns
        from tallybayes.mail import read_mail
    except ImportError:  # lxml is an extra
        raise Problem(415, "This service cannot read mail: it needs pip install 'tallybayes[mail]'.") from None
    check_columns(schema)
    return [dict(read_mail(body))]


def _predict_table(model: ServedModel, body: bytes, kind: str) -> bytes:
    table = table_of(body, kind, model.store.schema, model.limits)
    return encoded(model.predict(table, len(table)))


async def explain(call: Call) -> Response:
    def work(model: ServedModel, request: dict[str, Any]) -> Facts:
        rows = rows_of(request)
        check_members(request, ("row", "rows", "class", "against"))
        return model.explain(rows, label_in(request, "class"), label_in(request, "against"))

    return await _question(call, call.service.ask, work)


async def evaluate(call: Call) -> Response:
    def work(model: ServedModel, request: dict[str, Any]) -> Facts:
        pairs = entries_of(request, to_compare)
        return model.evaluate([row for row, _ in pairs], [label for _, label in pairs])

    return await _question(call, call.service.look, work)


async def _question(
    call: Call, in_thread: Callable[..., Awaitable[bytes]], work: Callable[[ServedModel, dict[str, Any]], Facts]
) -> Response:
    model, _ = call.model, call.media_type()
    body = await call.body()
    return answer(await in_thread(lambda: encoded(work(model, parsed(body)))))


async def learn(call: Call) -> Response:
    """A small row is counted at once and waits only for its commit; anything else runs in a thread."""
    model, kind = call.model, call.media_type()
    if kind != JSON:
        query = call.query(label=model.store.schema.label or LABEL, id=ID)
        return await _changed(call, lambda model, body: _learn_table(model, body, kind, **query))
    body = await call.body()
    if len(body) > model.limits.small or model.width is None:
        return _change_answer(call, await call.service.change(lambda: model.learn(*_to_learn(model, body))))
    with asking:
        entries, prove = _to_learn(model, body)
        change = model.submit(entries[0], prove) if len(entries) == 1 else None
    if change is None:
        return _change_answer(call, await call.service.change(model.learn, entries, prove))
    return _change_answer(call, model.learned(entries, [await call.service.written(change)]))


def _to_learn(model: ServedModel, body: bytes) -> tuple[list[Labelled], bool]:
    request = parsed(body)
    return entries_of(request, to_learn(model), (PROVE,)), flag(request, PROVE)


def _learn_table(model: ServedModel, body: bytes, kind: str, label: str, id: str) -> Facts:
    known, schema = model.known_labels(), model.store.schema
    if label in schema.by_column:
        raise ValueError(f"The model counts the column {label!r}, so it cannot be the label. Give ?label=COLUMN.")
    table = table_of(body, kind, schema, model.limits, (label, label_type(known)), id)
    entries = [each._replace(label=label_of(each.label, known)) for each in labelled(table, schema, label, id)]
    return model.learn(entries)


async def forget(call: Call) -> Response:
    def work(model: ServedModel, body: bytes) -> Facts:
        request = parsed(body)
        return model.forget(entries_of(request, to_forget(model), (PROVE,)), flag(request, PROVE))

    return await _changed(call, work)


async def correct(call: Call) -> Response:
    def work(model: ServedModel, body: bytes) -> Facts:
        request = parsed(body)
        pairs = entries_of(request, to_correct, (PROVE, NEW_CLASS))
        return model.correct(pairs, flag(request, PROVE), new_class=flag(request, NEW_CLASS), advice=FOR_A_NEW_CLASS)

    return await _changed(call, work)


async def _changed(call: Call, work: Callable[[ServedModel, bytes], Facts]) -> Response:
    model, _ = call.model, call.media_type()
    return _change_answer(call, await call.service.change(work, model, await call.body()))


def _change_answer(call: Call, facts: Facts) -> Response:
    call.service.metrics.changed(call.model.name, facts)
    return answer(encoded(facts))


async def models(call: Call) -> Response:
    seen = [call.service.models[name] for name in _visible(call)]
    return answer(encoded({"models": [await call.service.look(model.brief) for model in seen]}))


def _visible(call: Call) -> list[str]:
    """The models that the client may see."""
    token = bearer(call.headers.get("authorization"))
    return [name for name in call.service.models if call.service.tokens.allowed(token, name)]


async def model(call: Call) -> Response:
    return answer(encoded(await call.service.look(call.model.facts)))


async def file(call: Call) -> Response:
    return Download(call)


class Download(Response):
    """The file of a model. Downloads are limited in number, since each is in memory until it is complete."""

    def __init__(self, call: Call) -> None:
        super().__init__(media_type="application/octet-stream")
        self.call, self.model = call, call.model

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        service = self.call.service
        if service.downloads.locked():
            raise Problem(503, "Too many downloads at once. Try again soon.", LATER)
        async with service.downloads, asyncio.timeout(service.limits.download_seconds):
            number, content = await service.look(self.model.file)
            self.headers["content-length"] = str(len(content))
            self.headers["content-disposition"] = 'attachment; filename="model.tally"'
            self.headers["tallybayes-version"] = str(number)
            await send({"type": "http.response.start", "status": 200, "headers": self.raw_headers})
            for start in range(0, len(content), PIECE):
                await send({"type": "http.response.body", "body": content[start : start + PIECE], "more_body": True})
            await send({"type": "http.response.body"})


async def receipt(call: Call) -> Response:
    return answer((await call.service.look(call.model.receipt, call.scope["path_params"]["id"])).encode())


async def live(call: Call) -> Response:
    return answer(encoded({"status": "live"}))


async def ready(call: Call) -> Response:
    if not call.service.ready:
        raise Problem(503, "The models are still loading, or the service is shutting down.")
    return answer(encoded({"status": "ready"}))


async def metrics(call: Call) -> Response:
    return Response(call.service.metrics.text(_visible(call)), 200, media_type=call.service.metrics.media_type)
