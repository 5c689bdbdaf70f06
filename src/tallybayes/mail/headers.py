"""From the head of a part to its fields, as texts of one line."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from itertools import islice

from tallybayes.mail.decoding import encoded_words, one_line, text_of

Fields = Mapping[str, bytes]  # by name in lower case, as they came

FIELDS = 1_000  # of the names below that are looked at, repeated ones included
FIELD_READ = 1 << 15  # bytes of one field
STRUCTURED_READ = 2_048  # bytes of one that has parameters

NAMES = b"subject|from|to|reply-to|list-id|received|x-mailer|user-agent|content-(?:type|transfer-encoding|disposition)"
FIELD = re.compile(rb"^(%b)[ \t]*+:([^\n]*+(?:\n[ \t][^\n]*+)*+)" % NAMES, re.MULTILINE | re.IGNORECASE)
NOT_A_FIELD = re.compile(rb"^(?![ \t]|[!-9;-~]++[ \t]*+:)", re.MULTILINE)
MEDIA_TYPE = re.compile(r"\s*+([\w.+-]++/[\w.+-]++)", re.ASCII)
DEFAULT_TYPE = "text/plain"
RECEIVED = "received"  # one from every host, the last host first
HOST = re.compile(
    r"(?<![\w.-])(?:\d{1,3}+(?:\.\d{1,3}+){3}(?![\w.-])|(?:[\w-]++\.)++[a-z]{2,}+)", re.IGNORECASE | re.ASCII
)


def split_headers(content: bytes) -> tuple[Fields, bytes]:
    """The first field of each name, and what follows the empty line, or begins with a line that is no field.

    Of those that say where a mail was received, all, as one."""
    end = NOT_A_FIELD.search(content)
    at = end.start() if end else len(content)
    fields: dict[str, bytes] = {}
    for found in islice(FIELD.finditer(content, 0, at), FIELDS):
        name = found[1].decode().lower()
        if name not in fields:
            fields[name] = found[2]
        elif name == RECEIVED and len(fields[name]) < FIELD_READ:
            fields[name] += b" " + found[2][:FIELD_READ]
    return fields, content[at + 1 :] if content[at : at + 1] == b"\n" else content[at:]


def field_text(fields: Fields, name: str) -> str:
    """A field as people read it, with encoded words decoded."""
    return one_line(encoded_words(text_of(fields[name][:FIELD_READ]))) if name in fields else ""


def hosts(fields: Fields) -> str:
    """The names and numbers of the hosts a mail went through, each once, the last first.

    >>> hosts({"received": b"from Mail.Example.org ([192.0.2.7]) by mx.example.net (8.11.6) for <bob@example.net>"})
    'mail.example.org 192.0.2.7 mx.example.net example.net'
    """
    text = text_of(fields.get(RECEIVED, b"")[:FIELD_READ])
    return " ".join(dict.fromkeys(host.lower() for host in HOST.findall(text)))


def keyword(fields: Fields, name: str) -> str:
    """What stands before the parameters of a field, in lower case."""
    return _structured(fields, name).partition(";")[0].strip("\"' \t").lower()


def media_type(fields: Fields) -> str:
    """Such as text/html; plain text if nothing sensible is said."""
    found = MEDIA_TYPE.match(_structured(fields, "content-type"))
    return found[1].lower() if found else DEFAULT_TYPE


def parameter(fields: Fields, name: str, key: str) -> str:
    """A parameter of a field, as in `text/html; charset="utf-8"`; empty if there is none."""
    found = _pattern(key).search(_structured(fields, name))
    if not found:
        return ""
    return found[2] if found[1] is None else re.sub(r"\\(.)", r"\1", found[1])


def _structured(fields: Fields, name: str) -> str:
    """One line, without decoding: boundaries are compared as bytes."""
    if name not in fields:
        return ""
    return fields[name][:STRUCTURED_READ].replace(b"\n", b"").decode("utf-8", "surrogateescape")


@lru_cache(maxsize=8)
def _pattern(key: str) -> re.Pattern[str]:
    """Of a parameter, quoted or not, also in the first piece of a divided or encoded one."""
    return re.compile(
        rf'[;\s]{key}(?:\*0)?\*?\s*+=\s*+(?:"((?:[^"\\]|\\.)*+)"?|([^\s;"]++))', re.IGNORECASE | re.ASCII | re.DOTALL
    )
