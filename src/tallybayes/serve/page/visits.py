"""Requests for pages, and what their visitors may do.

The browser keeps the token in a cookie that scripts cannot read and that is not sent with requests from other sites.
The API ignores the cookie, so a forged request from a browser cannot use it.
"""

from __future__ import annotations

from dataclasses import dataclass
from http.cookies import CookieError, SimpleCookie
from typing import Any
from urllib.parse import quote

from starlette.responses import HTMLResponse, RedirectResponse, Response

from tallybayes.serve.calls import Incoming
from tallybayes.serve.page.forms import Form, fields_of, form_of
from tallybayes.serve.page.rendering import render
from tallybayes.serve.problems import Problem

COOKIE = "tallybayes-token"
HOME = "/"


@dataclass
class Visit(Incoming):
    """One request for a page."""

    page: str  # its name in the navigation

    @property
    def name(self) -> str | None:
        """The model of the page, if the visitor may see it."""
        found = self.scope["path_params"].get("name")
        return found if found in self.service.models and self.may("predict", found) else None

    @property
    def token(self) -> str | None:
        try:
            found = SimpleCookie(self.headers.get("cookie", "")).get(COOKIE)
        except CookieError:
            return None
        return None if found is None else found.value

    @property
    def site(self) -> str:
        """The service's own address. Behind a proxy with TLS, only the browser knows that it is https, and says so when
        it sends a form."""
        return self.headers.get("origin") or f"{self.scope.get('scheme', 'http')}://{self.headers.get('host', '')}"

    def require(self, scope: str | None) -> None:
        """Raises a problem unless the visitor has this scope."""
        if scope is not None:
            self.check(self.token, self.scope["path_params"].get("name"), scope)

    def check(self, token: str | None, model: str | None, scope: str) -> None:
        client = self.scope.get("client")
        if self.service.tokens.required:
            self.service.tokens.check_token(token or None, client[0] if client else "", model, scope)

    def may(self, scope: str, model: str | None = None) -> bool:
        """Whether the visitor has this scope as well."""
        name = model or self.scope["path_params"].get("name")
        if not self.service.tokens.allowed(self.token, name):  # or `check` would count a failed attempt
            return False
        try:
            self.check(self.token, name, scope)
        except Problem:
            return False
        return True

    def seen(self) -> list[str]:
        """The models that the visitor may see."""
        return [name for name in self.service.models if self.service.tokens.allowed(self.token, name)]

    def query(self) -> dict[str, str]:
        return fields_of(self.scope["query_string"])

    async def form(self, most: int | None = None) -> Form:
        """The form sent; a long one is read in a thread, since decoding megabytes takes a second."""
        kind, body = self.headers.get("content-type", ""), await self.body(most)
        if len(body) <= self.service.limits.small:
            return form_of(kind, body)
        return await self.service.ask(form_of, kind, body)

    def show(self, template: str, status: int = 200, **facts: Any) -> Response:
        """A page with these facts, and those that all pages share."""
        name = self.name
        around = {
            "page": self.page,
            "name": name,
            "models": [(each, path_of(each)) for each in self.seen()],
            "here": None if name is None else path_of(name),
            "may_learn": name is not None and self.may("learn"),
            "has_token": self.service.tokens.required and self.token is not None and bool(self.seen()),
        }
        return HTMLResponse(render(template, **around, **facts), status)

    def refused(self, problem: Problem) -> Response:
        """A problem as a page; if a token is needed, with the form for it."""
        if problem.status in (401, 429):
            back = self.scope["path"] if self.scope["method"] == "GET" else HOME
            about = {"problem": _sentence(problem), "wrong": not _asks(problem), "back": back}
            response = self.show("token.html", problem.status, **about)
        else:
            response = self.show("problem.html", problem.status, problem=_sentence(problem))
        response.headers.update(problem.headers)
        return response


def _asks(problem: Problem) -> bool:
    """Whether the token was missing, not wrong."""
    return problem.detail.startswith("This needs a token")


def _sentence(problem: Problem) -> str:
    """The detail of a problem, without the API's advice about headers."""
    return "This service needs a token." if _asks(problem) else problem.detail


def path_of(model: str, *parts: object) -> str:
    """The path of a model's page.

    >>> path_of("a b", "receipts", 17)
    '/models/a%20b/receipts/17'
    """
    return "/".join(["/models", *(quote(str(part), safe="") for part in (model, *parts))])


def moved(path: str) -> RedirectResponse:
    """A redirect after a change, so that reloading does not repeat it."""
    return RedirectResponse(path, 303)
