"""Changes that wait for a disk that hangs: their number is bounded, and those beyond the bound are refused."""

import threading
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
