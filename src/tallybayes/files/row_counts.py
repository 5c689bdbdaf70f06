"""The counts of one row as few bytes, for a journal whose schema is known.

Equal counts are equal bytes, as in a model file, but without the schema, the checksum and the names of arrays, which
would take most of the space.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Any

import pyarrow as pa

from tallybayes.data.labels import key_from_json, key_to_json, kind_from_name
from tallybayes.files.tensors import FileError
from tallybayes.model import Model
from tallybayes.schema import Schema
from tallybayes.schema.entries import in_order

LENGTH = 4  # bytes of the length before each part
FEW = 4096  # labels that are cached


class RowCounts:
    """Counts of rows under one schema, as bytes and back.

    >>> from tallybayes import Categorical
    >>> schema = Schema({"outlook": Categorical()})
    >>> row = Model.train(schema, {"outlook": "sunny"}, ["yes"])
    >>> data = RowCounts(schema).write(row)
    >>> len(data), RowCounts(schema).read(data) == row
    (43, True)
    """

    def __init__(self, schema: Schema) -> None:
        empty = Model(schema)
        self._schema, self._rows = schema, empty.rows
        self._columns = in_order(empty.columns)

    def write(self, model: Model) -> bytes:
        """The counts of a model of one row, or of several of one class."""
        (key,) = model.rows.classes
        parts = [_label_bytes(model.label_type, key)]
        for tally in (model.rows, *(model.columns[name] for name, _ in self._columns)):
            (tally if tally.classes in ([key], []) else tally.only([key])).write_row(parts)
        return b"".join([piece for part in parts for piece in (len(part).to_bytes(LENGTH, "little"), part)])

    def read(self, data: bytes) -> Model:
        """The inverse of `write`."""
        return self.read_all([data])

    def read_all(self, rows: Iterable[bytes]) -> Model:
        """The sum of several rows, much faster than one by one."""
        by_label: dict[bytes, list[list[bytes]]] = {}
        for data in rows:
            label, *parts = [*_parts(data)] or [b""]
            by_label.setdefault(label, []).append(parts)
        total = Model(self._schema)
        for label, some in by_label.items():
            found = self._of_one_class(label, some)
            total = found if len(by_label) == 1 else total + found
        return total

    def _of_one_class(self, label: bytes, rows: Sequence[Sequence[bytes]]) -> Model:
        try:
            label_type, key = _label_from(label)
            parts = map(list, zip(*rows, strict=True))
            model = Model(self._schema, label_type)
            model.rows = self._rows.read_rows(key, parts)
            model.columns = {name: empty.read_rows(key, parts) for name, empty in self._columns}
        except (ValueError, TypeError, LookupError, AttributeError, StopIteration, RecursionError) as error:
            raise FileError(f"These are not the counts of a row: {error}.") from None
        if next(parts, None) is not None:
            raise FileError("These are not the counts of a row: something follows them.")
        return model


def _parts(data: bytes) -> Iterator[bytes]:
    start = 0
    while start < len(data):
        first = start + LENGTH
        start = first + int.from_bytes(data[start:first], "little")
        yield data[first:start]


@lru_cache(FEW, typed=True)
def _label_bytes(label_type: pa.DataType, key: Any) -> bytes:
    return json.dumps([str(label_type), key_to_json(key)], separators=(",", ":")).encode()


@lru_cache(FEW)
def _label_from(data: bytes) -> tuple[pa.DataType, Any]:
    name, key = json.loads(data)
    return kind_from_name(name), key_from_json(key)
