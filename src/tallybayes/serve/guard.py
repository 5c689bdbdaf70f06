"""Middleware around all routes: checks host and origin, adds security headers, and turns problems into JSON."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Collection, Mapping
from urllib.parse import urlsplit

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from tallybayes.serve.addresses import ip_of
from tallybayes.serve.bodies import GoneError
from tallybayes.serve.problems import Problem, unexpected
from tallybayes.serve.service import Service

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
SAFE = [
    (b"content-security-policy", POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"same-origin"),  # with no-referrer, the page's own forms would have the origin "null"
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"cross-origin-opener-policy", b"same-origin"),
]
FRESH = (b"cache-control", b"no-store")  # unless the answer sets it
LOOPBACK = frozenset(("localhost", "127.0.0.1", "::1"))
READING = frozenset(("GET", "HEAD", "OPTIONS"))
OWN_SITE = (None, "same-origin", "none")  # allowed values of Sec-Fetch-Site
HEADERS, OPERATION, TAKEN = "tallybayes.headers", "tallybayes.operation", "tallybayes.taken"  # keys of a scope
GONE = 499  # in the metrics: the client disconnected


class Guard:
    """The middleware."""

    def __init__(self, app: ASGIApp, service: Service) -> None:
        self.app, self.service = app, service

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        start, status, whole = time.perf_counter(), GONE, False

        async def hear() -> Message:
            nonlocal whole
            message = await receive()
            whole = whole or not message.get("more_body", False)
            return message

        async def with_headers(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                self.service.room.give_back(scope.pop(TAKEN, 0))  # the client may be slow to read the answer
                message["headers"] = _with_headers(message.get("headers", ()), ends=not whole and _has_body(scope))
            await send(message)

        try:
            problem = await self._answered(scope, hear, with_headers)
            if problem is not None and status == GONE:
                await problem.response()(scope, hear, with_headers)
        finally:
            self.service.room.give_back(scope.get(TAKEN, 0))
            model, operation = scope.get("path_params", {}).get("name"), scope.get(OPERATION, "other")
            self.service.metrics.answered(operation, model, status, time.perf_counter() - start)

    async def _answered(self, scope: Scope, receive: Receive, send: Send) -> Problem | None:
        try:
            scope[HEADERS] = headers = _headers(scope)
            self.check(scope, headers)
            await self.app(scope, receive, send)
        except Problem as problem:
            return problem
        except GoneError:
            return None
        except asyncio.CancelledError:
            return Problem(503, "The service is shutting down. Try again soon.", {"connection": "close"})
        except Exception as error:
            return unexpected(error)
        return None

    def check(self, scope: Scope, headers: Mapping[str, str]) -> None:
        """Refuses requests from pages of other origins, including after DNS rebinding."""
        host = headers.get("host", "")
        if host not in LOOPBACK and not self._is_ours(_name(host), scope):
            raise Problem(
                421, f"This service does not answer for the host {host[:80]!r}. Start it with --allowed-host NAME."
            )
        if scope["method"] in READING:
            return
        origin = headers.get("origin")
        if (origin is not None and not _same(origin, host)) or headers.get("sec-fetch-site") not in OWN_SITE:
            raise Problem(403, "This request comes from a page of another origin. Use the service's own page.")

    def _is_ours(self, name: str, scope: Scope) -> bool:
        if name in LOOPBACK or name in self.service.settings.hosts:
            return True
        server = scope.get("server")
        found = None if server is None else ip_of(server[0])
        return found is not None and found == ip_of(name)


def _headers(scope: Scope) -> dict[str, str]:
    found: dict[str, str] = {}
    for raw, value in scope["headers"]:
        name = raw.decode("latin-1")
        if name in found and name in ("host", "authorization", "content-length", "content-type", "origin"):
            raise Problem(400, f"The header {name!r} was sent twice. Send it once.")
        found[name] = value.decode("latin-1")
    return found


def _has_body(scope: Scope) -> bool:
    return any(
        name == b"transfer-encoding" or (name == b"content-length" and value != b"0")
        for name, value in scope["headers"]
    )


def _with_headers(given: Collection[tuple[bytes, bytes]], ends: bool) -> list[tuple[bytes, bytes]]:
    """The headers of an answer; if it `ends` a request that was not read completely, the connection is closed."""
    names = [name for name, _ in given]
    closing = [(b"connection", b"close")] if ends and b"connection" not in names else []
    fresh = [] if b"cache-control" in names else [FRESH]
    return [*given, *SAFE, *closing, *fresh]


def _name(host: str) -> str:
    """A host without its port.

    >>> _name("LocalHost:8765"), _name("[::1]:80"), _name("::1")
    ('localhost', '::1', '::1')
    """
    if host.startswith("["):
        return host[1:].partition("]")[0].lower()
    name, _, port = host.rpartition(":")
    return (name if host.count(":") == 1 and (port.isdecimal() or not port) else host).lower()


def _same(origin: str, host: str) -> bool:
    """Whether a page comes from this host. Behind a TLS proxy, the scheme may differ."""
    try:
        found = urlsplit(origin)
    except ValueError:
        return False
    if found.scheme not in ("http", "https"):
        return False
    usual = {"http": ":80", "https": ":443"}[found.scheme]
    return found.netloc.lower().removesuffix(usual) == host.lower().removesuffix(usual)
