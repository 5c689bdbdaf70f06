"""Checks whether counts under one schema can be added to those of another, or scored by its families."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tallybayes.data.naming import those_there
from tallybayes.families import Family
from tallybayes.schema.entries import Name, title

LONGEST = 60  # characters of a setting that an error shows


def check_same_counts(columns: Mapping[Name, Family], others: Mapping[Name, Family]) -> None:
    """Raises an error unless both have the same columns and count the same of each."""
    if columns.keys() != others.keys():
        here, there = columns.keys(), others.keys()
        sides = [sorted(map(title, mine)) for mine in (here - there, there - here)]
        alone = ", and only the other has ".join(those_there(names) for names in sides if names)
        raise ValueError(f"The columns differ: only one has {alone}. Train both models with the same schema.")
    for name, family in columns.items():
        rival = others[name]
        if family is not rival and family.counts != rival.counts:
            raise ValueError(
                f"Column {name!r} is counted by {_counted(family, rival)} in one and by {_counted(rival, family)} in "
                f"the other; these count differently.{family.difference(rival)}"
            )


def changed(columns: Mapping[Name, Family], settings: Mapping[str, Any]) -> dict[Name, Family]:
    """The families under these settings, each where it has the setting and takes the value. A setting that no family
    has, or a value that none takes, is an error."""
    known = {name for family in columns.values() for name in family.beliefs()}
    counting = {name for family in columns.values() for name in family.settings()}  # `check_same_counts` refuses these
    for name in settings.keys() - known - counting:
        wanted = "a family" if name in columns else f"one of {', '.join(sorted(known))}, or a column's family"
        raise ValueError(f"{name}={settings[name]!r} is not a belief of this schema; give {wanted}.")
    refusals: dict[str, ValueError] = {}
    taken: set[str] = set()
    found = {name: _changed(family, settings, taken, refusals) for name, family in columns.items()}
    for name, refusal in refusals.items():
        if name not in taken:
            raise refusal
    return found


def _changed(family: Family, settings: Mapping[str, Any], taken: set[str], refusals: dict[str, ValueError]) -> Family:
    """A family under those settings that it takes. They are tried together, since one may need another."""
    own = {name: settings[name] for name in settings if name in family.beliefs() | family.settings().keys()}
    try:
        found = family.changed(own)
    except ValueError as error:
        if len(own) > 1:
            for name, value in own.items():
                family = _changed(family, {name: value}, taken, refusals)
            return family
        refusals |= {name: error for name in own if name not in refusals}
        return family
    taken.update(own)
    return found


def _counted(family: Family, other: Family) -> str:
    """A family, and those settings in which its counts differ from the other's."""
    settings, others = family.counts[1], other.counts[1]
    differing = {name: value for name, value in settings.items() if name not in others or others[name] != value}
    texts = {name: repr(value) for name, value in differing.items()}
    shown = (f"{name}={text if len(text) <= LONGEST else text[:LONGEST] + ' …'}" for name, text in texts.items())
    return f"{type(family).__name__}({', '.join(shown)})"
