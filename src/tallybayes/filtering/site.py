"""A request over HTTP in a few lines: the standard library's client takes longer to load than a service to answer."""

from __future__ import annotations

import re
import socket
from collections.abc import Mapping
from typing import NamedTuple
from urllib.parse import urlsplit

PATIENCE = 10.0  # seconds for an answer
LONGEST = 1 << 20  # bytes of an answer
PORTS = {"http": 80, "https": 443}
HEAD = re.compile(rb"HTTP/1\.[01] ([1-5]\d\d)(?: ([^\r\n]*))?\r\n(?:[^\r\n]+\r\n)*\r\n")


class Answer(NamedTuple):
    status: int
    reason: str
    body: bytes


class Site(NamedTuple):
    """Where a service is."""

    scheme: str
    host: str
    port: int
    name: str  # for the header Host
    path: str

    @classmethod
    def of(cls, url: str) -> Site:
        """The site of a URL; an error if it has none."""
        parts = urlsplit(url)
        name = parts.netloc.rpartition("@")[2]
        if parts.scheme not in PORTS or not parts.hostname:
            raise ValueError(url)
        if not name.isascii():
            return cls.of(f"{parts.scheme}://{name.encode('idna').decode()}{parts.path}")
        return cls(parts.scheme, parts.hostname, parts.port or PORTS[parts.scheme], name, parts.path)

    def ask(self, method: str, path: str, headers: Mapping[str, str], body: bytes = b"") -> Answer:
        """The answer to a request. It is in HTTP/1.0, so that the answer ends with the connection."""
        given = {"Host": self.name, "Content-Length": str(len(body)), **headers}
        lines = [f"{method} {path} HTTP/1.0", *(f"{name}: {value}" for name, value in given.items()), "", ""]
        received = bytearray()
        with self._connected() as connection:
            connection.sendall("\r\n".join(lines).encode("latin-1") + body)
            while len(received) <= LONGEST and (part := connection.recv(1 << 16)):
                received += part
        head = HEAD.match(received)
        if head is None or len(received) > LONGEST:
            raise OSError("its answer is not HTTP, or too long" if received else "it closed the connection")
        return Answer(int(head[1]), (head[2] or b"").decode("latin-1"), bytes(received[head.end() :]))

    def _connected(self) -> socket.socket:
        host = self.host.encode("ascii")  # as text, it would load the tables of international names
        connection = socket.create_connection((host, self.port), PATIENCE)  # type: ignore[arg-type]
        if self.scheme == "http":
            return connection
        import ssl

        return ssl.create_default_context().wrap_socket(connection, server_hostname=self.host)
