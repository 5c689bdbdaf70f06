"""One safe, canonical model file: equal models are equal bytes, and nothing in a file can be executed.

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
from typing import Any, BinaryIO, NamedTuple

import pyarrow as pa

from tallybayes.counts.packing import PackError
from tallybayes.data.labels import key_from_json, key_to_json, kind_from_name, label_column, label_values
from tallybayes.files.replacing import locked, replacing
from tallybayes.files.tensors import START, Arrays, FileError, arrays_of, check_start, file_bytes, text_of
from tallybayes.model import Model
from tallybayes.model.classifier import check_model
from tallybayes.model.plausible import why_cells_impossible, why_discordant
from tallybayes.schema import Schema
from tallybayes.schema.entries import in_order

FORMAT = 1


def save(model: Model, path: str | os.PathLike[str]) -> None:
    """Writes the model atomically: after a crash, the file is either the old one or the new one.

    >>> from tallybayes import Categorical
    >>> model = Model.train({"sky": Categorical()}, {"sky": ["sun", "rain"]}, ["no", "yes"])
    >>> save(model, "sky.tally")
    >>> load("sky.tally") == model
    True
    """
    data = to_bytes(model)
    with replacing(path) as file:
        file.write(data)


@contextmanager
def changing(
    path: str | os.PathLike[str], waiting: Callable[[], object] = lambda: None, loaded: Loaded | None = None
) -> Iterator[Model]:
    """A context manager for changing the model of a file: it is saved if the block succeeds. Other processes that want
    to change it wait, so that nothing learned is lost; `waiting` is called before waiting here. A `loaded` model is not
    read again unless the file has changed.

    >>> from tallybayes import Categorical
    >>> save(Model.train({"sky": Categorical()}, {"sky": ["sun"]}, ["no"]), "sky.tally")
    >>> with changing("sky.tally") as model:
    ...     model += Model.train(model.schema, {"sky": ["rain"]}, ["yes"])
    >>> load("sky.tally").n
    2.0
    """
    with locked(path, waiting):
        same = loaded is not None and loaded.version == _version(os.stat(path))
        model = loaded.model if loaded is not None and same else load(path)
        yield model
        save(model, path)


def load(path: str | os.PathLike[str]) -> Model:
    """Reads a model; anything else is a `FileError` that says what is wrong.

    >>> with open("notes.txt", "w") as file:
    ...     _ = file.write("buy milk, and call Ann")
    >>> load("notes.txt")
    Traceback (most recent call last):
    tallybayes.files.tensors.FileError: notes.txt: This is not a tallybayes model, or it is truncated.
    """
    return load_version(path).model


def is_model(path: str | os.PathLike[str]) -> bool:
    """Whether a file begins like a model."""
    if not os.path.isfile(path):
        return False
    with open(path, "rb") as file:
        return file.read(8 + len(START)).endswith(START)


class Loaded(NamedTuple):
    """A model, and the version of its file."""

    model: Model
    version: tuple[int, ...]


def load_version(path: str | os.PathLike[str]) -> Loaded:
    try:
        with open(os.fspath(path), "rb") as file:  # not the number of an open file, which would be closed
            version = _version(os.fstat(file.fileno()))
            start = file.read(8 + len(START))
            check_start(start, _size(file))
            return Loaded(from_bytes(start + file.read()), version)
    except FileError as error:
        raise FileError(f"{os.fspath(path)}: {error}") from None
    except IsADirectoryError:
        advice = "The model in a store is saved by save(Store.open(folder).model(), 'model.tally')."
        raise FileError(f"{os.fspath(path)} is a folder, not a model file. {advice}") from None


def _version(found: os.stat_result) -> tuple[int, ...]:
    """Identifies a version: files are never modified in place, only replaced."""
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns


def _size(file: BinaryIO) -> int:
    """The size of a file; a pipe has no limit."""
    found = os.fstat(file.fileno())
    return found.st_size if stat.S_ISREG(found.st_mode) else sys.maxsize


def digest(model: Model) -> str:
    """The sha256 of the model's file: the same for the same counts and beliefs, whatever their history.

    >>> from tallybayes import Categorical
    >>> schema = {"sky": Categorical()}
    >>> one, two = (Model.train(schema, {"sky": [sky]}, [play]) for sky, play in [("sun", "no"), ("rain", "yes")])
    >>> digest(one + two - two) == digest(one)
    True
    """
    return hashlib.sha256(to_bytes(model)).hexdigest()


def counts_digest(model: Model) -> str:
    """The sha256 of the counts alone, whatever the beliefs: equal before and after `believing` or `weigh`.

    >>> from tallybayes import Categorical
    >>> model = Model.train({"sky": Categorical()}, {"sky": ["sun", "rain"]}, ["no", "yes"])
    >>> other = model.believing(alpha=0.5)
    >>> counts_digest(other) == counts_digest(model), digest(other) == digest(model)
    (True, False)
    """
    check_model(model, Model)
    keys = model.keys()
    tallies, arrays = _packed(model, keys)
    schema = [[name, *family.counts_to_json()] for name, family in in_order(model.schema.columns)]
    return hashlib.sha256(file_bytes(_header(model, keys, schema, tallies), arrays)).hexdigest()


def to_bytes(model: Model) -> bytes:
    """The bytes of the model's file. Counts that cannot have come from rows are an error: they could not be read
    again."""
    check_model(model, Model)
    if reason := why_discordant(model):
        raise ValueError(
            f"These counts cannot have come from rows: {reason}. Rows were forgotten that had never been learned; "
            "retrain the model."
        )
    keys = model.keys()
    tallies, arrays = _packed(model, keys)
    for i, (_, family) in enumerate(in_order(model.schema.columns), 1):
        arrays.update((f"{i}/{name}", array) for name, array in family.arrays().items())
    return file_bytes(_header(model, keys, model.schema.to_json(), tallies), arrays)


def _packed(model: Model, keys: list[Any]) -> tuple[list[dict[str, Any]], Arrays]:
    arrays: Arrays = {}
    counted = [model.rows, *(tally for _, tally in in_order(model.columns))]
    return [tally.canonical().pack(str(i), keys, arrays) for i, tally in enumerate(counted)], arrays


def from_bytes(data: bytes) -> Model:
    """The inverse of `to_bytes`. What is read is what would be written, to the last byte; anything else is refused."""
    text = text_of(data)
    _check_format(text)
    arrays = arrays_of(data, text)
    del data  # the arrays are copies
    try:
        return _model(text, arrays)
    except (FileError, PackError) as error:
        raise FileError(f"The file does not describe a model: {error}.") from None
    except (LookupError, TypeError, ValueError, ArithmeticError, AttributeError, RecursionError) as error:
        raise FileError(f"The file does not describe a model: {type(error).__name__}: {error}.") from None


def _header(model: Model, keys: list[Any], schema: Any, tallies: list[dict[str, Any]]) -> str:
    """The description of the arrays, as canonical JSON."""
    header = {
        "format": FORMAT,
        "labels": {"type": str(model.label_type) if keys else "null", "keys": [key_to_json(key) for key in keys]},
        "schema": schema,
        "tallies": tallies,
    }
    return json.dumps(header, sort_keys=True, ensure_ascii=False, separators=(",", ":"))


def _check_format(text: str) -> None:
    """Checks the version before anything is parsed."""
    found = re.match(r'{"format":(\d{1,9}),', text)
    if found is None:
        raise FileError("The file does not describe a model.")
    if int(found[1]) != FORMAT:
        raise FileError(f"The file has format {found[1]}; this version of tallybayes reads format {FORMAT}.")


def _model(text: str, arrays: Arrays) -> Model:
    header = json.loads(text)
    try:
        schema = Schema.from_json(header["schema"], arrays)
    except (TypeError, ValueError, AttributeError, pa.ArrowException) as error:
        raise FileError(f"its schema is not known to this version of tallybayes: {error}") from None
    label_type, keys = _labels(header["labels"])
    if len(header["tallies"]) != len(schema.columns) + 1:
        raise FileError("its columns do not fit its schema")
    model = Model(schema, label_type)
    packed = enumerate(zip([model.rows, *model.columns.values()], header["tallies"], strict=True))
    tallies: list[Any] = [empty.unpacked(str(i), about, keys, arrays) for i, (empty, about) in packed]
    model.rows = tallies[0]
    model.columns = dict(zip(schema.columns, tallies[1:], strict=True))
    if arrays:
        raise FileError(f"it has an unknown array {min(arrays)!r}")
    if model.keys() != keys:
        raise FileError("it names classes without counts")
    if _header(model, keys, schema.to_json(), header["tallies"]) != text:
        raise FileError("its description is not canonical")
    _check_counts(model)
    return model


def _labels(about: Mapping[str, Any]) -> tuple[pa.DataType | None, list[Any]]:
    given = [key_from_json(key) for key in about["keys"]]
    if about["type"] == "null" and not given:
        return None, []
    try:
        label_type = kind_from_name(about["type"])
        labels = label_column(pa.array(label_values(label_type, given), label_type), 0)
        keys = [labels.keys[code] for code in labels.codes.tolist()]
        fit = labels.label_type == label_type and keys == given == sorted(set(keys))
    except (pa.ArrowException, ValueError, TypeError):
        fit = False
    if not fit:
        raise FileError("its classes do not fit their type, or are not sorted")
    return label_type, keys


def _check_counts(model: Model) -> None:
    """Raises an error unless the sums are those of the families and can have come from rows."""
    if not set(model.rows.slots) <= {""}:
        raise FileError("its counts of rows are invalid")
    for name, family in model.schema.columns.items():
        if not family.takes(model.columns[name].slots_in_turn()):
            raise FileError(f"its counts of {name!r} are not those of {type(family).__name__}")
    if reason := why_cells_impossible(model, model) or why_discordant(model):
        raise FileError(reason)
