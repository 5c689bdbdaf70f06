"""Backups and verification during changes: each copy is of one moment."""

import os
import shutil
import stat
import subprocess
import threading
from pathlib import Path

import pytest
from queueing import tasks_queued

from tallybayes import Model, Store, Words, digest
from tallybayes.store import NotWrittenError, StoreError, journal
from tallybayes.store.copying import nameless
from tallybayes.store.folder import Folder

SCHEMA = {"text": Words()}
SECRET = "zyxwvutsecret"


@pytest.fixture
def store(tmp_path, monkeypatch):
    monkeypatch.setattr(journal, "STEP", 5)  # in pages, so that there are many steps
    with Store.create(tmp_path / "s", SCHEMA, snapshot_every=20) as made:
        made.learn_all((f"word{i} common", "ham", f"m-{i}") for i in range(50))
        made.learn(SECRET, "spam", id="secret")
        yield made


def between_steps(store, work):
    """Runs work at each step of a copy, with the number of the step."""
    catch_up, steps = store._writer.catch_up, []

    def step():
        steps.append(len(steps))
        work(len(steps))
        catch_up()

    store._writer.catch_up = step
    return steps


def expected(count):
    texts = [f"word{i} common" for i in range(50)]
    return Model.train(
        SCHEMA, [*texts, SECRET, *(f"new{i}" for i in range(count))], ["ham"] * 50 + ["spam"] * (count + 1)
    )


def test_backup_has_what_was_learned_during_it(store, tmp_path):
    waiting = []

    def learn(step):
        counted = store._counted(f"new{step - 1}", "spam")
        waiting.append(store._writer.hand_over(lambda: store._changes.learn(f"new-{step}", counted, False)))

    steps = between_steps(store, learn)
    store.backup(tmp_path / "copy")
    assert len(steps) > 10
    assert all(done.done() for done in waiting)  # nobody waited for the whole copy
    store.learn("after the copy", "ham", id="after")
    with Store.open(tmp_path / "copy") as copy:
        assert copy.digest() == digest(expected(len(steps)))
        assert copy.number == 51 + len(steps)
        assert copy.verify()


def test_row_forgotten_during_verify_is_in_no_file(store):
    found = []

    def forget(step):
        if step == 5:
            done = store._writer.hand_over(lambda: store._changes.forget("secret", False))
            done.add_done_callback(lambda _: found.append(everything(store.path)))

    between_steps(store, forget)
    assert SECRET.encode() in everything(store.path)
    assert store.verify()
    assert len(found) == 1
    assert SECRET.encode() not in found[0]
    assert SECRET.encode() not in everything(store.path)


def everything(path):
    return b"".join(file.read_bytes() for file in path.iterdir())


def test_verify_leaves_no_file(store):
    before = sorted(path.name for path in store.path.iterdir())
    assert store.verify()
    assert sorted(path.name for path in store.path.iterdir()) == before


def test_verify_of_a_store_on_a_read_only_disk(store, tmp_path):
    disk = tmp_path / "disk"
    disk.mkdir()
    if shutil.which("mount") is None or subprocess.run(["mount", "-t", "tmpfs", "none", disk]).returncode:
        pytest.skip("only root can mount a disk")
    try:
        store.backup(disk / "copy")
        subprocess.run(["mount", "-o", "remount,ro", disk], check=True)
        with Store.open(disk / "copy") as copy:
            assert copy.verify()
            assert copy.digest() == store.digest()
            with pytest.raises(NotWrittenError, match="Read-only file system"):
                copy.learn("more", "ham")
    finally:
        subprocess.run(["umount", disk], check=True)


def test_two_copies_at_once_and_closing_meanwhile(store, tmp_path, monkeypatch):
    second = threading.Thread(target=store.backup, args=(tmp_path / "second",))
    closing = threading.Thread(target=store.close)

    def start(step):
        if step == 1:
            queued = tasks_queued(store, monkeypatch)
            second.start()
            queued.acquire()  # it waits for its turn
            closing.start()

    between_steps(store, start)
    store.backup(tmp_path / "first")
    closing.join()
    second.join()
    for name in ("first", "second"):
        with Store.open(tmp_path / name) as copy:
            assert copy.digest() == digest(expected(0))


def test_failed_commit_during_a_copy_is_not_in_it(store, tmp_path):
    def fail(step):
        if step == 3:
            store._journal.sql.set_progress_handler(lambda: 1, 1)
            counted = store._counted("lost", "spam")
            waiting.append(store._writer.hand_over(lambda: store._changes.learn("lost", counted, False)))
        if step == 4:
            store._journal.sql.set_progress_handler(None, 1)

    waiting = []
    between_steps(store, fail)
    store.backup(tmp_path / "copy")
    assert "could not be written" in str(waiting[0].exception())
    with Store.open(tmp_path / "copy") as copy:
        assert copy.digest() == digest(expected(0)) == store.digest()
        assert copy.verify()


def test_failed_copy_leaves_nothing(store, tmp_path):
    def fail(step):
        if step == 3:
            raise OSError("no more disk")

    between_steps(store, fail)
    with pytest.raises(StoreError, match="could not be copied: no more disk"):
        store.backup(tmp_path / "copy")
    assert [path.name for path in tmp_path.iterdir()] == ["s"]
    store.learn("new0", "spam", id="new")
    assert store.digest() == digest(expected(1))


def test_copying_the_model_keeps_its_beliefs(store):
    store.beliefs()
    tally = store._state.model.columns["text"]
    store.model(), store.digest(), store.verify()
    store.learn("more", "ham", id="more")
    assert store._state.model.columns["text"] is tally  # which would have been copied and recomputed


@pytest.mark.parametrize("where", [".", "missing"], ids=["in the store", "among temporary files"])
def test_only_its_owner_can_read_the_copy_that_verify_checks(tmp_path, where):
    if not os.path.isdir("/proc/self/fd"):
        pytest.skip("open files cannot be listed")
    before = os.umask(0)
    try:
        with nameless(Folder(tmp_path / where)):
            open_files = {path: os.readlink(path) for path in Path("/proc/self/fd").iterdir() if path.is_symlink()}
            modes = [stat.filemode(path.stat().st_mode) for path, to in open_files.items() if ".tally-copy-" in to]
    finally:
        os.umask(before)
    assert set(modes) == {"-rw-------"}
