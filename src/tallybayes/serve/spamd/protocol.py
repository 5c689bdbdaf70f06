"""Requests and answers as bytes: SPAMC/1.2 to 1.5, as SpamAssassin's spamd/PROTOCOL has it.

A request is a line "CHECK SPAMC/1.5", lines "Name: value", an empty line and a mail. An invalid one raises a
`RefusedError`, with a code and a name that spamc knows.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Generator, Mapping
from types import coroutine
from typing import NamedTuple

from tallybayes.serve.room import Room
from tallybayes.serve.spamd.settings import SpamdSettings

COMMANDS = ("PING", "CHECK", "SYMBOLS", "REPORT", "REPORT_IFSPAM", "PROCESS", "HEADERS", "TELL", "SKIP")
WITHOUT_MAIL = ("PING", "SKIP")
REQUEST = re.compile(rb"([A-Z_]{1,20}) SPAMC/(\d{1,2}\.\d{1,2})\s*")
VERSION = "SPAMD/1.1"  # as spamd itself answers, whatever the version of the request
COMPRESSED = "zlib"

OK, SOFTWARE = (0, "EX_OK"), (70, "EX_SOFTWARE")
UNAVAILABLE, IO_ERROR, TRY_AGAIN = (69, "EX_UNAVAILABLE"), (74, "EX_IOERR"), (75, "EX_TEMPFAIL")
PROTOCOL, NOT_ALLOWED = (76, "EX_PROTOCOL"), (77, "EX_NOPERM")
TIMED_OUT, TOO_BIG = (79, "EX_TIMEOUT"), (98, "EX_TOOBIG")
Code = tuple[int, str]


class RefusedError(Exception):
    """A request that is answered with an error."""

    def __init__(self, code: Code, sentence: str) -> None:
        super().__init__(sentence)
        self.code, self.sentence = code, sentence


class Request(NamedTuple):
    """A command, its headers with lower-case names, the mail, and the protocol version."""

    command: str
    headers: Mapping[str, str]
    mail: bytes
    version: tuple[int, ...]


class Coming:
    """The bytes of a request as they arrive, and the memory they have taken. `read_request` waits here for more: no
    event loop, but whoever feeds it goes on with it."""

    def __init__(self, settings: SpamdSettings, room: Room) -> None:
        self.settings, self.room, self.taken = settings, room, 0
        self.ended = False
        self._held = bytearray()

    def feed(self, data: bytes) -> None:
        self._held += data

    def end(self) -> None:
        self.ended = True

    @coroutine
    def _more(self) -> Generator[None]:
        yield

    async def read(self, size: int) -> bytes:
        """Reads all bytes up to a limit."""
        content = bytearray()
        while len(content) < size:
            part = self._held[: size - len(content)]
            del self._held[: len(part)]
            if not self.room.take(len(part)):
                raise RefusedError(TRY_AGAIN, "Too much mail at once")
            self.taken += len(part)
            content += part
            if len(content) < size:
                if self.ended:
                    break
                await self._more()
        return bytes(content)

    async def line(self) -> bytes:
        """Reads a line, or what there is before the end."""
        seen = 0
        while not (end := self._held.find(b"\n", seen) + 1):
            seen = len(self._held)
            if self.ended or seen > self.settings.line:
                break
            await self._more()
        line = bytes(self._held[: end or seen])
        if len(line) > self.settings.line:
            raise RefusedError(PROTOCOL, f"A line of more than {self.settings.line} bytes")
        del self._held[: len(line)]
        return line


async def read_request(coming: Coming) -> Request | None:
    """The next request, within all limits; None if nothing arrives."""
    first = await coming.line()
    if not first:
        return None
    match = REQUEST.fullmatch(first)
    if match is None:
        raise RefusedError(PROTOCOL, f"Bad header line: {_shown(first)}")
    command, version = match[1].decode(), tuple(map(int, match[2].split(b".")))
    if command not in COMMANDS:
        raise RefusedError(PROTOCOL, f"Unknown command {command}; there are {', '.join(COMMANDS)}")
    headers = await _headers(coming)
    if command in WITHOUT_MAIL:
        return Request(command, headers, b"", version)
    mail = await _mail(coming, headers.get("content-length"))
    return Request(command, headers, _unpacked(mail, headers.get("compress"), coming.settings.size), version)


async def _headers(coming: Coming) -> dict[str, str]:
    """The headers. Unknown ones are ignored; of duplicates, the first counts."""
    headers: dict[str, str] = {}
    for _ in range(coming.settings.lines):
        line = await coming.line()
        if not line.strip():
            return headers
        name, colon, value = line.decode("latin-1").partition(":")
        if not colon:
            raise RefusedError(PROTOCOL, f"Bad header line: {_shown(line)}")
        headers.setdefault(name.strip().lower(), value.strip())
    raise RefusedError(PROTOCOL, f"More than {coming.settings.lines} header lines")


async def _mail(coming: Coming, length: str | None) -> bytes:
    """The mail: as many bytes as announced, or all that arrive, up to the limit."""
    most = coming.settings.size
    if length is None:
        return _bounded(await coming.read(most + 1), most)
    if not re.fullmatch(r"\d{1,18}", length, re.ASCII):
        raise RefusedError(PROTOCOL, f"Bad Content-length: {_shown(length.encode())}")
    if int(length) > most:
        raise RefusedError(TOO_BIG, f"A mail of more than {most} bytes")
    mail = await coming.read(int(length))
    if len(mail) < int(length):
        raise RefusedError(PROTOCOL, f"Content-length mismatch: expected {length} bytes, got {len(mail)} bytes")
    return mail


def _bounded(mail: bytes, most: int) -> bytes:
    if len(mail) > most:
        raise RefusedError(TOO_BIG, f"A mail of more than {most} bytes")
    return mail


def _unpacked(mail: bytes, method: str | None, most: int) -> bytes:
    if not method:
        return mail
    if method.lower() != COMPRESSED:
        raise RefusedError(PROTOCOL, f"Unknown compression {_shown(method.encode())}; use {COMPRESSED}")
    unpacking = zlib.decompressobj()
    try:
        found = unpacking.decompress(mail, most + 1)
    except zlib.error:
        raise RefusedError(PROTOCOL, f"The mail is not {COMPRESSED} data") from None
    _bounded(found, most)
    if not unpacking.eof:
        raise RefusedError(PROTOCOL, "The compressed mail is truncated")
    return found


def answer(code: Code, headers: Mapping[str, str] | None = None, body: bytes = b"") -> bytes:
    """An answer in spamd's format: the length comes first, since old clients rely on it."""
    number, name = code
    lines = [f"{VERSION} {number} {name}", f"Content-length: {len(body)}"]
    lines += [f"{key}: {value}" for key, value in (headers or {}).items()]
    return "\r\n".join([*lines, "", ""]).encode("ascii", "replace") + body


def refusal(error: RefusedError) -> bytes:
    """An error, with the reason in its first line."""
    number, name = error.code
    return f"{VERSION} {number} {name} {' '.join(error.sentence.split())}\r\n\r\n".encode("ascii", "replace")


def _shown(line: bytes) -> str:
    """A short, printable excerpt of what a client sent, for answers and logs."""
    return "".join(chr(byte) if 32 <= byte < 127 else "?" for byte in line.strip()[:60])
