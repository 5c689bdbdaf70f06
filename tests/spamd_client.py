"""A spamd in a thread, and a raw client."""

import asyncio
import random
import socket
import threading
from contextlib import contextmanager, suppress

from tallybayes.serve.spamd import SpamdSettings, serve_spamd


def free_port():
    """A port for a process, below those that the system assigns: no other test's connection gets it meanwhile."""
    while True:
        with (
            suppress(OSError),
            socket.create_server(("127.0.0.1", random.SystemRandom().randrange(10_000, 32_768))) as listening,
        ):
            return listening.getsockname()[1]


@contextmanager
def running(stores, loop=asyncio.new_event_loop, **settings):
    """Its port, while it runs on such an event loop."""
    loop, found, started, stop = loop(), [], threading.Event(), asyncio.Event()

    async def serve():
        async with serve_spamd(stores, "127.0.0.1", 0, SpamdSettings(**settings)) as (_, port):
            found.append(port)
            started.set()
            await stop.wait()

    thread = threading.Thread(target=loop.run_until_complete, args=(serve(),))
    thread.start()
    assert started.wait(120)
    try:
        yield found[0]
    finally:
        loop.call_soon_threadsafe(stop.set)
        thread.join()
        loop.close()


def say(port, *parts, end=True):
    """The response to these bytes, to its end."""
    with socket.create_connection(("127.0.0.1", port), timeout=120) as connection:
        for part in parts:
            connection.sendall(part)
        if end:
            connection.shutdown(socket.SHUT_WR)
        return heard(connection)


def heard(connection):
    parts = []
    while part := connection.recv(1 << 16):
        parts.append(part)
    return b"".join(parts)
