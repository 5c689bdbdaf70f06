"""HTTP/1.1 as uvicorn speaks it, with what it leaves to others: how long the head of a request may be and may take,
problems as JSON also where nothing can be understood, and answers that arrive although the request goes on.
"""

from __future__ import annotations

import asyncio
from http import HTTPStatus
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from tallybayes.serve.problems import MEDIA_TYPE, Problem
from tallybayes.serve.settings import Limits

LINGER = 2.0  # seconds in which a client that still sends may hear why it should not
REFUSED = "This is not a request of HTTP/1.1."


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


class LimitedProtocol(HttpToolsProtocol):
    """One connection."""

    limits: Limits  # by `limited`

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._head = 0  # bytes of the head so far
        self._in_head = False
        self._deaf = False  # what comes is not heard any more
        self._deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(Transport(transport, self))  # type: ignore[arg-type]
        self._wait(self.timeout_keep_alive)

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_waiting()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        if self._deaf:
            return
        was_in_head = self._in_head or self._head == 0
        super().data_received(data)
        if self._in_head and was_in_head:
            self._head += len(data)
            if self._head > self.limits.head:
                self._refuse(431, f"The head of the request is longer than {self.limits.head:,} bytes.")

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self._in_head, self._head = True, 0
        self._wait(self.limits.seconds)

    def on_headers_complete(self) -> None:
        self._in_head = False
        self._stop_waiting()
        super().on_headers_complete()

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
        self._wait(LINGER)
        return True

    def on_response_complete(self) -> None:
        super().on_response_complete()
        if self.cycle.more_body and not self._deaf:
            self.transport.close()

    def _wait(self, seconds: float) -> None:
        self._stop_waiting()
        self._deadline = self.loop.call_later(seconds, self._too_late)

    def _stop_waiting(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

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
