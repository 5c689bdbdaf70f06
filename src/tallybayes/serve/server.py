"""The server process: a socket, uvicorn's loop, and shutdown within ten seconds of SIGTERM."""

from __future__ import annotations

import gc
import ipaddress
import socket
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager

import uvicorn
from starlette.applications import Starlette

from tallybayes.serve.protocol import limited
from tallybayes.serve.service import Service

GRACE = 5  # seconds for requests in flight at shutdown; then the rest is refused and the stores are closed
BACKLOG = 2048
SELDOM = 10_000  # objects made and not freed between two garbage collections


class Server(uvicorn.Server):
    """A server that exits normally on signals and reports when it is ready."""

    def __init__(self, config: uvicorn.Config, ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._ready = ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self._ready()

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        with super().capture_signals():
            yield
            self._captured_signals.clear()  # otherwise uvicorn would raise them again


def make_server(app: Starlette, ready: Callable[[], None] = lambda: None) -> Server:
    """A server for an application from `make_app`; `ready` is called when it accepts connections."""
    service: Service = app.state.service
    config = uvicorn.Config(
        app,
        http=limited(service.limits),
        ws="none",
        lifespan="on",
        log_config=None,
        log_level="critical",  # uvicorn's own messages quote what was sent
        access_log=False,
        server_header=False,
        proxy_headers=False,  # anybody can write these
        timeout_keep_alive=service.limits.idle,  # type: ignore[arg-type] # it may be a fraction
        timeout_graceful_shutdown=GRACE,
        backlog=BACKLOG,
    )
    return Server(config, ready)


def bound_socket(host: str, port: int) -> socket.socket:
    """A listening socket; an error if the address cannot be used."""
    with ExitStack() as stack:
        try:
            family, kind, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
            found = stack.enter_context(socket.socket(family, kind))
            found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            found.bind(address)
        except (OSError, UnicodeError) as error:
            why = getattr(error, "strerror", None) or error
            raise ValueError(
                f"{host}, port {port}: {why}. Give another --host or --port; port 0 picks a free one."
            ) from None
        stack.pop_all()
        return found


def is_loopback(listening: socket.socket) -> bool:
    return ipaddress.ip_address(listening.getsockname()[0]).is_loopback


def url_of(listening: socket.socket) -> str:
    host, port = listening.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def allow_many_connections() -> None:
    """Raises the limit of open files to the maximum: every connection is one."""
    if sys.platform == "win32":  # where sockets are not files
        return
    import resource

    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


def _settled(ready: Callable[[], None]) -> None:
    """Takes all that is loaded so far, which stays, out of garbage collection, and lets it run less often: it took 5 %
    of the time, and nearly everything in a request is freed without it."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(SELDOM, 10, 10)
    ready()


def serve(app: Starlette, listening: socket.socket, ready: Callable[[], None]) -> None:
    """Serves until SIGTERM or Ctrl-C; an error if something that runs beside it could not start."""
    allow_many_connections()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # they may quote what was sent, which must not be logged
            make_server(app, lambda: _settled(ready)).run(sockets=[listening])
    except SystemExit:  # uvicorn's reaction to a failed start; its log is off
        service: Service = app.state.service
        if service.failed is None:
            raise
        raise service.failed from None
