"""Whether the database is still the file that was opened."""

from __future__ import annotations

import os
from pathlib import Path

from tallybayes.store.errors import StoreError


class Place:
    """A file that is open. If somebody deletes it, or puts a backup there, SQLite goes on writing to the old one, which
    has no name: such changes must not be acknowledged, and files beside it are not this store's."""

    def __init__(self, path: Path) -> None:
        self._path = path.absolute()
        self._file = self._found()

    def _found(self) -> tuple[int, int] | None:
        try:
            found = os.stat(self._path)
        except OSError:
            return None
        return found.st_dev, found.st_ino

    def check(self) -> None:
        if self._found() != self._file:
            raise StoreError("the store was moved, deleted or replaced while it was open, and must be opened again")
