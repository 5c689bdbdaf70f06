"""From the cells of a table to the score of every class: looked up, computed, weighed and summed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from tallybayes.export import texts
from tallybayes.export.expressions import (
    IMPOSSIBLE,
    Selection,
    Step,
    added,
    as_double,
    case,
    column,
    exp,
    formula,
    greatest,
    interval,
    named,
    number,
    taken,
    text,
)
from tallybayes.export.portable_model import PortableColumn, PortableModel, unweighed
from tallybayes.export.weights import again_of
from tallybayes.families.numbers.support import REAL
from tallybayes.families.portable import ByFormula, ByInterval, ByLevel, ByWords, Weighed

JOINED = 50  # tables in one selection: SQLite takes 64
ROW = "r"  # the number of a row


class TableNames(NamedTuple):
    """The names of everything created in the database."""

    weights: Sequence[str]
    ranges: Sequence[str]
    prefix: str  # of steps


def cells(portable: PortableModel, rows: Selection, kept: Sequence[str]) -> Selection:
    """The cells of the table, in the form in which they are looked up or computed with."""
    for at, name in enumerate(kept):
        rows.add(f"k{at}", rows.column(name))
    for at, each in enumerate(portable.columns):
        rows.add(f"c{at}", _cell(rows.column(each.name), each))
    if texts_of(portable):
        rows.add(ROW, exp.Window(this=exp.RowNumber()))
    intervals = {
        f"c{at}": each.evidence for at, each in enumerate(portable.columns) if isinstance(each.evidence, ByInterval)
    }
    placed = rows.above("cells", list(intervals))
    for name, cut in intervals.items():
        placed.add(name, interval(placed.column(name), cut))
    return placed


def texts_of(portable: PortableModel) -> dict[int, ByWords]:
    found = {at: unweighed(each.evidence) for at, each in enumerate(portable.columns)}
    return {at: each for at, each in found.items() if isinstance(each, ByWords)}


def _cell(cell: exp.Expression, each: PortableColumn) -> exp.Expression:
    portable = unweighed(each.evidence)
    if isinstance(portable, (ByFormula, ByInterval)):
        return taken(cell, portable.support if isinstance(portable, ByFormula) else REAL)
    written = exp.Cast(this=cell, to=exp.DataType.build("text"))
    return exp.Lower(this=exp.Trim(this=written)) if isinstance(portable, ByLevel) and portable.truth else written


def cut_texts(
    portable: PortableModel, rows: Selection, names: TableNames, dialect: str
) -> tuple[Selection, list[Step]]:
    """The same cells, with texts replaced by the evidence of their words, computed in earlier steps."""
    found = texts_of(portable)
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
        texts.looked_up(made, words, names.weights, at, again_of(portable, at))
        steps += made.made
        above.add(f"c{at}", case([(_missing(above.column(f"c{at}")), exp.Null())], text("")))
    return above, steps


def _prefix(names: TableNames, at: int) -> str:
    return f"{names.prefix}{at}"


def _missing(cell: exp.Expression) -> exp.Expression:
    return exp.Is(this=cell.copy(), expression=exp.Null())


def scored(portable: PortableModel, rows: Selection, names: TableNames) -> Selection:
    """The sum of all columns' evidence, some columns at a time: s0, s1, … for each class."""
    everything = list(enumerate(portable.columns))
    below = _bounded(portable, rows, names)
    for start in range(0, max(len(everything), 1), JOINED):
        some = everything[start : start + JOINED]
        gone = [*(f"s{c}" for c in range(len(portable.labels))), *(f"c{at}" for at, _ in some)]
        scores = below.above("looked_up", gone)
        for at, each in some:
            _join(scores, each, at, names)
        for c in range(len(portable.labels)):
            total = scores.column(f"s{c}") if start else number(portable.start[c])
            for at, each in some:
                for term in _terms(scores, each, at, c):
                    total = exp.Add(this=total, expression=term)
            scores.add(f"s{c}", total)
        below = scores
    return below


def _join(rows: Selection, each: PortableColumn, at: int, names: TableNames) -> None:
    """Joins a column's lookup table, if it has one that is not joined yet."""
    if isinstance(each.evidence, (ByLevel, ByInterval)):
        entry = exp.EQ(this=column("entry", f"w{at}"), expression=exp.Literal.number(at))
        level = exp.EQ(this=column("level", f"w{at}"), expression=rows.column(f"c{at}"))
        rows.join(named(names.weights, f"w{at}"), [entry, level])
    elif isinstance(each.evidence, ByWords):
        same = exp.EQ(this=column(ROW, f"w{at}"), expression=rows.column(ROW))
        rows.join(named([f"{_prefix(names, at)}_evidence"], f"w{at}"), [same])


def _terms(rows: Selection, each: PortableColumn, at: int, c: int) -> list[exp.Expression]:
    portable = (
        _weighed(rows, each.evidence, at, c) if isinstance(each.evidence, Weighed) else _evidence(rows, each, at, c)
    )
    if each.absence is None:
        return [portable]
    missing = _missing(rows.column(f"c{at}"))
    return [portable, case([(missing, number(each.absence.missing[c]))], number(each.absence.present[c]))]


def _evidence(rows: Selection, each: PortableColumn, at: int, c: int) -> exp.Expression:
    """A column's evidence for a class, before weighing."""
    portable, cell = unweighed(each.evidence), rows.column(f"c{at}")
    if isinstance(portable, ByFormula):
        return formula(cell, portable, c)
    if not isinstance(portable, ByWords):
        return exp.Coalesce(this=column(f"w{c}", f"w{at}"), expressions=[number(0.0)])
    total: exp.Expression = column(f"s{c}", f"w{at}")
    if portable.gamma:
        ratio = exp.Div(this=as_double(column("different", f"w{at}")), expression=number(portable.length))
        power = exp.Mul(this=number(-portable.gamma), expression=exp.Ln(this=as_double(ratio)))
        total = exp.Mul(this=total, expression=exp.Exp(this=power))
    found: exp.Expression = exp.Coalesce(this=total, expressions=[number(0.0)])
    if portable.document.any():
        document = case([(_missing(cell), number(0.0))], number(portable.document[c]))
        found = exp.paren(exp.Add(this=found, expression=document), copy=False)
    return found


def _bounded(portable: PortableModel, rows: Selection, names: TableNames) -> Selection:
    """The evidence of weighed columns for each class, bounded below relative to the largest, and its mean over all
    classes: u0_1 for column 0 and class 1, and m0."""
    weighed = {at: each for at, each in enumerate(portable.columns) if isinstance(each.evidence, Weighed)}
    if not weighed:
        return rows
    classes = range(len(portable.labels))
    unbounded = rows.above("unbounded")
    for at, each in weighed.items():
        plain = each._replace(evidence=unweighed(each.evidence))
        _join(unbounded, plain, at, names)
        for c in classes:
            unbounded.add(f"u{at}_{c}", _evidence(unbounded, plain, at, c))
    most = unbounded.above("most_of_each")
    for at in weighed:
        most.add(f"m{at}", greatest([most.column(f"u{at}_{c}") for c in classes]))
    bounded = most.above("bounded", [f"u{at}_{c}" for at in weighed for c in classes])
    for at, each in weighed.items():
        assert isinstance(each.evidence, Weighed)
        top = bounded.column(f"m{at}")
        least = exp.Sub(this=top, expression=number(2.0 * each.evidence.bound))
        impossible = exp.LT(this=top.copy(), expression=number(IMPOSSIBLE / 10.0))
        for c in classes:
            value = greatest([bounded.column(f"u{at}_{c}"), least.copy()])
            bounded.add(f"u{at}_{c}", case([(impossible.copy(), number(0.0))], value))
    means = bounded.above("mean_of_each", [f"m{at}" for at in weighed])
    for at in weighed:
        total = added([means.column(f"u{at}_{c}") for c in classes])
        means.add(f"m{at}", exp.Div(this=total, expression=number(float(len(classes)))))
    return means


def _weighed(rows: Selection, portable: Weighed, at: int, c: int) -> exp.Expression:
    """The evidence minus its mean over all classes, clipped to the bound, times the weight."""
    beyond = exp.Sub(this=rows.column(f"u{at}_{c}"), expression=rows.column(f"m{at}"))
    clipped = exp.Least(this=greatest([beyond, number(-portable.bound)]), expressions=[number(portable.bound)])
    return exp.Mul(this=clipped, expression=number(portable.theta[c]))
