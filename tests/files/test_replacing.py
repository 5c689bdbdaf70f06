"""Files are replaced atomically, and never changed by two processes at once."""

import os
import resource
import signal
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

import pytest

from tallybayes import Categorical, Model, changing, load, save
from tallybayes.files import load_version
from tallybayes.files.replacing import SaveError, locked, replacing


def one_row(label="a"):
    return Model.train({"x": Categorical()}, {"x": ["level"]}, [label])


def test_file_appears_only_when_complete(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(b"old")
    with replacing(path) as file:
        file.write(b"new")
        assert path.read_bytes() == b"old"
    assert path.read_bytes() == b"new"
    assert list(tmp_path.iterdir()) == [path]


def interrupted(path):
    with replacing(path) as file:
        file.write(b"new")
        raise KeyboardInterrupt


def test_old_file_survives_any_failure(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(b"old")
    with pytest.raises(KeyboardInterrupt):
        interrupted(path)
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def filled(path):
    """Writes more than the size limit of a file."""
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, limits[1]))
    try:
        with replacing(path) as file:
            for _ in range(100):
                file.write(bytes(1000))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)


def test_disk_error_says_what_is_left(tmp_path):
    path = tmp_path / "m.tally"
    with pytest.raises(SaveError, match=r"m.tally could not be saved: File too large. No file was written"):
        filled(path)
    save(one_row(), path)
    with pytest.raises(SaveError, match=r"m.tally could not be saved: File too large. The old file is unchanged"):
        filled(path)
    assert load(path) == one_row()
    assert list(tmp_path.iterdir()) == [path]


def test_other_errors_are_not_reported_as_disk_errors(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"data\.csv"), replacing(tmp_path / "file"):
        (tmp_path / "data.csv").read_bytes()


def test_folder_is_not_a_file(tmp_path):
    with pytest.raises(IsADirectoryError, match="is a folder; give the name of a file"), replacing(tmp_path):
        pass


def test_changed_model_is_saved_on_success(tmp_path):
    save(one_row(), tmp_path / "m.tally")
    with changing(tmp_path / "m.tally") as model:
        model += one_row("b")
    assert load(tmp_path / "m.tally").classes == ["a", "b"]
    with pytest.raises(ValueError, match="never learned"), changing(tmp_path / "m.tally") as model:
        model -= one_row("c")
    assert load(tmp_path / "m.tally").classes == ["a", "b"]


def test_loaded_model_is_reread_only_if_the_file_changed(tmp_path):
    path = tmp_path / "m.tally"
    save(one_row(), path)
    loaded = load_version(path)
    with changing(path, loaded=loaded) as model:
        assert model is loaded.model
        model += one_row("b")
    with changing(path, loaded=loaded) as model:
        assert model is not loaded.model
        model += one_row("c")
    assert load(path).classes == ["a", "b", "c"]


def test_concurrent_learners_are_all_counted(tmp_path):
    path = tmp_path / "m.tally"
    save(one_row(), path)

    def learn():
        for _ in range(10):
            with changing(path) as model:
                model += one_row()

    threads = [threading.Thread(target=learn) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert load(path).n == 41


def test_waiting_process_gets_a_message(tmp_path):
    path = tmp_path / "m.tally"
    save(one_row(), path)
    told, release = threading.Event(), threading.Event()

    def wait():
        with locked(path, told.set):
            release.set()

    thread = threading.Thread(target=wait)
    with locked(path, lambda: None):
        thread.start()
        assert told.wait(120)
        assert not release.is_set()
    thread.join()
    assert release.is_set()


def mode(path):
    return path.stat().st_mode & 0o777


def written_to(folder):
    """The temporary file of the current writer."""
    (found,) = folder.glob(".tally-*")
    return found


def test_file_is_private_from_the_first_byte(tmp_path):
    path = tmp_path / "m.tally"
    for old in (None, 0o600, 0o644):
        if old is not None:
            path.write_bytes(b"old")
            path.chmod(old)
        with replacing(path) as file:
            assert mode(written_to(tmp_path)) == 0o600
            file.write(b"secret")
            file.flush()
            assert mode(written_to(tmp_path)) == 0o600
        assert old is None or mode(path) == old
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize(("umask", "expected"), [(0o022, 0o644), (0o077, 0o600), (0o002, 0o664)])
def test_new_file_has_default_permissions(umask, expected, tmp_path):
    code = f"import os, tallybayes.files.replacing as r\nos.umask({umask})\nwith r.replacing('m') as f: f.write(b'new')"
    subprocess.run([sys.executable, "-c", code], cwd=tmp_path, check=True)
    assert mode(tmp_path / "m") == expected
    assert list(tmp_path.iterdir()) == [tmp_path / "m"]


WRITING = """
import sys, tallybayes.files.replacing
with tallybayes.files.replacing.replacing("m.tally") as file:
    file.write(b"a secret that is not to be read by anyone else")
    file.flush()
    print("half written", flush=True)
    sys.stdin.read()
"""


def test_temporary_file_of_a_killed_process_is_private_and_removed_by_the_next_save(tmp_path):
    path = tmp_path / "m.tally"
    path.write_bytes(b"old")
    path.chmod(0o600)
    given = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "cwd": tmp_path}
    with subprocess.Popen([sys.executable, "-c", WRITING], **given) as child:
        child.stdout.readline()
        with replacing(tmp_path / "other") as file:  # an active writer is left alone
            file.write(b"new")
        left = written_to(tmp_path)
        child.send_signal(signal.SIGKILL)
    assert mode(left) == 0o600
    assert path.read_bytes() == b"old"
    with replacing(path) as file:
        file.write(b"new")
    assert sorted(tmp_path.iterdir()) == [path, tmp_path / "other"]
    assert mode(path) == 0o600


def test_only_our_own_temporary_files_are_removed(tmp_path):
    kept = [tmp_path / name for name in (".tally-notes", ".tally-0123456789abcdef.txt", ".tally-0123456789ABCDEF")]
    for path in kept:
        path.write_bytes(b"mine")
    (tmp_path / ".tally-00000000000000ff").symlink_to(kept[0])
    (tmp_path / ".tally-00000000000000fe").mkdir()
    os.mkfifo(tmp_path / ".tally-00000000000000fd")
    before = sorted(tmp_path.iterdir())
    with replacing(tmp_path / "m") as file:
        file.write(b"new")
    assert sorted(tmp_path.iterdir()) == sorted([*before, tmp_path / "m"])


needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files away")


@needs_root
def test_owner_and_group_are_kept(tmp_path):
    path = tmp_path / "m.tally"
    path.write_bytes(b"old")
    os.chown(path, 12345, 23456)
    path.chmod(0o640)
    with replacing(path) as file:
        file.write(b"new")
    assert (path.stat().st_uid, path.stat().st_gid, mode(path)) == (12345, 23456, 0o640)


def as_another(user, action):
    """In a process of a user without other groups; returns its exit code."""
    child = os.fork()
    if not child:
        try:
            os.setgroups([])
            os.setgid(user)
            os.setuid(user)
            action()
            os._exit(0)
        finally:
            os._exit(1)
    return os.waitpid(child, 0)[1]


@needs_root
@pytest.mark.parametrize(
    ("old", "new"), [(0o640, 0o600), (0o604, 0o600), (0o644, 0o644), (0o664, 0o644), (0o600, 0o600)]
)
def test_group_that_cannot_be_kept_gets_no_more_rights(old, new):
    def replace():
        with replacing(path) as file:
            file.write(b"new")

    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o777)
        path = Path(folder) / "m.tally"
        path.write_bytes(b"old")
        os.chown(path, 12345, 23456)
        path.chmod(old)
        assert as_another(34567, replace) == 0
        assert (path.stat().st_gid, mode(path), path.read_bytes()) == (34567, new, b"new")
