"""From the cells of a table to the score of every class: looked up, computed, weighed and summed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from tallybayes.export import texts
from tallybayes.export.expressions import (
    IMPOSSIBLE,
    as_double,
    case,
    column,
    exp,
    formula,
    interval,
    number,
    taken,
    text,
)
from tallybayes.export.portable_model import Column, PortableModel, unweighed
from tallybayes.export.selections import Selection, Step, named
from tallybayes.export.weights import again_of
from tallybayes.families.numbers.support import REAL
from tallybayes.families.portable import ByFormula, ByInterval, ByLevel, ByWords, Weighed

JOINED = 50  # tables in one selection: SQLite takes 64
ROW = "r"  # the number of a row


class Names(NamedTuple):
    """The names of everything created in the database."""

    weights: Sequence[str]
    ranges: Sequence[str]
    prefix: str  # of steps


def cells(said: PortableModel, rows: Selection, kept: Sequence[str]) -> Selection:
    """The cells of the table, in the form in which they are looked up or computed with."""
    for at, name in enumerate(kept):
        rows.add(f"k{at}", rows.column(name))
    for at, each in enumerate(said.columns):
        rows.add(f"c{at}", _cell(rows.column(each.name), each))
    if texts_of(said):
        rows.add(ROW, exp.Window(this=exp.RowNumber()))
    intervals = {f"c{at}": each.said for at, each in enumerate(said.columns) if isinstance(each.said, ByInterval)}
    placed = rows.above("cells", list(intervals))
    for name, cut in intervals.items():
        placed.add(name, interval(placed.column(name), cut))
    return placed


def texts_of(said: PortableModel) -> dict[int, ByWords]:
    found = {at: unweighed(each.said) for at, each in enumerate(said.columns)}
    return {at: each for at, each in found.items() if isinstance(each, ByWords)}


def _cell(cell: exp.Expression, each: Column) -> exp.Expression:
    said = unweighed(each.said)
    if isinstance(said, (ByFormula, ByInterval)):
        return taken(cell, said.support if isinstance(said, ByFormula) else REAL)
    written = exp.Cast(this=cell, to=exp.DataType.build("text"))
    return exp.Lower(this=exp.Trim(this=written)) if isinstance(said, ByLevel) and said.truth else written


def cut_texts(said: PortableModel, rows: Selection, names: Names, dialect: str) -> tuple[Selection, list[Step]]:
    """The same cells, with texts replaced by the evidence of their words, computed in earlier steps."""
    found = texts_of(said)
    if not found:
        return rows, []
    first = f"{names.prefix}_cells"
    steps = [Step(first, rows.select, held=True)]
    above = rows.after(first, "numbered", [f"c{at}" for at in found])
    for at, words in found.items():
        cell = column(f"c{at}", "t")
        there = exp.Select().from_(named([first], "t"), copy=False).where(_missing(cell).not_(), copy=False)
        there = there.select(exp.alias_(column(ROW, "t"), ROW), exp.alias_(cell.copy(), "c"), copy=False)
        made = texts.cut(there, words.cutting, dialect, _prefix(names, at), names.ranges)
        texts.looked_up(made, words, names.weights, at, again_of(said, at))
        steps += made.made
        above.add(f"c{at}", case([(_missing(above.column(f"c{at}")), exp.Null())], text("")))
    return above, steps


def _prefix(names: Names, at: int) -> str:
    return f"{names.prefix}{at}"


def _missing(cell: exp.Expression) -> exp.Expression:
    return exp.Is(this=cell.copy(), expression=exp.Null())


def scored(said: PortableModel, rows: Selection, names: Names) -> Selection:
    """The sum of all columns' evidence, some columns at a time: s0, s1, … for each class."""
    everything = list(enumerate(said.columns))
    below = _bounded(said, rows, names)
    for start in range(0, max(len(everything), 1), JOINED):
        some = everything[start : start + JOINED]
        gone = [*(f"s{c}" for c in range(len(said.labels))), *(f"c{at}" for at, _ in some)]
        scores = below.above("looked_up", gone)
        for at, each in some:
            _join(scores, each, at, names)
        for c in range(len(said.labels)):
            total = scores.column(f"s{c}") if start else number(said.start[c])
            for at, each in some:
                for term in _terms(scores, each, at, c):
                    total = exp.Add(this=total, expression=term)
            scores.add(f"s{c}", total)
        below = scores
    return below


def _join(rows: Selection, each: Column, at: int, names: Names) -> None:
    """Joins a column's lookup table, if it has one that is not joined yet."""
    if isinstance(each.said, (ByLevel, ByInterval)):
        entry = exp.EQ(this=column("entry", f"w{at}"), expression=exp.Literal.number(at))
        level = exp.EQ(this=column("level", f"w{at}"), expression=rows.column(f"c{at}"))
        rows.join(named(names.weights, f"w{at}"), [entry, level])
    elif isinstance(each.said, ByWords):
        same = exp.EQ(this=column(ROW, f"w{at}"), expression=rows.column(ROW))
        rows.join(named([f"{_prefix(names, at)}_said"], f"w{at}"), [same])


def _terms(rows: Selection, each: Column, at: int, c: int) -> list[exp.Expression]:
    said = _weighed(rows, each.said, at, c) if isinstance(each.said, Weighed) else _said(rows, each, at, c)
    if each.absence is None:
        return [said]
    missing = _missing(rows.column(f"c{at}"))
    return [said, case([(missing, number(each.absence.missing[c]))], number(each.absence.present[c]))]


def _said(rows: Selection, each: Column, at: int, c: int) -> exp.Expression:
    """A column's evidence for a class, before weighing."""
    said, cell = unweighed(each.said), rows.column(f"c{at}")
    if isinstance(said, ByFormula):
        return formula(cell, said, c)
    if not isinstance(said, ByWords):
        return exp.Coalesce(this=column(f"w{c}", f"w{at}"), expressions=[number(0.0)])
    total: exp.Expression = column(f"s{c}", f"w{at}")
    if said.gamma:
        ratio = exp.Div(this=as_double(column("different", f"w{at}")), expression=number(said.length))
        power = exp.Mul(this=number(-said.gamma), expression=exp.Ln(this=as_double(ratio)))
        total = exp.Mul(this=total, expression=exp.Exp(this=power))
    found: exp.Expression = exp.Coalesce(this=total, expressions=[number(0.0)])
    if said.document.any():
        document = case([(_missing(cell), number(0.0))], number(said.document[c]))
        found = exp.paren(exp.Add(this=found, expression=document), copy=False)
    return found


def _bounded(said: PortableModel, rows: Selection, names: Names) -> Selection:
    """The evidence of weighed columns for each class, bounded below relative to the largest: u0_1 for column 0 and
    class 1."""
    held = {at: each for at, each in enumerate(said.columns) if isinstance(each.said, Weighed)}
    if not held:
        return rows
    classes = range(len(said.labels))
    spoken = rows.above("spoken")
    for at, each in held.items():
        unheld = each._replace(said=unweighed(each.said))
        _join(spoken, unheld, at, names)
        for c in classes:
            spoken.add(f"u{at}_{c}", _said(spoken, unheld, at, c))
    most = spoken.above("most_of_each")
    for at in held:
        most.add(f"m{at}", greatest([most.column(f"u{at}_{c}") for c in classes]))
    bounded = most.above("bounded", [f"u{at}_{c}" for at in held for c in classes])
    for at, each in held.items():
        assert isinstance(each.said, Weighed)
        top = bounded.column(f"m{at}")
        least = exp.Sub(this=top, expression=number(2.0 * each.said.bound))
        impossible = exp.LT(this=top.copy(), expression=number(IMPOSSIBLE / 10.0))
        for c in classes:
            value = greatest([bounded.column(f"u{at}_{c}"), least.copy()])
            bounded.add(f"u{at}_{c}", case([(impossible.copy(), number(0.0))], value))
    return bounded


def _weighed(rows: Selection, said: Weighed, at: int, c: int) -> exp.Expression:
    """What is said beyond the mean of all classes, within the bound, times the weight."""
    classes = [rows.column(f"u{at}_{other}") for other in range(len(said.theta))]
    total = classes[0]
    for each in classes[1:]:
        total = exp.Add(this=total, expression=each)
    mean = exp.Div(this=exp.paren(total, copy=False), expression=number(float(len(classes))))
    beyond = exp.Sub(this=rows.column(f"u{at}_{c}"), expression=mean)
    held = exp.Least(this=greatest([beyond, number(-said.bound)]), expressions=[number(said.bound)])
    return exp.Mul(this=held, expression=number(said.theta[c]))


def greatest(values: Sequence[exp.Expression]) -> exp.Expression:
    return values[0] if len(values) == 1 else exp.Greatest(this=values[0], expressions=list(values[1:]))
