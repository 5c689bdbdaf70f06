"""The web application: routes made from the table of operations, behind the guard, around one `Service`.

There are two extension points: `routes`, which are tried after those of the API (the page), and `beside`, which run as
long as the application does (spamd, in the same loop and on the same stores).
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware.exceptions import ExceptionMiddleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route
from starlette.types import ASGIApp, Receive, Scope, Send

from tallybayes.serve.calls import Call
from tallybayes.serve.documentation import documentation_routes
from tallybayes.serve.guard import HEADERS, OPERATION, Guard
from tallybayes.serve.operations import MODEL, OPERATIONS, Operation
from tallybayes.serve.page import page_routes
from tallybayes.serve.problems import Problem
from tallybayes.serve.service import Beside, Service
from tallybayes.serve.settings import Settings
from tallybayes.store import Store


def make_app(
    stores: Mapping[str, Store],
    settings: Settings | None = None,
    *,
    beside: Sequence[Beside] = (),
) -> Starlette:
    """An application that serves stores by name. The caller opens the stores, and closes them after it has ended."""
    service = Service(stores, settings)

    @asynccontextmanager
    async def running(_: Starlette) -> AsyncIterator[None]:
        async with AsyncExitStack() as stack:
            stack.callback(service.close)
            try:
                await service.warm_up()
                for start in beside:
                    await stack.enter_async_context(start(service))
            except Exception as error:
                service.failed = error
                raise
            yield

    app = Starlette(routes=routes(service), lifespan=running)
    app.router.redirect_slashes = False
    inner = ExceptionMiddleware(app.router, {HTTPException: _as_problem})
    app.middleware_stack = Guard(KnownPaths(inner, service), service)  # Starlette's own answers bugs, as Guard does
    app.state.service = service
    return app


def routes(service: Service) -> list[BaseRoute]:
    """All routes, the most frequent first."""
    api = [Route(each.path, Endpoint(service, each), methods=[each.method], name=each.name) for each in OPERATIONS]
    return [*api, *documentation_routes(service.tokens.required), *page_routes(service)]


class Endpoint:
    """An operation as an ASGI application: checks the token, then answers."""

    def __init__(self, service: Service, operation: Operation) -> None:
        self.service, self.operation = service, operation

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        operation = self.operation
        scope[OPERATION] = operation.name
        if operation.scope is not None:
            client, name = scope.get("client"), scope["path_params"].get("name")
            self.service.tokens.check(scope[HEADERS], client[0] if client else "", name, operation.scope)
        response = await operation.handler(Call(self.service, scope, receive, operation.accepts))
        await response(scope, receive, send)


class KnownPaths:
    """Middleware that finds the operations of the models by their whole paths. Starlette tries one route after another,
    which takes as long as a short answer; whatever is not found here is left to it."""

    def __init__(self, app: ASGIApp, service: Service) -> None:
        self.app = app
        self._known = {
            (each.method, each.path.format(name=name)): (Endpoint(service, each), {"name": name})
            for each in OPERATIONS
            if each.path.startswith(MODEL) and "{id" not in each.path
            for name in service.models
            if "/" not in name
        }

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        found = self._known.get((scope["method"], scope["path"])) if scope["type"] == "http" else None
        if found is None:
            await self.app(scope, receive, send)
            return
        endpoint, scope["path_params"] = found
        await endpoint(scope, receive, send)


async def _as_problem(_: Request, error: Exception) -> Response:
    """Unknown paths and methods, which Starlette itself refuses."""
    assert isinstance(error, HTTPException)
    sentences = {
        404: "There is nothing at this path; /openapi.json lists all paths.",
        405: "This path does not support that method.",
    }
    return Problem(error.status_code, sentences.get(error.status_code, error.detail), error.headers).response()
