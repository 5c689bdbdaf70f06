"""Maildir: a folder where every mail is a file, with one part for what is new and one for what was seen.

Mail is delivered, moved and flagged while it is read, by renaming. What is before the colon of a name stays, and is
looked for when a file is gone.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

NEW, SEEN = "new", "cur"  # "tmp" holds what is being delivered, and is nobody's business
TOP = "INBOX"
USUAL_FLAGS = (":2,", ":2,S", "")  # tried before a folder of many mails is listed


def is_maildir(folder: str) -> bool:
    return os.path.isdir(os.path.join(folder, SEEN)) and os.path.isdir(os.path.join(folder, NEW))


def subfolders(folder: str) -> dict[str, str]:
    """The folders of a Maildir by name, itself first, if it has any: ".Junk.2024" in it is the folder Junk.2024."""
    inner = [name for name in sorted(os.listdir(folder)) if is_maildir(os.path.join(folder, name))]
    found = {name.removeprefix("."): os.path.join(folder, name) for name in inner}
    return {TOP: folder, **found} if found else {}


def messages(folder: str) -> Iterator[str]:
    """The paths of its mails, those that were seen first.

    What is new is listed before: a mail that is moved meanwhile is in both lists rather than in none, and read once."""
    new, seen = (sorted(os.listdir(os.path.join(folder, part))) for part in (NEW, SEEN))
    met = set(map(_unique, seen))
    for part, names in ((SEEN, seen), (NEW, (name for name in new if _unique(name) not in met))):
        yield from (os.path.join(folder, part, name) for name in names if not name.startswith("."))


def _unique(name: str) -> str:
    return name.partition(":")[0]


def moved(path: str) -> str | None:
    """Where a mail is now that was at this path a moment ago; None if it is gone."""
    within, name = os.path.split(path)
    seen, unique = os.path.join(os.path.dirname(within), SEEN), _unique(name)
    for flags in USUAL_FLAGS:
        if os.path.exists(likely := os.path.join(seen, unique + flags)):
            return likely
    try:
        others = os.listdir(seen)
    except FileNotFoundError:
        return None
    return next((os.path.join(seen, other) for other in others if _unique(other) == unique), None)
