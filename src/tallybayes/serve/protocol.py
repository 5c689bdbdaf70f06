"""HTTP/1.1 as uvicorn speaks it, with what it leaves to others: how long the head of a request may be and may take,
clients that do not take their answers, answers that arrive although the request goes on, and problems as JSON also
where nothing can be understood.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from http import HTTPStatus
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from tallybayes.serve.problems import MEDIA_TYPE, Problem
from tallybayes.serve.settings import Limits

LINGER = 2.0  # seconds in which a client that still sends may hear why it should not
REFUSED = "This is not a request of HTTP/1.1."


class Deadline:
    """Something that happens if nothing else does in time."""

    def __init__(self, loop: asyncio.AbstractEventLoop, late: Callable[[], None]) -> None:
        self._loop, self._late = loop, late
        self._timer: asyncio.TimerHandle | None = None

    def set(self, seconds: float) -> None:
        self.clear()
        self._timer = self._loop.call_later(seconds, self._late)

    def clear(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None


class Transport:
    """A connection that is not cut while its client is still sending: it would lose the answer."""

    def __init__(self, below: asyncio.Transport, protocol: LimitedProtocol) -> None:
        self._below, self._protocol = below, protocol
        self.write, self.is_closing = below.write, below.is_closing
        self.pause_reading, self.resume_reading = below.pause_reading, below.resume_reading

    def __getattr__(self, name: str) -> Any:
        return getattr(self._below, name)

    def close(self) -> None:
        if not self._protocol.lingers():
            self._below.close()
            self._protocol.watch_unsent()


class LimitedProtocol(HttpToolsProtocol):
    """One connection."""

    limits: Limits  # by `limited`

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._in_head = False
        self._head = 0  # bytes of the head so far, without its first piece
        self._deaf = False  # what comes is not heard any more
        self._unsent = 0  # bytes that the client had not taken when it was last looked at
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
        super().data_received(data)
        if began and self._in_head:
            self._head += len(data)
            if self._head > self.limits.head:
                self._refuse(431, f"The head of the request is longer than {self.limits.head:,} bytes.")

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self._in_head, self._head = True, 0
        self._to_come.set(self.limits.seconds)

    def on_headers_complete(self) -> None:
        self._in_head = False
        self._to_come.clear()
        super().on_headers_complete()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        if self.cycle.more_body and not self._deaf:
            self.transport.close()

    def send_400_response(self, msg: str) -> None:
        self._refuse(400, REFUSED)

    def lingers(self) -> bool:
        """Whether there is more to come of the request that is answered: then only the answer's side is closed."""
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
        """From here on the client must take some of what it is still to get, or the connection is cut."""
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
        body = Problem(status, sentence).response().body
        lines = [
            f"HTTP/1.1 {status} {HTTPStatus(status).phrase}",
            f"content-type: {MEDIA_TYPE}",
            f"content-length: {len(body)}",
            "connection: close",
        ]
        self._deaf = True
        self.transport.write("\r\n".join([*lines, "", ""]).encode() + body)
        self.transport.close()


def limited(limits: Limits) -> type[LimitedProtocol]:
    """The protocol with these limits."""
    return type("LimitedProtocol", (LimitedProtocol,), {"limits": limits})
