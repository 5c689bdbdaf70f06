"""Who visits, and what they may do there.

A browser keeps the token in a cookie that scripts cannot read and that goes with no request of another site. The API
does not look at it: who has only got a browser to send something cannot reach the API in somebody's name.
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

    page: str  # which of them, as the navigation calls it

    @property
    def name(self) -> str | None:
        """The model that this is about, if it is about one that the visitor may see."""
        found = self.scope["path_params"].get("name")
        return found if found in self.service.models and self.may("predict", found) else None

    @property
    def token(self) -> str | None:
        try:
            found = SimpleCookie(self.headers.get("cookie", "")).get(COOKIE)
        except CookieError:
            return None
        return None if found is None else found.value

    def require(self, scope: str | None) -> None:
        """A problem, unless the visitor may do this."""
        if scope is not None:
            self.check(self.token, self.scope["path_params"].get("name"), scope)

    def check(self, token: str | None, model: str | None, scope: str) -> None:
        client = self.scope.get("client")
        if self.service.tokens.required:
            self.service.tokens.check_token(token or None, client[0] if client else "", model, scope)

    def may(self, scope: str, model: str | None = None) -> bool:
        """Whether a visitor who has got this far may do more."""
        name = model or self.scope["path_params"].get("name")
        if not self.service.tokens.allowed(self.token, name):  # without which a question would count as a wrong token
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

    async def form(self) -> Form:
        return form_of(self.headers.get("content-type", ""), await self.body())

    def show(self, template: str, status: int = 200, **facts: Any) -> Response:
        """A page with these facts, and with what all pages have around them."""
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
        """What went wrong, as a page; where a token is wanted, with the form for it."""
        if problem.status in (401, 429):
            back = self.scope["path"] if self.scope["method"] == "GET" else HOME
            about = {"problem": _told(problem), "wrong": not _asks(problem), "back": back}
            response = self.show("token.html", problem.status, **about)
        else:
            response = self.show("problem.html", problem.status, problem=_told(problem))
        response.headers.update(problem.headers)
        return response


def _asks(problem: Problem) -> bool:
    """Whether there was no token at all, and not a wrong one."""
    return problem.detail.startswith("This needs a token")


def _told(problem: Problem) -> str:
    """The API's advice is about headers, which nobody types into a page."""
    return "This service asks for a token." if _asks(problem) else problem.detail


def path_of(model: str, *parts: object) -> str:
    """Where the pages of a model are.

    >>> path_of("a b", "receipts", 17)
    '/models/a%20b/receipts/17'
    """
    return "/".join(["/models", *(quote(str(part), safe="") for part in (model, *parts))])


def moved(path: str) -> RedirectResponse:
    """After a change: what is shown next can be loaded again without doing it again."""
    return RedirectResponse(path, 303)
