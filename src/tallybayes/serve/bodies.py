"""From the bytes of a request to what it says, and the limits that hold for any bytes.

A body that says it is too long is refused before it is read, one that does not say so as soon as it is. What is
compressed is unpacked no further than the limit.
"""

from __future__ import annotations

import asyncio
import json
import zlib
from codecs import BOM_UTF8
from collections.abc import Mapping
from typing import Any, NoReturn

from starlette.types import Receive

from tallybayes.serve.problems import Problem
from tallybayes.serve.settings import Limits

JSON = "application/json"
GZIP = 31  # zlib's number for gzip's own header
DIGITS_LIMIT = "integer string conversion"  # what Python says of a number of so many digits that reading it takes long
TOO_MANY_DIGITS = "a number has more than 4,300 digits"
CLOSE = {"connection": "close"}  # what is left of the body is not read


class GoneError(Exception):
    """The client went away before it had said all."""


async def read_body(headers: Mapping[str, str], receive: Receive, limits: Limits) -> bytes:
    """All bytes of the body, unpacked."""
    encoding = headers.get("content-encoding", "identity").strip().lower()
    if encoding not in ("identity", "gzip", "x-gzip"):
        raise Problem(415, f"Content-Encoding: {encoding} is not supported. Send gzip, or no encoding.", CLOSE)
    told = headers.get("content-length")
    if told is not None and told.isdecimal() and int(told) > limits.body:
        _too_long(limits)
    message = await receive()
    body = message.get("body", b"")
    if message.get("more_body"):
        try:
            async with asyncio.timeout(limits.seconds):
                body = await _rest(body, receive, limits)
        except TimeoutError:
            raise Problem(408, f"The request did not arrive within {limits.seconds:g} seconds.", CLOSE) from None
    elif message["type"] == "http.disconnect":
        raise GoneError
    if len(body) > limits.body:
        _too_long(limits)
    return body if encoding == "identity" else _unpacked(body, limits)


async def _rest(first: bytes, receive: Receive, limits: Limits) -> bytes:
    """What was sent, or as much of it as is too long already."""
    parts, size, more = [first], len(first), True
    while more and size <= limits.body:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise GoneError
        parts.append(message.get("body", b""))
        size, more = size + len(parts[-1]), message.get("more_body", False)
    return b"".join(parts)


def _too_long(limits: Limits) -> NoReturn:
    raise Problem(413, f"The body is longer than {limits.body:,} bytes. Send the rows in parts.", CLOSE)


def _unpacked(packed: bytes, limits: Limits) -> bytes:
    unpacking = zlib.decompressobj(GZIP)
    try:
        body = unpacking.decompress(packed, limits.body + 1)
    except zlib.error as error:
        raise Problem(400, f"The body is not gzip: {error}.") from None
    if len(body) > limits.body:
        raise Problem(413, f"The body is longer than {limits.body:,} bytes when it is unpacked. Send it in parts.")
    if not unpacking.eof or unpacking.unused_data:
        raise Problem(400, "The body is not one whole gzip file: it is cut short, or something follows it.")
    return body


def media_type(headers: Mapping[str, str]) -> str:
    """What the body is said to be; JSON where nothing is said."""
    return headers.get("content-type", JSON).split(";")[0].strip().lower()


def parsed(body: bytes) -> dict[str, Any]:
    """The object that a body is."""
    try:
        found = DECODER.decode(body.removeprefix(BOM_UTF8).decode())
    except RecursionError:
        raise Problem(400, "The JSON is nested too deeply.") from None
    except UnicodeDecodeError as error:
        raise Problem(400, f"The body is not UTF-8: byte {error.start:,} is no part of a character.") from None
    except ValueError as error:
        why = TOO_MANY_DIGITS if DIGITS_LIMIT in str(error) else error
        raise Problem(400, f"The body is not JSON: {why}.") from None
    if type(found) is not dict:
        raise Problem(400, f'The body is {kind_of(found)}; send a JSON object, as in {{"row": {{…}}}}.')
    return found


def _no_number(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a number in JSON; write null for a missing value")


def _members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object. Of two members of one name the last would count here, and perhaps the first for who looked before."""
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"the member {twice[:40]!r} is there twice")
    return found


# Made once: that takes longer than a short body.
DECODER = json.JSONDecoder(parse_constant=_no_number, object_pairs_hook=_members)


def kind_of(value: Any) -> str:
    """What JSON calls it.

    >>> kind_of([1]), kind_of(None)
    ('an array', 'null')
    """
    if value is None:
        return "null"
    names = {bool: "a boolean", int: "a number", float: "a number", str: "a string", list: "an array"}
    return names.get(type(value), "an object")
