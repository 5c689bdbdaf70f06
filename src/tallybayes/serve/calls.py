"""A request to an operation: its headers, model, query and body."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import parse_qsl

from starlette.responses import Response
from starlette.types import Receive, Scope

from tallybayes.serve.bodies import JSON, WHOLE, media_type, read_body
from tallybayes.serve.guard import HEADERS, TAKEN
from tallybayes.serve.models import ServedModel
from tallybayes.serve.problems import Problem
from tallybayes.serve.service import Service

ENCODER = json.JSONEncoder(allow_nan=False)


@dataclass
class Incoming:
    """A request for an operation or a page."""

    service: Service
    scope: Scope
    receive: Receive

    @property
    def headers(self) -> dict[str, str]:
        found: dict[str, str] = self.scope[HEADERS]
        return found

    @property
    def model(self) -> ServedModel:
        return self.service.model(self.scope["path_params"]["name"])

    async def body(self, most: int | None = None) -> bytes:
        """The body; at most so many bytes of it, if given."""
        limits = self.service.limits if most is None else replace(self.service.limits, body=most)
        whole = self.scope.get(WHOLE, False)
        return await read_body(self.headers, self.receive, limits, self._take, whole=whole)

    def _take(self, size: int) -> bool:
        """Takes memory, which the guard gives back."""
        there_is = self.service.room.take(size)
        self.scope[TAKEN] = self.scope.get(TAKEN, 0) + size * there_is
        return there_is


@dataclass
class Call(Incoming):
    """One request to one operation."""

    accepts: tuple[str, ...]

    def media_type(self) -> str:
        """The media type of the body, if the operation accepts it."""
        found = media_type(self.headers)
        if found not in self.accepts:
            raise Problem(415, f"The body is {found[:80]!r}; send {' or '.join(self.accepts)}.")
        return found

    def query(self, **defaults: str) -> dict[str, str]:
        """The query parameters; unknown ones are an error."""
        try:
            given = parse_qsl(self.scope["query_string"].decode("ascii"), keep_blank_values=True, errors="strict")
        except ValueError:
            raise Problem(400, "The query cannot be read. Write names and values in UTF-8, percent-encoded.") from None
        for name, _ in given:
            if name not in defaults:
                known = ", ".join(map(repr, defaults)) or "none"
                raise Problem(400, f"There is no parameter {name[:40]!r} here; there are {known}.")
        return {**defaults, **dict(given)}


def encoded(facts: Any) -> bytes:
    """Facts as JSON bytes."""
    return ENCODER.encode(facts).encode()


def answer(content: bytes) -> Response:
    return Response(content, 200, media_type=JSON)
