"""The connections of a spamd: one request each, within limits of size, time and number."""

from __future__ import annotations

import asyncio
import ipaddress
import logging
from collections.abc import AsyncIterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from typing import Any

from tallybayes.filtering.in_store import StoreFilter
from tallybayes.serve.room import Room
from tallybayes.serve.spamd.commands import respond
from tallybayes.serve.spamd.protocol import (
    IO_ERROR,
    NOT_ALLOWED,
    READ,
    SOFTWARE,
    TIMED_OUT,
    TRY_AGAIN,
    UNAVAILABLE,
    Code,
    Coming,
    RefusedError,
    Request,
    read_request,
    refusal,
)
from tallybayes.serve.spamd.settings import SpamdSettings
from tallybayes.store import NotWrittenError, Store

PONG = b"SPAMD/1.5 0 PONG\r\n"
PROTECTED = ("TELL",)
Address = ipaddress.IPv4Address | ipaddress.IPv6Address
LINGER = 2.0  # seconds for clients that keep sending

log = logging.getLogger("tallybayes.spamd")


class Spamd:
    """Some stores behind one port. The header User selects a store by name; the default is the first."""

    def __init__(self, stores: Store | Mapping[str, Store], settings: SpamdSettings | None = None) -> None:
        self.settings = given = settings or SpamdSettings()
        named = {"": stores} if isinstance(stores, Store) else dict(stores)
        if not named:
            raise ValueError("No store is given: give one, or several by name.")
        self.filters = {
            name: StoreFilter(store, given.names, spam=given.spam_score, ham=given.ham_score)
            for name, store in named.items()
        }
        self.default = next(iter(self.filters))
        self._allowed = [ipaddress.ip_network(network) for network in given.allowed]
        self._tell = given.tell
        self._room = Room(given.room)
        self._threads = ThreadPoolExecutor(given.threads, "tallybayes-spamd")
        self._running: set[asyncio.Task[Any]] = set()
        self._reading: set[asyncio.Task[Any]] = set()  # those that still wait for their client
        self._server: asyncio.Server | None = None

    async def start(self, host: str, port: int) -> tuple[str, int]:
        """Starts to listen, and returns the address and port; for port 0, the one assigned."""
        self._server = await asyncio.start_server(self._serve, host, port, limit=self.settings.line, backlog=1024)
        address = self._server.sockets[0].getsockname()
        return str(address[0]), int(address[1])

    async def stop(self, seconds: float = 5.0) -> None:
        """Accepts no more connections, and waits a limited time for requests being answered, but not for idle
        clients."""
        if self._server is not None:
            self._server.close()
        for task in self._reading:
            task.cancel()
        if self._running:
            _, late = await asyncio.wait(self._running, timeout=seconds)
            for task in late:
                task.cancel()
            await asyncio.gather(*late, return_exceptions=True)
        self._threads.shutdown(wait=False, cancel_futures=True)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._running.add(task)
        coming = Coming(reader, self.settings, self._room)
        try:
            writer.write(await self._answer(coming, writer, task))
            async with asyncio.timeout(self.settings.seconds):
                await writer.drain()
            self._reading.add(task)
            await _linger(reader, writer)
        except (OSError, TimeoutError) as error:
            log.info("A client disconnected: %s", type(error).__name__)
        except asyncio.CancelledError:  # by `stop`; asyncio of Python 3.11 prints a traceback of cancelled tasks
            log.info("A client was not answered: the service is shutting down")
        finally:
            writer.close()
            self._room.give_back(coming.taken)
            self._running.discard(task)
            self._reading.discard(task)

    async def _answer(self, coming: Coming, writer: asyncio.StreamWriter, task: asyncio.Task[Any]) -> bytes:
        peer = _address(writer)
        try:
            if not any(peer in network for network in self._allowed):
                raise RefusedError(NOT_ALLOWED, "This address is not allowed")
            if len(self._running) > self.settings.connections:
                raise RefusedError(TRY_AGAIN, "Too many connections")
            request = await self._request(coming, task)
            if request is None or request.command == "SKIP":
                return b""
            if request.command == "PING":
                return PONG
            if request.command in PROTECTED and not (peer.is_loopback if self._tell is None else self._tell):
                raise RefusedError(UNAVAILABLE, "TELL is not allowed from this address")
            if request.command not in PROTECTED and self._is_quick(request):
                return self._respond(request)
            return await asyncio.get_running_loop().run_in_executor(self._threads, self._respond, request)
        except RefusedError as error:
            log.info("Refused: %s", error.code[1])
            return refusal(error)

    async def _request(self, coming: Coming, task: asyncio.Task[Any]) -> Request | None:
        self._reading.add(task)
        try:
            async with asyncio.timeout(self.settings.seconds):
                return await read_request(coming)
        except TimeoutError:
            late = f"The request did not arrive within {self.settings.seconds:g} seconds"
            raise RefusedError(TIMED_OUT, late) from None
        finally:
            self._reading.discard(task)

    def _is_quick(self, request: Request) -> bool:
        """Whether a thread would cost more than the answer."""
        return len(request.mail) <= self.settings.small and self._filter(request).store.ready

    def _respond(self, request: Request) -> bytes:
        """The answer. An error goes to the client, which then passes the mail on; only its type is logged, since the
        message may quote the mail."""
        try:
            return respond(self._filter(request), request)
        except RefusedError:
            raise
        except Exception as error:
            log.error("%s failed: %s", request.command, type(error).__name__)
            raise RefusedError(_code(error), str(error) or type(error).__name__) from error

    def _filter(self, request: Request) -> StoreFilter:
        user = request.headers.get("user", "")
        return self.filters[user if user in self.filters else self.default]


async def _linger(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Closes the sending side and reads on for a while: closing a socket with unread bytes would discard the
    answer."""
    writer.write_eof()
    async with asyncio.timeout(LINGER):
        while await reader.read(READ):
            pass


def _address(writer: asyncio.StreamWriter) -> Address:
    """The client's address; an IPv4 address may be mapped to IPv6."""
    found = ipaddress.ip_address(str(writer.get_extra_info("peername")[0]).partition("%")[0])
    return getattr(found, "ipv4_mapped", None) or found


def _code(error: Exception) -> Code:
    if isinstance(error, NotWrittenError):
        return IO_ERROR
    return TRY_AGAIN if isinstance(error, (ValueError, MemoryError)) else SOFTWARE


@asynccontextmanager
async def serve_spamd(
    stores: Store | Mapping[str, Store], host: str, port: int, settings: SpamdSettings | None = None
) -> AsyncIterator[tuple[str, int]]:
    """A listening spamd and its address. The stores are closed by their opener afterwards."""
    spamd = Spamd(stores, settings)
    where = await spamd.start(host, port)
    try:
        yield where
    finally:
        await spamd.stop()
