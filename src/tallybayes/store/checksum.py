"""The checksum of a closed store's database, in a file next to it that `sha256sum --check` reads.

Hashes protect all that the database means. But its pages also have bytes without a meaning, such as free space, and a
disk that flips one of these may flip another soon. So when a store is closed, the whole file is hashed. The first
change after that removes the checksum.
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
PATIENCE = 3.0  # seconds after which a large store is closed without a checksum


class Checksum:
    """The checksum of a database that is open and locked. It has the file open, too, until the lock may end: in POSIX,
    a process that closes a file loses all its locks on it."""

    def __init__(self, database: Path, place: Place, sql: sqlite3.Connection) -> None:
        self.path = path_of(database)
        self._database, self._place, self._sql = database, place, sql
        self._file = FileIO(database)
        self._reading = threading.Lock()
        self._stands = self.path.exists()  # nothing has changed since it was written

    def drop(self) -> None:
        """Removes the checksum durably, before the first change."""
        if self._stands:
            self.path.unlink(missing_ok=True)
            sync(self.path.parent)
            self._stands = False

    def fits(self) -> bool:
        """Whether the database is as it was when it was closed, if it has not been changed since."""
        found = self._line() if self._stands else None
        with suppress(FileNotFoundError):  # it was dropped just now
            return not self._stands or self.path.read_bytes() == found
        return True

    def write(self) -> None:
        """Writes the checksum before the database is closed, unless that fails, or takes too long."""
        if not self._stands and not self._file.closed and self._is_whole():
            _write(self.path, self._line(PATIENCE))

    def close(self) -> None:
        self._file.close()

    def _is_whole(self) -> bool:
        """Whether the file is the database: nothing is to be rolled back, and no other file is in its place."""
        unfinished = self._database.with_name(f"{self._database.name}-journal")
        with suppress(OSError, StoreGoneError, sqlite3.Error):
            self._place.check()
            return not self._sql.in_transaction and not (unfinished.exists() and unfinished.stat().st_size)
        return False

    def _line(self, seconds: float = math.inf) -> bytes | None:
        with self._reading:
            self._file.seek(0)
            return _line(self._file, self._database.name, seconds)


def path_of(database: Path) -> Path:
    return database.with_name(f"{database.name}.sha256")


def write_checksum(database: Path) -> None:
    """Writes the checksum of a database that nobody has locked."""
    with FileIO(database) as file:
        _write(path_of(database), _line(file, database.name, PATIENCE))


def _write(path: Path, line: bytes | None) -> None:
    if line is not None:
        with suppress(OSError), replacing(path) as file:
            file.write(line)


def _line(file: FileIO, name: str, seconds: float) -> bytes | None:
    """What the file of the checksum holds; None if it takes longer than this to read."""
    hash, end = hashlib.sha256(), time.monotonic() + seconds
    while block := file.read(BLOCK):
        hash.update(block)
        if time.monotonic() > end:
            return None
    return f"{hash.hexdigest()}  {name}\n".encode()
