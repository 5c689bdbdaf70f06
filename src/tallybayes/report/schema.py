"""A schema: which family counts which column, and why; with the rows of each class, if counted."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from tallybayes.report.blocks import Block, Lines, Table, count, how_many
from tallybayes.report.characters import own_line
from tallybayes.schema import Schema
from tallybayes.schema.entries import MOST_COLUMNS, briefly

MOST_CLASSES = 24  # that are shown


@dataclass(frozen=True)
class ColumnFacts:
    column: str
    family: str  # "left out", if there is none
    why: str
    parameter_count: int | None = None  # free parameters over all classes, if their number is fixed


@dataclass(frozen=True)
class SchemaFacts:
    label: str | None  # the column that holds the classes
    prior: str
    columns: tuple[ColumnFacts, ...]
    classes: Mapping[Any, float]  # how many rows each has


def facts(schema: Schema, classes: Mapping[Any, float] | None = None) -> SchemaFacts:
    """`classes` has the number of rows of each class."""
    columns = tuple(ColumnFacts(*described) for described in schema.described())
    prior = (schema.prior if isinstance(schema.prior, str) else repr(schema.prior)) + schema.weight_text()
    return SchemaFacts(schema.label, prior, columns, dict(classes or {}))


def blocks(facts: SchemaFacts) -> Iterator[Block]:
    if facts.classes:
        rows, classes = sum(facts.classes.values()), len(facts.classes)
        yield Lines([f"{how_many(rows)} in {how_many(classes, 'class', 'classes')}"])
    yield classes_block(facts)
    yield columns_block(facts.columns)


brief = blocks


def classes_block(facts: Any) -> Block:
    """The most frequent classes; without any, the prior alone."""
    title = f"classes ({facts.prior})" if facts.label is None else f"classes in {facts.label!r} ({facts.prior})"
    total = sum(facts.classes.values()) or 1.0
    ranked = sorted(facts.classes.items(), key=lambda pair: -pair[1])
    rows = [(own_line(label), count(n), f"{n / total:.1%}") for label, n in ranked[:MOST_CLASSES]]
    if not rows:
        return Lines([], title)
    return Table(rows, ("class", "rows", "share"), title, more=len(ranked) - len(rows))


def columns_block(columns: tuple[ColumnFacts, ...]) -> Block:
    """The facts of every column; parts that no column has are left out."""
    head = ("column", "family", "parameters", "why")
    shown = columns[:MOST_COLUMNS]
    cells = [
        (briefly(c.column), c.family, "" if c.parameter_count is None else count(c.parameter_count), c.why)
        for c in shown
    ]
    kept = [i for i in range(len(head)) if i < 2 or any(row[i] for row in cells)]
    if not cells:
        return Lines(["none"], "columns")
    rows = [[row[i] for i in kept] for row in cells]
    align = "".join("llrl"[i] for i in kept)
    return Table(rows, [head[i] for i in kept], "columns", align, more=len(columns) - len(rows))
