"""Maildir: a folder where every mail is a file, with one part for what is new and one for what was seen.

Mail is delivered, moved and flagged by renaming, even while it is being read. The part of a name before the colon stays
the same, and is used to find a file again.

Parts that are empty may be missing: git, archives and copies do not keep empty folders.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

NEW, SEEN, UNFINISHED = "new", "cur", "tmp"  # mail that is still being delivered is ignored
TOP = "INBOX"
USUAL_FLAGS = (":2,", ":2,S", "")  # tried before a folder of many mails is listed


def is_maildir(folder: str) -> bool:
    """Whether a folder has "cur", and something else that a Maildir has: by itself, "cur" may be a class."""
    if not _has(folder, SEEN):
        return False
    return _has(folder, NEW, UNFINISHED) or any(_is_inner(folder, name) for name in _names(folder))


def subfolders(folder: str) -> list[tuple[str, str]]:
    """The folders of a Maildir with their names, itself first, if it has any: ".Junk.2024" in it is the folder
    Junk.2024. Two may have one name, as ".Junk" and "Junk"."""
    names = sorted(_names(folder))
    inner = [name for name in names if _is_inner(folder, name) or is_maildir(os.path.join(folder, name))]
    found = [(name.removeprefix("."), os.path.join(folder, name)) for name in inner]
    return [(TOP, folder), *found] if found else []


def _has(folder: str, *parts: str) -> bool:
    """Whether one of these is in a folder."""
    return any(os.path.isdir(os.path.join(folder, part)) for part in parts)


def _is_inner(folder: str, name: str) -> bool:
    """Whether a name is that of a Maildir's folder, as ".Junk"."""
    return name.startswith(".") and _has(os.path.join(folder, name), SEEN, NEW)


def _names(folder: str) -> list[str]:
    """What is in a folder, in any order; nothing if there is none."""
    try:
        return os.listdir(folder)
    except (FileNotFoundError, NotADirectoryError):
        return []


def messages(folder: str) -> Iterator[str]:
    """The paths of its mails, those that were seen first.

    What is new is listed before: a mail that is moved meanwhile is in both lists rather than in none, and read once."""
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
