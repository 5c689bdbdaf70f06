"""Runs a spamd beside a web server, in the same loop and on the same stores."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import ExitStack, asynccontextmanager, contextmanager
from dataclasses import replace

from tallybayes.serve.service import Beside, Service
from tallybayes.serve.spamd.server import bound_sockets, serve_bound
from tallybayes.serve.spamd.settings import SpamdSettings

PLACE = re.compile(r"(?:\[([0-9a-fA-F:.]+)\]|([^:\[\]]+)):(\d{1,5})", re.ASCII)


@contextmanager
def spamd_at(place: str, networks: Sequence[str] = (), tell: bool = False) -> Iterator[Beside]:
    """A spamd to run beside an application; the address is taken now. The protocol has no tokens, so if tokens are
    required, clients may not teach spam and ham unless that is allowed explicitly."""
    host, port = address_of(place)
    usual = SpamdSettings()
    allowed = (*usual.allowed, *(_network(network) for network in networks))

    @asynccontextmanager
    async def running(service: Service) -> AsyncIterator[None]:
        stores = {name: model.store for name, model in service.models.items()}
        may_tell = True if tell else False if service.tokens.required else None
        with _named(place):
            settings = replace(usual, allowed=allowed, tell=may_tell)
            async with serve_bound(stores, bound, settings, service.metrics.made):
                yield

    with ExitStack() as stack:
        with _named(place):
            bound = stack.enter_context(bound_sockets(host, port))
        yield running


@contextmanager
def _named(place: str) -> Iterator[None]:
    """Errors of the system with the option at fault."""
    try:
        yield
    except (OSError, UnicodeError) as error:
        why = getattr(error, "strerror", None) or error
        raise ValueError(f"--spamd {place}: {why}. Give another address or port.") from None


def address_of(place: str) -> tuple[str, int]:
    """
    >>> address_of("127.0.0.1:7830"), address_of("[::1]:783")
    (('127.0.0.1', 7830), ('::1', 783))
    """
    found = PLACE.fullmatch(place)
    if found is None or int(found[3]) > 65535:
        raise ValueError(f"--spamd {place}: give an address and a port, like 127.0.0.1:7830 or [::1]:7830.")
    return found[1] or found[2], int(found[3])


def _network(text: str) -> str:
    try:
        return str(ipaddress.ip_network(text))
    except ValueError as error:
        raise ValueError(f"--spamd-allow {text}: {error}. Give a network such as 192.0.2.0/24.") from None
