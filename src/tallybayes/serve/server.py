"""The process that serves: a socket, uvicorn's loop, and an end within ten seconds of SIGTERM."""

from __future__ import annotations

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

GRACE = 5  # seconds for what is in flight when it ends; what is left is refused, and the stores are closed
BACKLOG = 2048


class Server(uvicorn.Server):
    """Ends normally when it is told to, and says when it can be reached."""

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
            self._captured_signals.clear()  # or else it would end by them


def make_server(app: Starlette, ready: Callable[[], None] = lambda: None) -> Server:
    """A server for an application of `make_app`; `ready` is called when it can be reached."""
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
        timeout_keep_alive=service.limits.idle,  # type: ignore[arg-type] # it may be a fraction
        timeout_graceful_shutdown=GRACE,
        backlog=BACKLOG,
    )
    return Server(config, ready)


def bound_socket(host: str, port: int) -> socket.socket:
    """Where clients will connect; an error that says what is wrong with the address."""
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
    """As many files as the system lets this process have: every connection is one."""
    if sys.platform == "win32":  # where connections are no files
        return
    import resource

    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


def serve(app: Starlette, listening: socket.socket, ready: Callable[[], None]) -> None:
    """Serves until SIGTERM or Ctrl-C; an error, if something that runs beside it could not begin."""
    allow_many_connections()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # they quote what was sent, which no log may have
            make_server(app, ready).run(sockets=[listening])
    except SystemExit:  # so uvicorn ends then, and its log, which we do not keep, would say why
        service: Service = app.state.service
        if service.failed is None:
            raise
        raise service.failed from None
