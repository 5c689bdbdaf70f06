"""The header fields of a part, as single lines of text."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from itertools import islice

from tallybayes.mail.decoding import encoded_words, one_line, text_of

Fields = Mapping[str, bytes]  # raw values by lower-case name

FIELDS = 1_000  # fields that are read, including duplicates
FIELD_READ = 1 << 15  # bytes of one field
STRUCTURED_READ = 2_048  # bytes of one with parameters

NAMES = b"subject|from|to|reply-to|list-id|received|x-mailer|user-agent|content-(?:type|transfer-encoding|disposition)"
# These begin with the end of the line before, since a search for a given byte is many times as fast as one for "^".
FIELD = re.compile(rb"\n(%b)[ \t]*+:([^\n]*+(?:\n[ \t][^\n]*+)*+)" % NAMES, re.IGNORECASE)
NOT_A_FIELD = re.compile(rb"\n(?![ \t]|[!-9;-~]++[ \t]*+:)")
MEDIA_TYPE = re.compile(r"\s*+([\w.+-]++/[\w.+-]++)", re.ASCII)
DEFAULT_TYPE = "text/plain"
RECEIVED = "received"  # one for every host, the last host first
HOST = re.compile(rb" (?![\w-]*+ )(\d{1,3}+(?:\.\d{1,3}+){3}(?= )|(?:[\w-]++\.)++[a-z]{2,}+)")  # a word with a dot
OF_HOSTS = b"-._0123456789abcdefghijklmnopqrstuvwxyz"
AROUND_HOSTS = bytes(byte if byte in OF_HOSTS else ord(" ") for byte in bytes(range(256)).lower())


def split_headers(content: bytes) -> tuple[Fields, bytes]:
    """The first field of each name, but all Received fields joined, and the body: what follows the empty line, or
    starts at the first line that is not a field."""
    lines = b"\n" + content
    end = NOT_A_FIELD.search(lines)
    at = end.start() if end else len(content)
    fields: dict[str, bytes] = {}
    for found in islice(FIELD.finditer(lines, 0, at + 1), FIELDS):
        name = found[1].decode().lower()
        if name not in fields:
            fields[name] = found[2]
        elif name == RECEIVED and len(fields[name]) < FIELD_READ:
            fields[name] += b" " + found[2][:FIELD_READ]
    return fields, content[at + 1 :] if content[at : at + 1] == b"\n" else content[at:]


def field_text(fields: Fields, name: str) -> str:
    """A field as text, with encoded words decoded."""
    if name not in fields:
        return ""
    value = fields[name][:FIELD_READ]
    if value.isascii() and value.find(b"=?") < 0 and (text := value.decode()).isprintable():  # as most of them
        return " ".join(text.split())
    return one_line(encoded_words(text_of(value)))


def hosts(fields: Fields) -> str:
    """The names and addresses of the hosts that a mail went through, without duplicates, the last first.

    >>> hosts({"received": b"from Mail.Example.org ([192.0.2.7]) by mx.example.net (8.11.6) for <bob@example.net>"})
    'mail.example.org 192.0.2.7 mx.example.net example.net'
    """
    text = text_of(fields.get(RECEIVED, b"")[:FIELD_READ])
    words = f" {text} ".encode("ascii", "replace").translate(AROUND_HOSTS)
    return b" ".join(dict.fromkeys(HOST.findall(words))).decode()


def keyword(fields: Fields, name: str) -> str:
    """The value of a field before its parameters, in lower case."""
    if name not in fields:
        return ""
    return _structured(fields, name).partition(";")[0].strip("\"' \t").lower()


def media_type(fields: Fields) -> str:
    """The media type, such as text/html; text/plain if it is missing or malformed."""
    found = MEDIA_TYPE.match(_structured(fields, "content-type"))
    return found[1].lower() if found else DEFAULT_TYPE


def parameter(fields: Fields, name: str, key: str) -> str:
    """A parameter of a field, as in `text/html; charset="utf-8"`; empty if there is none."""
    found = _pattern(key).search(_structured(fields, name)) if name in fields else None
    if not found:
        return ""
    return found[2] if found[1] is None else re.sub(r"\\(.)", r"\1", found[1])


def _structured(fields: Fields, name: str) -> str:
    """A field as one line, without decoding, since boundaries are compared as bytes."""
    if name not in fields:
        return ""
    return fields[name][:STRUCTURED_READ].replace(b"\n", b"").decode("utf-8", "surrogateescape")


@lru_cache(maxsize=8)
def _pattern(key: str) -> re.Pattern[str]:
    """The pattern of a parameter, quoted or not, including the first piece of a continued or encoded one."""
    return re.compile(
        rf'[;\s]{key}(?:\*0)?\*?\s*+=\s*+(?:"((?:[^"\\]|\\.)*+)"?|([^\s;"]++))', re.IGNORECASE | re.ASCII | re.DOTALL
    )
