"""One connection of a spamd: a request, its answer, and the wait for the client to close."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from functools import lru_cache
from typing import TYPE_CHECKING

from tallybayes.serve.addresses import ip_of
from tallybayes.serve.spamd.protocol import TIMED_OUT, Coming, RefusedError, Request, read_request, refusal

if TYPE_CHECKING:
    from tallybayes.serve.spamd.server import Spamd

LINGER = 2.0  # seconds for clients that keep sending

log = logging.getLogger("tallybayes.spamd")
peer_of = lru_cache(maxsize=1024)(ip_of)


class Connection(asyncio.Protocol):
    """A client. It has no task and no stream, which would take as long as reading the mail: most mails arrive at once
    and are answered at once."""

    transport: asyncio.Transport

    def __init__(self, spamd: Spamd) -> None:
        self._spamd, self._coming = spamd, Coming(spamd.settings, spamd.room)
        self._reading = read_request(self._coming)
        self._loop = asyncio.get_running_loop()
        self._timer: asyncio.TimerHandle | None = None
        self._read = False  # whether the request is complete, or refused
        self._working = False  # whether a thread computes the answer
        self._lost = False
        self.busy = False  # whether it is being answered

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        self.transport = transport
        self._spamd.connections.add(self)
        peer = transport.get_extra_info("peername")
        found = None if peer is None else peer_of(str(peer[0]))
        if found is None:  # the client has gone already
            self._read = True
            transport.abort()
            return
        self.peer = found
        self._within(self._spamd.settings.seconds, self._too_late)
        try:
            self._spamd.admit(self.peer)
        except RefusedError as error:
            self._refuse(error)

    def data_received(self, data: bytes) -> None:
        if not self._read:
            self._coming.feed(data)
            self._read_on()

    def eof_received(self) -> bool:
        self._coming.end()
        if not self._read:
            self._read_on()
        elif not self.busy:
            self.transport.close()
        return True  # our side stays open

    def connection_lost(self, error: Exception | None) -> None:
        if error is not None:
            log.info("A client disconnected: %s", type(error).__name__)
        self._lost = True
        self._clear()
        self._reading.close()
        if not self._working:
            self._end()

    def resume_writing(self) -> None:
        """All of the answer is sent. A transport cannot be closed while it is writing."""
        self._loop.call_soon(self._linger)

    def stop(self) -> None:
        """Closes the connection, unless a request is being answered."""
        if not self.busy:
            self.transport.close()

    def _read_on(self) -> None:
        try:
            self._reading.send(None)
        except StopIteration as complete:
            self._answer(complete.value)
        except RefusedError as error:
            self._refuse(error)

    def _answer(self, request: Request | None) -> None:
        self._read = self.busy = True
        self._clear()
        try:
            found = self._spamd.answer(request, self.peer)
        except RefusedError as error:
            self._refuse(error)
            return
        if isinstance(found, bytes):
            self._send(found)
        else:
            self._working = True
            found.add_done_callback(self._answered)

    def _answered(self, done: asyncio.Future[bytes]) -> None:
        """The thread is done. The memory of the request was in use until now, even if the client has gone."""
        self._working = False
        try:
            self._send(done.result())
        except RefusedError as error:
            self._refuse(error)
        except asyncio.CancelledError:  # the threads have ended
            self.transport.abort()
        except Exception as error:
            log.error("No answer: %s", type(error).__name__)
            self.transport.abort()
        if self._lost:
            self._end()

    def _refuse(self, error: RefusedError) -> None:
        log.info("Refused: %s", error.code[1])
        self._read = True
        self._send(refusal(error))

    def _send(self, answer: bytes) -> None:
        self.busy = True
        if self.transport.is_closing():
            return
        self.transport.write(answer)
        if not self.transport.get_write_buffer_size():
            self._linger()
            return
        self._within(self._spamd.settings.seconds, self.transport.abort)
        self.transport.set_write_buffer_limits(0)  # `resume_writing` is called when nothing is left

    def _linger(self) -> None:
        """Closes the sending side, and reads on for a while: closing a socket with unread bytes would discard the
        answer."""
        self.busy = False
        if self.transport.is_closing():
            return
        self._clear()
        self._give_back()
        if self._coming.ended:
            self.transport.close()
            return
        try:
            self.transport.write_eof()
        except OSError:  # the client has gone
            self.transport.abort()
        else:
            self._within(LINGER, self.transport.close)

    def _too_late(self) -> None:
        seconds = self._spamd.settings.seconds
        self._refuse(RefusedError(TIMED_OUT, f"The request did not arrive within {seconds:g} seconds"))

    def _within(self, seconds: float, late: Callable[[], None]) -> None:
        self._clear()
        self._timer = self._loop.call_later(seconds, late)

    def _clear(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _end(self) -> None:
        self._give_back()
        self._spamd.leaves(self)

    def _give_back(self) -> None:
        self._spamd.room.give_back(self._coming.taken)
        self._coming.taken = 0
