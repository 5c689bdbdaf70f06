"""Bytes from files and pipes: decompressed, counted as stored, and peeked at before they are used."""

from __future__ import annotations

import io
import lzma
import os
import select
import stat
import sys
import zlib
from collections.abc import Callable
from functools import partial
from typing import Any

import pyarrow as pa

from tallybayes.sources.base import SourceError
from tallybayes.sources.paths import STANDARD_INPUT, printable, shown
from tallybayes.sources.read_options import ReadOptions

LOOK_BYTES = 1 << 16
EMPTY = b"\xef\xbb\xbf\r\n"  # bytes of a byte order mark and of empty lines
PAUSE = 10  # milliseconds without data after which a live input passes on what it has
PACKED = {b"\x1f\x8b": "gzip", b"\x28\xb5\x2f\xfd": "zstd", b"BZh": "bz2", b"\xfd7zX": "xz"}

GZIP = 31  # zlib's name for a header, a check sum and the largest window
PADDED: dict[str, Callable[[], Any]] = {
    "gzip": partial(zlib.decompressobj, GZIP),
    "xz": partial(lzma.LZMADecompressor, lzma.FORMAT_XZ),
}

DAMAGE = (OSError, EOFError, lzma.LZMAError, zlib.error, pa.ArrowException)


def codec_of(head: bytes) -> str | None:
    """The compression of a file with these first bytes, if any."""
    return next((codec for magic, codec in PACKED.items() if head.startswith(magic)), None)


def unpacking(file: Any, codec: str) -> Any:
    """The contents of a compressed file. If it is damaged or truncated, reading raises one of `DAMAGE`."""
    new = PADDED.get(codec)
    if new is None:
        return pa.CompressedInputStream(pa.PythonFile(file, mode="r"), codec)
    return io.BufferedReader(Padded(file, new), LOOK_BYTES)


class Padded(io.RawIOBase):
    """The contents of a file compressed by gzip or xz, which may be several such files one after another, with zeros
    between and after them, as on tapes. Arrow refuses these zeros, and `lzma.open` would take damage after the first
    file for the end."""

    def __init__(self, file: Any, new: Callable[[], Any]) -> None:
        self._file, self._new, self._part = file, new, new()

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        content = b""
        while not content:
            packed, ended = getattr(self._part, "unconsumed_tail", b""), False  # which lzma keeps
            if self._part.eof:
                packed = self._next()
                if not packed:
                    return 0
                self._part = self._new()
            elif not packed and getattr(self._part, "needs_input", True):
                packed = self._file.read(LOOK_BYTES)
                ended = not packed
            content = self._part.decompress(packed, len(buffer))
            if ended and not content and not self._part.eof:
                raise EOFError("it ends too early")
        buffer[: len(content)] = content
        return len(content)

    def _next(self) -> bytes:
        """The beginning of the next file, without the zeros before it; empty after the last."""
        packed = self._part.unused_data.lstrip(b"\0")
        while not packed:
            more = self._file.read(LOOK_BYTES)
            if not more:
                break
            packed = more.lstrip(b"\0")
        return bytes(packed)


class FullReads(io.RawIOBase):
    """Reads the full size asked for, as pyarrow expects, however the bytes arrive. What is `below` is closed with
    it."""

    def __init__(self, below: Any = None) -> None:
        self.below = below

    def close(self) -> None:
        if self.below is not None:
            self.below.close()
        super().close()

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        if size < 0:
            return self.readall()
        found, filled = bytearray(), 0
        while filled < size:
            if filled == len(found):  # the size may come from a damaged file, so the buffer grows with the data
                found += bytes(min(size - filled, max(filled, LOOK_BYTES)))
            with memoryview(found) as view:
                got = self.readinto(view[filled:])
            if not got:
                break
            filled += got
        del found[filled:]
        return bytes(found)


class Stream(FullReads):
    """Bytes that can be peeked at before they are read."""

    def __init__(self, below: Any) -> None:
        super().__init__(below)
        self._ahead = b""

    def look(self) -> bytes:
        """Peeks at the first bytes: at least one line that is not empty, up to a limit."""
        while b"\n" not in self._ahead.lstrip(EMPTY) and len(self._ahead) < LOOK_BYTES:
            more = bytearray(LOOK_BYTES)
            got = self.below.readinto(more)
            if not got:
                break
            self._ahead += more[:got]
        return self._ahead

    def skip(self, size: int) -> None:
        """Skips bytes that were peeked at."""
        self._ahead = self._ahead[size:]

    def readinto(self, buffer: Any) -> int:
        if not self._ahead:
            return int(self.below.readinto(buffer))
        view = memoryview(buffer).cast("B")
        size = min(len(view), len(self._ahead))
        view[:size] = self._ahead[:size]
        self._ahead = self._ahead[size:]
        return size


class Stored(FullReads):
    """A file or pipe, and how much of it was read. It closes itself."""

    def __init__(self, number: int, name: str, put_in: Any = None) -> None:
        super().__init__()
        self.done = 0
        self.name = name
        self._number = number
        self._put_in = put_in  # a replaced standard input, as in tests
        about = os.fstat(number) if number >= 0 else None
        self.total = about.st_size if about and stat.S_ISREG(about.st_mode) else None
        self.start = 0 if self.total is None else os.lseek(number, 0, os.SEEK_CUR)  # of standard input, may be later

    @classmethod
    def open(cls, path: str) -> Stored:
        try:
            if path != STANDARD_INPUT:
                return cls(os.open(path, os.O_RDONLY | getattr(os, "O_BINARY", 0)), shown(path))
            if sys.stdin is None:
                raise OSError("it is closed")
            try:
                return cls(os.dup(sys.stdin.fileno()), shown(path))
            except io.UnsupportedOperation:
                return cls(-1, shown(path), sys.stdin.buffer)
        except OSError as error:
            raise SourceError(f"{shown(path)} cannot be read: {error.strerror or error}.") from None

    def readinto(self, buffer: Any) -> int:
        try:
            got = self._got(buffer)
        except OSError as error:
            raise SourceError(f"{self.name} cannot be read: {error.strerror or error}.") from None
        self.done += got
        return got

    def _got(self, buffer: Any) -> int:
        return os.readv(self._number, [buffer]) if self._put_in is None else int(self._put_in.readinto(buffer))

    def again(self) -> StoredAgain:
        return StoredAgain(os.dup(self._number), self.name, self.start)

    def fileno(self) -> int:
        return self._number

    def seekable(self) -> bool:
        return self.total is not None

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        return os.lseek(self._number, offset, whence)

    def is_waiting(self) -> bool:
        """Whether more data is available, or will be shortly."""
        if self._put_in is not None:
            return True
        waiting = select.poll()
        waiting.register(self._number, select.POLLIN)
        return bool(waiting.poll(PAUSE))

    def close(self) -> None:
        if not self.closed and self._number >= 0:
            os.close(self._number)
        super().close()


class StoredAgain(Stored):
    """A file read once more from its start; the first reading does not notice."""

    def __init__(self, number: int, name: str, start: int) -> None:
        super().__init__(number, name)
        self.start = start

    def _got(self, buffer: Any) -> int:
        return os.preadv(self._number, [buffer], self.start + self.done)


class Unpacked(FullReads):
    """The contents of a compressed stream. A damaged or truncated one is an error."""

    def __init__(self, packed: Stream, codec: str, name: str) -> None:
        super().__init__(packed)
        self._name = name
        self._stream = unpacking(packed, codec)

    def readinto(self, buffer: Any) -> int:
        try:
            return int(self._stream.readinto(buffer))
        except DAMAGE as error:
            raise SourceError(f"{self._name} is damaged or truncated: {printable(error)}.") from None


class Input:
    """One file or pipe: its name for messages, and its bytes, decompressed if they were compressed."""

    def __init__(self, path: str, reading: ReadOptions, stored: Stored | None = None) -> None:
        self.path = path
        self.stored = stored or Stored.open(path)
        self.start = self.stored.start  # of what is left to read, in stored bytes if these are not packed
        self.name = self.stored.name
        self.total = self.stored.total
        self.live = reading.live and (path == STANDARD_INPUT or self.total is None)
        self.stream = Stream(self.stored)
        codec = codec_of(self.stream.look())
        self.packed = codec is not None
        if codec is not None:
            self.stream = Stream(Unpacked(self.stream, codec, self.name))

    def skip(self, size: int) -> None:
        """Leaves out the next bytes, which are no contents."""
        self.stream.skip(size)
        self.start += size

    def fill(self, view: memoryview) -> int:
        """Reads until the buffer is full or the input ends; from a live input, what is available."""
        filled = 0
        while filled < len(view):
            got = self.stream.readinto(view[filled:])
            filled += got
            if not got or (self.live and not self.stored.is_waiting()):
                break
        return filled

    def again(self, reading: ReadOptions) -> Input:
        """The same bytes from the beginning, if the input can be read twice."""
        return Input(self.path, reading, self.stored.again())

    def close(self) -> None:
        self.stream.close()
