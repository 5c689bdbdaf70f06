"""Errors as problem JSON (RFC 9457), with the library's own messages and never a traceback."""

from __future__ import annotations

import json
import logging
import traceback
from collections.abc import Mapping
from http import HTTPStatus
from types import TracebackType

from starlette.responses import Response

from tallybayes.store import DifferentContentError, NotWrittenError, StoreError, TooManyWaitError, UnknownRowError

MEDIA_TYPE = "application/problem+json"
LONGEST = 2_000  # characters of a message, which may quote what was sent
REFUSED = (ValueError, TypeError, LookupError, ArithmeticError, NotImplementedError, RecursionError)

LATER = {"retry-after": "5"}  # seconds, if there is too much to do

log = logging.getLogger("tallybayes.serve")


class Problem(Exception):  # noqa: N818
    """An error response: a status and a message."""

    def __init__(self, status: int, detail: str, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(detail)
        self.status, self.detail, self.headers = status, detail, dict(headers or {})

    def response(self) -> Response:
        about = {"type": "about:blank", "title": HTTPStatus(self.status).phrase, "status": self.status}
        content = json.dumps({**about, "detail": self.detail})
        return Response(content, self.status, self.headers, MEDIA_TYPE)


class Asking:
    """A context that turns errors of the library into problems for the client. Any other exception is a bug."""

    def __enter__(self) -> None:
        pass

    def __exit__(self, _: type[BaseException] | None, error: BaseException | None, __: TracebackType | None) -> None:
        if isinstance(error, REFUSED):
            raise problem_of(error) from None
        if isinstance(error, MemoryError):
            raise Problem(413, "There is not enough memory for this. Send less at once.") from None


asking = Asking()


def problem_of(error: Exception) -> Problem:
    """The problem for an error of the library."""
    later = LATER if isinstance(error, TooManyWaitError) else None
    return Problem(_status(error), _sentence(error), later)


def _status(error: Exception) -> int:
    if isinstance(error, UnknownRowError):
        return 404
    if isinstance(error, DifferentContentError):
        return 409
    if isinstance(error, NotWrittenError):
        return 507
    return 503 if isinstance(error, StoreError) else 400


def _sentence(error: Exception) -> str:
    if isinstance(error, RecursionError):
        return "The request is nested too deeply."
    if isinstance(error, UnicodeEncodeError):
        return f"{error.object[error.start]!r} is a lone surrogate. Send valid Unicode text."
    if isinstance(error, KeyError) and error.args:
        return str(error.args[0])
    whole = " ".join([str(error) or type(error).__name__, *getattr(error, "__notes__", ())])
    return whole if len(whole) <= LONGEST else f"{whole[:LONGEST]} …"


def unexpected(error: BaseException) -> Problem:
    """A bug. Only its type and place are logged, since error messages may quote what was sent."""
    steps = traceback.extract_tb(error.__traceback__)
    place = f"{steps[-1].filename}:{steps[-1].lineno}" if steps else "nowhere"
    log.error("%s at %s", type(error).__name__, place)
    return Problem(500, f"Internal error: {type(error).__name__}. The log says where.")
