"""The counts of one row as bytes of the database, laid out so that deleting them leaves nothing of them.

SQLite overwrites what is deleted (`secure_delete`), but not what it leaves behind when it moves rows from page to
page, as it does to keep its tree in balance. Pages that overflow from a row are never moved. So a row begins with
zeros, as many as stay in the tree, and is filled up to whole pages: whatever says something is on pages of its own.
The layout is that of SQLite's file format, which is fixed: https://www.sqlite.org/fileformat2.html, "B-tree Cell
Format".
"""

from __future__ import annotations

import hashlib
import secrets
import zlib
from functools import lru_cache

PAGE = 1024  # bytes; small, since every row takes whole pages
LEAST_LOCAL = (PAGE - 12) * 32 // 255 - 23  # bytes of a row that overflows which stay in the tree
OVERFLOW = PAGE - 4  # bytes on each page after that
SALT = 32
NOTHING = bytes(LEAST_LOCAL)
SMALL = OVERFLOW - SALT - 16  # counts that fit on a page as they are


def seal(counts: bytes) -> tuple[bytes, str]:
    """The bytes to keep, and the hash that the chain has of them."""
    salt = secrets.token_bytes(SALT)
    known = _laid_out(salt, zlib.compress(counts, 1), True) if len(counts) > SMALL else _laid_out(salt, counts, False)
    return known.ljust(_whole_pages(len(known)), b"\0"), content_hash(salt, counts)


def unseal(sealed: bytes) -> tuple[bytes, str]:
    """The counts, and the hash that the chain must have of them."""
    start = LEAST_LOCAL + SALT
    salt, length = sealed[LEAST_LOCAL:start], int.from_bytes(sealed[start : start + 8], "little")
    kept, packed = sealed[start + 8 : start + 8 + (length >> 1)], bool(length & 1)
    if sealed != _laid_out(salt, kept, packed).ljust(len(sealed), b"\0"):
        raise ValueError("there is something between the counts")
    counts = zlib.decompress(kept) if packed else kept
    return counts, content_hash(salt, counts)


def _laid_out(salt: bytes, kept: bytes, packed: bool) -> bytes:
    return b"".join((NOTHING, salt, (len(kept) << 1 | packed).to_bytes(8, "little"), kept))


def content_hash(salt: bytes, counts: bytes) -> str:
    return hashlib.sha256(salt + counts).hexdigest()


@lru_cache(1024)
def _whole_pages(least: int) -> int:
    """The smallest size of at least so many bytes with all but the first `LEAST_LOCAL` on pages of their own."""
    pages = 1
    while True:
        row = LEAST_LOCAL + OVERFLOW * pages
        for kind in range(1, 10):  # bytes in which the row says how long it is; two more say what else it has
            size = row - 2 - kind
            if size >= least and _varint(12 + 2 * size) == kind:
                return size
        pages += max((least - row) // OVERFLOW, 1)


def _varint(value: int) -> int:
    return max(-(-value.bit_length() // 7), 1)
