"""Answers a CSV file: the same table with answers, streamed in pieces."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Iterator
from urllib.parse import quote

import pyarrow as pa
from starlette.responses import Response, StreamingResponse

from tallybayes.data.matching import ERROR, MISSING
from tallybayes.report.answered import Deciding
from tallybayes.report.separated import csv_of, in_cells
from tallybayes.serve.models import ServedModel
from tallybayes.serve.page.visits import Visit
from tallybayes.serve.problems import Problem
from tallybayes.serve.tables import csv_source
from tallybayes.sources import Source, SourceError
from tallybayes.sources.source import ABSENT_ADVICE

SOME = 10_000  # rows answered at a time
LONGEST = 80  # characters of a file name
ADVICE = "Rename the column, or tick the box that treats absent columns as missing."


async def empty_form(visit: Visit) -> Response:
    columns = list(visit.model.store.schema.by_column)
    return visit.show("table.html", columns=columns, limit=visit.service.limits.body)


async def answered(visit: Visit) -> Response:
    form, model = await visit.form(), visit.model
    upload = form.files.get("table")
    if upload is None or not upload.content:
        raise Problem(400, "No file was chosen, or it is empty. Choose a CSV file.")
    absent = MISSING if form.fields.get("absent") == "missing" else ERROR
    pieces = await visit.service.ask(lambda: _answers(model, upload.content, absent))
    first = await visit.service.ask(next, pieces)

    async def rest() -> AsyncIterator[bytes]:
        yield first
        while piece := await visit.service.ask(next, pieces, b""):
            yield piece

    named = f"attachment; filename*=UTF-8''{quote(_stem(upload.name), safe='')}-answers.csv"
    return StreamingResponse(rest(), media_type="text/csv; charset=utf-8", headers={"content-disposition": named})


def _stem(name: str) -> str:
    """The name of a file without folder, extension and unsafe characters."""
    last = re.split(r"[/\\]", name)[-1].rpartition(".")
    return re.sub(r"[^\w .()-]", "_", last[0] or last[2]).strip(" .")[:LONGEST] or "table"


def _answers(model: ServedModel, content: bytes, absent: str) -> Iterator[bytes]:
    """The lines of the answer, in pieces. The whole table is read first, so that errors come instead of an answer. With
    too many classes, only the probability of the decision is given."""
    beliefs = model.current().beliefs
    with csv_source(content, "The file", "Send it uncompressed.") as source:
        try:
            kinds = source.column_types(beliefs.schema.reads(), absent=absent)
        except SourceError as error:  # its advice is about command-line options
            raise SourceError(str(error).replace(ABSENT_ADVICE, ADVICE)) from None
        batches = list(source.batches(kinds | source.as_stored(source.names)))
    rows = sum(map(len, batches))
    if not rows:
        raise ValueError("The file has no rows.")
    proba = rows * len(beliefs.labels) <= model.limits.numbers
    deciding = Deciding(beliefs, proba=proba, absent=absent)
    return _lines(deciding, source, batches)


def _lines(deciding: Deciding, source: Source, batches: list[pa.RecordBatch]) -> Iterator[bytes]:
    header = True
    for batch in batches:
        for start in range(0, len(batch), SOME):
            answers = deciding.answer(batch.slice(start, SOME), source.names, source)
            yield csv_of(in_cells(answers), header)
            header = False
