"""Columns that cannot be read, such as objects of several types. They are an error only if they are used: tables have
columns that no schema names, and a model need not care about them.
"""

from __future__ import annotations

import pyarrow as pa


class Refused(pa.ExtensionType):  # type: ignore[misc]
    """The type of cells that Arrow cannot hold, with the sentence of the error."""

    def __init__(self, reason: str) -> None:
        self.reason = reason
        super().__init__(pa.null(), "tallybayes.refused")

    def __arrow_ext_serialize__(self) -> bytes:
        return self.reason.encode(errors="backslashreplace")

    @classmethod
    def __arrow_ext_deserialize__(cls, storage: pa.DataType, serialized: bytes) -> Refused:
        return cls(serialized.decode())


def refused(error: ValueError, rows: int) -> pa.Array:
    """A column of so many rows that is this error when used."""
    return pa.ExtensionArray.from_storage(Refused(str(error)), pa.nulls(rows))


def is_read(cells: pa.Array) -> bool:
    return not isinstance(cells.type, Refused)


def check_read(cells: pa.Array) -> None:
    if not is_read(cells):
        raise ValueError(cells.type.reason)
