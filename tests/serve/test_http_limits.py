"""Resource limits: endless bodies, slow senders, idle connections, and bytes that are not HTTP."""

import json
import resource
import socket
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from raw_http import connected, head, heard
from service import asked, problem, spam_service
from tallybayes.serve.protocol import LINGER
from tallybayes.serve.settings import Limits, Settings

PATIENT = Settings(Limits(seconds=120, body=1000, head=2000))  # a busy machine may take long
HASTY = Settings(Limits(seconds=0.2, body=1000, head=2000))


@pytest.fixture(scope="module")
def client(tmp_path_factory):
    with spam_service(tmp_path_factory.mktemp("limits"), PATIENT) as (client, _):
        yield client


@pytest.fixture(scope="module")
def hasty(tmp_path_factory):
    """A client of a service that waits for nobody."""
    with spam_service(tmp_path_factory.mktemp("hasty"), HASTY) as (client, _):
        yield client


def test_declared_oversized_body_is_refused_before_reading(client):
    with connected(client, head(content_length=10**12)) as connection:
        assert heard(connection) == (413, "The body is longer than 1,000 bytes. Send the rows in parts.")


def test_endless_body_is_refused_at_the_limit(client):
    with connected(client, head(transfer_encoding="chunked")) as connection:
        chunk = b"100\r\n" + b" " * 256 + b"\r\n"
        for _ in range(5):
            connection.sendall(chunk)
        assert heard(connection) == (413, "The body is longer than 1,000 bytes. Send the rows in parts.")


def test_response_arrives_while_the_client_is_still_sending(client):
    """As with a client that sends 100 MB and reads the response only at the end."""
    with connected(client, head(content_length=10**8)) as connection:
        sent = 0
        try:
            for _ in range(100):
                sent += connection.send(b" " * 1_000_000)
        except OSError:  # the service soon stops reading
            pass
        assert heard(connection)[0] == 413
        assert LINGER < 10


def test_gzip_is_decompressed_up_to_the_limit(client):
    import gzip

    bomb = gzip.compress(b" " * 500_000)
    assert len(bomb) < 1000
    answer = client.post("/v1/models/spam/predict", content=bomb, headers={"content-encoding": "gzip"})
    assert "when decompressed" in problem(answer, 413)


def test_all_bodies_together_are_limited(tmp_path):
    """And what a request has taken is there again for the next one, whatever became of it."""
    import gzip

    def sent(size, **headers):
        body = b'{"row": {"text": "win"}}'.ljust(size)
        return client.post("/v1/models/spam/predict", content=gzip.compress(body) if headers else body, headers=headers)

    with spam_service(tmp_path, Settings(Limits(room=500))) as (client, _):
        for _ in range(3):
            assert "Too much is being sent at once" in problem(sent(501), 503)
            assert "Too much is being sent at once" in problem(sent(501, **{"content-encoding": "gzip"}), 503)
            assert sent(400).status_code == 200
            assert problem(client.post("/v1/models/spam/predict", content=b"x" * 400), 400)


def test_unread_answers_take_no_room_for_bodies(tmp_path):
    many = json.dumps({"rows": [{"text": "win"}] * 100_000}).encode()  # the answer fills every buffer
    late = json.dumps({"id": "late", "row": {"text": "win"}, "label": "spam"}).encode().ljust(len(many))
    sent = head(content_length=len(many)) + many + head("learn", content_length=len(late)) + late
    service = spam_service(tmp_path, Settings(Limits(room=len(many) + 100)))
    with service as (client, _), connected(client, sent):
        while client.get("/v1/models/spam/receipts/late").status_code == 404:
            pass
        body = b'{"row": {"text": "win"}}'.ljust(len(many))
        statuses = [client.post("/v1/models/spam/predict", content=body).status_code for _ in range(20)]
    assert statuses[-1] == 200  # the first may come before the answer about the late row


def test_default_limit_is_ten_megabytes():
    assert Limits() == Limits(body=10_000_000, seconds=10.0)


@pytest.mark.parametrize("sent", [b"{", b""])
def test_slow_body_is_refused(hasty, sent):
    with connected(hasty, head(content_length=500) + sent) as connection:
        assert heard(connection) == (408, "The request did not arrive within 0.2 seconds.")


def test_slow_head_is_refused(hasty):
    with connected(hasty, b"POST /v1/mod") as connection:
        assert heard(connection) == (408, "The head of the request did not arrive within 0.2 seconds.")


def test_slow_head_on_a_reused_connection_is_refused(hasty):
    with connected(hasty, b"GET /healthz/live HTTP/1.1\r\nhost: localhost\r\n\r\n") as connection:
        assert connection.recv(65536).startswith(b"HTTP/1.1 200")
        connection.sendall(b"GET /")
        assert heard(connection)[0] == 408


@pytest.mark.parametrize("line", [b"x-long: " + b"a" * 100 + b"\r\n", b"a" * 100])
def test_endless_head_is_refused(client, line):
    with connected(client, b"GET / HTTP/1.1\r\nhost: localhost\r\n") as connection:
        for _ in range(50):
            try:
                connection.sendall(line)
            except OSError:
                break
        assert heard(connection)[0] in (400, 431)


def test_slow_senders_block_nobody(tmp_path):
    with spam_service(tmp_path) as (client, _), ExitStack() as stack:
        for _ in range(100):
            stack.enter_context(connected(client, head(content_length=100) + b"{"))
            stack.enter_context(connected(client, b"POST /"))
        assert asked(client, "predict", {"row": {"text": "win"}})["version"] == 3
        assert asked(client, "learn", {"row": {"text": "win"}, "label": "spam"})["version"] == 4


def test_idle_connections_are_closed(tmp_path):
    with spam_service(tmp_path, Settings(Limits(idle=0.5))) as (client, _):
        with connected(client) as connection:
            assert connection.recv(1) == b""
        with connected(client, b"GET /healthz/live HTTP/1.1\r\nhost: localhost\r\n\r\n") as connection:
            assert connection.recv(65536).startswith(b"HTTP/1.1 200")
            assert connection.recv(1) == b""


@pytest.mark.parametrize("ending", [b"", b"connection: close\r\n"])
def test_client_that_does_not_read_is_cut_off(tmp_path, ending):
    """Responses to a client that does not read stay in memory, whatever its Connection header says."""
    request = b"GET /openapi.json HTTP/1.1\r\nhost: localhost\r\n"
    many = (request + b"\r\n") * 1000 + request + ending + b"\r\n"
    with spam_service(tmp_path, Settings(Limits(idle=0.5))) as (client, _), connected(client) as connection:
        service = client.server.server_state
        with suppress(ConnectionError):
            connection.sendall(many)
        while not service.total_requests or service.connections:
            threading.Event().wait(0.01)
        got = 0
        with suppress(ConnectionError):
            while data := connection.recv(1 << 20):
                got += len(data)
        assert got < 1000 * len(client.get("/openapi.json").content)


@pytest.mark.slow
def test_thousand_idle_connections_block_nobody(tmp_path):
    least, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(8192, most), most))
    try:
        with spam_service(tmp_path) as (client, _), ExitStack() as stack:
            idle = [stack.enter_context(connected(client)) for _ in range(1000)]
            assert asked(client, "predict", {"row": {"text": "win"}})["version"] == 3
            idle[500].sendall(b"GET /healthz/live HTTP/1.1\r\nhost: localhost\r\n\r\n")
            assert idle[500].recv(65536).startswith(b"HTTP/1.1 200")
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (least, most))


def test_queries_do_not_wait_for_learners(tmp_path):
    """The writer is blocked as if by a slow disk; queries are answered meanwhile."""
    patient = Settings(Limits(seconds=120))
    with spam_service(tmp_path, patient) as (client, store), ThreadPoolExecutor(100) as threads:
        held, go = threading.Event(), threading.Event()
        store._writer.hand_over(lambda: (held.set(), go.wait(120)), changes=False)
        assert held.wait(120)

        def learn(i):
            with httpx.Client(base_url=client.base_url, timeout=120, verify=False) as other:
                return asked(other, "learn", {"id": f"x-{i}", "row": {"text": "win"}, "label": "spam"})

        def look(_):
            return httpx.get(f"{client.base_url}/v1/models", verify=False, timeout=120).json()["models"][0]["rows"]

        learning = [threads.submit(learn, i) for i in range(80)]
        looking = [threads.submit(look, i) for i in range(10)]
        for text in ["win", "win " * 10_000] * 10:
            assert asked(client, "predict", {"row": {"text": text}})["version"] == 3
        assert asked(client, "explain", {"row": {"text": "win"}})["version"] == 3
        assert not any(each.done() for each in learning + looking)
        go.set()
        assert sorted(each.result()["version"] for each in learning) == list(range(4, 84))
        assert all(3 <= each.result() <= 83 for each in looking)
        assert asked(client, "predict", {"row": {"text": "win"}})["version"] == 83


def test_timed_out_change_is_refused_and_may_be_retried(tmp_path):
    with spam_service(tmp_path, HASTY) as (client, store):
        held, go = threading.Event(), threading.Event()
        store._writer.hand_over(lambda: (held.set(), go.wait(120)), changes=False)
        assert held.wait(120)
        entry = {"id": "x", "row": {"text": "win"}, "label": "spam"}
        answer = client.post("/v1/models/spam/learn", json=entry)
        assert problem(answer, 503) == (
            "This was not done within 0.2 seconds. The change may still be made: send it again, with the same id."
        )
        assert answer.headers["retry-after"] == "0"
        go.set()
        while (answer := client.post("/v1/models/spam/learn", json=entry)).status_code in (408, 503):
            pass  # a busy machine may take longer
        assert answer.json() == {"version": 4, "learned": 0, "already": 1}


@given(data=st.binary(min_size=1, max_size=200).filter(lambda data: data.strip(b"\r\n")))  # empty lines are skipped
def test_non_http_is_refused(hasty, data):
    with connected(hasty, data + b"\r\n\r\n") as connection:
        status, said = heard(connection)
        assert status in (400, 408, 413, 421, 431)
        assert "Traceback" not in said


MALFORMED = [
    b"GET / HTTP/9.9\r\n\r\n",
    b"GET  / HTTP/1.1\r\n\r\n",
    b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",  # TLS
    b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    b"GET / HTTP/1.1\r\nhost localhost\r\n\r\n",
    b"POST / HTTP/1.1\r\nhost: localhost\r\ncontent-length: -1\r\n\r\n",
    b"POST / HTTP/1.1\r\nhost: localhost\r\ncontent-length: 3\r\ncontent-length: 4\r\n\r\nabcd",
    b"POST / HTTP/1.1\r\nhost: localhost\r\ntransfer-encoding: chunked\r\ncontent-length: 4\r\n\r\nabcd",
    b"POST / HTTP/1.1\r\nhost: localhost\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n",
    b"GET / HTTP/1.1\r\nhost: localhost\r\nx: a\x00b\r\n\r\n",
]


@pytest.mark.parametrize("data", MALFORMED)
def test_malformed_http_is_refused_with_a_problem(client, data):
    with connected(client, data) as connection:
        assert heard(connection)[0] in (400, 404, 405, 421)


def test_disconnecting_client_does_no_harm(client):
    for _ in range(5):
        with connected(client, head(content_length=500) + b"{"):
            pass
        with connected(client, head("learn", content_length=500) + b"{") as connection:
            connection.shutdown(socket.SHUT_WR)
    assert asked(client, "predict", {"row": {"text": "win"}})["answers"]


def test_early_response_closes_the_connection(client):
    """Otherwise a connection pool would reuse one that is closed."""
    early = b"POST /v1/models/none/learn HTTP/1.1\r\nhost: localhost\r\ncontent-length: 10\r\n\r\n"
    with connected(client, early) as connection, connection.makefile("rb") as said:
        lines = [line.strip().lower() for line in iter(said.readline, b"\r\n")]
        assert b" 404 " in lines[0]
        assert b"connection: close" in lines
    assert "connection" not in client.get("/v1/models").headers
