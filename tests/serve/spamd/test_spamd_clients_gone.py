"""Clients that go away, and answers that nobody reads: sockets and memory come back, and nothing is printed."""

import asyncio
import logging
import os
import socket
import struct
import threading
import time

import pytest
import uvloop

from letters import spam
from spamd_client import heard, running, say
from tallybayes.serve.spamd.server import Spamd

LOOPS = pytest.mark.parametrize("loop", [asyncio.new_event_loop, uvloop.new_event_loop], ids=["asyncio", "uvloop"])
RESET = struct.pack("ii", 1, 0)
LARGE = 3_000_000


def large(command):
    mail = spam(1) + b"word " * (LARGE // 5)
    return f"{command} SPAMC/1.5\r\nContent-length: {len(mail)}\r\n\r\n".encode() + mail


def reset(connection):
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
    connection.close()


def eventually(true):
    until = time.monotonic() + 300
    while not true() and time.monotonic() < until:
        time.sleep(0.01)
    assert true()


def is_refused(port):
    return b"EX_TEMPFAIL" in say(port, large("CHECK"))


@LOOPS
def test_resets_leave_no_socket_and_no_trace(store, loop, caplog):
    with running(store, loop=loop) as port:
        before = len(os.listdir("/proc/self/fd"))
        for _ in range(300):
            reset(socket.create_connection(("127.0.0.1", port)))
        assert say(port, b"PING SPAMC/1.5\r\n\r\n") == b"SPAMD/1.5 0 PONG\r\n"
        eventually(lambda: len(os.listdir("/proc/self/fd")) <= before)
    assert not [each for each in caplog.records if each.levelno >= logging.ERROR]


@LOOPS
def test_large_answers_of_clients_that_close_their_side(store, loop, caplog):
    with running(store, loop=loop) as port:
        assert len(say(port, large("PROCESS"))) > LARGE
    assert not [each for each in caplog.records if each.levelno >= logging.ERROR]


@LOOPS
def test_mail_of_a_lost_client_takes_room_while_it_is_read(store, loop, monkeypatch):
    entered, go_on = threading.Event(), threading.Event()
    respond = Spamd._respond

    def held(self, request):
        entered.set()
        assert go_on.wait(300)
        return respond(self, request)

    monkeypatch.setattr(Spamd, "_respond", held)
    with running(store, loop=loop, room=5_000_000, connections=1) as port:
        connection = socket.create_connection(("127.0.0.1", port))
        connection.sendall(large("CHECK"))
        assert entered.wait(300)
        reset(connection)
        assert is_refused(port)
        go_on.set()
        eventually(lambda: not is_refused(port))


@LOOPS
def test_answers_that_nobody_reads_take_room(store, loop):
    with running(store, loop=loop, room=5_000_000) as port, socket.socket() as connection:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        connection.connect(("127.0.0.1", port))
        connection.sendall(large("PROCESS"))
        connection.recv(1)  # the answer has begun
        assert is_refused(port)
        assert len(heard_after(connection)) > LARGE - 100_000
        eventually(lambda: not is_refused(port))


def heard_after(connection):
    connection.shutdown(socket.SHUT_WR)
    return heard(connection)


@LOOPS
def test_failure_that_nobody_foresaw_closes_the_connection(store, loop, monkeypatch, caplog):
    def broken(self, request):
        raise ArithmeticError("words of the mail")

    monkeypatch.setattr(Spamd, "_respond", broken)
    with running(store, loop=loop) as port:
        assert say(port, large("CHECK")) == b""
    assert "words of the mail" not in caplog.text
