"""Families as JSON has them, and back: what a file and a schema hold of a family."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tallybayes.families import FAMILIES, Family
from tallybayes.families.smoothing import alpha_from_json, alpha_to_json


def family_to_json(family: Family) -> dict[str, Any]:
    """A family as JSON has it."""
    return {
        "family": type(family).__name__,
        "settings": {name: _plain(name, value) for name, value in family.filed().items()},
    }


def family_from_json(entry: Mapping[str, Any]) -> Family:
    family = FAMILIES.get(entry["family"])
    if family is None:
        raise ValueError(f"there is no family {entry['family']!r}")
    return family(**{name: _rich(name, value) for name, value in entry["settings"].items()})


def _plain(name: str, value: Any) -> Any:
    if isinstance(value, Family):
        return family_to_json(value)
    return alpha_to_json(value) if name == "alpha" else value


def _rich(name: str, value: Any) -> Any:
    if name == "family":
        return family_from_json(value)
    if name == "alpha":
        return alpha_from_json(value)
    return tuple(value) if isinstance(value, list) else value
