"""Clients that learn from a service until it is killed, and the checks afterwards; shared with `bench/kills.py`."""

from __future__ import annotations

import http.client
import json
import threading
import time
from collections import defaultdict

from service import TEXTS, process
from tallybayes import Model, Store, digest

IN_FLIGHT = 50
LONGEST = 0.3  # seconds from the first answer to the kill
PATIENCE = 600  # seconds for the first answer, on a busy machine


class Learners:
    """Clients that learn their own rows until the connection fails, and record what was acknowledged."""

    def __init__(self, url, turn):
        self.url, self.turn = url, turn
        self.said, self.refused = {}, defaultdict(int)
        self.begun = threading.Event()
        self._threads = [threading.Thread(target=self._learn, args=(i,)) for i in range(IN_FLIGHT)]

    def __enter__(self):
        for thread in self._threads:
            thread.start()
        assert self.begun.wait(PATIENCE)
        return self

    def __exit__(self, *_):
        for thread in self._threads:
            thread.join()

    def _learn(self, client):
        connection = http.client.HTTPConnection(self.url.removeprefix("http://"), timeout=PATIENCE)
        for i in range(10**6):
            id = f"{self.turn}-{client}-{i}"
            self.said[id] = False
            entry = {"id": id, "row": {"text": f"w{id.replace('-', 'x')} common"}, "label": "ham"}
            try:
                connection.request("POST", "/v1/models/s/learn", json.dumps(entry))
                answer = connection.getresponse()
                told = json.loads(answer.read())
            except (OSError, http.client.HTTPException):
                connection.close()
                return
            if answer.status != 200:
                self.refused[answer.status] += 1
                connection.close()
                return
            assert told["learned"] == 1
            self.said[id] = True
            self.begun.set()


def check_all_there(path, said):
    """Everything acknowledged is there once, and nothing else."""
    with Store.open(path) as store:
        there = store.ids()
        assert len(set(there)) == len(there)
        assert {id for id, acknowledged in said.items() if acknowledged} <= set(there) <= set(said)
        texts = [f"w{id.replace('-', 'x')} common" for id in there]
        assert store.digest() == digest(Model.train(TEXTS, texts, ["ham"] * len(texts)))
        assert store.verify()


def killed(path, turn, waits, start=process):
    """What was sent to a service until it was killed at a random instant, and whether it was acknowledged."""
    with start(path) as (child, url), Learners(url, turn) as learners:
        time.sleep(waits.uniform(0, LONGEST))
        child.kill()
    return learners.said
