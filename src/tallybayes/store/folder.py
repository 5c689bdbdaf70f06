"""The model files next to the database: the base that replaying starts from, and the last snapshot.

The name of a file includes its version, and the database refers to it before an older one is deleted. So a crash leaves
a complete file, and perhaps one that is unknown to the database, which is deleted when the store is opened.
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
BASE, SNAPSHOT = "base", "snapshot"


class Folder:
    """A folder and its model files."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path).absolute()  # the same one after a change of the working directory

    @property
    def journal(self) -> Path:
        return self.path / JOURNAL

    def file(self, kind: str, number: int) -> Path:
        return self.path / f"{kind}-{number}.tally"

    def write(self, kind: str, number: int, model: Model) -> str:
        """Writes a model to disk and returns its digest."""
        data = to_bytes(model)
        with replacing(self.file(kind, number)) as file:
            file.write(data)
        return hashlib.sha256(data).hexdigest()

    def read(self, kind: str, number: int, digest: str) -> Model:
        """The model with this digest; an error if the file is missing or differs."""
        path = self.file(kind, number)
        try:
            return model_of(path.read_bytes(), digest, path.name)
        except FileNotFoundError:
            raise DamagedStoreError(f"{path} is missing. Restore the store from a backup.") from None

    def keep_only(self, kind: str, number: int | None) -> None:
        """Deletes all other files of this kind, durably."""
        kept = None if number is None else self.file(kind, number)
        self._remove([path for path in self.path.glob(f"{kind}-*.tally") if path != kept])

    def remove_after(self, kind: str, number: int) -> None:
        """Deletes the files of this kind with higher numbers, durably."""
        found = {path: path.stem.removeprefix(f"{kind}-") for path in self.path.glob(f"{kind}-*.tally")}
        self._remove([path for path, own in found.items() if own.isdecimal() and int(own) > number])

    def _remove(self, paths: list[Path]) -> None:
        for path in paths:
            path.unlink(missing_ok=True)
        if paths:
            sync(self.path)

    def remove_abandoned(self) -> None:
        """Deletes incomplete files of a process that died. The store is locked, so nobody else is writing."""
        for path in self.path.glob(".tally-*"):
            path.unlink(missing_ok=True)


def model_of(data: bytes, digest: str, name: str) -> Model:
    """The model in these bytes, if they match the digest."""
    try:
        if hashlib.sha256(data).hexdigest() != digest:
            raise FileError("it does not match its digest")
        return from_bytes(data)
    except FileError as error:
        raise DamagedStoreError(f"{name} is damaged: {error}. Restore the store from a backup.") from None
