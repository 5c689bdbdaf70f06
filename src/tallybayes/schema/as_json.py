"""A schema as canonical JSON, for model files."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from tallybayes.data.labels import kind_from_name
from tallybayes.families import Family
from tallybayes.schema.class_prior import prior_from_json, prior_to_json
from tallybayes.schema.entries import checked_name, in_order, members
from tallybayes.schema.weights import Weights

if TYPE_CHECKING:
    from tallybayes.schema.schema import Schema


def schema_to_json(schema: Schema) -> dict[str, Any]:
    """Everything that is set; defaults are left out."""
    columns = [{"name": name, **family.to_json()} for name, family in in_order(schema.columns)]
    label = {} if schema.label is None else {"label": schema.label}
    weights = {} if schema.weights is None else {"weights": schema.weights.to_json()}
    components = {} if schema.components is None else {"components": str(schema.components)}
    return {"columns": columns, "prior": prior_to_json(schema.prior), **label, **weights, **components}


def settings_from_json(data: Mapping[str, Any], arrays: dict[str, Any] | None) -> dict[str, Any]:
    """The arguments of `Schema`; arrays that belong to it are removed from `arrays`."""
    columns: dict[Any, Family] = {}
    for entry in data["columns"]:
        name = tuple(entry["name"]) if isinstance(entry["name"], list) else entry["name"]
        if name in columns:
            raise ValueError(f"there are two columns {name!r}")
        columns[name] = Family.from_json(entry)
    columns = {
        name: family.over(members(checked_name(name))).with_arrays(str(i), {} if arrays is None else arrays)
        for i, (name, family) in enumerate(columns.items(), 1)
    }
    return {
        "columns": columns,
        "prior": prior_from_json(data["prior"]),
        "label": data.get("label"),
        "weights": Weights.from_json(data["weights"]) if "weights" in data else None,
        "components": kind_from_name(data["components"]) if "components" in data else None,
    }
