"""HTTP as raw bytes, for requests that no HTTP library would send."""

from __future__ import annotations

import json
import socket
from contextlib import contextmanager


@contextmanager
def connected(client, sent=b""):
    """A connection to the service on which something was sent."""
    with socket.socket() as connection:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 16)  # the kernel would buffer tens of megabytes
        connection.settimeout(120)
        connection.connect((client.base_url.host, client.base_url.port))
        connection.sendall(sent)
        yield connection


def heard(connection):
    """The status of the next response, and its problem."""
    with connection.makefile("rb") as said:
        status = int(said.readline().split()[1])
        headers = dict(line.rstrip().split(b": ") for line in iter(said.readline, b"\r\n"))
        assert headers[b"content-type"] == b"application/problem+json"
        return status, json.loads(said.read(int(headers[b"content-length"])))["detail"]


def head(operation="predict", **headers):
    lines = [f"POST /v1/models/spam/{operation} HTTP/1.1", "host: localhost"]
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    return "\r\n".join([*lines, "", ""]).encode()


def all_heard(connection):
    """Every status until the service closes the connection, and the raw bytes."""
    said = b""
    while piece := connection.recv(1 << 16):
        said += piece
    return [int(line[:3]) for line in said.split(b"HTTP/1.1 ")[1:]], said
