"""Reads and parses the body of a request, within limits.

A body whose declared length is too long is refused before it is read, any other as soon as it exceeds the limit.
Compressed bodies are decompressed no further than the limit.
"""

from __future__ import annotations

import asyncio
import json
import zlib
from codecs import BOM_UTF8
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any, NoReturn

from starlette.types import Receive

from tallybayes.serve.problems import LATER, Problem
from tallybayes.serve.settings import Limits

JSON = "application/json"
MAIL = "message/rfc822"
GZIP = 31  # zlib's window bits for the gzip format
DIGITS_LIMIT = "integer string conversion"  # in Python's error for an integer with too many digits
TOO_MANY_DIGITS = "a number has more than 4,300 digits"
CLOSE = {"connection": "close"}  # the rest of the body is not read
WHOLE = "tallybayes.whole"  # in a scope: whether all of the request has arrived, so that reading it never waits


Take = Callable[[int], bool]


class GoneError(Exception):
    """The client disconnected before the request was complete."""


async def read_body(
    headers: Mapping[str, str], receive: Receive, limits: Limits, take: Take, *, whole: bool = False
) -> bytes:
    """The whole body, decompressed. `take` is asked for memory for every part of it. If the `whole` body has arrived,
    no timer is needed, which would take longer than to read it."""
    encoding = headers.get("content-encoding", "identity").strip().lower()
    if encoding not in ("identity", "gzip", "x-gzip"):
        raise Problem(415, f"Content-Encoding: {encoding} is not supported. Send gzip, or no encoding.", CLOSE)
    length = headers.get("content-length")
    if length is not None and length.isdecimal() and int(length) > limits.body:
        _too_long(limits)
    body = await (_arrived if whole else _in_time)(receive, limits, take)
    if len(body) > limits.body:
        _too_long(limits)
    if encoding != "identity":
        body = await asyncio.to_thread(_unpacked, body, limits)  # a few bytes may become many
        _check_room(take(len(body)))
    return body


async def _in_time(receive: Receive, limits: Limits, take: Take) -> bytes:
    try:
        async with asyncio.timeout(limits.seconds):
            return await _arrived(receive, limits, take)
    except TimeoutError:
        raise Problem(408, f"The request did not arrive within {limits.seconds:g} seconds.", CLOSE) from None


async def _arrived(receive: Receive, limits: Limits, take: Take) -> bytes:
    """The bytes sent, up to the first chunk beyond the limit."""
    parts: list[bytes] = []
    size, more = 0, True
    while more and size <= limits.body:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise GoneError
        parts.append(message.get("body", b""))
        _check_room(take(len(parts[-1])))
        size, more = size + len(parts[-1]), message.get("more_body", False)
    return b"".join(parts)


def _check_room(there_is: bool) -> None:
    if not there_is:
        raise Problem(503, "Too much is being sent at once. Try again soon.", CLOSE | LATER)


def _too_long(limits: Limits) -> NoReturn:
    raise Problem(413, f"The body is longer than {limits.body:,} bytes. Send the rows in parts.", CLOSE)


def _unpacked(packed: bytes, limits: Limits) -> bytes:
    unpacking = zlib.decompressobj(GZIP)
    try:
        body = unpacking.decompress(packed, limits.body + 1)
    except zlib.error as error:
        raise Problem(400, f"The body is not gzip: {error}.") from None
    if len(body) > limits.body:
        raise Problem(413, f"The body is longer than {limits.body:,} bytes when decompressed. Send it in parts.")
    if not unpacking.eof or unpacking.unused_data:
        raise Problem(400, "The body is not a single gzip file: it is truncated, or something follows it.")
    return body


def media_type(headers: Mapping[str, str]) -> str:
    """The declared media type of the body; by default JSON."""
    return headers.get("content-type", JSON).split(";")[0].strip().lower()


def parsed(body: bytes) -> dict[str, Any]:
    """The JSON object in a body."""
    try:
        found = DECODER.decode(body.removeprefix(BOM_UTF8).decode())
    except RecursionError:
        raise Problem(400, "The JSON is nested too deeply.") from None
    except UnicodeDecodeError as error:
        raise Problem(400, f"The body is not UTF-8: byte {error.start:,} is invalid.") from None
    except ValueError as error:
        why = TOO_MANY_DIGITS if DIGITS_LIMIT in str(error) else error
        raise Problem(400, f"The body is not JSON: {why}.") from None
    if type(found) is not dict:
        raise Problem(400, f'The body is {kind_of(found)}; send a JSON object, as in {{"row": {{…}}}}.')
    return found


def _no_number(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a number in JSON; write null for a missing value")


def _members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object without duplicate members, of which different parsers may use the first or the last."""
    found = dict(pairs)
    if len(found) < len(pairs):
        times = Counter(name for name, _ in pairs)
        raise ValueError(f"the member {times.most_common(1)[0][0][:40]!r} occurs twice")
    return found


# Made once, since that takes longer than parsing a short body.
DECODER = json.JSONDecoder(parse_constant=_no_number, object_pairs_hook=_members)


def kind_of(value: Any) -> str:
    """The JSON type of a value.

    >>> kind_of([1]), kind_of(None)
    ('an array', 'null')
    """
    if value is None:
        return "null"
    names = {bool: "a boolean", int: "a number", float: "a number", str: "a string", list: "an array"}
    return names.get(type(value), "an object")
