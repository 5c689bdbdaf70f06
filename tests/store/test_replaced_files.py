"""A store whose files are deleted, moved or replaced while it is open: nothing is acknowledged that would be lost."""

import shutil
import threading

import pytest

from tallybayes import Store, Words
from tallybayes.store import NotWrittenError, StoreError, journal
from tallybayes.store.place import Place

SCHEMA = {"text": Words()}
GONE = (
    "The store was moved, deleted or replaced while it was open, so this was not done. Put its files back, or open it "
    "again."
)


@pytest.fixture
def store(tmp_path):
    with Store.create(tmp_path / "s", SCHEMA, snapshot_every=2) as made:
        made.learn("win a prize", "spam", id="a")
        made.learn("lunch", "ham", id="b")
        yield made


def contents(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def check_gone(call):
    with pytest.raises(StoreError) as error:
        call()
    assert str(error.value) == GONE


def check_refused(store):
    """Changes are refused, also after another one was, and then questions to the journal and the model; those to the
    beliefs are answered."""
    before = store.beliefs().posterior("win").tolist()
    for change in (
        lambda: store.learn("more", "ham", id="c"),
        lambda: store.forget(id="a"),
        lambda: store.correct("b", "spam"),
        lambda: store.decay(0.5),
        lambda: store.set("threshold", 1),
    ):
        with pytest.raises(NotWrittenError) as error:
            change()
        assert str(error.value) == GONE
    for question in (store.ids, store.model, lambda: store.receipt("a")):
        check_gone(question)
    assert store.beliefs().posterior("win").tolist() == before
    assert store.number == 2


def test_deleted(store):
    assert store.beliefs()
    shutil.rmtree(store.path)
    check_refused(store)


def test_moved_and_moved_back(store, tmp_path):
    assert store.beliefs()
    store.path.rename(tmp_path / "elsewhere")
    check_refused(store)
    (tmp_path / "elsewhere").rename(store.path)
    store.learn("more", "ham", id="c")
    assert store.ids() == ["a", "b", "c"]
    assert store.verify()


def test_replaced_by_a_backup_whose_files_stay(store, tmp_path):
    """Even those that the open store would remove from its folder."""
    assert store.beliefs()
    store.backup(tmp_path / "backup")
    with Store.open(tmp_path / "backup") as backup:
        backup.decay(0.5)
        backup.learn("later", "ham", id="d")
    shutil.rmtree(store.path)
    shutil.copytree(tmp_path / "backup", store.path)
    before = contents(store.path)
    check_refused(store)
    assert contents(store.path) == before
    store.close()
    assert contents(store.path) == before
    with Store.open(store.path) as found:
        assert found.ids() == ["a", "b", "d"]
        assert found.verify()


def test_a_database_that_is_not_there_has_no_place(tmp_path):
    with pytest.raises(
        StoreError, match=r"journal.sqlite was moved or deleted while it was opened. Open the store where"
    ):
        Place(tmp_path / "journal.sqlite")


def replace(store, tmp_path):
    """Puts another store there, whose files have the same names."""
    with Store.create(tmp_path / "other", SCHEMA) as other:
        for id in ("c", "d", "e", "f"):
            other.learn("dinner", "ham", id=id)
            other.snapshot()
    shutil.rmtree(store.path)
    shutil.copytree(tmp_path / "other", store.path)


def test_snapshot_of_a_replaced_store_is_not_written(tmp_path):
    with Store.create(tmp_path / "s", SCHEMA) as store:
        store.learn("secretword", "spam", id="a")
        replace(store, tmp_path)
        before = contents(store.path)
        for _ in range(2):
            check_gone(store.snapshot)
    assert contents(store.path) == before


@pytest.mark.parametrize("lose", [replace, lambda store, _: shutil.rmtree(store.path)], ids=["replaced", "deleted"])
def test_automatic_snapshot_of_a_store_that_is_gone_is_not_tried_again(tmp_path, lose):
    with Store.create(tmp_path / "s", SCHEMA, snapshot_every=2) as store:
        started, go = threading.Event(), threading.Event()
        store._writer.hand_over(lambda: (started.set(), go.wait()), changes=False)
        started.wait()
        learned = [store.submit("secretword", "spam", id=id) for id in ("a", "b")]
        lost = store._writer.hand_over(lambda: lose(store, tmp_path), changes=False)
        go.set()  # both changes are committed, then the store is lost, and then a snapshot is due
        assert [each.result().number for each in learned] == [1, 2]
        lost.result()
        check_gone(store.ids)
        assert store._writer._pause() is None  # the writer waits for tasks, not for the next attempt
        assert not store.path.exists() or contents(store.path) == contents(tmp_path / "other")


def test_snapshot_of_a_store_that_was_moved_meanwhile_keeps_no_forgotten_row(tmp_path, monkeypatch):
    with Store.create(tmp_path / "s", SCHEMA) as store:
        store.learn("secretword", "spam", id="a")
        store.learn("lunch", "ham", id="b")
        write = store._state.folder.write

        def then_move(*given):
            digest = write(*given)
            store.path.rename(tmp_path / "elsewhere")
            return digest

        with monkeypatch.context() as patched:
            patched.setattr(store._state.folder, "write", then_move)
            check_gone(store.snapshot)
        (tmp_path / "elsewhere").rename(store.path)
        store.forget(id="a")
        assert not any(b"secretword" in data for data in contents(store.path).values())
        store.snapshot()
        assert store.verify()


def test_replaced_store_is_not_copied(store, tmp_path):
    """Nor blamed for the files of the other one."""
    replace(store, tmp_path)
    check_gone(lambda: store.backup(tmp_path / "copy"))
    check_gone(store.verify)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["other", "s"]


def test_store_that_is_replaced_while_it_is_copied_is_no_backup(store, tmp_path, monkeypatch):
    monkeypatch.setattr(journal, "STEP", 1)  # in pages, so that there are several steps

    def between():
        if not (tmp_path / "other").exists():
            replace(store, tmp_path)

    monkeypatch.setattr(store._writer, "catch_up", between)
    check_gone(lambda: store.backup(tmp_path / "copy"))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["other", "s"]
