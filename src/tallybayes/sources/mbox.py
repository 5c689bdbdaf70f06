"""An mbox: mails in one file of any size, each preceded by a line "From sender date".

The file is cut into pieces of whole mails as it is read, so that only one piece is in memory. A separator line must be
at the beginning or after an empty line, and must have a date: "From here on" in a mail does not count. Quoted lines
(">From ") are unquoted.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from tallybayes.sources.base import BadRow, SourceError
from tallybayes.sources.paths import path_text, shown
from tallybayes.sources.raw_documents import LONGEST, Raw, opened, too_long

BLOCK = 1 << 20  # bytes that are read at a time
LONGEST_LINE = 512  # bytes of a separator line, with a margin
SHOWN = 60  # bytes of a line, in messages
BOM = b"\xef\xbb\xbf"

DAY = rb"(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun),?"
MONTH = rb"(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)"
DATE = rb"%b {1,4}(?:%b {1,4}\d{1,2}+|\d{1,2}+ {1,4}%b(?: {1,4}\d{4})?) {1,4}\d{1,2}+:\d\d" % (DAY, MONTH, MONTH)
LINE = rb"From (?:[^\n]{0,320}? )?%b[^\n]{0,80}+\n" % DATE
FROM_LINE = re.compile(LINE)
DIVISION = re.compile(rb"\n\r?\n(?=%b)" % LINE)
EXAMPLE = "From ann@example.org Mon Sep  2 12:23:11 2002"

EMPTY_LINE = re.compile(rb"\n\r?\n")
QUOTED = re.compile(rb"^>(>*+From )", re.MULTILINE)


def begins_as_mbox(content: bytes | bytearray) -> bool:
    return FROM_LINE.match(content) is not None


def first_division(content: bytes | bytearray, start: int) -> int:
    """The start of the first mail after `start`; -1 if there is none."""
    found = DIVISION.search(content, start)
    return found.end() if found else -1


def last_division(content: bytes | bytearray, start: int) -> int:
    """The start of the last mail after `start`; -1 if there is none."""
    return max((found.end() for found in DIVISION.finditer(content, start)), default=-1)


@dataclass(frozen=True, slots=True)
class Piece:
    """Whole mails of an mbox, verbatim; without content, a mail that is too long."""

    path: str
    line: int  # of the file, where it begins
    size: int
    content: bytes | None = field(repr=False)

    @property
    def content_size(self) -> int:
        return len(self.content or b"")

    def documents(self) -> Iterator[Raw | BadRow]:
        line, start, content = self.line, 0, self.content
        if content is None:
            yield too_long(self._where(line))
            return
        while start < len(content):
            end = first_division(content, start)
            end = len(content) if end < 0 else end
            if end - start > LONGEST:
                yield too_long(self._where(line))
            else:
                mail = content[start:end]
                yield Raw(f"{path_text(self.path)}:{line}", self._where(line), unquoted(mail))
            line += content.count(b"\n", start, end)
            start = end

    def _where(self, line: int) -> str:
        return f"{shown(self.path)}, line {line}"


def unquoted(mail: bytes) -> bytes:
    """A mail without the empty line before the next one, and with its quoted lines unquoted.

    >>> unquoted(b"Subject: a\\n\\n>From here on\\n>>From there\\n\\n")
    b'Subject: a\\n\\nFrom here on\\n>From there\\n'
    """
    head = EMPTY_LINE.search(mail)
    if head and b"\n>" in mail:  # before that are headers, and sometimes another such line
        mail = mail[: head.end()] + QUOTED.sub(rb"\1", mail[head.end() :])
    for end in (b"\r\n", b"\n"):
        if mail.endswith(end + end):
            return mail[: -len(end)]
    return mail


@dataclass(frozen=True, slots=True)
class Box:
    """An mbox, not yet opened."""

    path: str
    size: int

    def current_path(self) -> str:
        return self.path

    def pieces(self) -> Iterator[Piece]:
        try:
            with opened(self.path) as file:
                cutter = MboxCutter(self.path)
                while block := file.read(BLOCK):
                    for piece in cutter.pieces(block):
                        yield replace(piece, size=file.stored(piece.size))
                for piece in cutter.rest():
                    yield replace(piece, size=file.stored(piece.size))
        except OSError as error:
            raise SourceError(f"{shown(self.path)} cannot be read: {error.strerror or error}.") from None


class MboxCutter:
    """Cuts an mbox into pieces as it is read; the content of a mail that is too long is discarded."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.waiting = bytearray()
        self.line = 1  # where that begins
        self.looked_at = 0  # up to here it contains no other mail
        self.begun = False
        self.losing: Piece | None = None

    def pieces(self, block: bytes) -> Iterator[Piece]:
        self.waiting += block
        self.begun = self.begun or self._begins()
        if self.losing:
            division = first_division(self.waiting, 0)
            self._lose(division if division >= 0 else len(self.waiting) - LONGEST_LINE)
            if division < 0:
                return
            yield self.losing
            self.losing = None
        division = last_division(self.waiting, self.looked_at)
        if division >= 0:
            yield Piece(self.path, self.line, division, bytes(self.waiting[:division]))
            self._drop(division)
        elif len(self.waiting) > LONGEST:
            self.losing = Piece(self.path, self.line, 0, None)
            self._lose(len(self.waiting) - LONGEST_LINE)
        self.looked_at = max(len(self.waiting) - LONGEST_LINE, 0)

    def rest(self) -> Iterator[Piece]:
        """The last pieces, at the end of the file."""
        self.begun = self.begun or self._begins(ended=True)
        if self.losing:
            self._lose(len(self.waiting))
            yield self.losing
        elif self.waiting:
            yield Piece(self.path, self.line, len(self.waiting), bytes(self.waiting))

    def _begins(self, *, ended: bool = False) -> bool:
        """Whether the first mail is here, after empty lines; an error if something else is."""
        content = self.waiting.removeprefix(BOM).lstrip(b"\r\n")
        self._drop(len(self.waiting) - len(content))
        if b"\n" not in content and len(content) < LONGEST_LINE and not ended:
            return False
        if content and not begins_as_mbox(content):
            first = bytes(content[:SHOWN]).partition(b"\n")[0].decode("utf-8", "backslashreplace")
            raise SourceError(
                f"{shown(self.path)}, line {self.line}: an mbox begins with a line like {EXAMPLE!r}, not with "
                f"{first!r}. If this is a single mail, give --input mail."
            )
        return bool(content)

    def _lose(self, end: int) -> None:
        if self.losing and end > 0:
            self.losing = replace(self.losing, size=self.losing.size + end)
            self._drop(end)

    def _drop(self, end: int) -> None:
        self.line += self.waiting.count(b"\n", 0, end)
        del self.waiting[:end]
