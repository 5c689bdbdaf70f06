"""A real service for tests: uvicorn on a free local port, in a thread or a separate process."""

from __future__ import annotations

import re
import subprocess
import sys
import threading
from contextlib import contextmanager

import httpx

from tallybayes import Store, Words
from tallybayes.serve.app import make_app
from tallybayes.serve.server import bound_socket, make_server, url_of

TEXTS = {"text": Words()}
ROWS = [("m-1", "win a prize", "spam"), ("m-2", "lunch on monday", "ham"), ("m-3", "a prize for lunch", "ham")]


@contextmanager
def serving(stores, settings=None, **more):
    """A client of a service running in a thread."""
    app, listening, ready = make_app(stores, settings, **more), bound_socket("127.0.0.1", 0), threading.Event()
    server = make_server(app, ready.set)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
    thread.start()
    assert ready.wait(120)
    try:
        with httpx.Client(base_url=url_of(listening), timeout=120, verify=False) as client:
            client.app = app
            client.server = server
            yield client
    finally:
        server.should_exit = True
        thread.join()


@contextmanager
def spam_service(folder, settings=None, schema=None, rows=ROWS):
    """The same for a small text model; yields the store too."""
    with Store.create(folder / "spam", schema or TEXTS) as store:
        for id, text, label in rows:
            store.learn(text, label, id=id)
        with serving({"spam": store}, settings) as client:
            yield client, store


@contextmanager
def process(*arguments):
    """`tallybayes serve` as a process, and the URL it prints."""
    command = [sys.executable, "-m", "tallybayes", "serve", *map(str, arguments), "--port", "0"]
    child = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        line = child.stdout.readline()
        assert " at http://" in line, (line, child.stderr.read())
        yield child, line.split()[-1]
    finally:
        child.kill()
        child.communicate()


def asked(client, operation, said=None, model="spam", **more):
    """The response to a POST, which must succeed."""
    answer = client.post(f"/v1/models/{model}/{operation}", json=said, **more)
    assert answer.status_code == 200, answer.text
    return answer.json()


def problem(answer, status):
    """The message of a problem response."""
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    said = answer.json()
    assert said["status"] == status
    assert said["type"] == "about:blank"
    assert "Traceback" not in said["detail"]
    return said["detail"]


def said(answer, status):
    """The error message on a page."""
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    return re.search(r'role="alert"[^>]*>(.*?)</p>', answer.text, re.S)[1]
