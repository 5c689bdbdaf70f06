"""Maildir: a folder in which every mail is a file, in subfolders for new and for seen mail.

Mail is delivered, moved and flagged by renaming, even while it is being read. The part of a name before the colon does
not change, and is used to find a file again. Empty subfolders may be missing, since git and archives drop them.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

NEW, SEEN, UNFINISHED = "new", "cur", "tmp"  # mail that is still being delivered is ignored
TOP = "INBOX"
USUAL_FLAGS = (":2,", ":2,S", "")  # tried before a folder of many mails is listed


def is_maildir(folder: str) -> bool:
    """Whether a folder has "cur" and another part of a Maildir; "cur" alone may be a class."""
    if not _has(folder, SEEN):
        return False
    return _has(folder, NEW, UNFINISHED) or any(_is_inner(folder, name) for name in _names(folder))


def subfolders(folder: str) -> list[tuple[str, str]]:
    """The folders of a Maildir with their names, itself first, if it has any: ".Junk.2024" is the folder Junk.2024. Two
    may have the same name, like ".Junk" and "Junk"."""
    names = sorted(_names(folder))
    inner = [name for name in names if _is_inner(folder, name) or is_maildir(os.path.join(folder, name))]
    found = [(name.removeprefix("."), os.path.join(folder, name)) for name in inner]
    return [(TOP, folder), *found] if found else []


def _has(folder: str, *parts: str) -> bool:
    """Whether a folder contains one of these."""
    return any(os.path.isdir(os.path.join(folder, part)) for part in parts)


def _is_inner(folder: str, name: str) -> bool:
    """Whether a name is that of a Maildir's folder, like ".Junk"."""
    return name.startswith(".") and _has(os.path.join(folder, name), SEEN, NEW)


def _names(folder: str) -> list[str]:
    """The contents of a folder, in any order; empty if it does not exist."""
    try:
        return os.listdir(folder)
    except (FileNotFoundError, NotADirectoryError):
        return []


def messages(folder: str) -> Iterator[str]:
    """The paths of its mails, seen ones first.

    New mail is listed first, so that a mail that is moved meanwhile is in both lists rather than in none; it is read
    once."""
    new, seen = (sorted(_names(os.path.join(folder, part))) for part in (NEW, SEEN))
    met = set(map(_unique, seen))
    for part, names in ((SEEN, seen), (NEW, (name for name in new if _unique(name) not in met))):
        yield from (os.path.join(folder, part, name) for name in names if not name.startswith("."))


def _unique(name: str) -> str:
    return name.partition(":")[0]


def moved(path: str) -> str | None:
    """The current path of a mail that was at this path a moment ago; None if it is gone."""
    within, name = os.path.split(path)
    seen, unique = os.path.join(os.path.dirname(within), SEEN), _unique(name)
    for flags in USUAL_FLAGS:
        if os.path.exists(likely := os.path.join(seen, unique + flags)):
            return likely
    return next((os.path.join(seen, other) for other in _names(seen) if _unique(other) == unique), None)
