"""A snapshot or a change that fails half-way: nothing of a forgotten row stays, no row is doubled, no base is lost."""

import sqlite3
import threading
import time
from contextlib import contextmanager

import pytest
from preloaded import needs_preloading, run_watched
from queueing import tasks_queued

from tallybayes import Store, Words
from tallybayes.store.errors import StoreError


@pytest.fixture
def store(tmp_path):
    with Store.create(tmp_path / "store", {"t": Words()}) as store:
        store.learn("secretword", "a", id="1")
        store.learn("beta", "b", id="2")
        yield store


def reopened(store):
    store.close()
    with Store.open(store.path) as again:
        assert again.verify().problems == ()
        return again.model().rows_by_class()


def test_a_snapshot_that_the_database_refused_keeps_no_forgotten_row(store, monkeypatch):
    def full(*_):
        raise sqlite3.OperationalError("database or disk is full")

    with monkeypatch.context() as patched:
        patched.setattr(store._journal, "tell", full)
        with pytest.raises(StoreError, match="full"):
            store.snapshot()
    store.forget(id="1")
    assert not [path.name for path in store.path.glob("*") if b"secretword" in path.read_bytes()]
    assert not list(store.path.glob("snapshot-*"))
    assert reopened(store) == {"b": 1.0}


def test_a_snapshot_whose_commit_is_in_doubt_doubles_no_row(store, monkeypatch):
    real = store._journal.transaction

    @contextmanager
    def kept():  # the commit reaches the disk, and its last fsync reports an error
        with real():
            yield
        raise sqlite3.OperationalError("disk I/O error")

    with monkeypatch.context() as patched:
        patched.setattr(store._journal, "transaction", kept)
        with pytest.raises(StoreError, match="I/O"):
            store.snapshot()
    store.correct("1", "b")
    assert reopened(store) == {"b": 2.0}


class FullDisk:
    """A disk without room for a model, for a while."""

    def __init__(self, store, monkeypatch):
        self.attempts, self.is_full, write = 0, True, store._state.folder.write

        def writing(*given):
            self.attempts += 1
            if self.is_full:
                raise OSError(28, "No space left on device")
            return write(*given)

        monkeypatch.setattr(store._state.folder, "write", writing)


def test_a_snapshot_on_a_full_disk_is_not_tried_again_at_once(tmp_path, monkeypatch, caplog):
    with Store.create(tmp_path / "s", {"t": Words()}, snapshot_every=2) as store:
        store.learn_all([("secretword", "a", "1"), ("beta", "b", "2"), ("gamma", "b", "3")])
        store.snapshot()
        monkeypatch.setattr(store._writer, "_next_snapshot", 0.0)
        disk = FullDisk(store, monkeypatch)
        store.forget(id="1")  # which drops the snapshot
        for _ in range(20):
            store.ids()
        store.learn_all([("delta", "a", "4"), ("epsilon", "b", "5")])
        assert store.snapshot_failed
        assert disk.attempts == 1
        assert store._writer._pause() > 30  # seconds until the next one, if nothing happens before
        assert [record.getMessage() for record in caplog.records] == [
            f"{store.path}: a snapshot could not be written: No space left on device."
        ]


def test_a_snapshot_is_written_once_there_is_room_again(tmp_path, monkeypatch, caplog):
    monkeypatch.setattr("tallybayes.store.writer.RETRY", 0.01)
    with Store.create(tmp_path / "s", {"t": Words()}, snapshot_every=2) as store:
        disk = FullDisk(store, monkeypatch)
        store.learn_all([("alpha", "a", "1"), ("beta", "b", "2")])
        while disk.attempts < 3:
            time.sleep(0.01)
        assert store.snapshot_failed
        disk.is_full = False
        while store.snapshot_failed:  # although nothing changes
            time.sleep(0.01)
        assert (store.path / "snapshot-2.tally").exists()
        assert len(caplog.records) == 1
        assert store.verify()


def test_a_change_refused_after_another_made_a_new_base_keeps_the_old_one_until_the_commit(store, monkeypatch):
    started, go, done = threading.Event(), threading.Event(), []
    store._writer.hand_over(lambda: (started.set(), go.wait()), changes=False)
    started.wait()

    def failing(change, *given):
        with pytest.raises((StoreError, LookupError)) as error:
            change(*given)
        done.append(str(error.value))

    calls = [(store.decay, 0.5), (store.forget_all, [(None, None, "1"), (None, None, "nobody")])]
    threads = [threading.Thread(target=failing, args=call) for call in calls]
    queued = tasks_queued(store, monkeypatch)
    for thread in threads:
        thread.start()
        queued.acquire()
    real = store._state.add_waiting

    def fail():
        if store._journal.sql.in_transaction and store._state.base:
            monkeypatch.setattr(store._state, "add_waiting", real)
            assert (store.path / "base-0.tally").exists()
            raise OSError(28, "No space left on device")
        real()

    monkeypatch.setattr(store._state, "add_waiting", fail)
    go.set()
    for thread in threads:
        thread.join()
    assert len(done) == 2
    assert reopened(store) == {"a": 1.0, "b": 1.0}


AFTER_ANY_FAILING_CALL = """
import ctypes, sys
from contextlib import suppress
from pathlib import Path
from tallybayes import Store, Words
from tallybayes.store import StoreError

disk = ctypes.CDLL(None)
disk.disk_fails.argtypes = [ctypes.c_int64, ctypes.c_int64]
disk.disk_failures_left.restype = ctypes.c_int64
calls = 0
with Store.create(sys.argv[1], {"text": Words()}) as store:
    left = 0
    while not left:
        calls += 1
        store.learn("zyxwvut", "ham", id="a")
        disk.disk_fails(calls, 1)
        with suppress(StoreError):
            store.snapshot()
        left = disk.disk_failures_left()
        disk.disk_fails(0, 0)
        store.forget(id="a")
        assert not [path for path in Path(sys.argv[1]).iterdir() if b"zyxwvut" in path.read_bytes()], calls
print(calls)
"""


@pytest.mark.slow
@needs_preloading
def test_row_that_is_forgotten_after_any_failing_call_of_a_snapshot_is_in_no_file(tmp_path):
    assert int(run_watched(AFTER_ANY_FAILING_CALL, tmp_path / "s")) > 10
