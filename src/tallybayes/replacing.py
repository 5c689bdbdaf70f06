"""A file that is the old one or the new one, whatever happens, and that two do not change at once."""

from __future__ import annotations

import io
import os
import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

try:
    import fcntl
except ImportError:  # Windows, where a file that somebody has open cannot be replaced anyway
    fcntl = None  # type: ignore[assignment]


class SaveError(OSError):
    """A file that could not be written."""


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """A file to write, which takes its place when the block ends well; otherwise what was there before stays.

    A device or a pipe has no place that another could take: it is written to.
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
    temporary = target.parent / f".tally-{secrets.token_hex(8)}"
    try:
        with _telling(target):
            raw = _Told(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666), target)
        with io.BufferedWriter(raw) as file:
            yield file
            with _telling(target):
                file.flush()
                os.fsync(file.fileno())
        with _telling(target):
            if target.exists():
                os.chmod(temporary, target.stat().st_mode & 0o777)
            os.replace(temporary, target)
            _sync(target.parent)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


class _Told(io.FileIO):
    """A file whose errors say what could not be saved."""

    def __init__(self, number: int, target: Path) -> None:
        super().__init__(number, "w")
        self.target = target

    def write(self, data: Any) -> int:
        with _telling(self.target):
            return super().write(data)


@contextmanager
def _telling(target: Path) -> Iterator[None]:
    """An error of the disk, with what of it the user still has."""
    try:
        yield
    except OSError as error:
        left = "The file is as it was before." if target.exists() else "There is no such file."
        raise SaveError(error.errno, f"{target} could not be saved: {error.strerror or error}. {left}") from error


def _sync(folder: Path) -> None:
    opened = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)


@contextmanager
def held(path: str | os.PathLike[str], waiting: Callable[[], object]) -> Iterator[None]:
    """Nobody else holds this file meanwhile. The lock is on the file itself, and ends with the process that has it."""
    while True:
        with open(path, "rb") as file:
            _lock(file, waiting)
            if os.path.samestat(os.fstat(file.fileno()), os.stat(path)):
                yield
                return
        # While we waited, somebody put another file in this one's place: that is the one to hold.


def _lock(file: BinaryIO, waiting: Callable[[], object]) -> None:
    if fcntl is None:
        return
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        waiting()
        fcntl.flock(file, fcntl.LOCK_EX)
