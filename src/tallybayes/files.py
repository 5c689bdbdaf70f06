"""One safe, canonical model file: equal models are equal bytes, and nothing in a file can run.

The file is safetensors: a header of JSON and plain numbers. The numbers are the limbs of the exact sums, labels sorted,
empty slots dropped; the header's metadata says what they mean and carries a checksum over all of it.
`docs/file-format.md` describes every field.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import stat
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, BinaryIO

import numpy as np
import pyarrow as pa
import safetensors
import safetensors.numpy

from tallybayes.labels import key_from_json, key_to_json, kind_from_name, label_keys, label_values
from tallybayes.model import Model
from tallybayes.packing import Arrays, FileError, pack, unpack
from tallybayes.plausible import why_impossible
from tallybayes.replacing import held, replacing
from tallybayes.schema import Schema

FORMAT = 1
NAME = "tallybayes"
START = b'{"__metadata__":{"tallybayes":"'
LONGEST_HEADER = 100_000_000  # as safetensors itself has it


def save(model: Model, path: str | os.PathLike[str]) -> None:
    """Writes the model in one step: whatever happens, the file is the old one or the new one."""
    data = to_bytes(model)
    with replacing(path) as file:
        file.write(data)


@contextmanager
def changing(path: str | os.PathLike[str], waiting: Callable[[], object] = lambda: None) -> Iterator[Model]:
    """The model of a file, to be changed: it is saved when the block ends well. Whoever else would change it waits, so
    that nothing learned is lost; `waiting` is called first where that takes time.

    >>> with changing("spam.tally") as model:  # doctest: +SKIP
    ...     model += Model.train(model.schema, mails)
    """
    with held(path, waiting):
        model = load(path)
        yield model
        save(model, path)


def load(path: str | os.PathLike[str]) -> Model:
    """Reads a model; anything else is a `FileError` that says what is wrong."""
    try:
        with open(path, "rb") as file:
            start = file.read(8 + len(START))
            _check_start(start, _size(file))
            return from_bytes(start + file.read())
    except FileError as error:
        raise FileError(f"{os.fspath(path)}: {error}") from None


def _size(file: BinaryIO) -> int:
    """A pipe has as many bytes as come."""
    found = os.fstat(file.fileno())
    return found.st_size if stat.S_ISREG(found.st_mode) else sys.maxsize


def digest(model: Model) -> str:
    """The sha256 of the model's file: the same for the same counts and beliefs, whatever their history."""
    return hashlib.sha256(to_bytes(model)).hexdigest()


def to_bytes(model: Model) -> bytes:
    """The model as the bytes of its file."""
    if not isinstance(model, Model):
        raise TypeError(f"A {type(model).__name__} is not a model; write save(model, path).")
    keys = model.keys()
    arrays: Arrays = {}
    in_order = [model.rows, *(model.columns[name] for name in sorted(model.columns))]
    header = {
        "format": FORMAT,
        "labels": {
            "type": str(model.kind) if keys else "null",
            "keys": [key_to_json(key) for key in keys],
        },
        "schema": model.schema.to_json(),
        "tallies": [pack(str(i), tally.canonical(), keys, arrays) for i, tally in enumerate(in_order)],
    }
    text = json.dumps(header, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return bytes(safetensors.numpy.save(arrays, metadata={NAME: f"{_checksum(text, arrays)} {text}"}))


def from_bytes(data: bytes) -> Model:
    """The inverse of `to_bytes`."""
    _check_start(data[: 8 + len(START)], len(data))
    checksum, _, text = _metadata(data).partition(" ")
    _check_format(text)
    try:
        arrays = safetensors.numpy.load(data)
    except (safetensors.SafetensorError, KeyError, ValueError, TypeError) as error:
        raise FileError(f"The file is damaged: {error}.") from None
    if checksum != _checksum(text, arrays):
        raise FileError("The file is damaged: its contents do not match its checksum.")
    try:
        return _model(json.loads(text), arrays)
    except FileError as error:
        raise FileError(f"The file does not describe a model: {error}.") from None
    except (LookupError, TypeError, ValueError, ArithmeticError, AttributeError, RecursionError) as error:
        raise FileError(f"The file does not describe a model: {type(error).__name__}: {error}.") from None


def _check_start(start: bytes, size: int) -> None:
    """Before more is read than its first bytes."""
    length = int.from_bytes(start[:8], "little")
    if len(start) < 8 or length > min(size - 8, LONGEST_HEADER):
        raise FileError("This is not a tallybayes model, or it is cut short.")
    if start[8:] != START:
        raise FileError("This is not a tallybayes model.")


def _metadata(data: bytes) -> str:
    """Our text in the header, which stands first; nothing else is read, so that a hostile header costs nothing."""
    header = data[8 : 8 + int.from_bytes(data[:8], "little")]
    try:
        text, _ = json.decoder.scanstring(header.decode(), len(START))  # type: ignore[attr-defined]
    except ValueError:
        raise FileError("The file is damaged: its header cannot be read.") from None
    return str(text)


def _check_format(text: str) -> None:
    """Before anything is made of it."""
    found = re.match(r'{"format":(\d{1,9}),', text)
    if found is None:
        raise FileError("The file does not describe a model.")
    if int(found[1]) != FORMAT:
        raise FileError(f"The file has format {found[1]}; this version of tallybayes reads format {FORMAT}.")


def _checksum(text: str, arrays: Arrays) -> str:
    sha = hashlib.sha256(text.encode("utf-8", "surrogatepass"))
    for name in sorted(arrays):
        array = np.ascontiguousarray(arrays[name])
        sha.update(f"\n{name} {array.dtype.str} {array.shape}\n".encode("utf-8", "surrogatepass"))
        sha.update(array.data if array.size else b"")
    return sha.hexdigest()


def _model(header: Mapping[str, Any], arrays: Arrays) -> Model:
    try:
        schema = Schema.from_json(header["schema"])
    except (TypeError, ValueError, AttributeError, pa.ArrowException) as error:
        raise FileError(f"its schema is not known to this version of tallybayes: {error}") from None
    kind, keys = _labels(header["labels"])
    if len(header["tallies"]) != len(schema.columns) + 1:
        raise FileError("its columns do not fit its schema")
    model = Model(schema, kind)
    tallies = [unpack(str(i), about, keys, arrays) for i, about in enumerate(header["tallies"])]
    model.rows = tallies[0]
    model.columns = dict(zip(schema.columns, tallies[1:], strict=True))
    _check_counts(model)
    return model


def _labels(about: Mapping[str, Any]) -> tuple[pa.DataType | None, list[Any]]:
    keys = [key_from_json(key) for key in about["keys"]]
    if about["type"] == "null" and not keys:
        return None, []
    try:
        kind = kind_from_name(about["type"])
        fit = label_keys(kind, label_values(kind, keys)) == keys and keys == sorted(set(keys))
    except (pa.ArrowException, ValueError, TypeError):
        fit = False
    if not fit:
        raise FileError("its classes do not fit their type, or are not sorted")
    return kind, keys


def _check_counts(model: Model) -> None:
    """The sums are those of the families, and can have come from rows."""
    if set(model.rows.sums) != {"n"} or not set(model.rows.slots) <= {""}:
        raise FileError("its rows are not counted as rows are")
    for name, family in model.schema.columns.items():
        tally = model.columns[name]
        if set(tally.sums) != set(family.fields()) or not family.takes(tally.slots):
            raise FileError(f"what it counts of {name!r} is not what {type(family).__name__} counts")
    if reason := why_impossible(model.schema, model.rows, model.columns, model.rows, model.columns):
        raise FileError(reason)
