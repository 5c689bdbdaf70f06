"""What a filter writes into a mail: header fields at the top, earlier ones of their names removed, and every other byte
as it came.

The head is what stands before the first empty line, whatever is in it: so all mail programs have it, also of broken
mail. Nothing here is decoded, and no bytes are an error.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache

FIELD = re.compile(rb"[!-9;-~]++[ \t]*+:")
EMPTY_LINE = re.compile(rb"^\r?\n", re.MULTILINE)
FROM_LINES = (b"From ", b">From ")  # the first line of a mail in an mbox
MESSAGE_ID = re.compile(rb"^message-id[ \t]*+:([^\n]*+(?:\n[ \t][^\n]*+)*+)", re.MULTILINE | re.IGNORECASE)
BETWEEN_ANGLES = re.compile(rb"<([^<>]++)>")
NOT_SHOWN = re.compile("[^ -~]")
LONGEST_VALUE = 200  # characters of a field that is added


def head_of(raw: bytes) -> bytes:
    """The head, with the empty line that ends it if there is one."""
    end = EMPTY_LINE.search(raw)
    return raw[: end.end()] if end else raw


def without(raw: bytes, *names: str) -> bytes:
    """Without the fields of these names; a name that ends with * stands for all that begin so.

    >>> without(b"Subject: x\\r\\nX-Spam-Flag: YES\\r\\n\\tfolded\\r\\n\\r\\nX-Spam-Flag: text\\r\\n", "X-Spam-*")
    b'Subject: x\\r\\n\\r\\nX-Spam-Flag: text\\r\\n'
    """
    head = head_of(raw)
    return _pattern(names).sub(b"", head) + raw[len(head) :]


def stamped(raw: bytes, fields: Mapping[str, str], *remove: str) -> bytes:
    """With these fields at the top, after the "From " line of an mbox; earlier ones of these names, and of those to
    remove, are gone. Lines end as the first one does.

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
    headless = not FIELD.match(rest) and not EMPTY_LINE.match(rest)
    return first + added + (newline if headless else b"") + rest


def one_value(text: str) -> bytes:
    """A text as the value of a field: one line of printable ASCII, so that nothing in it can be another field.

    >>> one_value("spam\\r\\nX-Forged: yes")
    b'spam??X-Forged: yes'
    """
    return NOT_SHOWN.sub("?", text[:LONGEST_VALUE]).encode("ascii")


def message_id(raw: bytes) -> bytes:
    """What the mail is called by who sent it; empty if it has no such name.

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
    wanted = [re.escape(name.removesuffix("*")) + ("[!-9;-~]*+" if name.endswith("*") else "") for name in names]
    field = rf"^(?:{'|'.join(wanted)})[ \t]*+:[^\n]*+(?:\n[ \t][^\n]*+)*+\n?"
    return re.compile(field.encode(), re.MULTILINE | re.IGNORECASE)
