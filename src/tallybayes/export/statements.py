"""The statements that make a table of weights and a view. The view is a stack of selections: cells as they are looked
up, scores, the largest of them, exponentials, answers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tallybayes.export.expressions import (
    HOPELESS,
    IMPOSSIBLE,
    case,
    column,
    exp,
    formula,
    interval,
    number,
    taken,
    text,
)
from tallybayes.export.said import Column, Said
from tallybayes.export.weights import weights_of
from tallybayes.families.numbers.support import REAL
from tallybayes.families.portable import ByFormula, ByInterval, ByLevel

AT_ONCE = 500  # rows of weights in one statement
JOINED = 50  # tables in one selection: SQLite takes 64
EVERYTHING = 2**62  # rows: a limit that keeps these from making one selection of all …
FENCED = ("duckdb", "postgres", "sqlite")  # … and computing again what is used more than once
PRETTY = {"identify": True, "pretty": True}


def statements(said: Said, dialect: str, table: Sequence[str], view: Sequence[str], kept: Sequence[str]) -> str:
    weights = [*view[:-1], f"{view[-1]}_weights"]
    found: list[exp.Expression] = []
    rows = weights_of(said)
    if rows:
        found.append(_table(weights, len(said.labels)))
        for start in range(0, len(rows), AT_ONCE):
            values = [_row(entry, level, row.tolist()) for entry, level, row in rows[start : start + AT_ONCE]]
            found.append(exp.Insert(this=_named(weights), expression=exp.Values(expressions=values)))
    cells = _Selection(_named(table, "t"), "t", dialect in FENCED)
    found.append(exp.Create(kind="VIEW", this=_named(view), expression=_answers(said, cells, weights, kept)))
    return ";\n".join(statement.sql(dialect, **PRETTY) for statement in found) + ";\n"


def _named(parts: Sequence[str], alias: str | None = None) -> exp.Table:
    names = [exp.to_identifier(part, quoted=True) for part in parts]
    table = exp.Table(**dict(zip(("this", "db", "catalog"), reversed(names), strict=False)))
    if alias is not None:
        table.set("alias", exp.TableAlias(this=exp.to_identifier(alias, quoted=True)))
    return table


def _table(weights: Sequence[str], classes: int) -> exp.Expression:
    kinds = {"entry": "int", "level": "text", **{f"w{c}": "double" for c in range(classes)}}
    columns = [
        exp.ColumnDef(this=exp.to_identifier(name, quoted=True), kind=exp.DataType.build(kind))
        for name, kind in kinds.items()
    ]
    return exp.Create(kind="TABLE", this=exp.Schema(this=_named(weights), expressions=columns))


def _row(entry: int, level: str, said: Sequence[float]) -> exp.Expression:
    return exp.Tuple(expressions=[exp.Literal.number(entry), text(level), *map(number, said)])


class _Selection:
    """A selection from a table or from another one; columns are added under names of their own."""

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

    def above(self, alias: str, without: Sequence[str] = ()) -> _Selection:
        """One that selects from this, with its columns."""
        below = self.select.limit(EVERYTHING, copy=False) if self.fenced else self.select
        source = exp.Subquery(this=below, alias=exp.TableAlias(this=exp.to_identifier(alias, quoted=True)))
        found = _Selection(source, alias, self.fenced)
        for name in self.names:
            if name not in without:
                found.add(name, found.column(name))
        return found


def _answers(said: Said, rows: _Selection, weights: Sequence[str], kept: Sequence[str]) -> exp.Expression:
    classes = range(len(said.labels))
    scores = _scored(said, _cells(said, rows, kept), weights)
    most = scores.above("scored")
    columns = [most.column(f"s{c}") for c in classes]
    top = columns[0] if len(columns) == 1 else exp.Greatest(this=columns[0], expressions=columns[1:])
    most.add("most", top)
    powers = most.above("compared")
    for c in classes:
        powers.add(f"e{c}", _power(powers, said, c))
    powers.add("predicted", _predicted(powers, said))
    last = powers.above("weighed")
    return _named_answers(last, said, kept)


def _cells(said: Said, rows: _Selection, kept: Sequence[str]) -> _Selection:
    """The cells of the table, each as it is looked up or computed with."""
    for at, name in enumerate(kept):
        rows.add(f"k{at}", rows.column(name))
    for at, each in enumerate(said.columns):
        rows.add(f"c{at}", _cell(rows.column(each.name), each))
    intervals = {f"c{at}": each.said for at, each in enumerate(said.columns) if isinstance(each.said, ByInterval)}
    placed = rows.above("cells", list(intervals))
    for name, cut in intervals.items():
        placed.add(name, interval(placed.column(name), cut))
    return placed


def _cell(cell: exp.Expression, each: Column) -> exp.Expression:
    if not isinstance(each.said, ByLevel):
        return taken(cell, each.said.support if isinstance(each.said, ByFormula) else REAL)
    written = exp.Cast(this=cell, to=exp.DataType.build("text"))
    return exp.Lower(this=exp.Trim(this=written)) if each.said.truth else written


def _scored(said: Said, cells: _Selection, weights: Sequence[str]) -> _Selection:
    """The sum of what all columns say, some at a time: of each class, s0, s1, …"""
    everything = list(enumerate(said.columns))
    below = cells
    for start in range(0, max(len(everything), 1), JOINED):
        some = everything[start : start + JOINED]
        scores = below.above("looked_up", [*(f"s{c}" for c in range(len(said.labels))), *(f"c{at}" for at, _ in some)])
        for at, each in some:
            if not isinstance(each.said, ByFormula):
                joined = _named(weights, f"w{at}")
                match = exp.and_(
                    exp.EQ(this=column("entry", f"w{at}"), expression=exp.Literal.number(at)),
                    exp.EQ(this=column("level", f"w{at}"), expression=scores.column(f"c{at}")),
                )
                scores.select = scores.select.join(joined, on=match, join_type="left", copy=False)
        for c in range(len(said.labels)):
            total = scores.column(f"s{c}") if start else number(said.start[c])
            for at, each in some:
                for term in _terms(each, scores.column(f"c{at}"), f"w{at}", c):
                    total = exp.Add(this=total, expression=term)
            scores.add(f"s{c}", total)
        below = scores
    return below


def _terms(each: Column, cell: exp.Expression, weights: str, c: int) -> list[exp.Expression]:
    if isinstance(each.said, ByFormula):
        return [formula(cell, each.said, c)]
    terms: list[exp.Expression] = [exp.Coalesce(this=column(f"w{c}", weights), expressions=[number(0.0)])]
    if each.absence is not None:
        missing = exp.Is(this=cell, expression=exp.Null())
        terms.append(case([(missing, number(each.absence.missing[c]))], number(each.absence.present[c])))
    return terms


def _nobody(rows: _Selection) -> exp.Expression:
    """Whether no class allows the row."""
    return exp.LT(this=rows.column("most"), expression=number(IMPOSSIBLE / 10.0))


def _power(rows: _Selection, said: Said, c: int) -> exp.Expression:
    """The exponential of a score less the largest: PostgreSQL has none of what comes to nothing."""
    away = exp.Sub(this=rows.column(f"s{c}"), expression=rows.column("most"))
    hopeless = exp.LT(this=away.copy(), expression=number(HOPELESS))
    pairs: list[tuple[Any, Any]] = [(_nobody(rows), number(said.prior[c])), (hopeless, number(0.0))]
    return case(pairs, exp.Exp(this=away))


def _predicted(rows: _Selection, said: Said) -> exp.Expression:
    """The first class of those whose score is the largest."""
    labels = [_label(label) for label in said.labels]
    pairs: list[tuple[Any, Any]] = [(_nobody(rows), labels[int(np.argmax(said.prior))])]
    for c, label in enumerate(labels[:-1]):
        pairs.append((exp.EQ(this=rows.column(f"s{c}"), expression=rows.column("most")), label))
    return case(pairs, labels[-1].copy())


def _label(label: Any) -> exp.Expression:
    if isinstance(label, (bool, int, float)):
        return exp.convert(label)
    return text(str(label))


def _named_answers(rows: _Selection, said: Said, kept: Sequence[str]) -> exp.Expression:
    total = rows.column("e0")
    for c in range(1, len(said.labels)):
        total = exp.Add(this=total, expression=rows.column(f"e{c}"))
    total = exp.paren(total, copy=False)
    shares = [exp.Div(this=rows.column(f"e{c}"), expression=total.copy()) for c in range(len(said.labels))]
    most = shares[0] if len(shares) == 1 else exp.Greatest(this=shares[0], expressions=shares[1:])
    answers = {"predicted": rows.column("predicted"), "probability": most.copy()}
    values = [rows.column(f"k{at}") for at in range(len(kept))] + [*answers.values(), *(s.copy() for s in shares)]
    names = unique([*kept, *answers, *(f"P({label})" for label in said.labels)])
    found = rows.select
    found.set("expressions", [exp.alias_(value, name, quoted=True) for value, name in zip(values, names, strict=True)])
    return found


def unique(names: Sequence[str]) -> list[str]:
    """The same names, each its own whatever the case of its letters: those that come again have lines behind them."""
    found: list[str] = []
    for name in names:
        while name.casefold() in {other.casefold() for other in found}:
            name += "_"
        found.append(name)
    return found
