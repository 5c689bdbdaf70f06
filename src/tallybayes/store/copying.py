"""Consistent copies of a whole store, made while it learns, for `backup` and `verify`.

The database is copied in steps. In between, changes are made as usual, and SQLite updates pages that are already
copied, so the copy is consistent as of its last step. Only the database is copied by the writing thread; everything
else is done by the caller.
"""

from __future__ import annotations

import os
import secrets
import shutil
import sqlite3
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from io import FileIO
from pathlib import Path
from typing import NamedTuple

from tallybayes.files.replacing import sync
from tallybayes.model import Model
from tallybayes.store.checksum import write_checksum
from tallybayes.store.errors import StoreError
from tallybayes.store.folder import BASE, SNAPSHOT, Folder
from tallybayes.store.journal import Journal
from tallybayes.store.state import State, own_copy

Between = Callable[[], object]


class Copy(NamedTuple):
    """A store at one moment. Its model files stay open, since they may soon be deleted."""

    journal: Journal
    base: tuple[int, FileIO]
    snapshot: tuple[int, FileIO] | None  # None also if the file is missing
    model: Model | None


def copy_store(state: State, target: sqlite3.Connection, between: Between, files: ExitStack, *, model: bool) -> Copy:
    """Copies a store, in the writing thread; with `model`, the model in memory as well."""
    state.journal.place.check()
    target.execute("PRAGMA journal_mode=OFF")  # the caller syncs it when it is complete
    target.execute("PRAGMA synchronous=OFF")
    state.journal.copy_to(target, between)
    written, snapshot = state.journal.about(SNAPSHOT), None
    if written is not None and state.folder.file(SNAPSHOT, written).exists():
        snapshot = written, files.enter_context(FileIO(state.folder.file(SNAPSHOT, written)))
    base = files.enter_context(FileIO(state.folder.file(BASE, state.base)))
    state.journal.place.check()  # both files are this store's, not those of another that replaced it meanwhile
    copied = own_copy(state.model) if model else None
    return Copy(Journal.of(target, state.journal.path), (state.base, base), snapshot, copied)


@contextmanager
def telling() -> Iterator[None]:
    """Turns disk errors during a copy into a `StoreError`."""
    try:
        yield
    except (sqlite3.Error, OSError) as error:
        raise StoreError(f"The store could not be copied: {error}. The store is unchanged.") from error


@contextmanager
def nameless(folder: Folder) -> Iterator[tuple[sqlite3.Connection, int]]:
    """A database without a directory entry, and its file: rows forgotten meanwhile must be in no file. It is on the
    same disk, or, if that is read-only, where temporary files are."""
    where = folder.path if os.access(folder.path, os.W_OK) else Path(tempfile.gettempdir())
    path = where / f".tally-copy-{secrets.token_hex(8)}"  # a name that `replacing` does not use
    file = os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600)  # SQLite would let others read it
    made = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    try:
        made.execute("PRAGMA journal_mode=OFF")  # a journal would have a name, and stay
        made.execute("PRAGMA locking_mode=EXCLUSIVE")
        made.execute("BEGIN EXCLUSIVE")
        made.execute("COMMIT")
        path.unlink()
        yield made, file
    finally:
        made.close()
        os.close(file)
        path.unlink(missing_ok=True)


@contextmanager
def new_folder(path: str | os.PathLike[str]) -> Iterator[Path]:
    """A private folder to fill, which is renamed to its final path if the block succeeds."""
    target = Path(os.path.abspath(path))
    if target.exists() and not (target.is_dir() and not any(target.iterdir())):
        raise StoreError(f"{target} exists already. Give the name of a new folder.")
    if not target.parent.is_dir():
        raise StoreError(f"There is no folder {target.parent} to create {target.name} in.")
    made = target.parent / f".tally-store-{secrets.token_hex(8)}"
    try:
        made.mkdir(mode=0o700)
    except OSError as error:
        raise StoreError(f"{target} cannot be created: {error.strerror}.") from error
    try:
        yield made
        sync(made)
        os.rename(made, target)
        sync(target.parent)
    except BaseException:
        shutil.rmtree(made, ignore_errors=True)
        raise


def keep(copy: Copy, made: Path) -> None:
    """Completes a backup: copies the model files and syncs everything to disk."""
    folder = Folder(made)
    for kind, found in ((BASE, copy.base), (SNAPSHOT, copy.snapshot)):
        if found is not None:
            number, source = found
            with open(folder.file(kind, number), "wb") as file:
                shutil.copyfileobj(source, file)
            sync(folder.file(kind, number))
    sync(folder.journal)
    write_checksum(folder.journal)
