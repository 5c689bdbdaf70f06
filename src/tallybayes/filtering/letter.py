"""A mail that is asked about: its bytes, its row, and the id it is learned by."""

from __future__ import annotations

import hashlib
import json
from functools import cached_property

from tallybayes.mail.stamping import message_id

LONGEST = 1 << 26  # bytes of a mail that is looked at; a longer one passes as it is


class Letter:
    """A mail. What is worked out of it is worked out once.

    Its id is a hash: ids stay in a store's journal when rows are forgotten, and should say nothing about anybody. It is
    that of the Message-ID, by which a mail is the same on every way it took; where there is none, of what it says.

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
        if not name:  # the hosts a mail went through differ from copy to copy
            said = {column: cell for column, cell in self.row.items() if column != "received"}
            name = b"\n" + json.dumps(said, sort_keys=True).encode()
        return f"mail-{hashlib.sha256(name).hexdigest()[:32]}"
