"""The family of a column given as `--column NAME=FAMILY`."""

from __future__ import annotations

import csv
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tallybayes.families import Family
    from tallybayes.schema.entries import Name

WHOLE_FAMILY = re.compile(r"\s*(?:\w+\s*(?:\(.*\))?|left out)\s*", re.DOTALL)


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
        name = checked_name(tuple(next(csv.reader([text], skipinitialspace=True)))) if block else text
        for column in members(name):
            if column in taken:
                raise ValueError(f"--column {given!r}: the column {column!r} is given twice.")
            taken.add(column)
        found[name] = family
    return found


def _name_and_family(given: str) -> tuple[str, str | None]:
    """Splits at the last = that is followed by a complete family, with balanced brackets."""
    for equals in reversed(list(re.finditer("=", given))):
        family = given[equals.end() :]
        if WHOLE_FAMILY.fullmatch(family) and family.count("(") == family.count(")") and equals.start():
            return given[: equals.start()], family
    name, equal, family = given.partition("=")
    return name, family if equal else None
