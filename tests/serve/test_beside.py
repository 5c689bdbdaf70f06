"""Servers that run in the same event loop and on the same stores as the API."""

import asyncio
import socket
from contextlib import asynccontextmanager

import httpx
import pytest

from service import TEXTS, asked, serving
from tallybayes import Store
from tallybayes.serve.app import make_app


def test_server_of_another_protocol_runs_alongside(tmp_path):
    ports, ended = [], []

    @asynccontextmanager
    async def lines(service):
        """A line protocol; each line is learned."""

        async def answer(reader, writer):
            text = (await reader.readline()).decode()
            model = service.models["s"]
            facts = await service.change(lambda: model.learn([model.labelled({"text": text}, "ham")]))
            writer.write(f"{facts['version']}\n".encode())
            await writer.drain()
            writer.close()

        async with await asyncio.start_server(answer, "127.0.0.1", 0) as server:
            ports.append(server.sockets[0].getsockname()[1])
            yield
        ended.append(service)

    with Store.create(tmp_path / "s", TEXTS) as store:
        with serving({"s": store}, beside=[lines]) as client:
            with socket.create_connection(("127.0.0.1", ports[0])) as connection:
                connection.sendall(b"hello there\n")
                assert connection.recv(10) == b"1\n"
            assert asked(client, "predict", {"row": {"text": "hello"}}, model="s")["version"] == 1
        assert len(ended) == 1
        with pytest.raises(ConnectionRefusedError):
            socket.create_connection(("127.0.0.1", ports[0]))
        assert store.number == 1  # which the service does not close


def test_application_works_without_a_server(tmp_path):
    """Even if not started: the first query then waits for the beliefs."""

    async def ask(app):
        there = httpx.ASGITransport(app)
        async with httpx.AsyncClient(transport=there, base_url="http://localhost", verify=False) as client:
            listed = await client.get("/v1/models")
            answers = [await client.post("/v1/models/s/predict", json={"row": {"text": "hello"}}) for _ in range(2)]
            return listed.json(), [answer.json()["answers"][0]["class"] for answer in answers]

    with Store.create(tmp_path / "s", TEXTS) as store:
        store.learn("hello", "ham", id="m-1")
        app = make_app({"s": store})
        listed, classes = asyncio.run(ask(app))
        assert listed["models"][0]["rows"] == 1
        assert classes == ["ham", "ham"]
        app.state.service.close()
