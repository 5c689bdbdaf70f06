"""Whether the database is still the file that was opened."""

from __future__ import annotations

import os
from pathlib import Path

from tallybayes.store.errors import StoreGoneError


class Place:
    """A file that is open. If it is moved, deleted or replaced by another file, SQLite goes on writing to the old one,
    which has another name or none: such changes must not be acknowledged, and files beside it are not this store's. If
    somebody copies a backup over it, it stays the same file, and nothing is noticed."""

    def __init__(self, path: Path) -> None:
        self._path = path.absolute()
        self._file = self._found()
        if self._file is None:
            raise StoreGoneError(f"{self._path} was moved or deleted while it was opened. Open the store where it is.")

    def _found(self) -> tuple[int, int] | None:
        try:
            found = os.stat(self._path)
        except OSError:
            return None
        return found.st_dev, found.st_ino

    def check(self) -> None:
        if self._found() != self._file:
            raise StoreGoneError(
                "The store was moved, deleted or replaced while it was open, so this was not done. Put its files back, "
                "or open it again."
            )
