"""The inputs of documents: a file that is one document, or standard input."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from typing import BinaryIO, NamedTuple, Protocol

from tallybayes.sources.base import BadRow
from tallybayes.sources.bytes_in import DAMAGE, codec_of, unpacking
from tallybayes.sources.faults import SKIP
from tallybayes.sources.maildir import moved
from tallybayes.sources.paths import STANDARD_INPUT, path_text, shown

LONGEST = 1 << 26  # bytes of one document
MOVES = 3  # renames of a mail that are followed while it is being opened
MIB = 1 << 20


class Raw(NamedTuple):
    """A document as it is stored."""

    file: str  # its name in the column "file"
    where: str  # its name in messages
    content: bytes


class Item(Protocol):
    """Something that holds documents of one class."""

    @property
    def size(self) -> int:
        """In bytes, as it is stored."""

    @property
    def content_size(self) -> int:
        """The same, decompressed as far as that is done already."""

    def documents(self) -> Iterator[Raw | BadRow]: ...


class Opened:
    """A file open for reading, decompressed if necessary. Damage is an `OSError`."""

    def __init__(self, file: BinaryIO) -> None:
        head = file.peek(1) if isinstance(file, io.BufferedReader) else b""
        codec = codec_of(head)
        self._file = file
        self._packed = None if codec is None else unpacking(file, codec)
        self._told = 0

    def read(self, size: int) -> bytes:
        try:
            return bytes((self._packed or self._file).read(size))
        except OSError:  # of the system, which says what is wrong
            raise
        except DAMAGE as error:
            raise OSError(str(error)) from None

    def stored(self, size: int) -> int:
        """The stored size of the bytes last read: for a compressed file, all that was consumed meanwhile."""
        if self._packed is None or not self._file.seekable():
            return size
        before, self._told = self._told, self._file.tell()
        return self._told - before


@contextmanager
def opened(path: str) -> Iterator[Opened]:
    """For reading; standard input stays open."""
    with nullcontext(sys.stdin.buffer) if path == STANDARD_INPUT else open(path, "rb") as file:
        yield Opened(file)


def too_long(where: str) -> BadRow:
    return BadRow(where, f"the document is longer than {LONGEST // MIB} MiB. Remove it, {SKIP}.")


@dataclass(frozen=True, slots=True)
class File:
    """A file that is one document."""

    path: str
    size: int
    in_maildir: bool = False

    @property
    def content_size(self) -> int:
        return self.size

    def current_path(self) -> str:
        """Where it is now: mails in a Maildir move."""
        if not self.in_maildir or os.path.exists(self.path):
            return self.path
        return moved(self.path) or self.path

    def documents(self) -> Iterator[Raw | BadRow]:
        """The document; none if it was in a Maildir and is gone."""
        where = shown(self.path)
        try:
            content = self._content()
        except OSError as error:
            yield BadRow(where, f"cannot be read: {error.strerror or error}. Remove it, {SKIP}.")
            return
        if content is not None:
            yield Raw(path_text(self.path), where, content) if len(content) <= LONGEST else too_long(where)

    def _content(self) -> bytes | None:
        path = self.path
        for _ in range(MOVES):
            try:
                with opened(path) as file:
                    first = file.read(min(self.size, LONGEST) + 1)  # reading LONGEST would allocate that much at once
                    return first + file.read(LONGEST + 1 - len(first)) if len(first) > self.size else first
            except FileNotFoundError:
                if not self.in_maildir:
                    raise
            path = moved(self.path) or path  # a listing may miss a mail that moves meanwhile
        return None


@dataclass(frozen=True, slots=True)
class Kept:
    """A document from standard input, which cannot be opened again."""

    found: list[Raw | BadRow]

    @property
    def size(self) -> int:
        return sum(len(document.content) for document in self.found if isinstance(document, Raw))

    @property
    def content_size(self) -> int:
        return self.size

    def documents(self) -> Iterator[Raw | BadRow]:
        return iter(self.found)
