"""Copies of a whole store as it is at one moment, made while it learns: what `backup` keeps and `verify` looks at.

The database is copied in steps. Between them changes are made as always, and SQLite brings the pages that were copied
already up to date, so that the copy is of the moment of its last step. Only that is done by the thread that writes;
everything else is left to whoever asked for the copy.
"""

from __future__ import annotations

import os
import secrets
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from io import FileIO
from pathlib import Path
from typing import NamedTuple

from tallybayes.files.replacing import sync
from tallybayes.model import Model
from tallybayes.store.errors import StoreError
from tallybayes.store.folder import BASE, JOURNAL, SNAPSHOT, Folder
from tallybayes.store.journal import Journal
from tallybayes.store.state import State, own_copy

Between = Callable[[], object]


class Copy(NamedTuple):
    """A store as it was at one moment. Its model files stay open, for they may be gone from the folder soon."""

    journal: Journal
    base: tuple[int, FileIO]
    snapshot: tuple[int, FileIO] | None  # none also where the file is missing
    model: Model | None


def copy_store(state: State, target: sqlite3.Connection, between: Between, files: ExitStack, *, model: bool) -> Copy:
    """By the thread that writes. `model` says whether that in memory is copied as well."""
    target.execute("PRAGMA journal_mode=OFF")  # who wants the copy to last syncs it when it is whole
    target.execute("PRAGMA synchronous=OFF")
    state.journal.copy_to(target, between)
    written, snapshot = state.journal.about(SNAPSHOT), None
    if written is not None and state.folder.file(SNAPSHOT, written).exists():
        snapshot = written, files.enter_context(FileIO(state.folder.file(SNAPSHOT, written)))
    base = files.enter_context(FileIO(state.folder.file(BASE, state.base)))
    copied = own_copy(state.model) if model else None
    return Copy(Journal.of(target, state.journal.path), (state.base, base), snapshot, copied)


@contextmanager
def telling() -> Iterator[None]:
    """An error of the disk, while a copy is made, as a sentence."""
    try:
        yield
    except (sqlite3.Error, OSError) as error:
        raise StoreError(f"The store could not be copied: {error}. Nothing of it was changed.") from error


@contextmanager
def nameless(folder: Folder) -> Iterator[sqlite3.Connection]:
    """A database on the disk of the store that no file shows: what is forgotten meanwhile must be in none."""
    path = folder.path / f".tally-copy-{secrets.token_hex(8)}"  # which `replacing` does not take for one of its own
    made = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    try:
        made.execute("PRAGMA locking_mode=EXCLUSIVE")
        made.execute("BEGIN EXCLUSIVE")
        made.execute("COMMIT")
        path.unlink()
        yield made
    finally:
        made.close()
        path.unlink(missing_ok=True)


@contextmanager
def new_folder(path: str | os.PathLike[str]) -> Iterator[Path]:
    """A folder to fill, which takes its place when the block ends well; nobody else may read it."""
    target = Path(os.path.abspath(path))
    if target.exists() and not (target.is_dir() and not any(target.iterdir())):
        raise StoreError(f"{target} is there already. Give the name of a new folder, or use Store.open.")
    if not target.parent.is_dir():
        raise StoreError(f"There is no folder {target.parent} to make {target.name} in.")
    made = target.parent / f".tally-store-{secrets.token_hex(8)}"
    made.mkdir(mode=0o700)
    try:
        yield made
        sync(made)
        os.rename(made, target)
        sync(target.parent)
    except BaseException:
        shutil.rmtree(made, ignore_errors=True)
        raise


def keep(copy: Copy, made: Path) -> None:
    """The rest of a backup: the files beside the database, and all of it on the disk."""
    folder = Folder(made)
    for kind, found in ((BASE, copy.base), (SNAPSHOT, copy.snapshot)):
        if found is not None:
            number, source = found
            with open(folder.file(kind, number), "wb") as file:
                shutil.copyfileobj(source, file)
            sync(folder.file(kind, number))
    sync(made / JOURNAL)
