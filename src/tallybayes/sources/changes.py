"""Whether files are as they were when they were first opened: rows read several times must be the same."""

from __future__ import annotations

import os
from collections.abc import Sequence

from tallybayes.sources.base import Found, SourceError
from tallybayes.sources.paths import shown


class Files:
    """Files in the order in which they are read, and what they were like. One that was renamed within its class is the
    same, as in a Maildir."""

    def __init__(self, files: Sequence[Found]) -> None:
        self._files = files
        self._states = list(map(_state, files))

    def check(self, files: Sequence[Found]) -> None:
        """Raises an error if the files that are there now are not the same, in the same order."""
        now = list(map(_state, files))
        if now == self._states:
            return
        old, new = set(self._states), set(now)
        changed = [file for file, state in zip(files, now, strict=True) if state not in old]
        changed += [file for file, state in zip(self._files, self._states, strict=True) if state not in new]
        raise SourceError(
            f"{shown([*changed, *files][0].path)} has changed since it was first read, and its rows are needed several "
            "times. Give a copy that nobody writes to."
        )


def _state(file: Found) -> tuple[object, ...]:
    """What differs after a file was changed or replaced."""
    try:
        found = os.stat(file.path)
    except OSError:
        return (file,)
    return file.group, found.st_ino, found.st_size, found.st_mtime_ns
