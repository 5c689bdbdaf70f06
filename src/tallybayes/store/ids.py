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
    if not 0 < len(id) <= LONGEST or not id.isprintable():
        raise ValueError(f"The id is {id[:40]!r}; give 1 to {LONGEST} printable characters.")
    return id
