"""Checks whether counts under one schema can be added to those of another, or scored by its families."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tallybayes.families import Family
from tallybayes.schema.entries import Name

LONGEST = 60  # characters of a setting that an error shows


def check_same_counts(columns: Mapping[Name, Family], others: Mapping[Name, Family]) -> None:
    """Raises an error unless both have the same columns and count the same of each."""
    if columns.keys() != others.keys():
        here, there = (", ".join(map(repr, side)) or "none" for side in (columns, others))
        raise ValueError(f"The columns differ: {here} and {there}. Train both models with the same schema.")
    for name, family in columns.items():
        rival = others[name]
        if family is not rival and family.counts != rival.counts:
            raise ValueError(
                f"Column {name!r} is counted by {_counted(family, rival)} in one and by {_counted(rival, family)} in "
                f"the other; these count differently.{family.difference(rival)}"
            )


def check_beliefs(columns: Mapping[Name, Family], settings: Mapping[Any, Any]) -> None:
    """Raises an error unless each setting is a belief of some family."""
    known = {name for family in columns.values() for name in family.beliefs()}
    counting = {name for family in columns.values() for name in family.settings()}  # `check_same_counts` refuses these
    for name in settings.keys() - known - counting:
        wanted = "a family" if name in columns else f"one of {', '.join(sorted(known))}, or a column's family"
        raise ValueError(f"{name}={settings[name]!r} is not a belief of this schema; give {wanted}.")


def _counted(family: Family, other: Family) -> str:
    """A family, and those settings in which its counts differ from the other's."""
    settings, others = family.counts[1], other.counts[1]
    differing = {name: value for name, value in settings.items() if name not in others or others[name] != value}
    texts = {name: repr(value) for name, value in differing.items()}
    shown = (f"{name}={text if len(text) <= LONGEST else text[:LONGEST] + ' …'}" for name, text in texts.items())
    return f"{type(family).__name__}({', '.join(shown)})"
