"""The bytes of a file: a text and plain arrays in the safetensors layout, in canonical form.

Any safetensors reader opens such a file. It is written here, byte by byte, so that equal contents are equal bytes
whatever version of that library is installed; and it is read only if it has exactly the bytes that would be written. So
nothing can hide in a file: no extra key, array or white space.
"""

from __future__ import annotations

import hashlib
import json
from typing import Any

import numpy as np
import safetensors
import safetensors.numpy
from numpy.typing import NDArray

NAME = "tallybayes"
START = b'{"__metadata__":{"tallybayes":"'
LONGEST_HEADER = 100_000_000  # the limit of safetensors
KINDS = {"<i8": "I64", "<i4": "I32", "|u1": "U8"}  # the types of arrays, and what safetensors calls them

Arrays = dict[str, NDArray[Any]]


class FileError(ValueError):
    """The file is not a model that this version can read."""


def file_bytes(text: str, arrays: Arrays) -> bytes:
    """The bytes of the file that has this text and these arrays."""
    parts = [np.ascontiguousarray(arrays[name]) for name in _in_order(arrays)]
    return b"".join([_header(text, arrays), *(part.data if part.size else b"" for part in parts)])


def text_of(data: bytes) -> str:
    """The text in the header, which comes first; nothing else is parsed, so a hostile header costs nothing."""
    check_start(data[: 8 + len(START)], len(data))
    header = data[8 : 8 + int.from_bytes(data[:8], "little")]
    try:
        text, _ = json.decoder.scanstring(header.decode(), len(START))  # type: ignore[attr-defined]
    except ValueError:
        raise FileError("The file is damaged: its header cannot be read.") from None
    return str(text).partition(" ")[2]


def arrays_of(data: bytes, text: str) -> Arrays:
    """The arrays of a file with this text; an error unless the file is in canonical form."""
    try:
        arrays = safetensors.numpy.load(data)
    except (safetensors.SafetensorError, KeyError, ValueError, TypeError) as error:
        raise FileError(f"The file is damaged: {error}.") from None
    if any(array.dtype.str not in KINDS for array in arrays.values()):
        raise FileError("The file does not describe a model: it has arrays of an unsupported type.")
    header = _header(text, arrays)
    if data[8 + len(START) :][:64] != header[8 + len(START) :][:64]:
        raise FileError("The file is damaged: its contents do not match its checksum.")
    if not data.startswith(header):
        raise FileError("The file is not canonical: its header has additional content.")
    return arrays


def check_start(start: bytes, size: int) -> None:
    """Checks the first bytes before more is read."""
    length = int.from_bytes(start[:8], "little")
    if len(start) < 8 or length > min(size - 8, LONGEST_HEADER):
        raise FileError("This is not a tallybayes model, or it is truncated.")
    if start[8:] != START:
        raise FileError("This is not a tallybayes model.")


def _in_order(arrays: Arrays) -> list[str]:
    """Larger types first, like safetensors, so that arrays are aligned."""
    return sorted(arrays, key=lambda name: (-arrays[name].itemsize, name))


def _header(text: str, arrays: Arrays) -> bytes:
    """The length of the header, and the header, padded with spaces to a multiple of eight bytes."""
    header: dict[str, Any] = {"__metadata__": {NAME: f"{_checksum(text, arrays)} {text}"}}
    start = 0
    for name in _in_order(arrays):
        array = arrays[name]
        offsets = [start, start + array.nbytes]
        header[name] = {"dtype": KINDS[array.dtype.str], "shape": list(array.shape), "data_offsets": offsets}
        start += array.nbytes
    written = json.dumps(header, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")
    written += b" " * (-len(written) % 8)
    return len(written).to_bytes(8, "little") + written


def _checksum(text: str, arrays: Arrays) -> str:
    sha = hashlib.sha256(text.encode("utf-8", "surrogatepass"))
    for name in sorted(arrays):
        array = np.ascontiguousarray(arrays[name])
        sha.update(f"\n{name} {array.dtype.str} {array.shape}\n".encode("utf-8", "surrogatepass"))
        sha.update(array.data if array.size else b"")
    return sha.hexdigest()
