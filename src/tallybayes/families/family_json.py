"""Families as JSON has them, and back: what a file and a schema hold of a family."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tallybayes.families.base import FAMILIES, Family
from tallybayes.families.settings import settings_of


def family_to_json(family: Family) -> dict[str, Any]:
    """A family as JSON has it."""
    return {"family": type(family).__name__, "settings": family.filed()}


def family_from_json(entry: Mapping[str, Any]) -> Family:
    family = FAMILIES.get(entry["family"])
    if family is None:
        name = entry["family"]
        raise ValueError(f"there is no family {name!r}; if it is your own, write FAMILIES[{name!r}] = {name} first")
    declared = settings_of(family)
    return family(**{n: declared[n].from_json(v) if n in declared else v for n, v in entry["settings"].items()})
