"""Values given on the command line: a row by its cells, the family of a column, classes by their names, costs."""

from __future__ import annotations

import csv
import math
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from tallybayes.data.naming import closest, hint, those_there
from tallybayes.report.plain import to_text

if TYPE_CHECKING:
    import pyarrow as pa

    from tallybayes import Family, Mixture, Model, Schema
    from tallybayes.schema.entries import Name

TEXT_COLUMNS = ("text", "body")  # the column that a text is for, if there are several
WHOLE_FAMILY = re.compile(r"\s*(?:\w+\s*(?:\(.*\))?|left out)\s*", re.DOTALL)


def row_of(schema: Schema, text: str | None, cells: list[str] | None) -> pa.RecordBatch:
    """A row with this text or these cells COLUMN=VALUE; all others are missing."""
    import pyarrow as pa

    given = _cells(schema, cells or [])
    if text is not None:
        given[_text_column(schema, given)] = text
    columns = {name: kind or pa.null() for name, kind in schema.reads().items()}
    found = {name: pa.array([given.get(name)], pa.string()) for name in columns}
    return pa.record_batch({name: _typed(name, found[name], kind) for name, kind in columns.items()})


def _cells(schema: Schema, cells: list[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    for cell in cells:
        parts = cell.split("=")
        names = ["=".join(parts[:end]) for end in range(len(parts) - 1, 0, -1)]  # a name may contain an =
        if not names:
            raise ValueError(f"--cell {cell!r}: write COLUMN=VALUE, like outlook=sunny.")
        name = next((name for name in names if name in schema.by_column), names[-1])
        if name not in schema.by_column:
            has = those_there(schema.by_column)
            raise ValueError(
                f"--cell {cell!r}: the model has no column {name!r}; it has {has}.{hint(name, schema.by_column)}"
            )
        if name in found:
            raise ValueError(f"--cell {cell!r}: the column {name!r} is given twice.")
        found[name] = cell[len(name) + 1 :]
    return found


def _text_column(schema: Schema, given: dict[str, str]) -> str:
    free = [name for name, family in schema.by_column.items() if name not in given and family.is_text]
    if len(free) == 1:
        return free[0]
    for name in TEXT_COLUMNS:
        if name in free:
            return name
    listed = ", ".join(map(repr, free)) or "none"
    raise ValueError(f"--text: the model needs one text column, and has {listed}. Give the row as data instead.")


def _typed(name: str, cells: pa.Array, kind: pa.DataType) -> pa.Array:
    import pyarrow as pa

    from tallybayes.data.errors import CellError
    from tallybayes.data.frames import numbers

    try:
        return pa.array(numbers(cells), from_pandas=True) if pa.types.is_float64(kind) else cells.cast(kind)
    except CellError:
        raise ValueError(f"--cell {name}={cells[0].as_py()}: this is not a number.") from None
    except pa.ArrowNotImplementedError:
        raise ValueError(f"--cell {name}=…: cells of this column are not single values; give data instead.") from None


def class_of(model: Model | Mixture, text: str) -> Any:
    """The class with this name."""
    found = _class(model, text)
    if found not in model.classes:
        listed = ", ".join(map(to_text, model.classes)) or "none"
        raise ValueError(f"There is no class {text!r}; the classes are {listed}.{near(text, model.classes)}")
    return found


def near(text: str, classes: Sequence[Any]) -> str:
    """A hint, if a class has a similar name.

    >>> near("Spma", ["ham", "spam"])
    " Did you mean 'spam'?"
    """
    found = closest(text, classes)
    return f" Did you mean {found!r}?" if found else ""


def new_class(model: Model, text: str) -> Any:
    """The class with this name, which may be new to the model."""
    found = _class(model, text)
    if found is None:
        raise ValueError(f"The class {text!r} is not of type {model.label_type}, as the others are.")
    return found


def _class(model: Model | Mixture, text: str) -> Any:
    """The class with this name as text, or the text parsed as a label; None if it cannot be."""
    import pyarrow as pa

    for label in model.classes:
        if text in (str(label), to_text(label)):
            return label
    try:
        return pa.array([text]).cast(model.label_type or pa.string())[0].as_py()
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        return None


def costs_of(model: Model | Mixture, costs: list[str] | None) -> dict[tuple[Any, Any], float] | None:
    """TRUTH:DECISION=COST, each."""
    if not costs:
        return None
    found: dict[tuple[Any, Any], float] = {}
    for given in costs:
        pair, _, cost = given.rpartition("=")
        try:
            number = float(cost)
        except ValueError:
            number = math.nan
        if ":" not in pair or not math.isfinite(number):
            raise ValueError(f"--costs {given!r}: write TRUTH:DECISION=COST, like ham:spam=30.")
        classes = _pair(model, pair)
        if classes in found:
            raise ValueError(f"--costs {given!r}: this cost is given twice.")
        found[classes] = number
    return found


def _pair(model: Model | Mixture, text: str) -> tuple[Any, Any]:
    """Two classes separated by a colon; they may contain colons themselves."""
    parts = text.split(":")
    cuts = [(":".join(parts[:at]), ":".join(parts[at:])) for at in range(1, len(parts))]
    for one, other in cuts:
        found = _class(model, one), _class(model, other)
        if all(label in model.classes for label in found):
            return found
    one, other = cuts[0]
    return class_of(model, one), class_of(model, other)


def parsed_columns(columns: list[str] | None) -> dict[Name, Family | None]:
    """Parses NAME=FAMILY; a family of blocks takes several names separated by commas, quoted as in CSV."""
    from tallybayes.schema.entries import checked_name, members
    from tallybayes.schema.family_text import column_from_text

    found: dict[Name, Family | None] = {}
    taken: set[str] = set()
    for given in columns or []:
        text, written = _name_and_family(given)
        if not text or written is None:
            raise ValueError(f"--column {given!r}: write NAME=FAMILY, like age=Gaussian.")
        family = column_from_text(written)
        block = family is not None and family.takes_blocks
        name = checked_name(tuple(names_in(text))) if block else text
        for column in members(name):
            if column in taken:
                raise ValueError(f"--column {given!r}: the column {column!r} is given twice.")
            taken.add(column)
        found[name] = family
    return found


def names_in(text: str) -> list[str]:
    """Names separated by commas, quoted as in CSV."""
    try:
        return next(csv.reader([text], skipinitialspace=True))
    except csv.Error:
        raise ValueError(f"{text!r}: these names cannot be read. Separate them by commas, quoted as in CSV.") from None


def _name_and_family(given: str) -> tuple[str, str | None]:
    """Splits at the last = that is followed by a complete family, with balanced brackets."""
    for equals in reversed(list(re.finditer("=", given))):
        family = given[equals.end() :]
        if WHOLE_FAMILY.fullmatch(family) and family.count("(") == family.count(")") and equals.start():
            return given[: equals.start()], family
    name, equal, family = given.partition("=")
    return name, family if equal else None
