"""`tallybayes serve` as a process: clean shutdown, and no loss when killed."""

import random
import signal
import socket
import time
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest

from examples import some
from killing import Learners, check_all_there, killed
from service import TEXTS, process
from tallybayes import Bernoulli, Gaussian, Store

pytestmark = pytest.mark.slow

KILLS, ALL_KILLS = 5, 50  # with EXAMPLES=all
SECRET = "zyxwvutsecret"
SOON = 30  # seconds to shut down, on a busy machine: less than any limit on clients


def test_killed_while_fifty_learn_keeps_everything_acknowledged(tmp_path):
    """`bench/kills.py` does this 2,000 times."""
    path, waits, said = tmp_path / "s", random.Random(17), {}
    Store.create(path, TEXTS).close()
    for turn in range(ALL_KILLS if some(100) == 100 else KILLS):
        said |= killed(path, turn, waits)
    check_all_there(path, said)
    assert sum(said.values()) > 0


def test_shutdown_finishes_or_refuses_requests_in_flight(tmp_path):
    path = tmp_path / "s"
    Store.create(path, TEXTS).close()
    with process(path) as (child, url), Learners(url, 0) as learners:
        start = time.monotonic()
        child.send_signal(signal.SIGTERM)
        assert child.wait() == 0
        assert time.monotonic() - start < SOON
    assert set(learners.refused) <= {503}
    check_all_there(path, learners.said)


def test_shutdown_does_not_wait_for_silent_clients(tmp_path):
    path = tmp_path / "s"
    Store.create(path, TEXTS).close()
    with process(path) as (child, url):
        host, port = url.removeprefix("http://").split(":")
        idle = [socket.create_connection((host, int(port))) for _ in range(20)]
        idle[0].sendall(b"POST /v1/models/s/learn HTTP/1.1\r\nhost: localhost\r\ncontent-length: 100\r\n\r\n{")
        idle[1].sendall(b"POST /v1/mod")
        assert httpx.get(f"{url}/healthz/live", timeout=120).status_code == 200
        start = time.monotonic()
        child.send_signal(signal.SIGINT)
        assert child.wait() == 0
        assert time.monotonic() - start < SOON
        for each in idle:
            each.close()
    Store.open(path).close()


def test_forgotten_secret_is_in_no_log_metric_or_file(tmp_path):
    path = tmp_path / "s"
    Store.create(path, TEXTS).close()
    with (
        process(path) as (child, url),
        httpx.Client(base_url=f"{url}/v1/models/s", timeout=120, verify=False) as client,
    ):
        row = {"text": f"my password is {SECRET}"}
        assert client.post("/learn", json={"id": "m-1", "row": row, "label": "ham"}).status_code == 200
        assert client.post("/learn", json={"id": "m-2", "row": {"text": "x"}, "label": "ham"}).status_code == 200
        for said in ({"row": row}, {"row": {SECRET: 1}}, {SECRET: 1}, {"row": {"text": [{SECRET: 1}]}}, [SECRET]):
            for operation in ("predict", "explain", "learn", "forget", "correct", "evaluate"):
                assert client.post(f"/{operation}", json=said).status_code < 500
        client.get(f"/receipts/{SECRET}")
        client.get(f"/{SECRET}")
        httpx.get(f"{url}/v1/models/{SECRET}", timeout=120)
        for header in (SECRET, f"text,{SECRET},{SECRET}"):
            table = f"{header}\n{header}\n"
            client.post("/learn?label=none", content=table, headers={"content-type": "text/csv"})
            client.post("/predict", content=table, headers={"content-type": "text/csv"})
        assert client.post("/forget", json={"id": "m-1"}).json()["forgotten"] == 1
        assert SECRET not in httpx.get(f"{url}/metrics", timeout=120).text
        assert SECRET.encode() not in b"".join(file.read_bytes() for file in path.iterdir())
        child.send_signal(signal.SIGTERM)
        said, logged = child.communicate()
        assert SECRET not in said + logged
    assert SECRET.encode() not in b"".join(file.read_bytes() for file in path.iterdir())


def test_clients_read_their_writes_and_versions_never_decrease(tmp_path):
    path = tmp_path / "s"
    Store.create(path, TEXTS).close()
    with process(path) as (_, url), ThreadPoolExecutor(8) as threads:

        def writes_and_reads(name):
            with httpx.Client(base_url=f"{url}/v1/models/s", timeout=120, verify=False) as client:
                last = 0
                for i in range(10):
                    row = {"text": f"only{name}x{i} " * 50}  # outweighs rows that others may have learned meanwhile
                    entry = {"id": f"{name}-{i}", "row": row, "label": f"class{name}"}
                    written = client.post("/learn", json=entry).json()["version"]
                    answer = client.post("/predict", json={"row": row}).json()
                    assert answer["version"] >= written > last
                    assert answer["answers"][0]["class"] == f"class{name}"
                    last = answer["version"]
            return last

        assert max(threads.map(writes_and_reads, range(8))) == 80
        facts = httpx.get(f"{url}/v1/models/s", timeout=120).json()
        assert (facts["rows"], facts["version"], len(facts["classes"])) == (80, 80, 8)
        assert httpx.get(f"{url}/v1/models", timeout=120).json()["models"][0]["rows"] == 80


def test_cells_that_cannot_be_read_are_refused(tmp_path):
    with Store.create(tmp_path / "people", {"age": Gaussian(), "member": Bernoulli()}) as store:
        for age, member, label in ((20.0, True, "a"), (30.0, False, "b"), (40.0, True, "b")):
            store.learn({"age": age, "member": member}, label)
    with (
        process(tmp_path / "people") as (_, url),
        httpx.Client(base_url=f"{url}/v1/models/people", timeout=120, verify=False) as client,
    ):
        for row, sentence in (
            ({"age": "forty", "member": True}, "Column 'age', row 0: 'forty' is not a number."),
            ({"age": 40.0, "member": "maybe"}, "Column 'member', row 0: 'maybe' is neither true nor false"),
        ):
            for operation, body in (
                ("predict", {"row": row}),
                ("predict", {"rows": [row] * 3}),
                ("explain", {"row": row}),
            ):
                refused = client.post(operation, json=body)
                assert (refused.status_code, refused.json()["detail"][: len(sentence)]) == (400, sentence)
        assert client.post("predict", json={"row": {"age": "40", "member": None}}).status_code == 200
