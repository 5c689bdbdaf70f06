"""Atomic replacement of files, and locks against concurrent changes."""

from __future__ import annotations

import io
import os
import re
import secrets
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO

try:
    import fcntl
except ImportError:  # Windows, where an open file cannot be replaced anyway
    fcntl = None  # type: ignore[assignment]

OURS = re.compile(r"\.tally-[0-9a-f]{16}")  # the name of an unfinished file


class SaveError(OSError):
    """A file that could not be written."""


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """A file to write, which replaces the target if the block succeeds; otherwise the target is unchanged.

    Until then only its writer may read it. Then it takes over the permissions of the file it replaces, or the default
    ones. A device or a pipe cannot be replaced: it is written to directly.
    """
    target = Path(os.path.realpath(path))  # a link stays a link
    if target.is_dir():
        raise IsADirectoryError(f"{target} is a folder; give the name of a file.")
    if os.path.exists(path) and not os.path.isfile(path):
        with open(path, "wb") as device:
            yield device
        return
    if not target.parent.is_dir():
        raise FileNotFoundError(f"There is no folder {target.parent} to save {target.name} in.")
    _remove_abandoned(target.parent)
    with _as_save_error(target):
        temporary, number = _private(target.parent)
    try:
        # The file is closed, and with that its lock ends, only after it has its name.
        with io.BufferedWriter(_SavedFile(number, target)) as file:
            yield file
            with _as_save_error(target):
                file.flush()
                _give_access(number, target)
                os.fsync(number)
                os.replace(temporary, target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    try:
        sync(target.parent)
    except OSError as error:
        why = error.strerror or error
        raise SaveError(error.errno, f"{target} was saved, but may be lost if the power fails: {why}.") from error


def _private(folder: Path) -> tuple[Path, int]:
    """A new private file, locked while it is open, so that other processes know that its writer is alive."""
    while True:
        temporary = _new_name(folder)
        number = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        _try_lock(number)
        if temporary.exists():
            return temporary, number
        os.close(number)  # another process removed it as abandoned just before it was locked


def _new_name(folder: Path) -> Path:
    return folder / f".tally-{secrets.token_hex(8)}"


def _remove_abandoned(folder: Path) -> None:
    """Removes temporary files of dead processes. Those still being written are locked, and stay."""
    if fcntl is None:
        return
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            if OURS.fullmatch(entry.name) and entry.is_file(follow_symlinks=False):
                with suppress(OSError):  # another user's, perhaps
                    _remove_if_free(entry.path)


def _remove_if_free(path: str) -> None:
    number = os.open(path, os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK)
    try:
        if _try_lock(number):
            os.unlink(path)
    finally:
        os.close(number)


def _try_lock(number: int) -> bool:
    """Whether the lock is ours now: no other process has it, and the file system has locks."""
    try:
        fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (OSError, AttributeError):
        return False
    return True


def _give_access(number: int, target: Path) -> None:
    """The mode, owner and group of the file that is replaced, as far as we may give them."""
    if not target.exists():
        os.fchmod(number, _usual_mode(target.parent))
        return
    old = target.stat()
    mode = stat.S_IMODE(old.st_mode) & 0o777
    for owner, group in ((old.st_uid, old.st_gid), (-1, old.st_gid)):
        with suppress(PermissionError):
            os.fchown(number, owner, group)
            break
    if os.fstat(number).st_gid != old.st_gid:  # then the group gets no more rights than everybody
        shared = (mode >> 3) & mode & 0o7
        mode = mode & 0o700 | shared << 3 | shared
    os.fchmod(number, mode)


def _usual_mode(folder: Path) -> int:
    """The default mode of a new file, found by creating an empty one."""
    probe = _new_name(folder)
    number = os.open(probe, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
    try:
        return stat.S_IMODE(os.fstat(number).st_mode)
    finally:
        os.close(number)
        with suppress(FileNotFoundError):
            probe.unlink()


class _SavedFile(io.FileIO):
    """A file whose write errors say what could not be saved."""

    def __init__(self, number: int, target: Path) -> None:
        super().__init__(number, "w")
        self.target = target

    def write(self, data: Any) -> int:
        with _as_save_error(self.target):
            return super().write(data)


@contextmanager
def _as_save_error(target: Path) -> Iterator[None]:
    """Adds the state of the file to a disk error."""
    try:
        yield
    except SaveError:
        raise
    except OSError as error:
        left = "The old file is unchanged." if target.exists() else "No file was written."
        raise SaveError(error.errno, f"{target} could not be saved: {error.strerror or error}. {left}") from error


def sync(path: Path) -> None:
    """Forces a file or folder to disk."""
    opened = os.open(path, os.O_RDONLY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)


@contextmanager
def locked(path: str | os.PathLike[str], waiting: Callable[[], object]) -> Iterator[None]:
    """Holds an exclusive lock on this file, which ends with the process."""
    while True:
        with open(path, "rb") as file:
            _lock(file, waiting)
            if os.path.samestat(os.fstat(file.fileno()), os.stat(path)):
                yield
                return
        # While we waited, the file was replaced: lock the new one.


def _lock(file: BinaryIO, waiting: Callable[[], object]) -> None:
    if fcntl is None:
        return
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        waiting()
        fcntl.flock(file, fcntl.LOCK_EX)
