"""The hash chain of changes: each link is the hash of a record and the previous link.

Anyone who has kept one link can detect whether a change before it was altered, removed or inserted later.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import Any

START = bytes(32)  # the link before the first change

CREATE, LEARN, FORGET, CORRECT, EXPIRE, DECAY = "create", "learn", "forget", "correct", "expire", "decay"
GONE = (FORGET, EXPIRE)
ONE_FORM = json.JSONEncoder(sort_keys=True, ensure_ascii=False, separators=(",", ":"))


@dataclass(frozen=True, kw_only=True)
class Record:
    """The record of a change. It has no counts, only what remains after they are forgotten."""

    number: int
    at: str  # UTC
    what: str
    id: str | None = None  # of the row; for "create", of the store
    content: str | None = None  # sha256 of a random salt and the counts; meaningless once the salt is deleted
    factor: float | None = None  # of a decay
    base: str | None = None  # digest of the base, the model that replaying starts from
    before: str | None = None  # digest of the model, if requested
    after: str | None = None

    def text(self) -> str:
        """Canonical JSON, which the chain hashes."""
        return ONE_FORM.encode({name: value for name, value in vars(self).items() if value is not None})

    def facts(self) -> dict[str, Any]:
        return dict(vars(self))


def record_from(text: str) -> Record:
    """The inverse of `text`, for canonical JSON only."""
    try:
        found = Record(**json.loads(text))
    except (TypeError, ValueError, RecursionError):
        raise ValueError("a record cannot be read") from None
    if found.text() != text:
        raise ValueError("a record is not canonical")
    return found


def link(previous: bytes, text: str) -> bytes:
    """The link of a change, given the previous link."""
    return hashlib.sha256(previous + text.encode()).digest()
