"""The names of a schema's entries: a column, or a block of several columns that one family counts together.

A block's name is the sorted tuple of its columns, ("height", "weight"), in whatever order they were given. A column may
be in several entries if their evidence is weighed.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any, TypeVar

import pyarrow as pa

from tallybayes.data.cells import Cells
from tallybayes.data.naming import closest
from tallybayes.families import FAMILIES, Family
from tallybayes.kernels.strings import is_writable

Name = str | tuple[str, ...]

T = TypeVar("T")

FEW = 5  # columns of a block that are named one by one
MOST_COLUMNS = 100  # of a schema that people are shown; JSON and TOML have all


def members(name: Name) -> tuple[str, ...]:
    """The columns of an entry."""
    return (name,) if isinstance(name, str) else name


def title(name: Name) -> str:
    """The name of an entry as text for people.

    >>> title("age"), title(("height", "weight"))
    ('age', 'height, weight')
    """
    return ", ".join(members(name))


def briefly(title: str) -> str:
    """The title of an entry; of a block of many columns, only the first few names.

    >>> briefly("height, weight"), briefly("a, b, c, d, e, f, g")
    ('height, weight', 'a, b, c and 4 more')
    """
    names = title.split(", ")
    return title if len(names) <= FEW else f"{', '.join(names[:3])} and {len(names) - 3} more"


def by_title(entries: Mapping[Name, T]) -> dict[str, T]:
    """Entries by their names as text, for people and JSON."""
    return {title(name): value for name, value in entries.items()}


def in_order(entries: Mapping[Name, T]) -> list[tuple[Name, T]]:
    """Entries sorted by their names, so that equal schemas come in the same order."""
    return sorted(entries.items(), key=lambda entry: members(entry[0]))


def checked_name(name: Any) -> Name:
    """A name in canonical form: the columns of a block sorted, and a block of one column named by that column.

    >>> checked_name(("weight", "height")), checked_name(("age",))
    (('height', 'weight'), 'age')
    """
    columns = name if isinstance(name, tuple) else (name,)
    for column in columns:
        if not isinstance(column, str):
            raise TypeError(f"The column name {column!r} is not a string. Write {str(column)!r}.")
        if not is_writable(column):
            raise ValueError(f"The column name {column!r} cannot be written as UTF-8.")
    if not columns or len(set(columns)) < len(columns):
        raise ValueError(f"The block {name!r} names {'a column twice' if columns else 'no column'}.")
    columns = tuple(sorted(str(column) for column in columns))  # numpy's strings, too
    return columns[0] if len(columns) == 1 else columns


def check_distinct(names: Iterable[Name]) -> None:
    """Raises an error if two entries have the same text."""
    listed = list(names)
    if len(set(listed)) == len(listed) and all(isinstance(name, str) for name in listed):
        return  # like most schemas
    titles: dict[str, Name] = {}
    for name in listed:
        if titles.get(title(name)) == name:
            raise ValueError(f"The schema has {name!r} twice; remove one of them.")
        if title(name) in titles:
            raise ValueError(f"{titles[title(name)]!r} and {name!r} are written the same; rename a column.")
        titles[title(name)] = name


def shared_column(names: Iterable[Name]) -> tuple[str, Name, Name] | None:
    """A column that is in two entries, and these two; None if there is none."""
    owner: dict[str, Name] = {}
    for name in names:
        for column in members(name):
            if column in owner:
                return column, owner[column], name
            owner[column] = name
    return None


def each_once(names: Iterable[Name]) -> list[Name]:
    """Entries that have no column in common: columns by themselves first, then blocks of columns that are in no other.

    >>> each_once([("a", "b"), "a", ("c", "d")])
    ['a', ('c', 'd')]
    """
    kept: dict[str, Name] = {}
    for name in sorted(names, key=lambda name: len(members(name)) > 1):
        if kept.keys().isdisjoint(members(name)):
            kept |= dict.fromkeys(members(name), name)
    return list(dict.fromkeys(kept.values()))


def replaced(entries: Mapping[Name, T], changes: Mapping[Name, T]) -> dict[Name, T]:
    """Entries with some of them replaced: a block replaces its columns.

    >>> replaced({"age": 1, "height": 2, "weight": 3}, {("height", "weight"): 4})
    {'age': 1, ('height', 'weight'): 4}
    """
    taken = {column for name in changes for column in members(name)}
    result: dict[Name, T] = {}
    for name, value in entries.items():
        if name in changes or taken.isdisjoint(members(name)):
            result[name] = changes.get(name, value)
        elif not taken.issuperset(members(name)):
            raise ValueError(f"The schema has the block {name!r}; change the whole block, not some of its columns.")
    return {**result, **changes}


def check_family(name: Any, given: Any) -> None:
    if not isinstance(given, Family):
        written = given.__name__ if isinstance(given, type) else given if isinstance(given, str) else ""
        meant = written if isinstance(given, type) else closest(written, FAMILIES)
        hint = f" Write {meant}()." if meant else ""
        raise TypeError(f"Column {name!r} is given {given!r}, which is not a family.{hint}")


def by_entry(hints: Mapping[Any, Family | None]) -> dict[Name, Family | None]:
    """Hints by the names of entries; leaving out a block leaves out each of its columns."""
    hinted: dict[Name, Family | None] = {}
    for given, family in hints.items():
        name = checked_name(given)
        if family is not None:
            check_family(given, family)
        hinted |= {name: family} if family is not None else dict.fromkeys(members(name))
    return hinted


def check_apart(columns: Collection[str], **named: Any) -> None:
    """Raises an error if the column of the label or the weight, if there is one, is among those that are counted."""
    for what, name in named.items():
        if isinstance(name, str) and name in columns:
            raise ValueError(f"Column {name!r} holds the {what}s; drop it from the schema's columns.")


def found(name: Any, names: Collection[Name]) -> Name | None:
    """Finds an entry by its name, its columns in any order, its title, or a column in its block."""
    if isinstance(name, str) and name in names:
        return name
    if isinstance(name, (tuple, list)):
        wanted = tuple(sorted(map(str, name)))
        return next((each for each in names if members(each) == wanted), None)
    return next((each for each in names if name == title(each) or name in members(each)), None)


def joined(name: Name, cells: Mapping[str, Cells]) -> Cells:
    """The cells of an entry: a column's as they are, those of a block as records; for a single row, a list of one."""
    if isinstance(name, str):
        return cells[name]
    if type(cells[name[0]]) is list:
        return [{column: cells[column][0] for column in name}]
    return pa.StructArray.from_arrays([cells[column] for column in name], names=list(name))


def apart(name: Name, cells: pa.Array) -> dict[str, pa.Array]:
    """The inverse: the cells of each column."""
    if isinstance(name, str):
        return {name: cells}
    if not pa.types.is_struct(cells.type):
        raise TypeError(
            f"The cells of ({title(name)}) are counted as words, so no rows can be drawn from them; draw from a model "
            "without this block."
        )
    return dict(zip(name, cells.flatten(), strict=True))
