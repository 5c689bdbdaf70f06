"""Adds header fields at the top of a mail and removes earlier ones with the same names; all other bytes are unchanged.

The head is everything before the first empty line, as in all mail programs, even in broken mail. Nothing is decoded,
and no bytes cause an error.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache

FIELD = re.compile(rb"[!-9;-~]++[ \t]*+:")
EMPTY = (b"\n", b"\r\n")
EMPTY_LINE = re.compile(rb"\n\r?\n")  # and the end of the line before it: see `headers.FIELD`
FROM_LINES = (b"From ", b">From ")  # the first line of a mail in an mbox
MESSAGE_ID = re.compile(rb"^message-id[ \t]*+:([^\n]*+(?:\n[ \t][^\n]*+)*+)", re.MULTILINE | re.IGNORECASE)
BETWEEN_ANGLES = re.compile(rb"<([^<>]++)>")
NOT_SHOWN = re.compile("[^ -~]")
LONGEST_VALUE = 200  # characters of a field that is added


def head_of(raw: bytes) -> bytes:
    """The head, including the empty line after it."""
    if raw.startswith(EMPTY):
        return raw[: raw.find(b"\n") + 1]
    end = EMPTY_LINE.search(raw)
    return raw[: end.end()] if end else raw


def without(raw: bytes, *names: str) -> bytes:
    """The mail without the fields of these names; a name may end with * as a wildcard.

    >>> without(b"Subject: x\\r\\nX-Spam-Flag: YES\\r\\n\\tfolded\\r\\n\\r\\nX-Spam-Flag: text\\r\\n", "X-Spam-*")
    b'Subject: x\\r\\n\\r\\nX-Spam-Flag: text\\r\\n'
    """
    head = head_of(raw)
    return _pattern(names).sub(b"\n", b"\n" + head)[1:] + raw[len(head) :]


def stamped(raw: bytes, fields: Mapping[str, str], *remove: str) -> bytes:
    """The mail with these fields at the top, after the "From " line of an mbox. Earlier fields of the same names, and
    those to `remove`, are deleted. Line ends are those of the first line.

    >>> stamped(b"Subject: lunch\\n\\nAt noon?\\n", {"X-Tallybayes": "ham, 0.0012"})
    b'X-Tallybayes: ham, 0.0012\\nSubject: lunch\\n\\nAt noon?\\n'
    """
    raw = without(raw, *fields, *remove)
    newline = b"\r\n" if raw[: raw.find(b"\n") + 1].endswith(b"\r\n") else b"\n"
    first, rest = b"", raw
    if raw.startswith(FROM_LINES):
        line, end, rest = raw.partition(b"\n")
        first = line + (end or newline)
    added = b"".join(b"%b: %b%b" % (name.encode(), one_value(value), newline) for name, value in fields.items())
    headless = not FIELD.match(rest) and not rest.startswith(EMPTY)
    return first + added + (newline if headless else b"") + rest


def one_value(text: str) -> bytes:
    """A text as the value of a field: one line of printable ASCII, so that it cannot inject another field.

    >>> one_value("spam\\r\\nX-Forged: yes")
    b'spam??X-Forged: yes'
    """
    return NOT_SHOWN.sub("?", text[:LONGEST_VALUE]).encode("ascii")


def message_id(raw: bytes) -> bytes:
    """The Message-ID; empty if there is none.

    >>> message_id(b"Subject: x\\nMessage-ID:\\n <17@example.org> (as sent)\\n\\n")
    b'17@example.org'
    """
    found = MESSAGE_ID.search(head_of(raw))
    if found is None:
        return b""
    value = b"".join(found[1].split())
    named = BETWEEN_ANGLES.search(value)
    return named[1] if named else value.strip(b"<>")


@lru_cache(maxsize=8)
def _pattern(names: tuple[str, ...]) -> re.Pattern[bytes]:
    """The end of a line, and the fields of these names after it."""
    wanted = [re.escape(name.removesuffix("*")) + ("[!-9;-~]*+" if name.endswith("*") else "") for name in names]
    field = rf"(?:{'|'.join(wanted)})[ \t]*+:[^\n]*+(?:\n[ \t][^\n]*+)*+\n?+"
    return re.compile(rf"\n(?:{field})++".encode(), re.IGNORECASE)
