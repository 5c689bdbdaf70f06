"""Changes that wait for a disk that hangs: their number is bounded, and those beyond the bound are refused."""

import threading
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager, suppress

import pytest

from tallybayes import Store, Words
from tallybayes.store import StoreError, TooManyWaitError, waiting
from tallybayes.store.changes import EACH

SCHEMA = {"text": Words()}
FEW = 10 * EACH  # bytes: room for a few short rows


@pytest.fixture
def store(tmp_path, monkeypatch):
    monkeypatch.setattr(waiting, "MOST", FEW)
    monkeypatch.setattr(waiting, "PATIENCE", 0.05)
    with Store.create(tmp_path / "s", SCHEMA) as store:
        yield store


@contextmanager
def hanging_disk(store):
    """Every commit waits until the block ends."""
    reached, go = threading.Event(), threading.Event()

    def wait(statement):
        if statement == "COMMIT":
            reached.set()
            go.wait(120)

    store._journal.sql.set_trace_callback(wait)  # and it stays: SQLite may be in it
    try:
        yield reached
    finally:
        go.set()


def submitted(store):
    """Rows, until one is refused."""
    sent = []
    with suppress(TooManyWaitError):
        while True:
            sent.append(store.submit("win a prize", "spam", id=f"m-{len(sent)}"))
    return sent


def until_waiting(store, callers):
    """Until so many callers wait for room."""
    while len(store._writer._tasks._room._waiters) < callers:
        threading.Event().wait(0.01)


def test_changes_beyond_the_bound_are_refused_and_the_others_are_made(store):
    with hanging_disk(store) as reached:
        first = store.submit("win a prize", "spam", id="first")
        assert reached.wait(120)
        more = submitted(store)
        assert 5 < len(more) < 10
        with pytest.raises(TooManyWaitError, match=r"bytes are waiting for the disk; .* over the 50,000 that may wait"):
            store.correct("first", "ham")
        with pytest.raises(TooManyWaitError) as error:
            store.learn_all([("lunch", "ham", f"n-{i}") for i in range(3)])
        assert error.value.__notes__ == ["Nothing was changed."]
        assert not first.done()
    made = [future.result().id for future in (first, *more)]
    assert store.ids() == made == ["first", *(f"m-{i}" for i in range(len(more)))]
    assert store.verify()


def test_there_is_room_again_once_the_disk_goes_on(store):
    with hanging_disk(store) as reached:
        first = store.submit("win", "spam")
        assert reached.wait(120)
        more = submitted(store)
    assert [future.result().number for future in (first, *more)] == list(range(1, len(more) + 2))
    again = [store.submit("win a prize", "ham", id=f"again-{i}") for i in range(len(more))]
    assert [future.result().number for future in again] == list(range(len(more) + 2, 2 * len(more) + 2))


def test_callers_wait_for_room_while_commits_go_on(store, monkeypatch):
    monkeypatch.setattr(waiting, "PATIENCE", 120)
    with ThreadPoolExecutor(9) as threads:
        with hanging_disk(store) as reached:
            first = store.submit("win", "spam")
            assert reached.wait(120)
            more = submitted(store)
            rows = [[("lunch", "ham", f"{part}-{i}") for i in range(30)] for part in range(8)]
            parts = [threads.submit(store.learn_all, part) for part in rows]
            alone = threads.submit(store.learn, "lunch", "ham", id="alone")
            until_waiting(store, 9)
            assert store._writer._tasks._size <= FEW
        made = [change for each in parts for change in each.result()]
    assert [future.result().number for future in (first, *more)] == list(range(1, len(more) + 2))
    after = range(len(more) + 2, len(more) + 2 + 8 * 30 + 1)
    assert sorted(change.number for change in (alone.result(), *made)) == list(after)
    assert store.verify()


def test_large_batch_waits_only_for_the_changes_before_it(store, monkeypatch):
    monkeypatch.setattr(waiting, "PATIENCE", 120)
    commits, reached = threading.Semaphore(0), threading.Semaphore(0)

    def wait(statement):
        if statement == "COMMIT":
            reached.release()
            commits.acquire(timeout=120)

    store._journal.sql.set_trace_callback(wait)
    with ThreadPoolExecutor(1) as threads:
        before = [store.submit("win", "spam", id="a")]
        assert reached.acquire(timeout=120)
        before.append(store.submit("win", "spam", id="b"))
        batch = threads.submit(store.learn_all, [("lunch", "ham", f"{i}") for i in range(30)])
        until_waiting(store, 1)
        after = [store.submit("win", "spam", id="c")]
        commits.release()  # of a
        assert reached.acquire(timeout=120)
        after.append(store.submit("win", "spam", id="d"))
        until_waiting(store, 1)
        commits.release()  # of b and c, but d is there
        while store._writer._tasks._size < 30 * EACH:
            threading.Event().wait(0.01)
        commits.release(100)
        assert [change.number for change in batch.result()] == list(range(5, 35))
    assert [future.result().number for future in (*before, *after)] == [1, 2, 3, 4]


def test_closing_ends_the_wait_for_room(store, monkeypatch):
    monkeypatch.setattr(waiting, "PATIENCE", 120)
    with ThreadPoolExecutor(2) as threads, hanging_disk(store) as reached:
        first = store.submit("win", "spam")
        assert reached.wait(120)
        more = submitted(store)
        late = threads.submit(store.learn_all, [("lunch", "ham", f"n-{i}") for i in range(30)])
        until_waiting(store, 1)
        threads.submit(store.close)
        with pytest.raises(StoreError, match="The store is closed"):
            late.result()
    assert [future.result().number for future in (first, *more)] == list(range(1, len(more) + 2))


def test_failed_changes_leave_room(store):
    for i in range(30):
        with pytest.raises(StoreError, match="never learned"):
            store.correct(f"unknown-{i}", "spam")
    store.learn("win", "spam", id="m")


def test_single_change_may_be_larger_than_the_bound(store):
    rows = [("win", "spam", f"m-{i}") for i in range(50)]
    assert [change.number for change in store.learn_all(rows)] == list(range(1, 51))


def test_questions_are_not_refused(store):
    store.learn("win", "spam", id="m")
    with hanging_disk(store) as reached:
        first = store.submit("win", "spam")
        assert reached.wait(120)
        more = submitted(store)
        asked = store._writer.hand_over(store._state.journal.last, changes=False)
        assert not asked.done()
    assert (first.result().number, asked.result()[0]) == (2, len(more) + 2)


def test_submitted_changes_cannot_be_cancelled(store):
    with hanging_disk(store) as reached:
        first = store.submit("win", "spam", id="first")
        assert reached.wait(120)
        more = [store.submit("win a prize", "spam", id=f"m-{i}") for i in range(4)]
        assert not more[1].cancel()
    assert [future.result().id for future in (first, *more)] == ["first", "m-0", "m-1", "m-2", "m-3"]
    assert store._writer._tasks._size == 0


def test_store_that_two_threads_close_makes_pending_changes_first(store):
    with ThreadPoolExecutor(2) as pool, hanging_disk(store) as reached:
        learned = store.submit("win a prize", "spam", id="m")
        assert reached.wait(120)
        closed = [pool.submit(store.close) for _ in range(2)]
        assert not wait(closed, timeout=0.1).done
    assert learned.result().number == 1
    assert [each.result() for each in closed] == [None, None]
