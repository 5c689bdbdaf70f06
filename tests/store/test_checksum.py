"""The checksum of a closed store: any flipped byte is found, and no change leaves one that does not fit."""

import shutil
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tallybayes import Store, Words
from tallybayes.store import StoreError, checksum

SCHEMA = {"text": Words()}
CHECKSUM = "journal.sqlite.sha256"
CHANGES = {
    "learn": lambda store: store.learn("more", "ham", id="c"),
    "forget": lambda store: store.forget(id="a"),
    "forget by content": lambda store: store.forget("lunch on monday", "ham"),
    "correct": lambda store: store.correct("a", "ham"),
    "decay": lambda store: store.decay(0.5),
    "set": lambda store: store.set("threshold", 0.5),
    "snapshot": lambda store: store.snapshot(),
}


@pytest.fixture(scope="module")
def closed(tmp_path_factory):
    """The files of a closed store and of its backup."""
    home = tmp_path_factory.mktemp("closed")
    with Store.create(home / "s", SCHEMA) as store:
        store.learn("win a prize", "spam", id="a")
        store.snapshot()
        store.learn_all((f"lunch {n}" * n, "ham", f"m-{n}") for n in range(20))
        store.forget(id="m-3")
        store.backup(home / "b")
    return home, [file for file in (*(home / "s").iterdir(), *(home / "b").iterdir()) if file.stat().st_size]


@pytest.fixture
def store(tmp_path):
    with Store.create(tmp_path / "s", SCHEMA) as made:
        made.learn("win a prize", "spam", id="a")
        made.learn("lunch on monday", "ham", id="b")
    with Store.open(tmp_path / "s") as made:
        yield made


def is_intact(path):
    try:
        with Store.open(path) as store:
            return bool(store.verify())
    except StoreError:
        return False


@given(st.data())
def test_any_flipped_byte_of_a_closed_store_or_backup_is_detected(closed, data):
    home, files = closed
    file = data.draw(st.sampled_from(files))
    at, bit = data.draw(st.integers(0, file.stat().st_size - 1)), data.draw(st.integers(0, 7))
    damaged = home / "damaged"
    shutil.rmtree(damaged, ignore_errors=True)
    shutil.copytree(file.parent, damaged)
    with open(damaged / file.name, "r+b") as opened:
        opened.seek(at)
        (byte,) = opened.read(1)
        opened.seek(at)
        opened.write(bytes([byte ^ 1 << bit]))
    assert not is_intact(damaged)
    assert is_intact(file.parent)


def test_other_programs_can_check_it(closed):
    home, _ = closed
    for path in (home / "s", home / "b"):
        checked = subprocess.run(["sha256sum", "--check", CHECKSUM], cwd=path, capture_output=True, text=True)
        assert checked.stdout == "journal.sqlite: OK\n"


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_change_removes_it_before_it_is_acknowledged(store, change, tmp_path):
    assert store.ids() == ["a", "b"]
    assert store.verify()
    assert (store.path / CHECKSUM).exists()
    change(store)
    assert not (store.path / CHECKSUM).exists()
    assert store.verify()
    shutil.copytree(store.path, tmp_path / "killed")
    assert is_intact(tmp_path / "killed")
    store.close()
    assert (store.path / CHECKSUM).exists()
    assert is_intact(store.path)


def test_reading_it_keeps_the_store_locked(store):
    """A process that closes any descriptor of a file loses its locks on it."""
    store.verify()
    store.learn("more", "ham", id="c")
    store.verify()
    opening = f"from tallybayes import Store; Store.open({str(store.path)!r})"
    tried = subprocess.run([sys.executable, "-c", opening], capture_output=True, text=True)
    assert "StoreInUseError" in tried.stderr


def test_store_that_is_closed_meanwhile_is_no_damage(store):
    assert store.verify(lambda *_: store.close())


def test_child_process_that_closes_it_leaves_none(tmp_path):
    forked = """
import os, sys
from tallybayes import Store, Words
store = Store.create(sys.argv[1], {"text": Words()})
store.learn("win a prize", "spam", id="a")
child = os.fork()
if not child:
    store.close()
    os._exit(0)
os.waitpid(child, 0)
store.learn("lunch on monday", "ham", id="b")
os._exit(0)  # as if killed
"""
    subprocess.run([sys.executable, "-c", forked, tmp_path / "s"], check=True)
    assert is_intact(tmp_path / "s")


def test_snapshot_leaves_no_file_if_it_cannot_be_removed(store):
    checksum = store.path / CHECKSUM
    checksum.rename(checksum.with_suffix(".moved"))
    checksum.mkdir()
    with pytest.raises(StoreError, match="snapshot could not be written"):
        store.snapshot()
    checksum.rmdir()
    store.forget(id="a")
    assert not [path.name for path in store.path.iterdir() if b"prize" in path.read_bytes()]


def test_store_that_was_moved_writes_none_for_the_one_in_its_place(store, tmp_path):
    store.learn("more", "ham", id="c")
    store.path.rename(tmp_path / "elsewhere")
    with Store.create(store.path, SCHEMA) as other:
        other.learn("dinner", "ham", id="d")
        store.close()
        assert not (store.path / CHECKSUM).exists()
    assert is_intact(store.path)
    assert is_intact(tmp_path / "elsewhere")


def test_store_too_large_to_be_read_in_time_is_closed_without(store, monkeypatch):
    monkeypatch.setattr(checksum, "PATIENCE", 0.0)
    store.learn("more", "ham", id="c")
    store.close()
    assert not (store.path / CHECKSUM).exists()
    assert is_intact(store.path)


def test_store_that_is_only_read_is_not_hashed_at_close(store):
    (store.path / CHECKSUM).unlink()
    assert store.verify()
    store.close()
    assert not (store.path / CHECKSUM).exists()


def test_disk_that_refuses_it_does_not_matter(store):
    store.learn("more", "ham", id="c")
    (store.path / CHECKSUM).mkdir()
    store.close()
    (store.path / CHECKSUM).rmdir()
    assert is_intact(store.path)
