"""A disk that hangs: what waits for it is bounded, and what is beyond the bound is refused."""

import gc
import threading
import weakref
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import contextmanager

import httpx
import pytest

from service import asked, problem, spam_service
from tallybayes.serve.problems import Problem
from tallybayes.serve.settings import Limits, Settings
from tallybayes.serve.threads import Threads
from tallybayes.store import waiting
from tallybayes.store.changes import EACH


@contextmanager
def hanging(store):
    held, go = threading.Event(), threading.Event()
    store._writer.hand_over(lambda: (held.set(), go.wait(120)), changes=False)
    assert held.wait(120)
    try:
        yield
    finally:
        go.set()


def post(client, operation, said):
    """As another client."""
    return httpx.post(f"{client.base_url}/v1/models/spam/{operation}", json=said, timeout=120, verify=False)


def learn(client, i):
    return post(client, "learn", {"id": f"x-{i}", "row": {"text": "win"}, "label": "spam"})


def test_changes_beyond_the_bound_are_503_and_can_be_sent_again(tmp_path, monkeypatch):
    patient = Settings(Limits(seconds=120))
    with spam_service(tmp_path, patient) as (client, store), ThreadPoolExecutor(30) as threads:
        monkeypatch.setattr(waiting, "MOST", 10 * EACH)
        monkeypatch.setattr(waiting, "PATIENCE", 0.05)
        with hanging(store):
            sent = [threads.submit(learn, client, i) for i in range(30)]
            while sum(each.done() for each in sent) < 20:
                threading.Event().wait(0.01)
            for path in ("correct", "forget"):
                said = {"id": "m-1", "label": "ham"} if path == "correct" else {"id": "m-1"}
                answer = client.post(f"/v1/models/spam/{path}", json=said)
                assert "bytes are waiting for the disk" in problem(answer, 503)
                assert answer.headers["retry-after"] == "5"
            assert asked(client, "predict", {"row": {"text": "win"}})["version"] == 3
        answers = [each.result() for each in sent]
        refused = [i for i, answer in enumerate(answers) if answer.status_code == 503]
        assert 20 <= len(refused) < 30
        assert {answers[i].headers["retry-after"] for i in refused} == {"5"}
        assert [learn(client, i).json()["already"] for i in range(30)] == [int(i not in refused) for i in range(30)]
        assert len(store.ids()) == len({*store.ids()})


def test_requests_beyond_those_that_may_wait_for_a_thread_are_503(tmp_path):
    settings = Settings(Limits(waiting=3, seconds=120), learners=2)
    rows = {"rows": [{"id": f"{i}", "row": {"text": "win"}, "label": "spam"} for i in range(2)]}
    with spam_service(tmp_path, settings) as (client, store), ThreadPoolExecutor(4) as threads:
        with hanging(store):
            sent = [threads.submit(post, client, "learn", rows) for _ in range(4)]
            first = next(as_completed(sent)).result()
            assert problem(first, 503) == "3 requests are waiting already. Try again later."
            assert first.headers["retry-after"] == "5"
        others = [each.result().json() for each in sent if each.result() is not first]
        assert sorted(facts["learned"] for facts in others) == [0, 0, 2]
        assert asked(client, "learn", rows)["already"] == 2


def test_what_nobody_waits_for_is_freed_while_threads_are_busy():
    threads, go, calls = Threads(1, "test", 2), threading.Event(), []

    class Body:
        def use(self):
            calls.append(self)

    busy, body = threads.start(go.wait), Body()
    waiting, kept = threads.start(body.use), weakref.ref(body)
    with pytest.raises(Problem, match="2 requests are waiting already"):
        threads.start(go.wait)
    waiting.drop()
    del body
    gc.collect()
    assert kept() is None
    go.set()
    assert (busy.done.result(), waiting.done.result(), calls) == (True, None, [])
    assert threads.start(lambda: 17).done.result() == 17
    threads.close()
