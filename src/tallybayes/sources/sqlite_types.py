"""SQLite has a type for every cell but none for a column; Arrow has one per column, which the driver takes from the
first rows. So the types of all cells are queried first, and an extra first row carries the result."""

from __future__ import annotations

from typing import Any

TEXT = 3
FIRST = ("NULL", "0", "0.5", "''", "x''")  # a cell of each kind; of two kinds in a column, the later one can hold both


def typed(cursor: Any, query: str) -> tuple[str, int]:
    """A query for the same rows after one to be skipped. Both queries run in one transaction."""
    cursor.execute(f"SELECT * FROM ({query}\n) LIMIT 0")
    columns = [_name(name) for name in cursor.fetch_record_batch().schema.names]
    cursor.execute(f"SELECT {', '.join(map(_kind, columns))} FROM ({query}\n)")
    kinds = [column[0].as_py() or 0 for column in cursor.fetch_arrow_table().columns]
    first = ", ".join(f"{FIRST[kind]} AS {column}" for kind, column in zip(kinds, columns, strict=True))
    cells = ", ".join(_text(column) if kind == TEXT else column for kind, column in zip(kinds, columns, strict=True))
    return f"SELECT {first} UNION ALL SELECT {cells} FROM ({query}\n)", 1


def _kind(column: str) -> str:
    return (
        f"max(CASE typeof({column}) WHEN 'null' THEN 0 WHEN 'integer' THEN 1 WHEN 'real' THEN 2 WHEN 'text' THEN 3 "
        "ELSE 4 END)"
    )


def _text(column: str) -> str:
    """The driver would write 0.5 as 5.000000e-01 if other cells are texts."""
    return f"CASE typeof({column}) WHEN 'real' THEN printf('%.15g', {column}) ELSE CAST({column} AS TEXT) END"


def _name(column: str) -> str:
    return '"' + column.replace('"', '""') + '"'
