"""From encoded bytes to text: transfer encodings, charsets (declared correctly or not), and encoded words in headers.

Nothing here raises an error: broken input is decoded as far as possible.
"""

from __future__ import annotations

import binascii
import re
from encodings.aliases import aliases
from functools import lru_cache

UTF_8 = "utf_8"
NAME = 75  # characters of a charset's name, at most
NOT_TEXT = {"base64_codec", "bz2_codec", "hex_codec", "mbcs", "quopri_codec", "rot_13", "uu_codec", "zlib_codec"}
CODECS = {name: codec for name, codec in aliases.items() if codec not in NOT_TEXT}
CODECS |= {codec: codec for codec in CODECS.values()} | {"koi8_u": "koi8_u"}
CODECS |= {name: "cp1252" for name, codec in CODECS.items() if codec in ("ascii", "latin_1")}  # as browsers do
CODECS |= {name: "gb18030" for name, codec in CODECS.items() if codec in ("gb2312", "gbk")}  # a superset
SEVERAL_BYTES = re.compile(r"utf|big5|cp9[345]|euc|gb|hz|iso2022|johab|shift")

CONTROLS = bytes({*range(32), 127} - set(b"\t\n"))
ALL_CONTROLS = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]+")
HIGH_CONTROL = re.compile(r"[\x80-\x9f]")
HIGH_CONTROLS = {code: bytes([code]).decode("cp1252", "ignore") for code in range(0x80, 0xA0)}  # as browsers do
JOINED = re.compile("[\u00ad\u034f\u2060\ufeff]+")  # where a word may be hyphenated, or must not be cut
SIMPLE = "0-9A-Za-z\u00c0-\u024f\u0370-\u052f\u1e00-\u1fff"  # Latin, Greek and Cyrillic, whose words need no joiners
PARTED = re.compile(f"(?<=[{SIMPLE}])[\u180e\u200b-\u200f\u2061-\u2064]++(?=[{SIMPLE}])")
ENCODED = re.compile(r"=\?([^?\s]{1,75}+)\?([bq])\?([^?]*+)\?=", re.IGNORECASE)


def decoded(body: bytes, encoding: str) -> bytes:
    """The body without its transfer encoding; unchanged if that is unknown."""
    if encoding == "quoted-printable":
        return binascii.a2b_qp(body)
    return _from_base64(body) if encoding == "base64" else body


def _from_base64(body: bytes) -> bytes:
    for ending in (b"", b"==", b"A=="):  # complete; without padding; truncated in the middle of a byte
        try:
            return binascii.a2b_base64(body + ending)
        except binascii.Error:
            continue
    return b""


def text_of(content: bytes, charset: str = "") -> str:
    """Bytes as text, with plain line ends and without other control characters.

    Valid UTF-8 is decoded as such even if a single-byte charset was declared: other text is almost never valid UTF-8.
    If nothing fits, it is decoded as windows-1252, which has a letter for almost every byte.
    """
    declared = _codec(charset[:NAME]) if charset else UTF_8
    several = declared != UTF_8 and SEVERAL_BYTES.match(declared)
    if content.isascii() and not several:
        return _cleaned(content).decode()
    for codec in (declared, UTF_8) if several else (UTF_8, declared):
        try:
            return plain(content.decode(codec))
        except ValueError:
            continue
    return plain(content.decode(declared if declared != UTF_8 else "cp1252", "replace"))


@lru_cache(maxsize=64)
def _codec(charset: str) -> str:
    """Python's codec for a charset, from a fixed list: a name in a mail must not load a module."""
    name = re.sub(r"[^a-z0-9]+", "_", charset.lower().partition("*")[0]).strip("_")
    return CODECS.get(name) or CODECS.get(name.removeprefix("x_")) or CODECS.get(name.replace("_", ""), UTF_8)


def plain(text: str) -> str:
    """Text with plain line ends, without other control characters and lone surrogates, which UTF-7 and HTML can encode.

    >>> plain("\\x93wait\\x85\\x94\\x1b[31m")
    '“wait…”[31m'
    """
    if _is_plain(text):
        return text
    if not text.isascii() and HIGH_CONTROL.search(text):  # windows-1252 that was decoded as Latin-1
        text = text.translate(HIGH_CONTROLS)
    return _cleaned(text.encode("utf-8", "replace")).decode("utf-8").removeprefix("\ufeff")


def _cleaned(text: bytes) -> bytes:
    return line_ends(text).translate(None, CONTROLS)


def line_ends(content: bytes) -> bytes:
    """The same with plain line ends."""
    return content.replace(b"\r\n", b"\n").replace(b"\r", b"\n") if b"\r" in content else content


def _is_plain(text: str) -> bool:
    """Whether this is a line of ASCII, as most header fields are."""
    return text.isascii() and text.isprintable()


def one_line(text: str) -> str:
    """Text without control characters, with white space collapsed to single spaces."""
    if _is_plain(text):
        return " ".join(text.split())
    return " ".join(ALL_CONTROLS.sub(" ", text).encode("utf-8", "replace").decode("utf-8").split())


def as_seen(text: str) -> str:
    """Text without characters that nobody sees and that would cut words apart, as in the newsletters of some senders
    and the spam of others.

    >>> as_seen("pre\\u00adscription, fr\\u200bee")
    'prescription, free'
    """
    return text if text.isascii() else PARTED.sub("", JOINED.sub("", text))


def encoded_words(text: str) -> str:
    """Decodes "=?charset?q?...?=". Adjacent words of the same charset are decoded together, since a character may be
    split between them."""
    if "=?" not in text:
        return text
    pieces: list[str] = []
    charset, waiting, end = "", b"", 0
    for found in ENCODED.finditer(text):
        between = text[end : found.start()]
        if between.strip() or found[1].lower() != charset:
            pieces.append(text_of(waiting, charset))
            waiting, charset = b"", found[1].lower()
        if between.strip() or not end:
            pieces.append(between)
        waiting += _content(found[2], found[3])
        end = found.end()
    return "".join([*pieces, text_of(waiting, charset), text[end:]])


def _content(kind: str, letters: str) -> bytes:
    content = letters.encode("utf-8", "replace")
    return _from_base64(content) if kind in "bB" else binascii.a2b_qp(content, header=True)
