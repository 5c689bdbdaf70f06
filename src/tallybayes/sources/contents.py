"""From the bytes of a document to its cells: mail (by `tallybayes.mail`) or text, and how to tell which."""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import pyarrow as pa

from tallybayes.mail.decoding import plain, text_of
from tallybayes.sources.base import SourceError
from tallybayes.sources.faults import SKIP
from tallybayes.sources.folders import LOOKED_AT, Group, beginning, spread
from tallybayes.sources.mbox import begins_as_mbox
from tallybayes.sources.paths import suffix
from tallybayes.sources.raw_documents import File
from tallybayes.sources.text import is_binary

TEXT = "text"  # or else "mail" or "mbox"
GUESSED = "utf-8"  # the default encoding; if files do not decode, another is guessed
HEAD_READ = 1 << 13  # bytes read to tell mail from text
FIELD = re.compile(rb"([!-9;-~]++)[ \t]*+:")
USUAL = {b"received", b"return-path", b"delivered-to", b"message-id", b"from", b"to", b"subject"}
BYTE_ORDERS = (  # the longer first
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


class Content(NamedTuple):
    """A kind of document: its columns, and how it is read."""

    types: dict[str, pa.DataType]
    texts: tuple[str, ...]  # the columns that are free text, whatever their cells look like
    cells: Callable[[bytes], dict[str, Any]]  # a `ValueError` with the reason if these bytes are not such a document


def _mail() -> Content:
    """Any bytes are a mail."""
    try:
        from tallybayes.mail.row import COLUMNS, TEXTS, read_mail
    except ImportError as error:  # lxml is an extra
        raise SourceError(str(error)) from None
    numbers = {"parts": pa.int64(), "has_html": pa.bool_(), "has_attachment": pa.bool_()}
    return Content({name: numbers.get(name, pa.string()) for name in COLUMNS}, TEXTS, read_mail)


def _text(encoding: str) -> Content:
    """Text in the given encoding, or else in UTF-8, UTF-16 with a byte order mark, or windows-1252."""
    usual = codecs.lookup(encoding).name

    def cells(content: bytes) -> dict[str, Any]:
        marked = next((encoding for mark, encoding in BYTE_ORDERS if content.startswith(mark)), usual)
        if not marked.startswith(("utf-16", "utf-32")) and is_binary(content):
            raise ValueError(f"not text: it contains NUL bytes. Remove it, {SKIP}.")
        if marked == GUESSED:
            return {"text": text_of(content)}
        try:
            return {"text": plain(content.decode(marked))}
        except ValueError as error:
            raise ValueError(f"not text in the encoding {marked!r}: {error}. Give its --encoding, {SKIP}.") from None

    return Content({"text": pa.string()}, ("text",), cells)


def content_of(groups: Sequence[Group], kind: str | None, encoding: str) -> Content:
    """How to read documents: as given, or as what they look like."""
    are_mail = _are_mail(groups) if kind is None else kind != TEXT
    return _mail() if are_mail else _text(encoding)


def _are_mail(groups: Sequence[Group]) -> bool:
    """Whether at least half of a sample of files are mail, decided for all classes together."""
    looks = {group.name: _looks(group) for group in groups}
    alike = [name for name, found in looks.items() if found and all(found)]
    unlike = [name for name, found in looks.items() if found and not any(found)]
    if alike and unlike:
        raise SourceError(
            f"The documents of {alike[0]!r} look like mail, and those of {unlike[0]!r} like plain text. A model would "
            "learn this difference instead of the content. Give --input mail or --input text for all of them."
        )
    every = [found for looked in looks.values() for found in looked]
    return sum(every) * 2 >= max(len(every), 1)


def _looks(group: Group) -> list[bool]:
    """Whether files of a class look like mail, for some that are not empty."""
    files = [holder for holder in group.holders if isinstance(holder, File) and not holder.in_maildir]
    if len(files) < len(group.holders) or any(suffix(file.path) == ".eml" for file in files):
        return [True]
    return [looks_like_mail(head) for file in spread(files, LOOKED_AT) if (head := beginning(file, HEAD_READ)).strip()]


def looks_like_mail(head: bytes) -> bool:
    """A line of an mbox, or header fields up to an empty line of which one is usual in mail.

    >>> looks_like_mail(b"Subject: lunch\\nX-Mood: good\\n\\nAt noon?"), looks_like_mail(b"Subject: lunch\\nAt noon?")
    (True, False)
    """
    if begins_as_mbox(head):
        return True
    names = set()
    for line in head.splitlines():
        found = FIELD.match(line)
        if found:
            names.add(found[1].lower())
        elif line[:1] not in (b" ", b"\t"):
            return not line and not USUAL.isdisjoint(names)
    return not USUAL.isdisjoint(names)
