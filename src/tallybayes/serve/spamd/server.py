"""A spamd: who is answered, how many at a time, and in which thread."""

from __future__ import annotations

import asyncio
import errno
import ipaddress
import logging
import os
import socket
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, asynccontextmanager, contextmanager, suppress
from functools import partial

from tallybayes.filtering.in_store import StoreFilter
from tallybayes.serve.addresses import Address
from tallybayes.serve.room import Room
from tallybayes.serve.spamd.commands import respond
from tallybayes.serve.spamd.connection import Connection
from tallybayes.serve.spamd.protocol import (
    IO_ERROR,
    NOT_ALLOWED,
    SOFTWARE,
    TRY_AGAIN,
    UNAVAILABLE,
    Code,
    RefusedError,
    Request,
)
from tallybayes.serve.spamd.settings import SpamdSettings
from tallybayes.store import Change, NotWrittenError, Store

Told = Callable[[str, Change], object]  # called with the name of a store and a change that was made to it

PONG = b"SPAMD/1.5 0 PONG\r\n"
PROTECTED = ("TELL",)

log = logging.getLogger("tallybayes.spamd")


class Spamd:
    """Some stores behind one port. The header User selects a store by name; the default is the first."""

    def __init__(
        self, stores: Store | Mapping[str, Store], settings: SpamdSettings | None = None, told: Told | None = None
    ) -> None:
        self.settings = given = settings or SpamdSettings()
        named = {"": stores} if isinstance(stores, Store) else dict(stores)
        if not named:
            raise ValueError("No store is given: give one, or several by name.")
        self.filters = {
            name: StoreFilter(
                store, given.names, spam=given.spam_score, ham=given.ham_score, told=told and partial(told, name)
            )
            for name, store in named.items()
        }
        self.default = next(iter(self.filters))
        self._allowed = [ipaddress.ip_network(network) for network in given.allowed]
        self._tell = given.tell
        self.room = Room(given.room)
        self._threads = ThreadPoolExecutor(given.threads, "tallybayes-spamd")
        self.connections: set[Connection] = set()
        self._left = asyncio.Event()  # whether none are left
        self._servers: list[asyncio.Server] = []

    async def start(self, bound: Sequence[socket.socket]) -> None:
        """Starts to listen on these sockets."""
        loop = asyncio.get_running_loop()
        for each in bound:
            self._servers.append(await loop.create_server(partial(Connection, self), sock=each, backlog=1024))

    async def stop(self, seconds: float = 5.0) -> None:
        """Accepts no more connections, and waits a limited time for requests being answered, but not for idle
        clients."""
        for server in self._servers:
            server.close()
        for connection in [*self.connections]:
            connection.stop()
        if self.connections:
            self._left.clear()
            with suppress(TimeoutError):
                await asyncio.wait_for(self._left.wait(), seconds)
        for connection in [*self.connections]:
            connection.transport.abort()
        self._threads.shutdown(wait=False, cancel_futures=True)

    def leaves(self, connection: Connection) -> None:
        """A connection has ended."""
        self.connections.discard(connection)
        if not self.connections:
            self._left.set()

    def admit(self, peer: Address) -> None:
        """Refuses a client that is not allowed, or one too many."""
        if not any(peer in network for network in self._allowed):
            raise RefusedError(NOT_ALLOWED, "This address is not allowed")
        if len(self.connections) > self.settings.connections:
            raise RefusedError(TRY_AGAIN, "Too many connections")

    def answer(self, request: Request | None, peer: Address) -> bytes | asyncio.Future[bytes]:
        """The answer to a request, or its future if it takes a thread."""
        if request is None or request.command == "SKIP":
            return b""
        if request.command == "PING":
            return PONG
        if request.command in PROTECTED and not (peer.is_loopback if self._tell is None else self._tell):
            raise RefusedError(UNAVAILABLE, "TELL is not allowed from this address")
        if request.command not in PROTECTED and self._is_quick(request):
            return self._respond(request)
        return asyncio.get_running_loop().run_in_executor(self._threads, self._respond, request)

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


def _code(error: Exception) -> Code:
    if isinstance(error, NotWrittenError):
        return IO_ERROR
    return TRY_AGAIN if isinstance(error, (ValueError, MemoryError)) else SOFTWARE


@contextmanager
def bound_sockets(host: str, port: int) -> Iterator[list[socket.socket]]:
    """A socket for each address of a host, as asyncio would make them, for a spamd that starts later."""
    with ExitStack() as stack:
        bound: list[socket.socket] = []
        found = dict.fromkeys(socket.getaddrinfo(host, port, type=socket.SOCK_STREAM))
        for family, *_, address in found:
            try:
                bound.append(stack.enter_context(socket.socket(family)))
            except OSError as error:
                if error.errno != errno.EAFNOSUPPORT:
                    raise
                continue  # `localhost` may have an address of IPv6 although the system has none
            bound[-1].setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            if family == socket.AF_INET6:
                bound[-1].setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, len(found) > 1)  # `[::]` is for IPv4, too
            bound[-1].bind(address)
        if not bound:
            raise OSError(errno.EAFNOSUPPORT, os.strerror(errno.EAFNOSUPPORT))
        yield bound


@asynccontextmanager
async def serve_spamd(
    stores: Store | Mapping[str, Store], host: str, port: int, settings: SpamdSettings | None = None
) -> AsyncIterator[tuple[str, int]]:
    """A listening spamd, and its address and port; for port 0, the one assigned."""
    with bound_sockets(host, port) as bound:
        async with serve_bound(stores, bound, settings):
            address = bound[0].getsockname()
            yield str(address[0]), int(address[1])


@asynccontextmanager
async def serve_bound(
    stores: Store | Mapping[str, Store],
    bound: Sequence[socket.socket],
    settings: SpamdSettings | None = None,
    told: Told | None = None,
) -> AsyncIterator[None]:
    """A spamd that listens on these sockets. The stores are closed by their opener afterwards."""
    spamd = Spamd(stores, settings, told)
    try:
        await spamd.start(bound)
        yield
    finally:
        await spamd.stop()
