"""The description of the API (OpenAPI 3.1), generated from the table of operations."""

from __future__ import annotations

import re
from http import HTTPStatus
from typing import Any

import tallybayes
from tallybayes.serve.bodies import JSON
from tallybayes.serve.operations import OPERATIONS, Operation
from tallybayes.serve.problems import MEDIA_TYPE
from tallybayes.serve.shapes import BYTES, PROBLEM, TEXT
from tallybayes.serve.tables import CSV

ABOUT = "Models that predict, learn, correct and forget. Every answer names the version of the model behind it."
EVERYWHERE = (400, 421)  # errors of any request
TOKENS = (401, 403, 429)
WITH_BODY = (403, 408, 413, 415)
IN_THREADS = (503,)


def description(tokens: bool = False) -> dict[str, Any]:
    """The description of a service with or without tokens."""
    paths: dict[str, dict[str, Any]] = {}
    for operation in OPERATIONS:
        paths.setdefault(_path(operation), {})[operation.method.lower()] = _operation(operation, tokens)
    return {
        "openapi": "3.1.0",
        "info": {"title": "tallybayes", "version": tallybayes.__version__, "description": ABOUT},
        "paths": paths,
        "components": {
            "schemas": {"Problem": PROBLEM},
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
    }


def _path(operation: Operation) -> str:
    return re.sub(r"\{(\w+):\w+\}", r"{\1}", operation.path)


def _operation(operation: Operation, tokens: bool) -> dict[str, Any]:
    found: dict[str, Any] = {"operationId": operation.name, "summary": operation.summary}
    if parameters := _parameters(operation):
        found["parameters"] = parameters
    if operation.request is not None:
        found["requestBody"] = {"required": True, "content": _content(operation)}
    found["responses"] = {
        "200": {
            "description": operation.summary,
            "content": {operation.answers_with: {"schema": operation.answer}},
        },
        **{str(status): _problem(status) for status in statuses(operation)},
    }
    if operation.scope is not None:
        found["security"] = [{"token": []}] if tokens else []
        found["x-scope"] = operation.scope
    return found


def statuses(operation: Operation) -> list[int]:
    """The error statuses of an operation."""
    found = {*EVERYWHERE, *operation.errors}
    if operation.scope is not None:
        found |= {*TOKENS, *IN_THREADS}
    if "{name}" in operation.path:
        found.add(404)
    if operation.request is not None:
        found |= set(WITH_BODY)
    return sorted(found)


def _parameters(operation: Operation) -> list[dict[str, Any]]:
    names = re.findall(r"\{(\w+)", operation.path)
    found = [{"name": name, "in": "path", "required": True, "schema": {**TEXT, "minLength": 1}} for name in names]
    if operation.labelled:
        about = {"label": "For CSV and Arrow: the column of classes.", "id": "For CSV and Arrow: the column of ids."}
        found += [{"name": n, "in": "query", "schema": TEXT, "description": text} for n, text in about.items()]
    return found


def _content(operation: Operation) -> dict[str, Any]:
    shapes = {JSON: operation.request, CSV: TEXT}
    return {kind: {"schema": shapes.get(kind, BYTES)} for kind in operation.accepts}


def _problem(status: int) -> dict[str, Any]:
    content = {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}}
    return {"description": HTTPStatus(status).phrase, "content": content}
