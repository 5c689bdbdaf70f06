"""The counts of one row as a blob, laid out such that deleting it leaves no trace in the database.

SQLite overwrites deleted data (`secure_delete`), but not the copies left behind when it moves cells between pages to
balance its tree. Overflow pages are never moved. So a blob starts with zeros, as many as stay in the tree, and is
padded to whole pages: all content is on overflow pages. The layout is that of SQLite's file format, which is fixed:
https://www.sqlite.org/fileformat2.html, "B-tree Cell Format".
"""

from __future__ import annotations

import hashlib
import secrets
import zlib
from collections.abc import Iterator
from functools import lru_cache

PAGE = 1024  # bytes; small, since every row takes whole pages
LEAST_LOCAL = (PAGE - 12) * 32 // 255 - 23  # bytes of an overflowing cell that stay in the tree
OVERFLOW = PAGE - 4  # bytes on each overflow page
SALT, DRAWN = 32, 64  # bytes of a salt; salts drawn together
NOTHING = bytes(LEAST_LOCAL)
SMALL = OVERFLOW - SALT - 16  # bytes of counts that fit on one page uncompressed


def salts() -> Iterator[bytes]:
    """Random salts, drawn many at a time: each call to the system wakes up all threads that wait for the GIL."""
    while True:
        drawn = secrets.token_bytes(SALT * DRAWN)
        for start in range(0, len(drawn), SALT):
            yield drawn[start : start + SALT]


def seal(counts: bytes, salt: bytes) -> tuple[bytes, str]:
    """The blob to store, and the hash for the chain."""
    known = _laid_out(salt, zlib.compress(counts, 1), True) if len(counts) > SMALL else _laid_out(salt, counts, False)
    return known.ljust(_whole_pages(len(known)), b"\0"), content_hash(salt, counts)


def unseal(sealed: bytes) -> tuple[bytes, str]:
    """The counts, and the hash that must be in the chain."""
    start = LEAST_LOCAL + SALT
    salt, length = sealed[LEAST_LOCAL:start], int.from_bytes(sealed[start : start + 8], "little")
    kept, packed = sealed[start + 8 : start + 8 + (length >> 1)], bool(length & 1)
    if sealed != _laid_out(salt, kept, packed).ljust(len(sealed), b"\0"):
        raise ValueError("the padding is not zero")
    counts = _unpacked(kept) if packed else kept
    return counts, content_hash(salt, counts)


def _unpacked(kept: bytes) -> bytes:
    """Decompressed; `zlib.decompress` would accept any bytes after the end, and so a wrong length."""
    unpacking = zlib.decompressobj()
    counts = unpacking.decompress(kept)
    if not unpacking.eof or unpacking.unused_data:
        raise ValueError("the length is wrong")
    return counts


def _laid_out(salt: bytes, kept: bytes, packed: bool) -> bytes:
    return b"".join((NOTHING, salt, (len(kept) << 1 | packed).to_bytes(8, "little"), kept))


def content_hash(salt: bytes, counts: bytes) -> str:
    return hashlib.sha256(salt + counts).hexdigest()


@lru_cache(1024)
def _whole_pages(least: int) -> int:
    """The smallest size of at least `least` bytes that puts all but the first `LEAST_LOCAL` on full overflow pages."""
    pages = 1
    while True:
        row = LEAST_LOCAL + OVERFLOW * pages
        for kind in range(1, 10):  # bytes of the varint for the blob's length; two more bytes are in the record header
            size = row - 2 - kind
            if size >= least and _varint(12 + 2 * size) == kind:
                return size
        pages += max((least - row) // OVERFLOW, 1)


def _varint(value: int) -> int:
    return max(-(-value.bit_length() // 7), 1)
