"""Finds the documents in folders, and their classes: a folder or an mbox for each, or folders in a Maildir.

Hidden files and leftovers of editors and mail programs are skipped. Names are sorted, so that the same folder gives the
same rows in the same order on every machine.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Collection, Sequence
from typing import NamedTuple

from tallybayes.sources.base import SourceError
from tallybayes.sources.maildir import is_maildir, messages, subfolders
from tallybayes.sources.mbox import Box, begins_as_mbox, first_division
from tallybayes.sources.paths import STANDARD_INPUT, path_text, shown, suffix, unpacked
from tallybayes.sources.raw_documents import File, opened
from tallybayes.sources.read_options import DOCUMENT_SUFFIXES

LEFT_BEHIND = ("~", "#", ".swp", ".bak", ".msf", ".lock")
TABLES = (".csv", ".tsv", ".jsonl", ".ndjson", ".parquet", ".arrow", ".feather")
NOT_DOCUMENTS = {"Thumbs.db", "desktop.ini", "__MACOSX"}
MBOX_READ = 1 << 20  # bytes of a file that are searched for a second mail
LOOKED_AT = 5  # files of a folder

Holder = File | Box


class Group(NamedTuple):
    """Documents of one class, or without a class."""

    name: str | None
    holders: list[Holder]


class Listing(NamedTuple):
    """The direct contents of a folder."""

    folders: list[str]
    files: list[File]


def find(paths: Sequence[str], kind: str | None) -> list[Group]:
    """The documents of some paths by class, in the order of the names of the classes."""
    boxes = _boxes_among(paths, kind)
    found = [group for path in paths for group in _at(path, kind, boxes, alone=len(paths) == 1)]
    merged: dict[str | None, list[Holder]] = {}
    for group in found:
        if group.holders:
            merged.setdefault(group.name, []).extend(group.holders)
    if None in merged and len(merged) > 1:
        raise SourceError(
            f"{shown(merged[None][0].path)} has no class, unlike other paths. Give folders and mboxes with one class "
            "each, or documents without classes, but not both."
        )
    return [Group(name, merged[name]) for name in sorted(merged, key=str)]


def _boxes_among(paths: Sequence[str], kind: str | None) -> set[str]:
    """The paths that are mboxes: by suffix, or for other files by the contents of some of them."""
    files = [File(path, 0) for path in paths if path != STANDARD_INPUT and not os.path.isdir(path)]
    unnamed = [file for file in files if suffix(file.path) not in DOCUMENT_SUFFIXES]
    also = unnamed if kind is None and _hold_many(unnamed) else []
    return {file.path for file in files if file in also or _is_mbox(file, kind)}


def _at(path: str, kind: str | None, boxes: Collection[str], *, alone: bool) -> list[Group]:
    """The documents at a path. Each of several folders or mboxes is a class."""
    if path == STANDARD_INPUT:
        return [Group(None, [Box(path, 0) if kind == "mbox" else File(path, 0)])]
    try:
        if os.path.isdir(path):
            groups = _in_folder(path, kind)
            if kind is None:
                _refuse_tables(path, [holder.path for _, holders in groups for holder in holders])
            return groups if alone else [Group(name or class_of(path), holders) for name, holders in groups]
        file = File(path, os.stat(path).st_size)
    except OSError as error:
        raise SourceError(f"{shown(error.filename or path)} cannot be read: {error.strerror}.") from None
    if path not in boxes:
        return [Group(None, [file])]
    return [Group(None if alone else class_of(path, is_file=True), [Box(path, file.size)])]


def class_of(path: str, *, is_file: bool = False) -> str:
    """The name of the last folder of a path, or of a file without its suffixes."""
    name = os.path.basename(os.path.abspath(path))
    return path_text(os.path.splitext(unpacked(name))[0] if is_file else name)


def _in_folder(folder: str, kind: str | None) -> list[Group]:
    if is_maildir(folder):
        inner = subfolders(folder)
        if not inner:
            return [Group(None, _mails(folder))]
        return [Group(path_text(name), _mails(within)) for name, within in inner]
    folders, files = _listing(folder)
    boxes = _boxes(files, kind)
    if not folders and not boxes:
        return [Group(None, list(files))]
    loose = [file for file in files if file.path not in {box.path for box in boxes}]
    if len(loose) > len(folders) + len(boxes):
        found = f"more files ({len(loose):,}, like {shown(loose[0].path)}) than folders and mboxes"
        raise SourceError(
            f"{shown(folder)} has {found} ({len(folders) + len(boxes)}). Give a folder of documents, or one with a "
            "folder or an mbox for each class."
        )
    return [
        *(Group(class_of(within), _within(within, kind, folder)) for within in folders),
        *(Group(class_of(box.path, is_file=True), [box]) for box in boxes),
    ]


def _refuse_tables(folder: str, paths: Sequence[str]) -> None:
    """Refuses a folder of tables, perhaps in folders like year=2024, which would be taken for classes."""
    paths = [path for path in paths if not os.path.basename(path).startswith("_")]  # like _SUCCESS
    if paths and all(suffix(path) in TABLES for path in paths):
        flat = os.path.dirname(paths[0]) == os.path.dirname(os.path.join(folder, ""))
        every = os.path.join(folder, "*" if flat else os.path.join("**", "*" + os.path.splitext(paths[0])[1]))
        raise SourceError(
            f"{shown(folder)} contains tables, like {shown(paths[0])}. Give the files themselves, like "
            f"{shown(every if flat else repr(every))}, or --input text if each of them is a document."
        )


def _within(folder: str, kind: str | None, around: str) -> list[Holder]:
    """Everything in a folder of a class, recursively; link cycles are followed once."""
    found: list[Holder] = []
    waiting, seen = [folder], {_identity(around)}
    while waiting:
        within = waiting.pop()
        if _identity(within) in seen:
            continue
        seen.add(_identity(within))
        if is_maildir(within):
            found += _mails(within)
            continue
        folders, files = _listing(within)
        boxes = _boxes(files, kind)
        paths = {box.path for box in boxes}
        found += [*boxes, *(file for file in files if file.path not in paths)]
        waiting += reversed(folders)
    return found


def _identity(folder: str) -> tuple[int, int]:
    status = os.stat(folder)
    return status.st_dev, status.st_ino


def _listing(folder: str) -> Listing:
    folders, files = [], []
    for name in sorted(os.listdir(folder)):
        if name.startswith(".") or name.endswith(LEFT_BEHIND) or name in NOT_DOCUMENTS:
            continue
        path = os.path.join(folder, name)
        mode, size = _status(path)
        if stat.S_ISDIR(mode):
            folders.append(path)
        elif stat.S_ISREG(mode) or not mode:
            files.append(File(path, size))
    return Listing(folders, files)


def _status(path: str) -> tuple[int, int]:
    """Mode and size; zeros if the file, or the target of a link, is gone: reading it will say so."""
    try:
        status = os.stat(path)
    except OSError:
        return 0, 0
    return status.st_mode, status.st_size


def _mails(folder: str) -> list[Holder]:
    return [File(path, _status(path)[1], in_maildir=True) for path in messages(folder)]


def _boxes(files: Sequence[File], kind: str | None) -> list[Box]:
    """The files that are mboxes: by suffix, or without one by the contents of some of them."""
    plain = [file for file in files if not suffix(file.path)]
    also = {file.path for file in plain} if kind is None and _hold_many(plain) else set()
    return [Box(file.path, file.size) for file in files if file.path in also or _is_mbox(file, kind)]


def _is_mbox(file: File, kind: str | None) -> bool:
    return kind == "mbox" or (kind is None and suffix(file.path) == ".mbox")


def _hold_many(files: Sequence[File]) -> bool:
    """Whether files look like mboxes rather than mails, which may begin the same way: most contain a second mail."""
    beginnings = list(filter(None, (beginning(file, MBOX_READ) for file in spread(files, LOOKED_AT))))
    if not all(map(begins_as_mbox, beginnings)):
        return False
    return sum(first_division(content, 0) >= 0 for content in beginnings) * 2 > len(beginnings)


def spread(files: Sequence[File], most: int) -> list[File]:
    """A few of many, evenly spread."""
    step = max((len(files) - 1) / max(most - 1, 1), 1.0)
    return [files[round(i * step)] for i in range(min(len(files), most))]


def beginning(file: File, size: int) -> bytes:
    """The first bytes of a file; empty if it cannot be read."""
    try:
        with opened(file.path) as found:
            return found.read(size)
    except OSError:
        return b""
