"""The chain of changes: each has a record, and a hash over that record and the hash before it.

Whoever has seen one link knows whether any change before it was altered, left out or made up later.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import Any

START = bytes(32)  # what comes before the first change

CREATE, LEARN, FORGET, CORRECT, EXPIRE, DECAY = "create", "learn", "forget", "correct", "expire", "decay"
GONE = (FORGET, EXPIRE)
ONE_FORM = json.JSONEncoder(sort_keys=True, ensure_ascii=False, separators=(",", ":"))


@dataclass(frozen=True, kw_only=True)
class Record:
    """What a change was. It holds no counts: only what stays when they are forgotten."""

    number: int
    at: str  # UTC
    what: str
    id: str | None = None  # of the row; of the store itself where it is created
    content: str | None = None  # sha256 of a random salt and the counts; it says nothing once the salt is gone
    factor: float | None = None  # of a decay
    base: str | None = None  # digest of the model that replaying begins with from here on
    before: str | None = None  # digest of the model, where that was asked for
    after: str | None = None

    def text(self) -> str:
        """As JSON of one form, which is what the chain links."""
        return ONE_FORM.encode({name: value for name, value in vars(self).items() if value is not None})

    def facts(self) -> dict[str, Any]:
        return dict(vars(self))


def record_from(text: str) -> Record:
    """The inverse of `text`, for nothing but what it would write."""
    try:
        found = Record(**json.loads(text))
    except (TypeError, ValueError, RecursionError):
        raise ValueError("a record cannot be read") from None
    if found.text() != text:
        raise ValueError("a record is not written as tallybayes writes it")
    return found


def link(previous: bytes, text: str) -> bytes:
    """The hash of a change, given the one before."""
    return hashlib.sha256(previous + text.encode()).digest()
