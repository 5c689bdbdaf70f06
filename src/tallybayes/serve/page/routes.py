"""The pages: method, path, the scope that is needed, and the handler."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from starlette.responses import Response
from starlette.routing import BaseRoute, Route
from starlette.types import Receive, Scope, Send

from tallybayes.serve.bodies import GoneError
from tallybayes.serve.guard import OPERATION
from tallybayes.serve.page import answered_tables, entering, happened, knowing, trying
from tallybayes.serve.page.rendering import static_file
from tallybayes.serve.page.visits import Visit
from tallybayes.serve.problems import Problem, unexpected
from tallybayes.serve.service import Service

Handler = Callable[[Visit], Awaitable[Response]]

MODEL = "/models/{name}"
STATIC = {"style.css": "text/css", "script.js": "text/javascript", "icon.svg": "image/svg+xml"}
FOR_EVER = {"cache-control": "public, max-age=31536000, immutable"}  # URLs change with the content

PAGES: tuple[tuple[str, str, str, str | None, Handler], ...] = (
    ("GET", "/", "models", "predict", entering.models),
    ("GET", MODEL, "try", "predict", trying.empty_form),
    ("POST", MODEL, "try", "predict", trying.asked),
    ("POST", f"{MODEL}/teach", "try", "learn", trying.taught),
    ("GET", f"{MODEL}/knows", "knows", "learn", knowing.knows),
    ("GET", f"{MODEL}/changes", "changes", "learn", happened.changes),
    ("POST", f"{MODEL}/forget", "changes", "learn", happened.forget),
    ("POST", f"{MODEL}/correct", "changes", "learn", happened.correct),
    ("GET", f"{MODEL}/receipts/{{number}}", "changes", "learn", happened.receipt),
    ("GET", f"{MODEL}/table", "table", "predict", answered_tables.empty_form),
    ("POST", f"{MODEL}/table", "table", "predict", answered_tables.answered),
    ("GET", "/models{rest:path}", "models", "predict", entering.nothing),
    ("GET", "/token", "token", None, entering.token_form),
    ("POST", "/token", "token", None, entering.entered),
    ("POST", "/leave", "token", None, entering.left),
)


def page_routes(service: Service) -> list[BaseRoute]:
    """The pages of a service, and their style, script and icon."""
    pages = [Route(path, Page(service, *about), methods=[method]) for method, path, *about in PAGES]  # type: ignore[arg-type]
    return [*pages, *(Route(f"/page/{name}", StaticFile(name, kind), methods=["GET"]) for name, kind in STATIC.items())]


class Page:
    """A page as an ASGI application. Errors are pages, too."""

    def __init__(self, service: Service, page: str, needed: str | None, handler: Handler) -> None:
        self.service, self.page, self.needed, self.handler = service, page, needed, handler

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        scope[OPERATION] = "page"
        visit = Visit(self.service, scope, receive, self.page)
        try:
            visit.require(self.needed)
            response = await self.handler(visit)
        except Problem as problem:
            response = visit.refused(problem)
        except GoneError:
            raise
        except Exception as error:
            response = visit.refused(unexpected(error))
        await response(scope, receive, send)


class StaticFile:
    """A public file."""

    def __init__(self, name: str, kind: str) -> None:
        self.name, self.kind = name, kind

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        scope[OPERATION] = "page"
        await Response(static_file(self.name), media_type=self.kind, headers=FOR_EVER)(scope, receive, send)
