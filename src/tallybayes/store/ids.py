"""The id of a row: printable text, or a random id."""

from __future__ import annotations

import secrets
from typing import Any

LONGEST = 1000  # characters


def named(id: str | None) -> str:
    return secrets.token_hex(16) if id is None else checked_id(id)


def checked_id(id: Any) -> str:
    if not isinstance(id, str):
        raise TypeError(f"The id is {id!r}; give a string.")
    if len(id) > LONGEST:
        raise ValueError(f"The id {id[:40]!r} … has {len(id):,} characters; give at most {LONGEST:,}.")
    if not id or not id.isprintable():
        raise ValueError(f"The id is {id!r}; give 1 to {LONGEST:,} printable characters.")
    return id
