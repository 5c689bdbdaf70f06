"""Disk failures: the change is discarded, everything before it is kept, and queries still work."""

import resource
from contextlib import contextmanager, suppress
from datetime import UTC, datetime

import pytest

from tallybayes import Model, Store, Words, digest
from tallybayes.store import NotWrittenError, StoreError

SCHEMA = {"text": Words()}
CHANGES = {
    "learn": lambda store: store.learn("new words", "spam", id="new"),
    "forget": lambda store: store.forget(id="a"),
    "forget by content": lambda store: store.forget("from the start", "ham"),
    "correct": lambda store: store.correct("a", "ham"),
    "expire": lambda store: store.expire(datetime.now(UTC)),
    "decay": lambda store: store.decay(0.5),
    "prove": lambda store: store.learn("new words", "spam", id="new", prove=True),
}


def filled(path):
    store = Store.create(path, Model.train(SCHEMA, ["from the start"], ["ham"]))
    store.learn("win a prize", "spam", id="a")
    store.learn("lunch on monday", "ham", id="b")
    store.snapshot()
    store.learn("after the snapshot", "ham", id="c")
    store.beliefs()
    return store


class Failing:
    """SQLite gives up after this many steps, this many times."""

    def __init__(self, store, steps, times):
        self.left, self.times, self.sql = steps, times, store._journal.sql
        store._ask(lambda: self.sql.set_progress_handler(self, 1))

    def __call__(self):
        self.left -= 1
        if self.left >= 0 or not self.times:
            return False
        self.times -= 1
        return True


@pytest.mark.slow
@pytest.mark.parametrize("times", [1, 10**9])
@pytest.mark.parametrize("change", CHANGES)
def test_failure_at_any_step_leaves_the_store_unchanged(tmp_path, change, times):
    with filled(tmp_path / "expected") as store:
        before = store.digest()
        CHANGES[change](store)
        after = store.digest()
    with filled(tmp_path / "s") as store:
        steps, failed = 0, 0
        while steps < 100_000:
            failing = Failing(store, steps, times)
            try:
                CHANGES[change](store)
            except NotWrittenError:
                failed += 1
            else:
                break
            finally:
                failing.times = 0
            assert store.digest() == before
            assert store.current().number == store.number == 3
            steps += 1 + steps // 6
        assert failed > 5
        assert store.digest() == after
        found = store.verify()
        assert found, found.problems
    with Store.open(tmp_path / "s") as store:
        assert store.digest() == after


@contextmanager
def full_disk(store):
    sql = store._journal.sql
    pages = store._ask(lambda: sql.execute("PRAGMA page_count").fetchone())[0]
    store._ask(lambda: sql.execute(f"PRAGMA max_page_count={pages}"))
    yield
    store._ask(lambda: sql.execute("PRAGMA max_page_count=1000000"))


def test_full_disk_is_reported_and_queries_continue(tmp_path):
    with filled(tmp_path / "s") as store:
        done = 0
        with full_disk(store):
            with suppress(NotWrittenError):
                for done in range(100):
                    store.learn(f"word{done}", "spam", id=f"{done}")
            with pytest.raises(NotWrittenError, match=r"full. It was discarded; try again"):
                store.learn(f"word{done}", "spam", id=f"{done}")
            assert store.beliefs().posterior("win").shape == (1, 2)
            assert store.number == 3 + done
        store.learn(f"word{done}", "spam", id=f"{done}")
        assert store.number == 4 + done
        assert store.verify()


def test_full_disk_refuses_changes_without_loading_the_model_again(tmp_path):
    """Which takes seconds, if the store is large, while mail goes on arriving."""
    large = [" ".join(f"word{row}-{i}" for i in range(500)) for row in range(3)]  # more than any free page can take
    with filled(tmp_path / "s") as store:
        model, before, answer = store._state.model, store.digest(), store.beliefs().posterior("win").tolist()
        with full_disk(store):
            for id, row in enumerate(large):
                with pytest.raises(NotWrittenError, match="full"):
                    store.learn_all([("lunch again", "ham", f"a {id}"), (row, "new class", f"b {id}")])
            assert store._state.model is model
        assert store.digest() == before
        assert store.beliefs().posterior("win").tolist() == answer
        store.learn(large[0], "spam", id="large")
        assert store.verify()


def test_file_size_limit_leaves_the_store_unchanged(tmp_path):
    with filled(tmp_path / "s") as store:
        before, limits = store.digest(), resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (600, limits[1]))
        try:
            for change in ("learn", "decay", "forget"):
                with pytest.raises(NotWrittenError):
                    CHANGES[change](store)
            with pytest.raises(NotWrittenError) as refused:
                store.forget("from the start", "ham")
            assert str(refused.value) == (
                "The change could not be written: File too large. It was discarded; try again."
            )
            with pytest.raises(StoreError, match="The snapshot could not be written"):
                store.snapshot()
            assert store.beliefs().posterior("win").shape == (1, 2)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        assert store.digest() == before
        store.learn("new words", "spam", id="new")
        assert store.verify()
    with Store.open(tmp_path / "s") as store:
        store.forget(id="new")
        assert store.digest() == before


def test_unreadable_snapshot_is_not_used(tmp_path):
    """Such as one that root has written for itself only."""
    with filled(tmp_path / "s") as store:
        expected = store.digest()
    snapshot = tmp_path / "s" / "snapshot-2.tally"
    snapshot.unlink()
    snapshot.symlink_to(snapshot)  # which not even root can read
    with Store.open(tmp_path / "s") as store:
        assert store.digest() == expected
        store.snapshot()
        assert store.verify()
    assert not snapshot.is_symlink()


def test_files_of_a_dead_writer_are_removed_on_open(tmp_path):
    filled(tmp_path / "s").close()
    for name in (".tally-0123456789abcdef", "snapshot-99.tally", "base-98.tally"):
        (tmp_path / "s" / name).write_bytes(b"secret")
    with Store.open(tmp_path / "s") as store:
        assert not any(file.read_bytes() == b"secret" for file in store.path.iterdir())
        assert store.verify()


def test_damaged_snapshot_is_not_used_and_reported_by_verify(tmp_path):
    store = filled(tmp_path / "s")
    expected, expected_without = store.digest(), digest(store.model() - Model.train(SCHEMA, "win a prize", ["spam"]))
    store.close()
    (file,) = (tmp_path / "s").glob("snapshot-*")
    file.write_bytes(file.read_bytes()[:-1] + b"x")
    with Store.open(tmp_path / "s") as store:
        assert store.digest() == expected
        assert store.verify().problems == ("The snapshot is damaged; it was not used.",)
        store.forget(id="a")
        assert not list(store.path.glob("snapshot-*"))  # it may contain forgotten rows
        assert store.verify()
        assert digest(store.model()) == expected_without
