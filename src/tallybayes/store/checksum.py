"""The checksum of a closed store's database, in a file next to it that `sha256sum --check` reads.

Hashes protect all that the database means. But its pages also have bytes without a meaning, such as free space, and a
disk that flips one of these may flip another soon. So when a store that was changed is closed, the whole file is
hashed. The first change after that removes the checksum.
"""

from __future__ import annotations

import hashlib
import math
import sqlite3
import threading
import time
from contextlib import suppress
from io import FileIO
from pathlib import Path

from tallybayes.files.replacing import replacing, sync
from tallybayes.store.errors import StoreGoneError
from tallybayes.store.place import Place

BLOCK = 1 << 20  # bytes that are read at a time
PATIENCE = 1.0  # seconds after which a large store is closed without a checksum


class Checksum:
    """The checksum of a database that is open and locked. It has the file open, too, until the lock may end: in POSIX,
    a process that closes a file loses all its locks on it."""

    def __init__(self, database: Path, place: Place, sql: sqlite3.Connection) -> None:
        self.path = path_of(database)
        self._database, self._place, self._sql = database, place, sql
        self._stands = self.path.exists()  # nothing has changed since it was written
        self._changed = False  # whether anything has since the store was opened
        self._reading = threading.Lock()
        self._file = FileIO(database)

    def drop(self) -> None:
        """Removes the checksum durably, before the first change."""
        if self._stands:
            self.path.unlink(missing_ok=True)
            sync(self.path.parent)
            self._stands = False
        self._changed = True

    def fits(self) -> bool:
        """Whether the database is as it was when it was closed, if it has not been changed or closed since."""
        with self._reading, suppress(FileNotFoundError):  # it was dropped just now
            if self._stands and not self._file.closed:
                return _line(self._file, self._database.name) == self.path.read_bytes()
        return True

    def write(self) -> None:
        """Writes the checksum after the last change, if there was one, unless that fails, or takes too long."""
        with self._reading, suppress(OSError, StoreGoneError, sqlite3.Error):
            self._sql.rollback()  # what a disk that failed has left, while there is a lock
            self._place.check()  # no other file is in its place
            undo = self._database.with_name(f"{self._database.name}-journal")
            if self._changed and not (undo.exists() and undo.stat().st_size):
                _write(self._file, self._database)

    def close(self) -> None:
        with self._reading:
            self._file.close()


def path_of(database: Path) -> Path:
    return database.with_name(f"{database.name}.sha256")


def write_checksum(database: Path) -> None:
    """Writes the checksum of a database that nobody has locked."""
    with suppress(OSError), FileIO(database) as file:
        _write(file, database)


def _write(file: FileIO, database: Path) -> None:
    line = _line(file, database.name, PATIENCE)
    if line is not None:
        with replacing(path_of(database)) as made:
            made.write(line)


def _line(file: FileIO, name: str, seconds: float = math.inf) -> bytes | None:
    """What the file of the checksum holds; None if it takes longer than this to read."""
    hash, end = hashlib.sha256(), time.monotonic() + seconds
    file.seek(0)
    while block := file.read(BLOCK):
        hash.update(block)
        if time.monotonic() > end:
            return None
    return f"{hash.hexdigest()}  {name}\n".encode()
