"""The HTTP service against its peer: predictions per second, and durable learning.

    pip install fastapi  # for the peer, in addition to the extra `serve`
    python bench/serve.py

Both servers run uvicorn with the same parser and event loop, in separate processes, in turn in every round. The peer is
the usual pipeline, CountVectorizer and MultinomialNB of scikit-learn, behind FastAPI, in an `async` endpoint, the
faster kind. Clients keep their connections, and each waits for a response before its next request. Learning is compared
with the same service with one commit, and therefore one sync, per change: the ratio is the gain from group commit. For
scale there are two programs without HTTP and without counting: an SQLite table with one commit per text, and a file
with one fsync each, whose rate also shows the cost of a sync on this disk. If a sync is nearly free, as with a
battery-backed cache, there is nothing to gain. Seed 0.
"""

from __future__ import annotations

import asyncio
import json
import os
import sqlite3
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import uvloop

from timing import row, served

DOCUMENTS, VOCABULARY, LENGTH = 20_000, 50_000, 100
CLIENTS, SECONDS, ROUNDS = (1, 32), 2.0, 3
LEARNED, SYNCED, OFTEN = 2_000, 300, 8  # rounds of learning: how long a sync takes varies more than anything else

OURS = """
import sys
from tallybayes import Store
from tallybayes.serve.app import make_app
from tallybayes.serve.server import bound_socket, serve, url_of
with Store.open(sys.argv[1]) as store, bound_socket("127.0.0.1", 0) as listening:
    serve(make_app({"spam": store}), listening, lambda: print(listening.getsockname()[1], flush=True))
"""

ALONE = f"import tallybayes.store.writer as writer\nwriter.TOGETHER = 1\n{OURS}"  # one commit per change

PEER = """
import pickle, socket, sys
import uvicorn
from fastapi import FastAPI
from pydantic import BaseModel

pipeline = pickle.load(open(sys.argv[1], "rb"))
classes = pipeline.classes_.tolist()
app = FastAPI()

class Row(BaseModel):
    text: str

class Question(BaseModel):
    row: Row

@app.post("/v1/models/spam/predict")
async def predict(question: Question):
    shares = pipeline.predict_proba([question.row.text])[0].tolist()
    best = max(range(len(shares)), key=shares.__getitem__)
    answer = {"class": classes[best], "probability": shares[best], "probabilities": dict(zip(classes, shares))}
    return {"version": 1, "answers": [answer]}

listening = socket.create_server(("127.0.0.1", 0))
print(listening.getsockname()[1], flush=True)
uvicorn.Server(uvicorn.Config(app, log_level="critical", access_log=False)).run(sockets=[listening])
"""


class Client(asyncio.Protocol):
    """A connection that sends the next request as soon as it has a response."""

    def __init__(self, requests: Iterator[bytes], done: asyncio.Future[None]) -> None:
        self.requests, self.done = requests, done
        self.times: list[float] = []
        self.heard = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport: asyncio.Transport = transport  # type: ignore[assignment]
        self.ask()

    def ask(self) -> None:
        request = next(self.requests, None)
        if request is None:
            self.transport.close()
            self.done.set_result(None)
            return
        self.start = time.perf_counter()
        self.transport.write(request)

    def data_received(self, data: bytes) -> None:
        self.heard += data
        head, found, body = self.heard.partition(b"\r\n\r\n")
        if not found or len(body) < int(head.lower().split(b"content-length: ")[1].split(b"\r\n")[0]):
            return
        if not head.startswith(b"HTTP/1.1 200"):
            self.done.set_exception(RuntimeError(self.heard.decode()))
            return
        self.times.append(time.perf_counter() - self.start)
        self.heard = b""
        self.ask()

    def connection_lost(self, error: Exception | None) -> None:
        if not self.done.done():
            self.done.set_exception(error or ConnectionError("The server closed the connection."))


def load(port: int, clients: int, requests: Callable[[], Iterator[bytes]]) -> tuple[float, float]:
    """Requests a second of this many clients, and the 99th percentile of the latency."""

    async def run() -> tuple[float, float]:
        loop = asyncio.get_running_loop()
        dones = [loop.create_future() for _ in range(clients)]
        start = time.perf_counter()
        made = [loop.create_connection(lambda d=done: Client(requests(), d), "127.0.0.1", port) for done in dones]
        protocols = [protocol for _, protocol in await asyncio.gather(*made)]
        await asyncio.gather(*dones)
        took = time.perf_counter() - start
        times = np.concatenate([protocol.times for protocol in protocols])
        return len(times) / took, float(np.quantile(times, 0.99))

    return uvloop.run(run())


def post(operation: str, said: object) -> bytes:
    body = json.dumps(said).encode()
    head = f"POST /v1/models/spam/{operation} HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\n"
    return f"{head}content-length: {len(body)}\r\n\r\n".encode() + body


def texts(rng: np.random.Generator, count: int) -> list[str]:
    """Documents with Zipf-distributed words."""
    words = np.array([f"word{i}" for i in range(VOCABULARY)])
    ranks = np.minimum(rng.zipf(1.2, (count, LENGTH)) - 1, VOCABULARY - 1)
    return [" ".join(line) for line in words[ranks]]


def prepared(folder: Path, documents: list[str], labels: list[str]) -> dict[str, tuple[str, Path]]:
    """Both models on disk."""
    import pickle

    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.naive_bayes import MultinomialNB
    from sklearn.pipeline import make_pipeline

    from tallybayes import Model, Store, Words

    model = Model.train({"text": Words()}, {"text": documents}, labels)
    Store.create(folder / "store", model).close()
    peer = make_pipeline(CountVectorizer(), MultinomialNB()).fit(documents, labels)
    (folder / "peer").write_bytes(pickle.dumps(peer))
    return {"tallybayes": (OURS, folder / "store"), "FastAPI": (PEER, folder / "peer")}


def asking(servers: dict[str, tuple[str, Path]], documents: list[str]) -> None:
    """Requests a second and p99, the best of several rounds."""
    questions = [post("predict", {"row": {"text": text}}) for text in documents[:500]]

    def for_a_while() -> Iterator[bytes]:
        end = time.perf_counter() + SECONDS
        at = 0
        while time.perf_counter() < end:
            yield questions[at % len(questions)]
            at += 1

    found: dict[tuple[str, int], tuple[float, float]] = {}
    for _ in range(ROUNDS):
        for name, server in servers.items():
            with served(*server) as port:
                load(port, 1, lambda: iter(questions[:50]))
                for clients in CLIENTS:
                    rate, slowest = load(port, clients, for_a_while)
                    best = found.get((name, clients), (0.0, 9.0))
                    found[name, clients] = max(rate, best[0]), min(slowest, best[1])
    for clients in CLIENTS:
        ours, peer = found["tallybayes", clients], found["FastAPI", clients]
        told = f"{clients} client{'s' * (clients > 1)}"
        row(f"predict, {told}: requests a second", f"{ours[0]:,.0f}", f"{peer[0]:,.0f}", ours[0] / peer[0], "≥ 3 ×")
        ratio = peer[1] / ours[1]
        row(f"predict, {told}: p99", f"{ours[1] * 1e3:.2f} ms", f"{peer[1] * 1e3:.2f} ms", ratio, "≥ 1 ×")


def learning(path: Path, documents: list[str], folder: Path) -> None:
    """Durable changes a second of 32 clients."""

    def said(client: int, name: str) -> list[bytes]:
        entries = ({"id": f"{name}-{client}-{i}", "label": "spam"} for i in range(LEARNED // 32))
        return [post("learn", {**entry, "row": {"text": documents[i]}}) for i, entry in enumerate(entries)]

    def rate(code: str, name: str) -> float:
        requests = iter([said(client, name) for client in range(32)])  # made before, to leave the CPU to the server
        with served(code, path) as port:
            load(port, 1, lambda: iter([post("predict", {"row": {"text": "word1"}})]))
            return load(port, 32, lambda: iter(next(requests)))[0]

    rates: dict[str, list[float]] = {}
    for round_ in range(OFTEN):
        for name, work in {
            "": lambda r=round_: rate(OURS, f"shared-{r}"),
            "one commit each (same service)": lambda r=round_: rate(ALONE, f"alone-{r}"),
            "SQLite, one commit each": lambda r=round_: commits(documents, folder / f"committed-{r}"),
            "a file, one fsync each": lambda r=round_: one_by_one(documents, folder / f"synced-{r}"),
        }.items():
            rates.setdefault(name, []).append(work())
    ours = max(rates.pop(""))
    for name, found in rates.items():
        asked = "≥ 5 ×" if "same" in name else ""
        row(f"learn, 32 clients, vs {name}", f"{ours:,.0f}", f"{max(found):,.0f}", ours / max(found), asked)


def commits(documents: list[str], path: Path) -> float:
    """Rows a second of a database with one commit per row."""
    with closing(sqlite3.connect(path, isolation_level=None)) as sql:
        sql.execute("PRAGMA synchronous=FULL")
        sql.execute("CREATE TABLE rows (text TEXT)")
        start = time.perf_counter()
        for text in documents[:SYNCED]:
            sql.execute("INSERT INTO rows VALUES (?)", (text,))
        return SYNCED / (time.perf_counter() - start)


def one_by_one(documents: list[str], path: Path) -> float:
    """Rows a second of a file synced after each row."""
    start = time.perf_counter()
    with path.open("wb", buffering=0) as file:
        for text in documents[:SYNCED]:
            file.write(text.encode())
            os.fsync(file.fileno())
    return SYNCED / (time.perf_counter() - start)


def main() -> None:
    if find_spec("fastapi") is None:
        print("FastAPI, the peer, is not installed, and nothing is measured: pip install fastapi.")
        return
    rng = np.random.default_rng(0)
    documents = texts(rng, DOCUMENTS)
    labels = [("ham", "spam")[i] for i in rng.integers(0, 2, DOCUMENTS)]
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        servers = prepared(folder, documents, labels)
        row("", "tallybayes", "peer", "ratio", "target")
        asking(servers, documents)
        learning(servers["tallybayes"][1], documents, folder)


if __name__ == "__main__":
    main()
