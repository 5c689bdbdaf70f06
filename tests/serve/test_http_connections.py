"""Pipelined requests, and upgrade offers."""

import logging
import socket
import struct

import pytest

from raw_http import all_heard, connected, head, heard
from service import asked, spam_service
from tallybayes.serve.settings import Limits, Settings

ONE = b'{"row": {"text": "win"}}'
LAST = b"GET /healthz/live HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n"


@pytest.fixture(scope="module")
def client(tmp_path_factory):
    with spam_service(tmp_path_factory.mktemp("connections"), Settings(Limits(head=2000))) as (client, _):
        yield client


def question(**headers):
    return head(content_length=len(ONE), **headers) + ONE


def test_pipelined_requests_are_answered_in_order(client):
    with connected(client, question() * 5 + LAST) as connection:
        statuses, said = all_heard(connection)
    assert statuses == [200] * 6
    assert said.count(b'"answers"') == 5
    assert said.endswith(b'{"status": "live"}')


def test_pipelined_request_may_still_be_arriving_when_the_one_before_is_answered(client):
    late = question() + LAST
    with connected(client, question() + late[: len(question()) - 5]) as connection:
        said = connection.recv(1 << 16)
        connection.sendall(late[len(question()) - 5 :])
        statuses, more = all_heard(connection)
    assert (said + more).count(b'"answers"') == 2
    assert statuses[-2:] == [200, 200]


def test_blank_line_does_not_keep_a_connection(tmp_path):
    first = LAST.replace(b"close", b"keep-alive")
    with spam_service(tmp_path, Settings(Limits(idle=0.5))) as (client, _), connected(client, first) as connection:
        said = connection.recv(1 << 16)
        connection.sendall(b"\r\n")
        assert b"live" in said + all_heard(connection)[1]  # which ends when the service closes the connection


def test_request_is_answered_before_a_later_one_is_refused(client):
    """Otherwise the refusal would be taken for its response, although it may have changed something."""
    with connected(client, question() * 2 + b"GARBAGE\r\n\r\n") as connection:
        statuses, said = all_heard(connection)
    assert statuses == [200, 200]
    assert said.count(b'"answers"') == 2


def test_head_limit_holds_however_it_arrives(client):
    with connected(client, head(x_long="a" * 1900)) as connection:
        assert heard(connection)[0] == 400  # for its empty body
    for long in (head(x_long="a" * 2000), b"GET /" + b"a" * 2000 + b" HTTP/1.1\r\nhost: localhost\r\n\r\n"):
        with connected(client, long + LAST) as connection:
            assert heard(connection)[0] == 431
        with connected(client, LAST.replace(b"close", b"keep-alive") + long) as connection:
            assert all_heard(connection)[0] == [200]


@pytest.mark.parametrize("offer", ["h2c", "websocket", "TLS/1.0"])
def test_upgrade_offer_is_ignored(client, offer):
    """As `curl --http2` sends it, with the request body after it."""
    offered = question(upgrade=offer, connection="Upgrade, HTTP2-Settings", http2_settings="AAMAAABk")
    with connected(client, offered + question() + LAST) as connection:
        statuses, said = all_heard(connection)
    assert statuses == [200, 200, 200]
    assert said.count(b'"answers"') == 2
    pieces = [offered[i : i + 7] for i in range(0, len(offered), 7)]
    with connected(client) as connection:
        for piece in [*pieces, LAST]:
            connection.sendall(piece)
        assert all_heard(connection)[0] == [200, 200]


def test_connect_is_refused(client):
    with connected(client, b"CONNECT localhost:80 HTTP/1.1\r\nhost: localhost\r\n\r\n" + ONE) as connection:
        assert heard(connection)[0] in (400, 404, 405)


def test_client_that_leaves_before_all_responses_is_no_error(client, caplog):
    with caplog.at_level(logging.INFO):
        for _ in range(20):
            with connected(client, question() * 50) as connection:
                connection.recv(100)
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))  # reset, not closed
        assert asked(client, "predict", {"row": {"text": "win"}})["answers"]
    assert not [record for record in caplog.records if record.levelno >= logging.WARNING]
