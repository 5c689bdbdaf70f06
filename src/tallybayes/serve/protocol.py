"""uvicorn's HTTP/1.1 with additional protection: limits on the size and duration of a request's head, a timeout for
clients that do not read, answers that arrive while a client still sends, protocol upgrades ignored, and problem JSON
even for malformed requests.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from http import HTTPStatus
from typing import Any

from httptools import HttpParserError, HttpParserUpgrade, HttpRequestParser
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle

from tallybayes.serve.bodies import WHOLE
from tallybayes.serve.problems import MEDIA_TYPE, Problem
from tallybayes.serve.settings import Limits

LINGER = 2.0  # seconds for a client that still sends to read the answer
REFUSED = "This is not a request of HTTP/1.1."
TUNNEL = b"CONNECT"


class Deadline:
    """A timer that calls a function unless it is cleared in time."""

    def __init__(self, loop: asyncio.AbstractEventLoop, late: Callable[[], None]) -> None:
        self._loop, self._late = loop, late
        self._timer: asyncio.TimerHandle | None = None

    @property
    def is_set(self) -> bool:
        return self._timer is not None

    def set(self, seconds: float) -> None:
        self.clear()
        self._timer = self._loop.call_later(seconds, self._late)

    def clear(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None


class Transport:
    """A connection that sends the head of an answer together with its body, and is not closed while its client is still
    sending, since that would discard the answer."""

    def __init__(self, below: asyncio.Transport, protocol: LimitedProtocol) -> None:
        self._below, self._protocol = below, protocol
        self._held: list[bytes] = []  # the head of an answer, until its body is written
        self.is_closing = below.is_closing
        self.pause_reading, self.resume_reading = below.pause_reading, below.resume_reading

    def __getattr__(self, name: str) -> Any:
        return getattr(self._below, name)

    def write(self, data: bytes) -> None:
        self._held.append(data)
        if not self._protocol.begins_answer():
            self.flush()

    def flush(self) -> None:
        """Sends what is held. Once the client is gone, it is discarded: pipelined requests may still be answered."""
        held, self._held = self._held, []
        if held and not self._below.is_closing():
            self._below.write(b"".join(held))

    def close(self) -> None:
        self.flush()
        if not self._protocol.lingers():
            self._below.close()
            self._protocol.watch_unsent()


class LimitedProtocol(HttpToolsProtocol):
    """One connection."""

    limits: Limits  # by `limited`

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._in_head = False
        self._head = 0  # bytes of the head so far, without its first chunk
        self._deaf = False  # whether further input is ignored
        self._unsent = 0  # bytes in the write buffer at the last check
        self._answered: RequestResponseCycle | None = None  # the last request whose answer has begun
        self._to_come = Deadline(self.loop, self._too_late)
        self._to_take = Deadline(self.loop, self._still_unsent)

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(Transport(transport, self))  # type: ignore[arg-type]
        self._to_come.set(self.limits.idle)

    def connection_lost(self, exc: Exception | None) -> None:
        self._to_come.clear()
        self._to_take.clear()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        if self._deaf:
            return
        began = self._in_head
        try:
            self.parser.feed_data(data)
        except HttpParserUpgrade as offered:
            self._stay(data[offered.args[0] :])
        except HttpParserError:
            self._refuse(400, REFUSED)
        if self._in_head and not self._deaf:
            self._head_goes_on(len(data) if began else 0)

    def _stay(self, rest: bytes) -> None:
        """Ignores an offered upgrade: parses the same request again without it."""
        method, version = self.parser.get_method(), self.parser.get_http_version().encode()
        if method == TUNNEL:
            return
        lines = [b"%b: %b" % header for header in self.headers if header[0] != b"upgrade"]
        self.parser = HttpRequestParser(self)
        self.data_received(b"\r\n".join([b"%b %b HTTP/%b" % (method, self.url, version), *lines, b"", rest]))

    def _head_goes_on(self, size: int) -> None:
        """Limits a head that is not complete yet; most arrive as a whole."""
        if not self._to_come.is_set:
            self._to_come.set(self.limits.seconds)
        self._head += size
        self._check_head(self._head)

    def _check_head(self, size: int) -> None:
        if size > self.limits.head:
            self._refuse(431, f"The head of the request is longer than {self.limits.head:,} bytes.")

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self._unset_keepalive_if_required()  # not for blank lines, which begin no request
        self._in_head, self._head = True, 0
        self._to_come.clear()

    def on_headers_complete(self) -> None:
        self._in_head = False
        self._to_come.clear()
        self._check_head(len(self.url) + sum(len(name) + len(value) + 4 for name, value in self.headers))
        if not self._deaf and (not self.parser.should_upgrade() or self.parser.get_method() == TUNNEL):
            super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        if not self._deaf:
            super().on_body(body)

    def on_message_complete(self) -> None:
        if not self._deaf and not self.parser.should_upgrade():
            self.cycle.scope[WHOLE] = True  # type: ignore[literal-required]
            super().on_message_complete()

    def begins_answer(self) -> bool:
        """Whether what is written is the head of an answer: it waits for the body, since two packets would cost twice
        as much as one."""
        if self.cycle is None or not self.cycle.response_started or self.cycle is self._answered:
            return False
        self._answered = self.cycle
        return True

    def on_response_complete(self) -> None:
        self.transport.flush()  # type: ignore[attr-defined] # an answer to HEAD has no body
        is_last = not self.pipeline  # else the request that is still arriving is a later one
        super().on_response_complete()
        if is_last and self.cycle.more_body and not self._deaf:
            self.transport.close()

    def lingers(self) -> bool:
        """Whether the client is still sending the request being answered: then only the sending side is closed."""
        if self._deaf or self.cycle is None or not self.cycle.response_complete or not self.cycle.more_body:
            return False
        self._deaf = True
        if self.transport.can_write_eof():
            self.transport.write_eof()
        self.flow.resume_reading()
        self._to_come.set(LINGER)
        return True

    def pause_writing(self) -> None:
        super().pause_writing()
        self.watch_unsent()

    def resume_writing(self) -> None:
        super().resume_writing()
        self._to_take.clear()

    def timeout_keep_alive_handler(self) -> None:
        super().timeout_keep_alive_handler()
        self.watch_unsent()

    def watch_unsent(self) -> None:
        """From now on, the client must keep reading, or the connection is closed."""
        self._unsent = self.transport.get_write_buffer_size()
        if self._unsent:
            self._to_take.set(self.limits.idle)

    def _still_unsent(self) -> None:
        if self.transport.get_write_buffer_size() < self._unsent:
            self.watch_unsent()
        else:
            self.transport.abort()

    def _too_late(self) -> None:
        if self._in_head:
            self._refuse(408, f"The head of the request did not arrive within {self.limits.seconds:g} seconds.")
        else:
            self.transport.close()

    def _refuse(self, status: int, sentence: str) -> None:
        if self.transport.is_closing():
            return
        self._deaf = True
        if self.cycle is not None and not self.cycle.more_body and not self.cycle.response_complete:
            self.cycle.keep_alive = False  # the previous request is still being answered, and is the last
            return
        body = Problem(status, sentence).response().body
        lines = [
            f"HTTP/1.1 {status} {HTTPStatus(status).phrase}",
            f"content-type: {MEDIA_TYPE}",
            f"content-length: {len(body)}",
            "connection: close",
        ]
        self.transport.write("\r\n".join([*lines, "", ""]).encode() + body)
        self.transport.close()


def limited(limits: Limits) -> type[LimitedProtocol]:
    """The protocol with these limits."""
    return type("LimitedProtocol", (LimitedProtocol,), {"limits": limits})
