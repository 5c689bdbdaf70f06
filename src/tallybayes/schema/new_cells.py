"""New cells that their family cannot read: they are missing, with a warning, so that every new row gets an answer.

A text in a column that held only numbers is as normal as an unseen level, and says as little about the classes.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import pyarrow as pa

from tallybayes.data.cells import Cells, texts, without_unreadable
from tallybayes.data.errors import CellError, UnreadableError, UnreadableWarning
from tallybayes.families import Family
from tallybayes.schema.entries import Name, joined, members


def encode_new(name: Name, family: Family, cells: dict[str, Cells], start: int) -> Any:
    """An entry of new rows, encoded. In `cells`, those that cannot be read become missing, and numbers in a column of
    text their texts."""
    while True:
        try:
            return family.encode(joined(name, cells))
        except UnreadableError as error:
            column = members(name)[0] if error.column is None else error.column
            if error.row is None:
                cells[column] = texts(cells[column])
                continue
            if type(cells[column]) is list:
                cells[column], bad = [None], [0]
            else:
                cells[column], bad = without_unreadable(cells[column], _reader(name, family, column))
            what, _, advice = error.reason.rpartition(". ")
            where = f"Column {column!r}, row {start + error.row}"
            text = f"{where}: {what}; such cells ({len(bad)}) are treated as missing. {advice}"
            warnings.warn(UnreadableWarning(text, error.located(name, start)), stacklevel=2)
        except CellError as error:
            raise error.located(name, start) from None


def _reader(name: Name, family: Family, column: str) -> Callable[[pa.Array], Any]:
    """Encodes cells of this column, with those of other columns missing."""

    def read(some: pa.Array) -> Any:
        rows = dict.fromkeys(members(name), pa.nulls(len(some)))
        return family.encode(joined(name, rows | {column: some}))

    return read
