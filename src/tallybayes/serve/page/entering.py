"""The entry page: the list of models, and the form for a token."""

from __future__ import annotations

from starlette.responses import Response

from tallybayes.serve.page.visits import COOKIE, HOME, Visit, moved, path_of
from tallybayes.serve.problems import Problem


async def models(visit: Visit) -> Response:
    """The list of models; if there is only one, its page."""
    seen = visit.seen()
    if len(seen) == 1:
        return moved(path_of(seen[0]))
    briefs = [await visit.service.look(visit.service.models[name].brief) for name in seen]
    return visit.show("models.html", briefs=[(brief, path_of(brief["name"])) for brief in briefs])


async def nothing(_: Visit) -> Response:
    raise Problem(404, "There is nothing at this address.")


async def token_form(visit: Visit) -> Response:
    if not visit.service.tokens.required:
        return moved(HOME)
    return visit.show("token.html", problem="", wrong=False, back=HOME)


async def entered(visit: Visit) -> Response:
    """Stores a valid token in a cookie. Anybody may send this form, so it must be short."""
    fields = (await visit.form(most=visit.service.limits.small)).fields
    token = fields.get("token", "").strip()
    if not visit.service.tokens.required:
        return moved(HOME)
    visit.check(token, None, "predict")
    response = moved(_local(fields.get("back", HOME)))
    secure = visit.site.startswith("https://")
    response.set_cookie(COOKIE, token, path="/", secure=secure, httponly=True, samesite="strict")
    return response


async def left(visit: Visit) -> Response:
    response = moved("/token")
    response.delete_cookie(COOKIE, path="/", httponly=True, samesite="strict")
    return response


def _local(path: str) -> str:
    """The path if it is one of this service, otherwise "/".

    >>> _local("/models/spam"), _local("//elsewhere.example"), _local("https://elsewhere.example")
    ('/models/spam', '/', '/')
    """
    fine = path.startswith("/") and not path.startswith("//") and path.isprintable() and "\\" not in path
    return path if fine else HOME
