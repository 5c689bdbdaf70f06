"""From bytes to blocks of whole rows, as UTF-8, each with the number of its first line."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from tallybayes import kernels
from tallybayes.sources.base import SourceError
from tallybayes.sources.bytes_in import LOOK_BYTES, FullReads, Input, Stream
from tallybayes.sources.paths import printable
from tallybayes.sources.read_options import ReadOptions

ROW_LIMIT = 1 << 26  # bytes of one row: real ones are shorter, and an unclosed quote would swallow the rest
LIVE_BYTES = 1 << 20
NO_DELIMITER = -1  # rows are lines
ENCODING = "Give the encoding of the file, like --encoding latin-1"
FORMATS = "Give CSV, TSV, JSON lines, Parquet or Arrow"
OR_ENCODING = ", or the encoding, like --encoding utf-16-le"
NO_QUOTES = "give --no-quotes if quotes are ordinary characters"
UNCLOSED = f"A quote is opened there and never closed; {NO_QUOTES}."
CONTROLS = bytes({*range(32), 127} - set(b"\t\n\v\f\r\x1b"))
STRAY, STRAY_EACH = 2, 20  # control characters that text may contain: two, and one in twenty
MARKS = {  # byte order marks, the longer ones first
    codecs.BOM_UTF8: "utf-8",
    codecs.BOM_UTF32_LE: "utf-32-le",
    codecs.BOM_UTF32_BE: "utf-32-be",
    codecs.BOM_UTF16_LE: "utf-16-le",
    codecs.BOM_UTF16_BE: "utf-16-be",
}


class Transcoded(FullReads):
    """Text of another encoding, as UTF-8."""

    def __init__(self, below: Stream, encoding: str, name: str) -> None:
        super().__init__(below)
        self._name = name
        self._encoding = encoding
        self._decoder = codecs.getincrementaldecoder(encoding)()
        self._ready = b""
        self._done = 0

    def readinto(self, buffer: Any) -> int:
        view = memoryview(buffer).cast("B")
        more = bytearray(max(len(view), 4))
        while not self._ready:
            got = self.below.readinto(more)
            self._ready = self._decoded(bytes(more[:got]), not got)
            self._done += got
            if not got:
                break
        size = min(len(view), len(self._ready))
        view[:size] = self._ready[:size]
        self._ready = self._ready[size:]
        return size

    def _decoded(self, piece: bytes, final: bool) -> bytes:
        try:
            return self._decoder.decode(piece, final).encode("utf-8")
        except UnicodeError as error:
            raise SourceError(
                f"{self._name} is not {self._encoding}: {printable(error)}, near byte {self._done}. Give its "
                "encoding, like --encoding latin-1."
            ) from None


def open_text(source: Input, reading: ReadOptions) -> None:
    """Makes the input's bytes UTF-8 without a byte order mark."""
    head = source.stream.look()
    mark = next((mark for mark in MARKS if head.startswith(mark)), b"")
    source.skip(len(mark))
    encoding = MARKS.get(mark, "utf-8" if reading.plain else reading.encoding)
    if encoding != "utf-8":
        source.stream = Stream(Transcoded(source.stream, encoding, source.name))
    first = re.split(rb"[\r\n]", source.stream.look()[:LOOK_BYTES], maxsplit=1)[0]  # a pipe may not have more yet
    if is_binary(first):
        raise SourceError(f"{source.name} is not a table: it contains bytes that are not text. {FORMATS}{OR_ENCODING}.")


def is_plain(source: Input) -> bool:
    """Whether the bytes of an opened text are stored unchanged, so that reading can start anywhere."""
    return source.total is not None and not source.packed and not isinstance(source.stream.below, Transcoded)


def is_binary(content: bytes) -> bool:
    r"""Whether these bytes cannot be text. A stray NUL is an ordinary character; many control characters mean UTF-16 or
    binary data.

    >>> is_binary(b"a\0,b"), is_binary("a,b".encode("utf-16-le"))
    (False, True)
    """
    if b"\0" not in content:
        return False
    controls = len(content) - len(content.translate(None, CONTROLS))
    return controls > STRAY + len(content) // STRAY_EACH


class TextBlock(NamedTuple):
    """Consecutive whole rows."""

    line: int  # the number of the first line, from 1
    data: pa.Buffer
    size: int  # in stored bytes of the input
    open: bool = False  # whether the last row ends within quotes


def _check_length(beginning: memoryview, delimiter: int, where: str) -> None:
    """Raises an error if the first row does not end here; it would, or not, in a block, as that begins and is cut."""
    end, _, is_open = kernels.find_rows_end(np.frombuffer(beginning, np.uint8), delimiter)
    if not end:
        cause = UNCLOSED if is_open else "Check the format of the file."
        raise SourceError(f"{where}: the row is longer than {ROW_LIMIT >> 20} MiB. {cause}")


def read_blocks(source: Input, size: int, delimiter: int = NO_DELIMITER, line: int = 1) -> Iterator[TextBlock]:
    """Blocks of about this many bytes, cut where rows end; the first one begins at this line."""
    size = min(size, LIVE_BYTES) if source.live else size
    given, rest = 0, memoryview(b"")
    while True:
        more = max(size, len(rest))  # a long row must not be searched again for every block
        buffer = pa.allocate_buffer(len(rest) + more)
        view = memoryview(buffer).cast("B")
        view[: len(rest)] = rest
        got = source.fill(view[len(rest) :])
        filled = len(rest) + got
        end, lines, is_open = kernels.find_rows_end(np.frombuffer(view[:filled], np.uint8), delimiter)
        if filled > ROW_LIMIT:
            _check_length(view[: ROW_LIMIT + 1], delimiter, f"{source.name}, line {line}")
        stored = source.stored.done
        if not got or (got < more and not source.live):
            if filled:
                yield TextBlock(line, buffer.slice(0, filled), stored - given, is_open)
            return
        if end:
            yield TextBlock(line, buffer.slice(0, end), stored - given)
            given = stored
        line, rest = line + lines, view[end:filled]
