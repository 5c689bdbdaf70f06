"""A form made from a schema, with a field for every column, and the row that is filled in.

Fields are named by number, so a column may have any name. An empty field is a missing cell.
"""

from __future__ import annotations

import json
import re
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from typing import Any

import pyarrow as pa

from tallybayes.families.events import NOT_THERE, NoJointError
from tallybayes.filtering.base import Letter
from tallybayes.model.scoring import Beliefs
from tallybayes.schema import Schema
from tallybayes.schema.entries import members
from tallybayes.serve.rows import Row

TEXT, NUMBER, LEVEL, VECTOR = "text", "number", "level", "vector"
FEW = 40  # levels in a drop-down list; more are suggested while typing
MOST = 1000  # suggestions
OTHER = "\N{INVISIBLE SEPARATOR}other"  # the choice of a level that is not in the list
MAIL = "mail"  # the field for a whole mail
PREFIX = "page-"  # of the ids of rows that are filled in
ALONE, BESIDE = 8, 3  # lines of a text field if it is the only column, and otherwise


@dataclass(frozen=True)
class Field:
    """The field of one column, and its content."""

    column: str
    number: int
    kind: str
    value: str = ""
    levels: Sequence[str] = ()
    whole: bool = False
    lines: int = BESIDE
    complete: bool = False  # whether there are no other levels than these

    @property
    def name(self) -> str:
        return f"cell-{self.number}"

    @property
    def other(self) -> str:
        return f"other-{self.number}"

    @property
    def is_list(self) -> bool:
        return 0 < len(self.levels) <= FEW

    @property
    def is_other(self) -> bool:
        """Whether the content is not in the list."""
        return self.value != "" and self.value not in self.levels


def fields_for(schema: Schema, beliefs: Beliefs | None, row: Mapping[str, Any]) -> list[Field]:
    """The form, filled in with a row. Levels are known only once something is learned."""
    levels = {} if beliefs is None else levels_of(beliefs)
    texts = [name for name, family in schema.by_column.items() if family.is_text]
    found = []
    for number, (column, family) in enumerate(schema.by_column.items()):
        kind = _kind(schema, column)
        some = levels.get(column, ()) if kind == LEVEL else ()
        whole = family.support is not None and family.support.whole
        value, lines = _filled(row.get(column)), ALONE if texts == list(schema.by_column) else BESIDE
        complete = kind == LEVEL and column in schema.columns and not family.takes([OTHER])
        found.append(Field(column, number, kind, value, some[:MOST], whole, lines, complete))
    return found


def _kind(schema: Schema, column: str) -> str:
    family = schema.by_column[column]
    if family.takes_vectors:
        return VECTOR
    if family.is_text:
        return TEXT
    return NUMBER if family.reads_of(column) == pa.float64() else LEVEL


def levels_of(beliefs: Beliefs) -> dict[str, list[str]]:
    """The levels of every column that lists them, without the empty text, which in a form means missing."""
    found: dict[str, list[str]] = {}
    for name, belief in beliefs.counted.items():
        columns = members(name)
        try:
            tables = belief.conditionals()[0]
        except NoJointError:
            continue
        for table in tables:
            states = [state for state in table.states if isinstance(state, str) and state not in (NOT_THERE, "")]
            found.setdefault(columns[table.column], states)
    return found


def is_of_mail(schema: Schema) -> bool:
    """Whether all columns are those of a mail, so that a whole mail can be pasted."""
    return find_spec("lxml") is not None and mail_columns().issuperset(schema.by_column)


@cache
def mail_columns() -> frozenset[str]:
    from tallybayes.mail import COLUMNS

    return frozenset(COLUMNS)


def row_and_id(schema: Schema, filled: Mapping[str, str]) -> tuple[Row, str]:
    """A row, as a hidden field has it or as it was filled in, and the id to learn it under. A whole mail takes
    precedence over other fields, and filters know it by the same id."""
    if filled.get(MAIL, "").strip() and is_of_mail(schema):
        letter = Letter(filled[MAIL].encode())
        return {column: letter.row[column] for column in schema.by_column}, letter.id
    row = from_text(filled["row"], schema) if "row" in filled else row_of(schema, filled)
    return row, filled.get("id") or new_id()


def new_id() -> str:
    """A random id. It must not depend on the row, since ids stay in the journal when rows are forgotten."""
    return PREFIX + secrets.token_hex(8)


def row_of(schema: Schema, filled: Mapping[str, str]) -> Row:
    """The row that was filled in."""
    row: Row = {}
    for number, column in enumerate(schema.by_column):
        text = filled.get(f"cell-{number}", "")
        if text == OTHER:
            text = filled.get(f"other-{number}", "")
        row[column] = None if not text.strip() else _cell(_kind(schema, column), column, text)
    return row


def _cell(kind: str, column: str, text: str) -> Any:
    try:
        if kind == NUMBER:
            return float(text.strip())
        if kind == VECTOR:
            return [float(part) for part in re.split(r"[\s,;]+", text.strip(" \t\n[],;"))]
    except ValueError:
        wanted = "a number" if kind == NUMBER else "numbers separated by spaces or commas"
        raise ValueError(f"{column}: {text[:40]!r} is not valid; give {wanted}, or leave it empty.") from None
    return text


def _filled(cell: Any) -> str:
    """A cell as the content of its field.

    >>> _filled(3.0), _filled(None), _filled([1.0, 2.5]), _filled(True)
    ('3', '', '1 2.5', 'true')
    """
    if isinstance(cell, list):
        return " ".join(map(_filled, cell))
    if isinstance(cell, bool):
        return str(cell).lower()
    if isinstance(cell, float) and cell.is_integer() and abs(cell) < 1e15:
        return str(int(cell))
    return "" if cell is None else str(cell)


def as_text(row: Row) -> str:
    """A row as text for a hidden field."""
    return json.dumps(row)


def from_text(text: str, schema: Schema) -> Row:
    """The inverse of `as_text`, for text that a browser sent."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        found = None
    if type(found) is not dict or found.keys() != schema.by_column.keys():
        raise ValueError("The model has changed since this page was loaded. Reload the page.")
    return found
