"""One safe, canonical model file: equal models are equal bytes, and nothing in a file can run.

The file is safetensors: a header of JSON and plain numbers. The numbers are the limbs of the exact sums, labels sorted,
empty slots dropped; the header's metadata says what they mean and carries a checksum over all of it. `docs/
file-format.md` describes every field.
"""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import safetensors
import safetensors.numpy
from numpy.typing import NDArray

from tallybayes import frames
from tallybayes.exact import Exact
from tallybayes.model import Model
from tallybayes.schema import Schema
from tallybayes.tally import Tally

FORMAT = 1
NAME = "tallybayes"
LONGEST_HEADER = 100_000_000  # as safetensors itself has it

Arrays = dict[str, NDArray[Any]]


class FileError(ValueError):
    """The file is not a model that this version can read."""


def save(model: Model, path: str | os.PathLike[str]) -> None:
    """Writes the model in one step: whatever happens, the file is the old one or the new one."""
    target = Path(path)
    data = to_bytes(model)
    handle, temporary = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(temporary, _mode(target))
        os.replace(temporary, target)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
    folder = os.open(target.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def load(path: str | os.PathLike[str]) -> Model:
    """Reads a model; anything else is a `FileError` that says what is wrong."""
    try:
        with open(path, "rb") as file:
            _check_start(file.read(8), os.fstat(file.fileno()).st_size)
            file.seek(0)
            return from_bytes(file.read())
    except FileError as error:
        raise FileError(f"{os.fspath(path)}: {error}") from None


def digest(model: Model) -> str:
    """The sha256 of the model's file: the same for the same counts and beliefs, whatever their history."""
    return hashlib.sha256(to_bytes(model)).hexdigest()


def to_bytes(model: Model) -> bytes:
    """The model as the bytes of its file."""
    known = sorted({key for tally in model._tallies() for key in tally.canonical().classes})
    arrays: Arrays = {}
    tallies = [
        _pack(f"{i}", tally.aligned(tally.canonical().slots, known), arrays) for i, tally in enumerate(model._tallies())
    ]
    header = {
        "format": FORMAT,
        "labels": {"type": str(model.kind) if known else "null", "keys": [_key_out(key) for key in known]},
        "schema": model.schema.to_json(),
        "tallies": tallies,
    }
    text = json.dumps(header, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    metadata = {NAME: f"{_checksum(text, arrays)} {text}"}
    return bytes(safetensors.numpy.save(arrays, metadata=metadata))


def from_bytes(data: bytes) -> Model:
    """The inverse of `to_bytes`."""
    _check_start(data[:8], len(data))
    metadata = _metadata(data)
    checksum, _, text = metadata.partition(" ")
    try:
        arrays = safetensors.numpy.load(data)
    except (safetensors.SafetensorError, KeyError, ValueError, TypeError) as error:
        raise FileError(f"The file is damaged: {error}.") from None
    if checksum != _checksum(text, arrays):
        raise FileError("The file is damaged: its contents do not match its checksum.")
    try:
        return _model(json.loads(text), arrays)
    except FileError:
        raise
    except (
        KeyError,
        IndexError,
        TypeError,
        ValueError,
        OverflowError,
        RecursionError,
        pa.ArrowException,
    ) as error:
        raise FileError(f"The file does not describe a model: {type(error).__name__}: {error}.") from None


def _check_start(start: bytes, size: int) -> None:
    length = int.from_bytes(start, "little")
    if len(start) < 8 or length > min(size - 8, LONGEST_HEADER):
        raise FileError("This is not a tallybayes model, or it is cut short.")


def _metadata(data: bytes) -> str:
    """The header's own text, before any number is looked at."""
    try:
        header = json.loads(data[8 : 8 + int.from_bytes(data[:8], "little")])
        text = header["__metadata__"][NAME]
    except (ValueError, KeyError, TypeError, RecursionError):
        raise FileError("This is not a tallybayes model.") from None
    if not isinstance(text, str):
        raise FileError("This is not a tallybayes model.")
    return text


def _checksum(text: str, arrays: Arrays) -> str:
    sha = hashlib.sha256(text.encode("utf-8", "surrogatepass"))
    for name in sorted(arrays):
        array = np.ascontiguousarray(arrays[name])
        sha.update(f"\n{name} {array.dtype.str} {array.shape}\n".encode("utf-8", "surrogatepass"))
        sha.update(array.data if array.size else b"")
    return sha.hexdigest()


def _pack(prefix: str, tally: Tally, arrays: Arrays) -> dict[str, Any]:
    """A tally's numbers into the arrays; what they mean is returned."""
    slots = tally.slots
    whole = bool(slots) and all(isinstance(slot, int) for slot in slots)
    if whole:
        arrays[f"{prefix}/slots"] = np.array(slots, np.int64)
    else:
        encoded = [str(slot).encode() for slot in slots]
        arrays[f"{prefix}/slots"] = np.frombuffer(b"".join(encoded), np.uint8)
        arrays[f"{prefix}/ends"] = np.cumsum([len(word) for word in encoded], dtype=np.int64)
    for name, sums in tally.sums.items():
        arrays[f"{prefix}/sums/{name}"] = np.ascontiguousarray(sums.limbs)
    return {
        "low": {name: sums.low for name, sums in tally.sums.items()},
        "slots": "whole" if whole else "text",
    }


def _unpack(prefix: str, about: Mapping[str, Any], keys: list[Any], arrays: Arrays) -> Tally:
    slots: list[Any]
    if about["slots"] == "whole":
        slots = _array(arrays, f"{prefix}/slots", np.int64, 1).tolist()
    else:
        words, ends = (
            _array(arrays, f"{prefix}/slots", np.uint8, 1).tobytes(),
            arrays[f"{prefix}/ends"].tolist(),
        )
        slots = [words[a:b].decode() for a, b in zip([0, *ends], ends, strict=False)]
        if ends != sorted(ends) or (ends or [0])[-1] != len(words):
            raise FileError("The file does not describe a model: its labels do not fit their bytes.")
    sums = {}
    for name, low in about["low"].items():
        limbs = _array(arrays, f"{prefix}/sums/{name}", np.int64, 3)
        if limbs.shape[:2] != (len(slots), len(keys)) or limbs.shape[2] < 1 or not -200 < low < 200:
            raise FileError("The file does not describe a model: its sums do not fit its labels.")
        if limbs.size and max(int(limbs.max()), -int(limbs.min())) >= 1 << 32:
            raise FileError("The file does not describe a model: its sums are not canonical.")
        sums[name] = Exact(limbs, int(low))
    if slots != sorted(set(slots)):
        raise FileError("The file does not describe a model: its labels are not sorted.")
    return Tally(keys, slots, sums)


def _model(header: Mapping[str, Any], arrays: Arrays) -> Model:
    if header["format"] != FORMAT:
        raise FileError(f"The file has format {header['format']!r}; this version of tallybayes reads {FORMAT}.")
    try:
        schema = Schema.from_json(header["schema"])
    except (TypeError, ValueError) as error:
        raise FileError(f"The file's schema is not known to this version of tallybayes: {error}.") from None
    named = header["labels"]["type"]
    kind = None if named == "null" else frames.kind_from_name(named)
    keys = [_key_in(key) for key in header["labels"]["keys"]]
    if kind is not None and frames.label_keys(kind, frames.label_values(kind, keys)) != keys:
        raise FileError("The file does not describe a model: its classes do not fit their type.")
    if keys != sorted(set(keys)) or len(header["tallies"]) != len(schema.columns) + 1:
        raise FileError("The file does not describe a model: its classes or columns do not fit.")
    model = Model(schema, kind)
    tallies = [_unpack(f"{i}", about, keys, arrays) for i, about in enumerate(header["tallies"])]
    fields = [("n",), *(family.fields() for family in schema.columns.values())]
    if keys and any(set(tally.sums) != set(names) for tally, names in zip(tallies, fields, strict=True)):
        raise FileError("The file does not describe a model: its sums are not those of its families.")
    model.rows = tallies[0]
    model.columns = dict(zip(schema.columns, tallies[1:], strict=True))
    return model


def _array(arrays: Arrays, name: str, kind: type, dimensions: int) -> NDArray[Any]:
    array = arrays[name]
    if array.dtype != kind or array.ndim != dimensions:
        raise FileError(f"The file does not describe a model: {name} is {array.dtype}, {array.ndim} dimensions.")
    return array


def _key_out(key: Any) -> Any:
    return {"bytes": key.hex()} if isinstance(key, bytes) else key


def _key_in(key: Any) -> Any:
    return bytes.fromhex(key["bytes"]) if isinstance(key, dict) else key


def _mode(target: Path) -> int:
    """The permissions of the file that is replaced, or those of a new one."""
    if target.exists():
        return target.stat().st_mode & 0o777
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask
