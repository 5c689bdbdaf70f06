"""The statements that create a table of weights and a view. The view is a stack of selections: cells, scores, their
maximum, exponentials, answers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

import numpy as np

from tallybayes.export import letters
from tallybayes.export.expressions import (
    FENCED,
    HOPELESS,
    IMPOSSIBLE,
    Dialect,
    Selection,
    added,
    case,
    digits,
    exp,
    greatest,
    named,
    number,
    put_before,
    text,
)
from tallybayes.export.portable_model import PortableModel, unweighed
from tallybayes.export.scores import TableNames, cells, cut_texts, scored, texts_of
from tallybayes.export.weights import weights_of
from tallybayes.families.portable import ByFormula

AT_ONCE = 500  # rows of weights in one statement
PREFIX = "tally"
PRETTY = {"identify": True, "pretty": True, "copy": False}


def statements(
    portable: PortableModel, dialect: str, table: Sequence[str], view: Sequence[str], kept: Sequence[str]
) -> str:
    names = TableNames([*view[:-1], f"{view[-1]}_weights"], [*view[:-1], f"{view[-1]}_letters"], _prefix(table, view))
    found = list(_tables(portable, dialect, names))
    rows = Selection(named(table, "t"), "t", dialect in FENCED)
    answers = exp.Create(kind="VIEW", this=named(view), expression=_answers(portable, rows, names, kept, dialect))
    return ";\n".join([*found, answers.sql(dialect, **PRETTY)]) + ";\n"


def _prefix(table: Sequence[str], view: Sequence[str]) -> str:
    """A prefix for the names of steps that no table here has."""
    found = PREFIX
    while any(name.casefold().startswith(found) for name in (table[-1], view[-1])):
        found += "_"
    return found


def _tables(portable: PortableModel, dialect: str, names: TableNames) -> Iterator[str]:
    if not all(isinstance(unweighed(each.evidence), ByFormula) for each in portable.columns):
        kinds = {"entry": "int", "level": "text", **{f"w{c}": "double" for c in range(len(portable.labels))}}
        yield _table(names.weights, kinds, ("entry", "level"), dialect)
        literal = Dialect.get_or_raise(dialect).generator().generate
        written = (
            (str(entry), literal(text(level), copy=False), *map(digits, row.tolist()))
            for entry, level, row in weights_of(portable)
        )
        yield from _inserts(names.weights, written, dialect)
    if texts_of(portable) and dialect == "sqlite":
        yield _table(names.ranges, dict.fromkeys(letters.Range._fields, "int"), ("low",), dialect)
        yield from _inserts(names.ranges, (tuple(map(str, each)) for each in letters.ranges()), dialect)


def _table(name: Sequence[str], kinds: Mapping[str, str], keys: Sequence[str], dialect: str) -> str:
    columns: list[exp.Expression] = [
        exp.ColumnDef(this=exp.to_identifier(column, quoted=True), kind=exp.DataType.build(kind))
        for column, kind in kinds.items()
    ]
    if dialect == "sqlite":  # which would build an automatic index for every query
        columns.append(exp.PrimaryKey(expressions=[exp.to_identifier(key, quoted=True) for key in keys]))
    return exp.Create(kind="TABLE", this=exp.Schema(this=named(name), expressions=columns)).sql(dialect, **PRETTY)


def _inserts(name: Sequence[str], rows: Iterable[tuple[str, ...]], dialect: str) -> Iterator[str]:
    """Rows of literals as text: there may be millions, and an expression for each would take minutes."""
    into = exp.Insert(this=named(name)).sql(dialect, **PRETTY)
    every = iter(rows)
    while some := [f"  ({', '.join(row)})" for row in islice(every, AT_ONCE)]:
        yield f"{into} VALUES\n" + ",\n".join(some)


def _answers(
    portable: PortableModel, rows: Selection, names: TableNames, kept: Sequence[str], dialect: str
) -> exp.Expression:
    classes = range(len(portable.labels))
    looked_at, steps = cut_texts(portable, cells(portable, rows, kept), names, dialect)
    most = scored(portable, looked_at, names).above("scored")
    most.add("most", greatest([most.column(f"s{c}") for c in classes]))
    powers = most.above("compared", ["most", *(f"s{c}" for c in classes)])
    for c in classes:
        powers.add(f"e{c}", _power(powers, portable, c))
    powers.add("predicted", _predicted(powers, portable))
    total = powers.above("weighed")
    total.add("total", added([total.column(f"e{c}") for c in classes]))
    found = _named_answers(total.above("added"), portable, kept)
    put_before(found, steps)
    return found


def _impossible(rows: Selection) -> exp.Expression:
    """Whether the row is impossible in every class."""
    return exp.LT(this=rows.column("most"), expression=number(IMPOSSIBLE / 10.0))


def _power(rows: Selection, portable: PortableModel, c: int) -> exp.Expression:
    """The exponential of a score minus the largest; guarded, because PostgreSQL raises an error on underflow."""
    away = exp.Sub(this=rows.column(f"s{c}"), expression=rows.column("most"))
    hopeless = exp.LT(this=away.copy(), expression=number(HOPELESS))
    pairs: list[tuple[Any, Any]] = [(_impossible(rows), number(portable.prior[c])), (hopeless, number(0.0))]
    return case(pairs, exp.Exp(this=away))


def _predicted(rows: Selection, portable: PortableModel) -> exp.Expression:
    """The class with the largest score, the first one on a tie."""
    labels = [_label(label) for label in portable.labels]
    pairs: list[tuple[Any, Any]] = [(_impossible(rows), labels[int(np.argmax(portable.prior))])]
    for c, label in enumerate(labels[:-1]):
        pairs.append((exp.EQ(this=rows.column(f"s{c}"), expression=rows.column("most")), label))
    return case(pairs, labels[-1].copy())


def _label(label: Any) -> exp.Expression:
    if isinstance(label, (bool, int, float)):
        return exp.convert(label)
    return text(str(label))


def _named_answers(rows: Selection, portable: PortableModel, kept: Sequence[str]) -> exp.Expression:
    shares = [exp.Div(this=rows.column(f"e{c}"), expression=rows.column("total")) for c in range(len(portable.labels))]
    answers = {"predicted": rows.column("predicted"), "probability": greatest([share.copy() for share in shares])}
    values = [rows.column(f"k{at}") for at in range(len(kept))] + [*answers.values(), *shares]
    names = unique([*kept, *answers, *(f"P({label})" for label in portable.labels)])
    found = rows.select
    found.set("expressions", [exp.alias_(value, name, quoted=True) for value, name in zip(values, names, strict=True)])
    return found


def unique(names: Sequence[str]) -> list[str]:
    """The same names, made unique ignoring case by appended underscores."""
    found: dict[str, str] = {}
    for name in names:
        while name.casefold() in found:
            name += "_"
        found[name.casefold()] = name
    return list(found.values())
