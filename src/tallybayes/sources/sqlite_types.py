"""SQLite has a type for every cell but none for a column; Arrow has one per column, which the driver takes from the
first rows. So the types of all cells are queried first, and an extra first row carries the result."""

from __future__ import annotations

from typing import Any

KINDS = ("null", "integer", "real", "text", "blob")  # of two kinds in a column, the later one can hold both
FIRST = ("NULL", "0", "0.5", "''", "x''")  # a cell of each kind
TEXT = 3
FEW = 1000  # combinations of kinds in a row that are listed


def typed(cursor: Any, query: str) -> tuple[str, int]:
    """A query for the same rows after one to be skipped. Both queries run in one transaction."""
    cursor.execute(f"SELECT * FROM ({query}\n) LIMIT 0")
    columns = [_name(name) for name in cursor.fetch_record_batch().schema.names]
    kinds = _kinds(cursor, query, columns)
    first = ", ".join(f"{FIRST[kind]} AS {column}" for kind, column in zip(kinds, columns, strict=True))
    cells = ", ".join(_text(column) if kind == TEXT else column for kind, column in zip(kinds, columns, strict=True))
    return f"SELECT {first} UNION ALL SELECT {cells} FROM ({query}\n)", 1


def _kinds(cursor: Any, query: str, columns: list[str]) -> list[int]:
    """The kind of each column. In most tables a few combinations of kinds occur, which are found faster than the last
    kind of each column."""
    listed = ", ".join(f"typeof({column})" for column in columns)
    cursor.execute(f"SELECT DISTINCT {listed} FROM ({query}\n) LIMIT {FEW}")
    found = cursor.fetch_arrow_table()
    if len(found) < FEW:
        return [max(map(KINDS.index, column.to_pylist()), default=0) for column in found.columns]
    cursor.execute(f"SELECT {', '.join(map(_last_kind, columns))} FROM ({query}\n)")
    return [column[0].as_py() for column in cursor.fetch_arrow_table().columns]


def _last_kind(column: str) -> str:
    cases = " ".join(f"WHEN '{name}' THEN {kind}" for kind, name in enumerate(KINDS))
    return f"max(CASE typeof({column}) {cases} END)"


def _text(column: str) -> str:
    """The driver would write 0.5 as 5.000000e-01 if other cells are texts."""
    return f"CASE typeof({column}) WHEN 'real' THEN printf('%.15g', {column}) ELSE CAST({column} AS TEXT) END"


def _name(column: str) -> str:
    return '"' + column.replace('"', '""') + '"'
