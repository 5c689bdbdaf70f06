"""A model of categorical columns in the Bayesian Interchange Format, which pgmpy, bnlearn and pyAgrum read."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np

from tallybayes.families.events import Conditional, NoJointError
from tallybayes.model.joint.distribution import Joint
from tallybayes.schema.entries import members


def to_bif(joint: Joint, name: str = "tallybayes") -> str:
    """The network as text. BIF names have letters, digits and underscores only; other characters become underscores."""
    columns = _names([*joint.columns, joint.label])
    classes = _names(map(str, joint.known.labels))
    prior = np.exp(joint.known.prior)
    variables = [_variable(columns[joint.label], classes.values())]
    tables = [f"probability ( {columns[joint.label]} ) {{\n  table {_numbers(prior / prior.sum())};\n}}\n"]
    for entry, belief in joint.known.columns.items():
        networks = _networks(entry, belief)
        own = [columns[column] for column in members(entry)]
        states = {each.column: _names(map(str, each.states)) for each in networks}
        for each in networks:
            variables.append(_variable(own[each.column], states[each.column].values()))
            tables.append(_table(each, own, states, columns[joint.label], list(classes.values())))
    return "\n".join([f"network {_name(name)} {{\n}}", *variables, *tables])


def _networks(entry: Any, belief: Any) -> list[Conditional]:
    try:
        found = belief.conditionals()
    except NoJointError as error:
        raise NoJointError(f"Column {entry!r} has no levels, which BIF needs: {error}") from None
    if len(found) > 1:
        raise NoJointError(f"The columns {entry!r} are an average of networks, not one network; use structure='tree'.")
    return list(found[0])


def _variable(name: str, states: Iterable[str]) -> str:
    listed = list(states)
    return f"variable {name} {{\n  type discrete [ {len(listed)} ] {{ {', '.join(listed)} }};\n}}"


def _table(
    each: Conditional, own: Sequence[str], states: Mapping[int, dict[str, str]], label: str, classes: Sequence[str]
) -> str:
    """P(state | class, parents), a line for every combination of these."""
    given = ", ".join([label, *(own[parent] for parent in each.parents)])
    table = np.moveaxis(each.table, -1, 0)
    named = product(classes, *(states[parent].values() for parent in each.parents))
    lines = [
        f"  ({', '.join(names)}) {_numbers(row)};"
        for names, row in zip(named, table.reshape(-1, table.shape[-1]), strict=True)
    ]
    return "\n".join([f"probability ( {own[each.column]} | {given} ) {{", *lines, "}\n"])


def _numbers(row: Any) -> str:
    return ", ".join(repr(float(p)) for p in row)


def _name(text: str) -> str:
    name = re.sub(r"[^A-Za-z0-9_]", "_", text)
    return name if re.match(r"[A-Za-z_]", name) else f"_{name}"


def _names(texts: Iterable[str]) -> dict[str, str]:
    """A distinct name for every text."""
    found: dict[str, str] = {}
    taken: dict[str, int] = {}  # names, and how many texts want each so far
    for text in texts:
        name = wanted = _name(text)
        while name in taken:
            taken[wanted] += 1
            name = f"{wanted}_{taken[wanted]}"
        found[text], taken[name] = name, 1
    return found
