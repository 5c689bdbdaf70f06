"""SQL expressions and nested selections, which sqlglot writes in any dialect: nothing is ever pasted into text, so no
name or level can be injected as SQL."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import reduce
from typing import Any, NamedTuple

import numpy as np

from tallybayes.families.numbers.support import LARGEST, Support
from tallybayes.families.portable import ByFormula, ByInterval, Operand

EVERYTHING = 2**62  # rows: a limit that keeps these databases from flattening the selections …
FENCED = ("duckdb", "postgres", "sqlite")  # … and computing expressions several times
MANY = 50  # values that are added or compared at a time


try:
    from sqlglot import Dialect as Dialect
    from sqlglot import exp as exp
    from sqlglot import parse_one
except ImportError:
    raise ImportError("SQL export needs sqlglot: pip install 'tallybayes[sql]'.") from None

GIVEN = "given_"
IMPOSSIBLE = -1e290  # stands for −∞, which databases treat differently
HOPELESS = -700.0  # below this, exp is an error in PostgreSQL


def digits(value: float) -> str:
    """A double with all its digits; with an exponent, or DuckDB would read it as a decimal."""
    value = IMPOSSIBLE if np.isneginf(value) else float(value)
    written = repr(value)
    return written if "e" in written else f"{written}e0"


def number(value: float) -> exp.Expression:
    written = digits(value)
    literal = exp.Literal.number(written.removeprefix("-"))
    return exp.Neg(this=literal) if written.startswith("-") else literal


def text(value: str) -> exp.Expression:
    return exp.Literal.string(value)


def column(name: str, table: str) -> exp.Expression:
    return exp.column(exp.to_identifier(name, quoted=True), table=exp.to_identifier(table, quoted=True))


def parsed(query: str, dialect: str, given: Mapping[str, exp.Expression]) -> exp.Expression:
    """A parsed query, with names like given_name replaced by expressions or tables."""

    def put(node: exp.Expression) -> exp.Expression:
        if not isinstance(node, (exp.Column, exp.Table)) or not node.name.startswith(GIVEN):
            return node
        found = given[node.name.removeprefix(GIVEN)].copy()
        if node.args.get("alias") is not None:
            found.set("alias", node.args["alias"])
        return found

    return parse_one(query, dialect=dialect).transform(put)


def case(pairs: Sequence[tuple[Any, Any]], otherwise: Any) -> exp.Expression:
    found = exp.Case()
    for condition, value in pairs:
        found = found.when(condition, value, copy=False)
    return found if otherwise is None else found.else_(otherwise, copy=False)


def as_double(cell: exp.Expression) -> exp.Expression:
    return exp.Cast(this=cell, to=exp.DataType.build("double"))


def taken(cell: exp.Expression, support: Support) -> exp.Expression:
    """A cell as a double; NULL if it is missing, not finite, or outside the family's support."""
    double = as_double(cell)
    lowest = -LARGEST if np.isinf(support.lowest) else support.lowest
    above = exp.GT if support.open else exp.GTE
    conditions = [
        above(this=double, expression=number(lowest)),
        exp.LTE(this=double.copy(), expression=number(LARGEST)),
    ]
    if support.whole:
        conditions.append(exp.EQ(this=double.copy(), expression=exp.Floor(this=double.copy())))
    return case([(exp.and_(*conditions, copy=False), double.copy())], None)


class SqlArithmetic:
    """Arithmetic on expressions, and on plain numbers if everything is known already."""

    def log(self, x: Any) -> Any:
        return _Term(exp.Ln(this=x.node.copy())) if isinstance(x, _Term) else float(np.log(x))

    def if_equal(self, x: Any, number_: float, then: Any, otherwise: Any) -> Any:
        condition = exp.EQ(this=x.node.copy(), expression=number(number_))
        return _Term(case([(condition, _node(then))], _node(otherwise)))


class _Term(Operand):
    """An expression. Operands are copied, so they may occur more than once."""

    def __init__(self, node: exp.Expression) -> None:
        self.node = node

    def combined(self, operator: str, left: Any, right: Any) -> _Term:
        this, expression = (exp.paren(_node(side), copy=False) for side in (left, right))
        return _Term(getattr(exp, operator)(this=this, expression=expression))


def _node(value: Any) -> exp.Expression:
    return value.node.copy() if isinstance(value, _Term) else number(float(value))


def formula(x: exp.Expression, portable: ByFormula, at: int) -> exp.Expression:
    """The evidence of the number x, or NULL, for the class with this index."""
    arithmetic = SqlArithmetic()
    value: Any = arithmetic.log(_Term(x)) if portable.logs else _Term(x)
    found = portable.formula(arithmetic, value, *(float(setting[at]) for setting in portable.settings))
    return exp.Coalesce(this=found.node, expressions=[number(0.0)])


def interval(x: exp.Expression, portable: ByInterval) -> exp.Expression:
    """The number of edges that are ≤ x, as text; NULL if x is missing. By bisection, since some databases limit the
    depth of expressions."""

    def found(low: int, high: int) -> exp.Expression:
        if low == high:
            return text(str(low))
        middle = (low + high) // 2
        below = exp.LT(this=x.copy(), expression=number(float(portable.edges[middle])))
        return case([(below, found(low, middle))], found(middle + 1, high))

    return case([(exp.Is(this=x.copy(), expression=exp.Null()).not_(), found(0, len(portable.edges)))], None)


def added(values: Sequence[exp.Expression]) -> exp.Expression:
    """Their sum."""
    return _in_groups(values, lambda some: exp.paren(reduce(_sum, some), copy=False))


def greatest(values: Sequence[exp.Expression]) -> exp.Expression:
    return _in_groups(values, lambda some: exp.Greatest(this=some[0], expressions=list(some[1:])))


def _in_groups(
    values: Sequence[exp.Expression], together: Callable[[Sequence[exp.Expression]], exp.Expression]
) -> exp.Expression:
    """Any number of values as one, since databases limit the depth of expressions and the arguments of a function."""
    while len(values) > 1:
        groups = [values[start : start + MANY] for start in range(0, len(values), MANY)]
        values = [some[0] if len(some) == 1 else together(some) for some in groups]
    return values[0]


def _sum(one: exp.Expression, other: exp.Expression) -> exp.Expression:
    return exp.Add(this=one, expression=other)


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
        self.select.append("expressions", exp.alias_(value, name, quoted=True, copy=False))

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
