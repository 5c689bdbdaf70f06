"""A mail: its bytes, its row, and its id."""

from __future__ import annotations

import hashlib
import json
from functools import cached_property

from tallybayes.mail.stamping import message_id

LONGEST = 1 << 26  # bytes: longer mails are passed on without being judged


class Letter:
    """A mail, whose row and id are computed once.

    The id is a hash, because ids stay in a store's journal when rows are forgotten and must not reveal anything. It is
    the hash of the Message-ID, which all copies of a mail share, or if there is none, of the content.

    >>> Letter(b"Message-ID: <17@example.org>\\n\\nHello").id
    'mail-6c0cfc5cb0cfe01d06501371392042c2'
    """

    def __init__(self, raw: bytes) -> None:
        self.raw = raw

    @cached_property
    def row(self) -> dict[str, str | bool | int]:
        from tallybayes.mail.row import read_mail

        return read_mail(self.raw)

    @cached_property
    def id(self) -> str:
        name = message_id(self.raw)
        if not name:  # without the hosts, which differ between copies
            content = {column: cell for column, cell in self.row.items() if column != "received"}
            name = b"\n" + json.dumps(content, sort_keys=True).encode()
        return f"mail-{hashlib.sha256(name).hexdigest()[:32]}"
