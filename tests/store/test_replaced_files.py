"""A store whose files are deleted, moved or replaced while it is open: nothing is acknowledged that would be lost."""

import shutil

import pytest

from tallybayes import Store, Words
from tallybayes.store import NotWrittenError, StoreError
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
        with pytest.raises(StoreError) as error:
            question()
        assert str(error.value) == GONE
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
