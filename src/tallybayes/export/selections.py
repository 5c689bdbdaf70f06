"""Nested selections and common table expressions, of which a view is made."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from tallybayes.export.expressions import column, exp

EVERYTHING = 2**62  # rows: a limit that keeps these databases from flattening the selections …
FENCED = ("duckdb", "postgres", "sqlite")  # … and computing expressions several times


class Step(NamedTuple):
    """A common table expression; if `held`, it is materialised."""

    name: str
    query: exp.Expression
    recursive: bool = False
    held: bool = False


def named(parts: Sequence[str], alias: str | None = None) -> exp.Table:
    names = [exp.to_identifier(part, quoted=True) for part in parts]
    table = exp.Table(**dict(zip(("this", "db", "catalog"), reversed(names), strict=False)))
    if alias is not None:
        table.set("alias", exp.TableAlias(this=exp.to_identifier(alias, quoted=True)))
    return table


class Selection:
    """A selection from a table or from another selection, to which named columns are added."""

    def __init__(self, source: exp.Expression, alias: str, fenced: bool) -> None:
        self.alias = alias
        self.fenced = fenced
        self.select = exp.Select().from_(source, copy=False)
        self.names: list[str] = []

    def add(self, name: str, value: exp.Expression) -> None:
        self.names.append(name)
        self.select = self.select.select(exp.alias_(value, name, quoted=True), copy=False)

    def column(self, name: str) -> exp.Expression:
        return column(name, self.alias)

    def join(self, table: exp.Expression, on: Sequence[exp.Expression]) -> None:
        self.select = self.select.join(table, on=exp.and_(*on, copy=False), join_type="left", copy=False)

    def above(self, alias: str, without: Sequence[str] = ()) -> Selection:
        """A selection of all columns of this one."""
        below = self.select.limit(EVERYTHING, copy=False) if self.fenced else self.select
        source = exp.Subquery(this=below, alias=exp.TableAlias(this=exp.to_identifier(alias, quoted=True)))
        return self._over(source, alias, without)

    def after(self, step: str, alias: str, without: Sequence[str] = ()) -> Selection:
        """A selection from this one as a named step, which may be used elsewhere as well."""
        return self._over(named([step], alias), alias, without)

    def _over(self, source: exp.Expression, alias: str, without: Sequence[str]) -> Selection:
        found = Selection(source, alias, self.fenced)
        for name in self.names:
            if name not in without:
                found.add(name, found.column(name))
        return found


def put_before(query: exp.Expression, steps: Sequence[Step]) -> None:
    expressions = [
        exp.CTE(
            this=step.query,
            alias=exp.TableAlias(this=exp.to_identifier(step.name, quoted=True)),
            materialized=True if step.held else None,
        )
        for step in steps
    ]
    if expressions:
        query.set("with_", exp.With(expressions=expressions, recursive=any(step.recursive for step in steps)))
