"""Changes that wait for a disk that hangs: their number is bounded, and those beyond the bound are refused."""

import threading
from contextlib import contextmanager

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


def test_changes_beyond_the_bound_are_refused_and_the_others_are_made(store):
    with hanging_disk(store) as reached:
        first = store.submit("win a prize", "spam", id="first")
        assert reached.wait(120)
        more = [store.submit("win a prize", "spam", id=f"m-{i}") for i in range(50)]
        refused = [future for future in more if future.done()]
        assert 40 < len(refused) < 50
        for future in refused:
            with pytest.raises(TooManyWaitError, match="The disk is too slow: changes of 50,000 bytes are waiting"):
                future.result()
        with pytest.raises(TooManyWaitError, match="not made; try again later"):
            store.correct("first", "ham")
        with pytest.raises(TooManyWaitError) as error:
            store.learn_all([("lunch", "ham", f"n-{i}") for i in range(3)])
        assert error.value.__notes__ == ["Nothing was changed."]
        assert not first.done()
    made = [future.result().id for future in (first, *more) if future not in refused]
    assert store.ids() == made == ["first", *(f"m-{i}" for i in range(len(made) - 1))]
    assert store.verify()


def test_there_is_room_again_once_the_disk_goes_on(store):
    with hanging_disk(store) as reached:
        sent = [store.submit("win", "spam")]
        assert reached.wait(120)
        while not sent[-1].done():
            sent.append(store.submit("win", "spam"))
    assert [future.result().number for future in sent[:-1]] == list(range(1, len(sent)))
    again = [store.submit("win", "spam") for _ in sent[:-1]]
    assert [future.result().number for future in again] == list(range(len(sent), 2 * len(sent) - 1))


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
        sent = [store.submit("win", "spam")]
        assert reached.wait(120)
        while not sent[-1].done():
            sent.append(store.submit("win", "spam"))
        asked = store._writer.hand_over(store._state.journal.last, changes=False)
        assert not asked.done()
    assert asked.result()[0] == len(sent)


def test_closed_store_refuses_prepared_rows(tmp_path):
    with Store.create(tmp_path / "s", SCHEMA) as store:
        task = store.prepare("win", "spam", id="m")
        assert store.number == 0
    store.submit_all([task])
    with pytest.raises(StoreError, match="The store is closed"):
        task.done.result()


def test_prepared_rows_share_a_commit(tmp_path):
    with Store.create(tmp_path / "s", SCHEMA) as store:
        said = []
        store._journal.sql.set_trace_callback(said.append)
        tasks = [store.prepare("win", "spam", id=f"m-{i}") for i in range(20)]
        store.submit_all(tasks)
        assert [task.done.result().number for task in tasks] == list(range(1, 21))
        assert said.count("COMMIT") == 1
