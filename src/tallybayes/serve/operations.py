"""The operations of the API in one table, from which routes, token scopes and the API description follow."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from starlette.responses import Response

from tallybayes.serve import shapes
from tallybayes.serve.bodies import JSON, MAIL
from tallybayes.serve.calls import Call
from tallybayes.serve.handlers import (
    correct,
    evaluate,
    explain,
    file,
    forget,
    learn,
    live,
    metrics,
    model,
    models,
    predict,
    ready,
    receipt,
)
from tallybayes.serve.tables import ARROW, CSV

OCTETS = "application/octet-stream"
PLAIN = "text/plain"


@dataclass(frozen=True)
class Operation:
    """An operation of the API."""

    name: str
    method: str
    path: str
    scope: str | None  # of the token it needs; None if it is public
    handler: Callable[[Call], Awaitable[Response]]
    summary: str
    answer: shapes.Shape
    request: shapes.Shape | None = None
    tables: bool = False  # whether rows may be CSV or Arrow
    labelled: bool = False  # whether such tables have a column of labels
    mail: bool = False  # whether a row may be a mail
    answers_with: str = JSON
    errors: tuple[int, ...] = ()

    @property
    def accepts(self) -> tuple[str, ...]:
        """The media types of a body."""
        others = (*((CSV, ARROW) if self.tables else ()), *((MAIL,) if self.mail else ()))
        return () if self.request is None else (JSON, *others)


MODEL = "/v1/models/{name}"


def _ask(name: str, handler: Any, summary: str, request: shapes.Shape, answer: shapes.Shape, **more: Any) -> Operation:
    path = f"{MODEL}/{name}"
    return Operation(name, "POST", path, "predict", handler, summary, answer, request, **more)


def _change(name: str, handler: Any, summary: str, request: shapes.Shape, what: str, **more: Any) -> Operation:
    answer = more.pop("answer", shapes.changed(what))
    errors = (404, 409, 507)
    return Operation(name, "POST", f"{MODEL}/{name}", "learn", handler, summary, answer, request, errors=errors, **more)


OPERATIONS = (
    _ask(
        "predict",
        predict,
        "Classify rows: the class of each, with probabilities.",
        shapes.ASK,
        shapes.ANSWERS,
        tables=True,
        mail=True,
    ),
    _ask(
        "explain", explain, "Explain answers by the evidence of columns and words.", shapes.EXPLAIN, shapes.EXPLANATIONS
    ),
    _ask("evaluate", evaluate, "Evaluate the model on labelled rows.", shapes.EVALUATE, shapes.EVALUATION),
    _change(
        "learn",
        learn,
        "Learn rows. When this returns, they are on disk and part of every later answer.",
        shapes.LEARN,
        "learned",
        answer=shapes.changed("learned", ids=shapes.array_of(shapes.TEXT)),
        tables=True,
        labelled=True,
    ),
    _change("forget", forget, "Forget rows, without a trace.", shapes.FORGET, "forgotten"),
    _change("correct", correct, "Correct the labels of rows.", shapes.CORRECT, "corrected"),
    Operation("models", "GET", "/v1/models", "predict", models, "List the models.", shapes.MODELS),
    Operation(
        "model",
        "GET",
        MODEL,
        "predict",
        model,
        "Describe a model: its schema, classes, digest and version.",
        shapes.MODEL,
    ),
    Operation(
        "file",
        "GET",
        f"{MODEL}/file",
        "admin",
        file,
        "Download the model as a file.",
        shapes.BYTES,
        answers_with=OCTETS,
    ),
    Operation(
        "receipt",
        "GET",
        f"{MODEL}/receipts/{{id:path}}",
        "learn",
        receipt,
        "Get the receipt of the last change to a row, which anyone can check.",
        shapes.RECEIPT,
    ),
    Operation("live", "GET", "/healthz/live", None, live, "Is the service running?", shapes.HEALTH),
    Operation("ready", "GET", "/healthz/ready", None, ready, "Is it ready to answer?", shapes.HEALTH, errors=(503,)),
    Operation(
        "metrics",
        "GET",
        "/metrics",
        "predict",
        metrics,
        "Get metrics for Prometheus, of the models that the token is for.",
        shapes.TEXT,
        answers_with=PLAIN,
    ),
)
