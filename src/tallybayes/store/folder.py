"""The model files beside the database: the base that replaying begins with, and the last snapshot.

A file has its own name for every version and is known to the database before an older one goes, so that a crash leaves
one that is whole, and perhaps one that nobody knows: those go when the store is opened.
"""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

from tallybayes.files import FileError, from_bytes, to_bytes
from tallybayes.files.replacing import replacing, sync
from tallybayes.model import Model
from tallybayes.store.errors import DamagedStoreError

JOURNAL = "journal.sqlite"
OF_SQLITE = (JOURNAL, f"{JOURNAL}-journal", f"{JOURNAL}-wal", f"{JOURNAL}-shm")
BASE, SNAPSHOT = "base", "snapshot"


class Folder:
    """A folder and its model files."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)

    @property
    def journal(self) -> Path:
        return self.path / JOURNAL

    def file(self, kind: str, number: int) -> Path:
        return self.path / f"{kind}-{number}.tally"

    def write(self, kind: str, number: int, model: Model) -> str:
        """Puts a model on the disk, and gives its digest."""
        data = to_bytes(model)
        with replacing(self.file(kind, number)) as file:
            file.write(data)
        return hashlib.sha256(data).hexdigest()

    def read(self, kind: str, number: int, digest: str) -> Model:
        """The model that was written, or an error: nothing else passes for it."""
        path = self.file(kind, number)
        try:
            return model_of(path.read_bytes(), digest, path.name)
        except FileNotFoundError:
            raise DamagedStoreError(f"{path} is missing. Restore the store from a backup.") from None

    def keep_only(self, kind: str, number: int | None) -> None:
        """Every other file of this kind goes, and is gone when this returns."""
        kept = None if number is None else self.file(kind, number)
        gone = [path for path in self.path.glob(f"{kind}-*.tally") if path != kept]
        for path in gone:
            path.unlink(missing_ok=True)
        if gone:
            sync(self.path)

    def remove_abandoned(self) -> None:
        """Files that were not yet whole when their writer died. Nobody else writes here: the store is locked."""
        for path in self.path.glob(".tally-*"):
            path.unlink(missing_ok=True)


def model_of(data: bytes, digest: str, name: str) -> Model:
    """The model of these bytes, if they are those that were written."""
    try:
        if hashlib.sha256(data).hexdigest() != digest:
            raise FileError("its bytes are not those that were written")
        return from_bytes(data)
    except FileError as error:
        raise DamagedStoreError(f"{name} is damaged: {error}. Restore the store from a backup.") from None
